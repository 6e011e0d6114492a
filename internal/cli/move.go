package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type moveCommand struct {
	filesFlags
}

func (cmd *moveCommand) Validate() error {
	if cmd.DatabaseURL == "" {
		return errors.New("--database-url (PARLEY_DATABASE_URL) is missing: it names the database to which the store of --data goes")
	}
	return cmd.filesFlags.Validate()
}

func (cmd *moveCommand) Run(c *console) error {
	done := record{}
	if cmd.MediaURL != "" {
		files, err := cmd.copyFiles(c)
		if err != nil {
			return err
		}
		done = append(done, field{"media_files", files})
	}
	if err := cmd.finishFanOuts(c); err != nil {
		return explainStore(err, cmd.Store)
	}
	var rows int64
	moved, err := store.MoveToPostgres(c.ctx, cmd.Data, cmd.DatabaseURL, func(table string, n int64) {
		if rows += n; n > 0 {
			fmt.Fprintf(c.stderr, "%s: %d rows\n", table, n)
		}
	})
	if err != nil {
		return explainStore(err, cmd.Store)
	}
	done = append(done, field{"organizations", moved["organizations"]}, field{"messages", moved["messages"]}, field{"rows", rows})
	cmd.tellNext(c)
	return cmd.printOne(c.stdout, done)
}

// finishFanOuts writes the deliveries that a server has left when it was killed. On PostgreSQL later events would overtake
// them.
func (cmd *moveCommand) finishFanOuts(c *console) (err error) {
	st, err := store.Open(c.ctx, store.Config{Dir: cmd.Data, Exclusive: true, MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return core.FinishFanOuts(c.ctx, st)
}

// copyFiles copies stored files before the database that names them. Those in the folder stay.
func (cmd *moveCommand) copyFiles(c *console) (int, error) {
	folder, err := blob.OpenFolder(filepath.Join(cmd.Data, "media"))
	if err != nil {
		return 0, err
	}
	bucket, err := blob.Open(c.ctx, "", cmd.MediaURL, slog.New(slog.NewTextHandler(c.stderr, nil)))
	if err != nil {
		return 0, err
	}
	return folder.CopyTo(c.ctx, bucket)
}

func (cmd *moveCommand) tellNext(c *console) {
	fmt.Fprintf(c.stderr, "The store is in PostgreSQL. The old one is kept as %s; delete it when you are sure.\n", store.MovedPath(cmd.Data))
	fmt.Fprintln(c.stderr, "Start the server with this --database-url and the master key that it had: secret.key in --data, or PARLEY_SECRET_KEY.")
	if cmd.MediaURL == "" {
		fmt.Fprintf(c.stderr, "Stored files are still in %s, which servers on other machines do not see.\n", filepath.Join(cmd.Data, "media"))
	} else {
		fmt.Fprintln(c.stderr, "Give it this --media-url too.")
	}
}
