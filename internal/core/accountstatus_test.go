package core_test

import (
	"errors"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A failure that comes late does not count against a token that the account got since.
func TestDemoteAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		then := storetest.Account(t, st, storetest.Org(t, st), "100000000001")
		demote := func() chat.AccountStatus {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				_, err := core.DemoteAccount(tx, then, chat.AccountDegraded, "gone")
				return err
			})
			account, err := st.Read(t.Context()).Account(then.OrgID, then.ID)
			requireNoError(t, err)
			return account.Status
		}
		renewed := then
		renewed.Token = "another"
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateAccount(renewed) })
		if got := demote(); got != chat.AccountConnected {
			t.Errorf("with another token it is %s", got)
		}
		then = renewed
		if got := demote(); got != chat.AccountDegraded {
			t.Errorf("with the same token it is %s", got)
		}
	})
}

// Whatever call shows that a token is no longer good degrades its number. Hosts of files answer 401 for reasons of their own.
func TestNoteLostToken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "100000000001")
		for _, c := range []struct {
			failed error
			want   chat.AccountStatus
		}{
			{nil, chat.AccountConnected},
			{errors.New("away"), chat.AccountConnected},
			{&provider.Error{HTTPStatus: 401}, chat.AccountConnected},
			{&provider.Error{HTTPStatus: 401, Code: 190, Foreign: true}, chat.AccountConnected},
			{&provider.Error{HTTPStatus: 403, Code: 10}, chat.AccountConnected},
			{&provider.Error{HTTPStatus: 401, Code: 190, Message: "Expired"}, chat.AccountDegraded},
		} {
			changed, err := core.NoteLostToken(t.Context(), st, account, c.failed)
			requireNoError(t, err)
			now, err := st.Read(t.Context()).Account(account.OrgID, account.ID)
			requireNoError(t, err)
			if now.Status != c.want || changed != (c.want == chat.AccountDegraded) {
				t.Errorf("after %v it is %s", c.failed, now.Status)
			}
		}
	})
}

// What a callback reports while the provider is asked about a number, or registers it, is newer than the answer.
func TestReportsDuringACallAreNewer(t *testing.T) {
	connected := provider.PhoneNumber{Status: "CONNECTED", VerifiedName: "Kaffee"}
	for name, end := range map[string]func(tx *store.Tx, then chat.Account) (chat.Account, error){
		"asked": func(tx *store.Tx, then chat.Account) (chat.Account, error) {
			return core.KeepStanding(tx, then, connected)
		},
		"registered": func(tx *store.Tx, then chat.Account) (chat.Account, error) {
			return core.EndRegistration(tx, then, new("CONNECTED"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachWorld(t, func(w *world) {
				then := w.Reload()
				w.Clock.Advance(time.Minute)
				w.Apply(provider.AccountUpdate{Origin: provider.Origin{WABAID: then.WABAID}, Event: "PARTNER_REMOVED"})
				for _, c := range []struct {
					then chat.Account
					want chat.AccountStatus
				}{{then, chat.AccountDisconnected}, {w.Reload(), chat.AccountConnected}} {
					w.InTx(func(tx *store.Tx) error {
						_, err := end(tx, c.then)
						return err
					})
					if got := w.Reload(); got.Status != c.want || got.RegisteringUntil != nil {
						t.Errorf("the account is %s, not %s: %+v", got.Status, c.want, got)
					}
				}
			})
		})
	}
}
