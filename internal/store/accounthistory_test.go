package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A number's states are recorded as they change, and only the newest are kept.
func TestAccountHistory(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "100000000001")
		other := storetest.Account(t, st, org, "100000000002")
		states := func() []chat.AccountState {
			t.Helper()
			found, err := st.Read(t.Context()).AccountHistory(org.ID, account.ID)
			requireNoError(t, err)
			return found
		}
		if first := states(); len(first) != 1 || first[0].Status != chat.AccountConnected || first[0].Quality != nil {
			t.Errorf("it begins with %+v", first)
		}
		update := func(change func(*chat.Account)) {
			t.Helper()
			storetest.InTx(t, st, func(tx *store.Tx) error {
				change(&account)
				return tx.UpdateAccount(account)
			})
		}
		clock.Advance(time.Second)
		update(func(a *chat.Account) { a.Quality = new("GREEN") })
		update(func(a *chat.Account) { a.Quality = new("RED") }) // at the same instant
		clock.Advance(time.Second)
		update(func(a *chat.Account) { a.RequireOptIn, a.Name = true, new("Shop") }) // not part of its state
		if now := states(); len(now) != 2 || *now[0].Quality != "RED" || !now[0].At.Equal(clock.Now().Add(-time.Second)) {
			t.Errorf("after two changes at one instant it is %+v", now)
		}
		for i := range store.MostAccountStates + 5 {
			clock.Advance(time.Second)
			update(func(a *chat.Account) { a.ProviderStatus = new(fmt.Sprint(i)) })
		}
		if now := states(); len(now) != store.MostAccountStates || *now[0].ProviderStatus != fmt.Sprint(store.MostAccountStates+4) || *now[len(now)-1].ProviderStatus != "5" {
			t.Errorf("of many there are %d, from %s to %s", len(now), *now[len(now)-1].ProviderStatus, *now[0].ProviderStatus)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := tx.DeleteAccount(org.ID, account.ID, tx.Now()); err != nil {
				return err
			}
			return tx.RemoveAccount(org.ID, account.ID)
		})
		if left := states(); len(left) != 0 {
			t.Errorf("%d states are left of a number that was removed", len(left))
		}
		if left, err := st.Read(t.Context()).AccountHistory(org.ID, other.ID); err != nil || len(left) != 1 {
			t.Errorf("the other number has %d states, %v", len(left), err)
		}
	})
}
