package masterkey

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// pinSetting has the key of two-step PINs, once the master key that they are derived from was changed: the provider
// knows numbers by these PINs.
const pinSetting = "pin_key"

// PINKey is the key from which the two-step PINs of numbers are derived.
func PINKey(r store.Reader, v *vault.Vault) ([]byte, error) {
	sealed, err := r.Setting(pinSetting)
	if errors.Is(err, store.ErrNotFound) {
		return v.Derive(core.PINPurpose), nil
	}
	if err != nil {
		return nil, err
	}
	text, err := v.Open(sealed, pinSetting)
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(text)
}

// sealedBy says what the values of a column are bound to.
var sealedBy = []struct {
	column  store.SealedColumn
	context func(store.Sealed) string
}{
	{store.SealedTokens, func(s store.Sealed) string { return core.TokenContext(s.Subject) }},
	{store.SealedWebhookSecrets, func(s store.Sealed) string { return core.WebhookSecretContext(s.Subject) }},
	{store.SealedSecondSteps, func(s store.Sealed) string { return core.SecondStepContext(s.Subject) }},
	{store.SealedAnswers, func(s store.Sealed) string { return rest.AnswerContext(s.OrgID, s.Subject) }},
	{store.SealedSettings, func(s store.Sealed) string { return s.Subject }},
}

// Change seals with another master key what the present one has sealed, all of it or nothing, and returns how many values
// that were. It refuses a store on which a server runs, which would go on with the key that it has.
func Change(ctx context.Context, st *store.Store, from, to *vault.Vault) (values int, err error) {
	if from.ID() == to.ID() {
		return 0, errors.New("this is the master key that the store has already: make another one with `openssl rand -base64 32`")
	}
	var refused error
	err = st.InTx(ctx, func(tx *store.Tx) error {
		values, refused = change(tx, from, to, st.Alone())
		return refused
	})
	if refused != nil {
		return 0, Unchanged{err}
	}
	return values, err
}

func change(tx *store.Tx, from, to *vault.Vault, alone bool) (values int, err error) {
	if !alone {
		if err := requireNoServer(tx); err != nil {
			return 0, err
		}
	}
	pins, err := PINKey(tx.Reader, from)
	if err == nil {
		err = tx.PutSetting(setting, to.ID())
	}
	if err == nil {
		err = tx.PutSetting(pinSetting, from.Seal(hex.EncodeToString(pins), pinSetting))
	}
	if err != nil {
		return 0, err
	}
	return reseal(tx, from, to)
}

// Unchanged is an error of a change that has surely changed nothing, so that nothing needs the new key. Of one that was cut
// off during its commit, nobody knows.
type Unchanged struct{ Err error }

// Error is that of the cause.
func (u Unchanged) Error() string { return u.Err.Error() }

// Unwrap is the cause.
func (u Unchanged) Unwrap() error { return u.Err }

func requireNoServer(tx *store.Tx) error {
	nodes, err := tx.NodeBeats()
	for _, node := range nodes {
		if time.UnixMilli(node.Beat).After(tx.Now()) {
			return errors.New("a server runs on this store, or was killed within the last minute: stop all of them, and try again")
		}
	}
	return err
}

func reseal(tx *store.Tx, from, to *vault.Vault) (values int, err error) {
	for _, sealed := range sealedBy {
		rows, err := tx.SealedValues(sealed.column, from.ID())
		if err != nil {
			return 0, err
		}
		for _, row := range rows {
			plain, err := from.Open(row.Value, sealed.context(row))
			if err != nil {
				return 0, fmt.Errorf("%s: %w", row.ID, err)
			}
			row.Value = to.Seal(plain, sealed.context(row))
			if err := tx.PutSealed(sealed.column, row); err != nil {
				return 0, err
			}
			values++
		}
	}
	return values, nil
}
