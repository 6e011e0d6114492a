package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		account := storetest.Account(t, st, org, "1000001")
		r := st.Read(t.Context())
		got, err := r.AccountByNumber(org.ID, "1000001")
		requireEqual(t, got, err, account)
		got, err = r.AccountForCallback("1000001")
		requireEqual(t, got, err, account)
		_, err = r.AccountByNumber(other.ID, "1000001")
		requireError(t, err, store.ErrNotFound)
		_, err = r.Account(other.ID, account.ID)
		requireError(t, err, store.ErrNotFound)

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DeleteAccount(org.ID, account.ID, tx.Now()) })
		_, err = r.AccountByNumber(org.ID, "1000001")
		requireError(t, err, store.ErrNotFound)
		again := storetest.Account(t, st, other, "1000001") // the number is free for anybody
		got, err = r.AccountForCallback("1000001")
		requireEqual(t, got, err, again)
	})
}

func TestANumberIsConnectedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		account := storetest.Account(t, st, org, "1000001")
		account.ID, account.OrgID = st.NewID(chat.KindAccount), other.ID
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error { return tx.InsertAccount(account) })
	})
}

func TestAccountPages(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		var want []string
		for _, number := range []string{"1000001", "1000002", "1000003"} {
			clock.Advance(time.Second)
			want = append(want, storetest.Account(t, st, org, number).ID)
		}
		slices.Reverse(want)
		var got []string
		page := store.Page{Limit: 2}
		for {
			slice, err := st.Read(t.Context()).Accounts(org.ID, store.AccountFilter{Status: chat.AccountConnected}, page)
			requireNoError(t, err)
			for _, a := range slice.Rows {
				got = append(got, a.ID)
			}
			if page.After = slice.Next; page.After == nil {
				break
			}
		}
		requireEqual(t, got, nil, want)
	})
}
