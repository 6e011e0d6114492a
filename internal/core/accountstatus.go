package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// DemoteAccount takes an account out of service because a call with it failed; then is the account as it was for that
// call. A status that was set on purpose stays, and so does an account that has a new token since. reason says why,
// for people. DemoteAccount reports whether the account was changed.
func DemoteAccount(tx *store.Tx, then chat.Account, status chat.AccountStatus, reason string) (bool, error) {
	account, err := tx.Account(then.OrgID, then.ID)
	if err != nil || account.Status != chat.AccountConnected || account.Token != then.Token {
		return false, ignoreNotFound(err)
	}
	account.Status, account.StatusReason = status, &reason
	return true, tx.UpdateAccount(account)
}

// NoteLostToken degrades an account if a failed call with it shows that its token is no longer good, as a send does. It
// reports whether the account was changed.
func NoteLostToken(ctx context.Context, st *store.Store, account chat.Account, failed error) (changed bool, err error) {
	said, ok := errors.AsType[*provider.Error](failed)
	if !ok || !said.TokenRefused() {
		return false, nil
	}
	err = st.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
		changed, err = DemoteAccount(tx, account, chat.AccountDegraded, ReasonOf(said))
		return err
	})
	return changed, err
}

// ReasonOf says in readable words why the provider no longer takes calls of an account.
func ReasonOf(said *provider.Error) string {
	return fmt.Sprintf("the provider says %q (%d)", cmp.Or(said.Message, said.Title, "nothing"), said.Code)
}
