package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

type rekeyCommand struct {
	SecretKey    string `variable:"PARLEY_SECRET_KEY" placeholder:"BASE64" secret:"" help:"The present master key. Empty: secret.key in the data folder."`
	NewSecretKey string `variable:"PARLEY_NEW_SECRET_KEY" placeholder:"BASE64" secret:"" help:"The new one: 32 bytes in base64. Empty: one is made, and takes the place of secret.key."`
	storeFlags
}

func (cmd *rekeyCommand) Validate() error {
	if (cmd.SecretKey == "") != (cmd.NewSecretKey == "") {
		return errors.New("give both keys, as PARLEY_SECRET_KEY and PARLEY_NEW_SECRET_KEY, or none: then secret.key in the data folder is replaced (`openssl rand -base64 32` makes a key)")
	}
	return cmd.Store.Validate()
}

func (cmd *rekeyCommand) Run(c *console) error {
	st, err := openStore(c.ctx, cmd.Store, store.Config{MustExist: true, Exclusive: true})
	if err != nil {
		return err
	}
	change := cmd.fromFile
	if cmd.NewSecretKey != "" {
		change = cmd.fromText
	}
	values, err := change(c, st)
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	return cmd.printOne(c.stdout, record{{"resealed", values}})
}

// fromText changes the key of nodes that have it as a variable.
func (cmd *rekeyCommand) fromText(c *console, st *store.Store) (values int, err error) {
	fresh, err := vault.Load(cmd.NewSecretKey, "")
	if err != nil {
		return 0, err
	}
	if values, err = cmd.seal(c, st, fresh); err == nil {
		fmt.Fprintln(c.stderr, "Start every node with the new key as PARLEY_SECRET_KEY. Keep the old one for as long as you keep backups from before.")
	}
	return values, err
}

// fromFile makes a key and replaces the file. The new one is on the disk before anything is sealed with it. If that was
// done, and what follows was cut off, only that is left to do.
func (cmd *rekeyCommand) fromFile(c *console, st *store.Store) (values int, err error) {
	path := filepath.Join(cmd.Data, vault.KeyFile)
	id, err := masterkey.ID(st.Read(c.ctx))
	if err != nil {
		return 0, err
	}
	_, none := os.Stat(path + ".new")
	fresh, err := vault.LoadFile(path + ".new")
	if err == nil && fresh.ID() != id {
		values, err = cmd.seal(c, st, fresh)
	}
	if _, unused := errors.AsType[masterkey.Unchanged](err); unused && none != nil { // one that was there may be in use
		err = errors.Join(err, os.Remove(path+".new"))
	}
	if err != nil {
		return 0, err
	}
	kept, err := vault.ReplaceFile(path, path+".new")
	if err == nil {
		fmt.Fprintf(c.stderr, "%s is the new key: copy it to every node. The old one is %s: keep it for as long as you keep backups from before, and apart from them.\n", path, kept)
	}
	return values, err
}

func (cmd *rekeyCommand) seal(c *console, st *store.Store, fresh *vault.Vault) (int, error) {
	present, err := masterkey.Load(c.ctx, st, cmd.SecretKey, cmd.Data)
	if err != nil {
		return 0, masterkey.Unchanged{Err: err}
	}
	return masterkey.Change(c.ctx, st, present, fresh)
}
