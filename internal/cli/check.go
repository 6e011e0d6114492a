package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/parleyhq/parley/internal/backup"
	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/store"
)

type checkCommand struct {
	Repair bool `help:"Mend what can be mended without a loss."`
	filesFlags
}

func (cmd *checkCommand) Run(c *console) error {
	faults, err := cmd.checkFile(c)
	if err != nil {
		return explainFolder(err, cmd.Store)
	}
	search, err := cmd.checkSearch(c)
	if err != nil {
		return explainFolder(err, cmd.Store)
	}
	faults = append(faults, search...)
	err = cmd.inside(c, func(st *store.Store) error {
		blobs, err := blob.Open(c.ctx, filepath.Join(cmd.Data, "media"), cmd.MediaURL, slog.New(slog.NewTextHandler(c.stderr, nil)))
		if err != nil {
			return err
		}
		more, err := backup.Check(c.ctx, st, blobs, cmd.Repair)
		faults = append(faults, more...)
		return err
	})
	var rows []record
	left := 0
	for _, f := range faults {
		if f.What == backup.FilesMissing {
			cmd.tellWhereFilesWere(c)
		}
		rows = append(rows, record{{"fault", f.What}, {"mended", f.Mended}, {"first", strings.Join(f.IDs, " ")}})
		if f.Mended == "" {
			left++
		}
	}
	if len(rows) > 0 || cmd.JSON && err == nil {
		err = errors.Join(err, cmd.printAll(c.stdout, rows, "fault", "mended", "first"))
	}
	if err != nil { // what was found before, and perhaps mended, is told all the same
		return err
	}
	if left > 0 {
		return fmt.Errorf("faults that are left: %d", left)
	}
	fmt.Fprintln(c.stderr, "The store is sound.")
	return nil
}

// checkFile reads the embedded store's file, without which nothing else can be checked. If asked to, it makes broken indexes
// anew.
func (cmd *checkCommand) checkFile(c *console) (mended []backup.Fault, err error) {
	if cmd.DatabaseURL != "" {
		return nil, nil
	}
	err = store.CheckEmbedded(c.ctx, cmd.Data)
	damage, is := errors.AsType[*store.Damage](err)
	if !is || !cmd.Repair {
		return nil, err
	}
	if err := store.MendEmbedded(c.ctx, cmd.Data); err != nil {
		return nil, err
	}
	return []backup.Fault{{What: "indexes do not fit their tables", IDs: []string{damage.Why.Error()}, Mended: "they were made anew"}}, nil
}

// checkSearch reads the embedded store's search index. A broken one is removed if that is asked for: it can always be made
// anew.
func (cmd *checkCommand) checkSearch(c *console) ([]backup.Fault, error) {
	if cmd.DatabaseURL != "" {
		return nil, nil
	}
	err := store.CheckSearch(c.ctx, cmd.Data)
	damage, is := errors.AsType[*store.Damage](err)
	if !is {
		return nil, err
	}
	fault := backup.Fault{What: "the search index is damaged", IDs: []string{damage.Why.Error()}}
	if !cmd.Repair {
		return []backup.Fault{fault}, nil
	}
	fault.Mended = "removed: the server makes it anew"
	return []backup.Fault{fault}, store.DropSearch(cmd.Data)
}

// inside runs fn on the store. Without a repair it leaves the files as they are.
func (cmd *checkCommand) inside(c *console, fn func(*store.Store) error) error {
	if cmd.DatabaseURL != "" || cmd.Repair {
		return cmd.with(c, fn)
	}
	release, err := store.KeepJournal(c.ctx, cmd.Data)
	if err != nil {
		return explainFolder(err, cmd.Store)
	}
	return errors.Join(cmd.with(c, fn), release())
}

// tellWhereFilesWere helps who has named a database and not the place of its files: they are all there, elsewhere.
func (cmd *checkCommand) tellWhereFilesWere(c *console) {
	place := cmd.MediaURL
	if place == "" {
		place = filepath.Join(cmd.Data, "media")
	}
	fmt.Fprintf(c.stderr, "Stored files were looked for in %s: if they are elsewhere, name the server's folder with --data, or its bucket with --media-url.\n", place)
}
