package store_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
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

// named is an account of an organization, not stored yet.
func named(tx *store.Tx, like chat.Account, name, phone, phoneNumberID string) chat.Account {
	like.ID, like.Name, like.PhoneNumber, like.PhoneNumberID = tx.NewID(chat.KindAccount), &name, &phone, &phoneNumberID
	like.CreatedAt, like.UpdatedAt = tx.Now(), tx.Now()
	return like
}

// idsFound are the phone_number_ids of all pages of a list of accounts.
func idsFound(t *testing.T, st *store.Store, orgID string, f store.AccountFilter, limit int) (ids []string) {
	t.Helper()
	page := store.Page{Limit: limit}
	for {
		slice, err := st.Read(t.Context()).Accounts(orgID, f, page)
		requireNoError(t, err)
		if len(slice.Rows) > limit || slice.Next != nil && len(slice.Rows) < limit {
			t.Fatalf("a page of %d has %d accounts", limit, len(slice.Rows))
		}
		for _, a := range slice.Rows {
			ids = append(ids, *a.PhoneNumberID)
		}
		if page.After = slice.Next; page.After == nil {
			return ids
		}
	}
}

// Both engines find the same: parts of words in any case of any script, and signs that are wildcards in SQL as they are.
func TestAccountSearch(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		storetest.Account(t, st, other, "9000001") // has no name
		first := storetest.Account(t, st, org, "1000001")
		for i, number := range [][2]string{
			{"ÉCOLE Straße", "+4915112345678"}, {"Кофе 100%", "+628123456789"}, {"toko_jaya", "+6281111111111"}, {`Toko\Jaya`, "+6282222222222"},
		} {
			clock.Advance(time.Second)
			storetest.InTx(t, st, func(tx *store.Tx) error {
				return tx.InsertAccount(named(tx, first, number[0], number[1], "200000"+strconv.Itoa(i)))
			})
		}
		clock.Advance(time.Second)
		team := storetest.Team(t, st, org.ID, "Second")
		storetest.InTx(t, st, func(tx *store.Tx) error {
			account := named(tx, first, "Jaya of the second team", "+6283333333333", "2000009")
			account.TeamID, account.Status = team.ID, chat.AccountDisconnected
			gone := named(tx, first, "Jaya that is gone", "+6284444444444", "2000010")
			return errors.Join(tx.InsertAccount(account), tx.InsertAccount(gone), tx.DeleteAccount(org.ID, gone.ID, tx.Now()))
		})
		for _, c := range []struct {
			search string
			want   []string
		}{
			{"école", []string{"2000000"}}, {"STRASSE", nil}, {"straße", []string{"2000000"}}, {"КОФЕ", []string{"2000001"}},
			{"%", []string{"2000001"}}, {"_", []string{"2000002"}}, {`\`, []string{"2000003"}}, {"jaya toko", []string{"2000003", "2000002"}},
			{"jaya", []string{"2000009", "2000003", "2000002"}}, {"+62 812-345", []string{"2000001"}}, {"0812 345", nil},
			{"1000001", []string{"1000001"}}, {"nobody", nil}, {"9000001", nil},
		} {
			requireEqual(t, idsFound(t, st, org.ID, store.AccountFilter{Search: c.search}, 1), nil, c.want)
		}
		requireEqual(t, idsFound(t, st, org.ID, store.AccountFilter{Search: "jaya", TeamID: team.ID}, 10), nil, []string{"2000009"})
		requireEqual(t, idsFound(t, st, org.ID, store.AccountFilter{Search: "jaya", TroubledAt: new(st.Now())}, 10), nil, []string{"2000009"})
		requireEqual(t, idsFound(t, st, org.ID, store.AccountFilter{Search: "jaya", MemberID: "usr_nobody"}, 10), nil, nil)
	})
}

// A restriction is trouble until its end, and what is left of two until that one's.
func TestTroubledAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		now := st.Now()
		end, later := now.Add(time.Hour), now.Add(2*time.Hour)
		for number, ends := range map[string]chat.RestrictionEnds{
			"1000001": {}, "1000002": {chat.RestrictCustomer: &end}, "1000003": {chat.RestrictBusiness: nil},
			"1000004": {chat.RestrictCustomer: &end, chat.RestrictBusiness: &later}, "1000005": {chat.RestrictCustomer: &end, chat.RestrictBusiness: nil},
		} {
			account := storetest.Account(t, st, org, number)
			account.SetRestrictions(ends)
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateAccount(account) })
		}
		for at, want := range map[time.Time][]string{
			now: {"1000002", "1000003", "1000004", "1000005"}, end: {"1000003", "1000004", "1000005"}, later: {"1000003", "1000005"},
		} {
			found := idsFound(t, st, org.ID, store.AccountFilter{TroubledAt: &at}, 10)
			slices.Sort(found)
			requireEqual(t, found, nil, want)
		}
	})
}

// A search among more numbers than it reads at once goes on to the oldest.
func TestAccountSearchGoesOn(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		oldest := storetest.Account(t, st, org, "1000001")
		clock.Advance(time.Second)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for i := range 1_050 {
				name := "Shop"
				if i%100 == 0 {
					name = "Bakery"
				}
				if err := tx.InsertAccount(named(tx, oldest, name, "+6281200000000", strconv.Itoa(2_000_000+i))); err != nil {
					return err
				}
			}
			return nil
		})
		requireEqual(t, idsFound(t, st, org.ID, store.AccountFilter{Search: "1000001"}, 10), nil, []string{"1000001"})
		if found := idsFound(t, st, org.ID, store.AccountFilter{Search: "bakery"}, 4); len(found) != 11 || !slices.IsSortedFunc(found, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("it finds %v", found)
		}
		ids, err := st.Read(t.Context()).PhoneNumberIDs(org.ID, "")
		requireNoError(t, err)
		requireEqual(t, len(ids), nil, 1_051)
		ids, err = st.Read(t.Context()).PhoneNumberIDs(org.ID, "usr_nobody")
		requireNoError(t, err)
		requireEqual(t, len(ids), nil, 0)
	})
}
