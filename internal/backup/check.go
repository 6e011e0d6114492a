package backup

import (
	"context"
	"errors"
	"io/fs"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/store"
)

// Fault is a fault that a check has found.
type Fault struct {
	What   string
	IDs    []string // the first rows or files
	Mended string   // how it was repaired; empty: it was not
}

// mostNamed is the number of rows named in a fault.
const mostNamed = 10

// filesAtOnce is the number of files looked up at once.
const filesAtOnce = 1000

// Check looks for states that must not occur: work that no worker would find, rows without their owner, missing
// files. With repair it fixes those that can be fixed without a loss.
func Check(ctx context.Context, st *store.Store, blobs blob.Store, repair bool) (faults []Fault, err error) {
	for _, i := range store.Invariants {
		broken, err := st.Read(ctx).Broken(i, mostNamed)
		if err != nil {
			return faults, err
		}
		if len(broken) == 0 {
			continue
		}
		f := Fault{What: i.Fault, IDs: broken}
		if repair && i.Mended != "" {
			err = st.InTx(ctx, func(tx *store.Tx) error {
				_, err := tx.Mend(i)
				return err
			})
			f.Mended = i.Mended
		}
		if err != nil {
			return faults, err
		}
		faults = append(faults, f)
	}
	missing, err := missingFiles(ctx, st, blobs)
	if len(missing) > 0 {
		faults = append(faults, Fault{What: FilesMissing, IDs: missing})
	}
	return faults, err
}

// FilesMissing is the fault of a store whose files are not where they were looked for.
const FilesMissing = "stored files are missing"

// missingFiles returns keys without a file, at most mostNamed.
func missingFiles(ctx context.Context, st *store.Store, blobs blob.Store) (missing []string, err error) {
	for after := ""; ; {
		keys, err := st.Read(ctx).Files(after, filesAtOnce)
		if err != nil || len(keys) == 0 {
			return missing, err
		}
		for _, key := range keys {
			f, err := blobs.Get(ctx, key)
			if err == nil {
				err = f.Close()
			}
			if errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, key)
			} else if err != nil {
				return missing, err
			}
			if len(missing) == mostNamed {
				return missing, nil
			}
		}
		after = keys[len(keys)-1]
	}
}
