package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

const masterKeySetting = "master_key_id"

// CheckMasterKey ties the store to its master key on first use and refuses another one later:
// with the wrong key nothing that was sealed could be opened.
func CheckMasterKey(ctx context.Context, st *store.Store, v *vault.Vault) error {
	return st.InTx(ctx, func(tx *store.Tx) error {
		err := tx.InsertSetting(masterKeySetting, v.ID())
		if !errors.Is(err, store.ErrDuplicate) {
			return err
		}
		id, err := tx.Setting(masterKeySetting)
		if err == nil && id != v.ID() {
			return fmt.Errorf("the store was set up with master key %s, but this process has %s: set PARLEY_SECRET_KEY, or copy secret.key from the data folder of the first node", id, v.ID())
		}
		return err
	})
}
