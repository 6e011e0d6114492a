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
	if cmd.DatabaseURL == "" {
		if err := store.CheckEmbedded(c.ctx, cmd.Data); err != nil {
			return explainFolder(err, cmd.Store)
		}
	}
	var faults []backup.Fault
	err := cmd.with(c, func(st *store.Store) error {
		blobs, err := blob.Open(c.ctx, filepath.Join(cmd.Data, "media"), cmd.MediaURL, slog.New(slog.NewTextHandler(c.stderr, nil)))
		if err == nil {
			faults, err = backup.Check(c.ctx, st, blobs, cmd.Repair)
		}
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

// tellWhereFilesWere helps who has named a database and not the place of its files: they are all there, elsewhere.
func (cmd *checkCommand) tellWhereFilesWere(c *console) {
	place := cmd.MediaURL
	if place == "" {
		place = filepath.Join(cmd.Data, "media")
	}
	fmt.Fprintf(c.stderr, "Stored files were looked for in %s: if they are elsewhere, name the server's folder with --data, or its bucket with --media-url.\n", place)
}
