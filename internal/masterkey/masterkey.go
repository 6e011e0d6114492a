// Package masterkey ties a store to the key that its secrets are sealed with.
package masterkey

import (
	"context"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

const setting = "master_key_id"

// Load opens the vault that the store was set up with: with the key in text, or with the one in
// dir. Only a store that has no key yet gets a new one; made for another store it would be of no use, and
// would look to the operator like the one that is missing.
func Load(ctx context.Context, st *store.Store, text, dir string) (*vault.Vault, error) {
	id, err := st.Read(ctx).Setting(setting)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	tied := err == nil
	if tied && text == "" && !vault.HasKeyFile(dir) {
		return nil, fmt.Errorf("the store was set up with master key %s, which is not here: set PARLEY_SECRET_KEY, or copy %s back into %s", id, vault.KeyFile, dir)
	}
	v, err := vault.Load(text, dir)
	if tied && errors.Is(err, vault.ErrMasterKey) {
		return nil, fmt.Errorf("the store was set up with master key %s, and what is here is none: bring that one back, as PARLEY_SECRET_KEY or %s in %s; a new one would open nothing", id, vault.KeyFile, dir)
	}
	if err != nil {
		return nil, err
	}
	return v, Check(ctx, st, v)
}

// ID is the id of the master key that the store was set up with.
func ID(r store.Reader) (string, error) {
	id, err := r.Setting(setting)
	if errors.Is(err, store.ErrNotFound) {
		return "", errors.New("the store has no master key yet: the first start of the server makes one")
	}
	return id, err
}

// Check ties the store to its master key on first use and refuses another one later:
// with the wrong key nothing that was sealed could be opened.
func Check(ctx context.Context, st *store.Store, v *vault.Vault) error {
	return st.InTx(ctx, func(tx *store.Tx) error {
		err := tx.InsertSetting(setting, v.ID())
		if !errors.Is(err, store.ErrDuplicate) {
			return err
		}
		id, err := tx.Setting(setting)
		if err == nil && id != v.ID() {
			return fmt.Errorf("the store was set up with master key %s, but this process has %s: set PARLEY_SECRET_KEY, or copy secret.key from the data folder of the first node", id, v.ID())
		}
		return err
	})
}
