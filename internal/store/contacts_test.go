package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func fullContact(tx *store.Tx, account chat.Account) chat.Contact {
	c := storetest.NewContact(tx, account, "+4915112345678")
	c.BSUID, c.ParentBSUID, c.Username = new("DE.abc"), new("DE.ENT.abc"), new("Größe_1.x")
	c.Name, c.Email, c.Metadata = new("Ada 🦉"), new("ada@example.com"), json.RawMessage(`{"b":1,"a":"x"}`)
	c.Consent = chat.ConsentOptedIn
	return c
}

func TestContacts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account, sibling := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, org, "1000002")
		var contact chat.Contact
		storetest.InTx(t, st, func(tx *store.Tx) error {
			contact = fullContact(tx, account)
			return tx.InsertContact(contact)
		})
		r := st.Read(t.Context())
		for _, find := range []func() (chat.Contact, error){
			func() (chat.Contact, error) { return r.Contact(org.ID, account.ID, contact.ID) },
			func() (chat.Contact, error) { return r.ContactByNumber(org.ID, account.ID, "+4915112345678") },
			func() (chat.Contact, error) { return r.ContactByBSUID(org.ID, account.ID, "DE.abc") },
			func() (chat.Contact, error) { return r.ContactByParent(org.ID, account.ID, "DE.ENT.abc") },
			func() (chat.Contact, error) {
				page, err := r.Contacts(org.ID, account.ID, store.ContactFilter{Username: "GRÖẞE_1.X"}, store.Page{Limit: 1})
				return page.Rows[0], err
			},
		} {
			got, err := find()
			requireEqual(t, got, err, contact)
		}
		_, err := r.Contact(org.ID, sibling.ID, contact.ID)
		requireError(t, err, store.ErrNotFound)

		cleared := contact
		cleared.Username, cleared.Name, cleared.Email, cleared.Metadata = nil, nil, nil, nil
		cleared.Consent, cleared.UpdatedAt = chat.ConsentOptedOut, contact.UpdatedAt.Add(time.Second)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateContact(cleared) })
		got, err := r.Contact(org.ID, account.ID, contact.ID)
		requireEqual(t, got, err, cleared)
	})
}

func TestContactsAreUniqueInTheirAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account, sibling := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, org, "1000002")
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertContact(fullContact(tx, account)) })
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertContact(fullContact(tx, sibling)) })
		for name, same := range map[string]func(c, taken *chat.Contact){
			"number":   func(c, taken *chat.Contact) { c.PhoneNumber = taken.PhoneNumber },
			"BSUID":    func(c, taken *chat.Contact) { c.BSUID = taken.BSUID },
			"parent":   func(c, taken *chat.Contact) { c.ParentBSUID = taken.ParentBSUID },
			"username": func(c, taken *chat.Contact) { c.Username = new("größe_1.X") },
		} {
			requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
				taken := fullContact(tx, account)
				c := storetest.NewContact(tx, account, "+4915100000"+fmt.Sprint(len(name)))
				same(&c, &taken)
				return tx.InsertContact(c)
			})
		}
	})
}

func TestContactFilters(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account, sibling := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, org, "1000002")
		var ada chat.Contact
		storetest.InTx(t, st, func(tx *store.Tx) error {
			ada = fullContact(tx, account)
			return tx.InsertContact(ada)
		})
		storetest.InTx(t, st, func(tx *store.Tx) error {
			ben := storetest.NewContact(tx, account, "+4917000000000")
			ben.Name, ben.Email = new(`100%_\`), new("ben@example.org")
			return tx.InsertContact(ben)
		})
		storetest.Contact(t, st, sibling, "+4915112345678")
		for name, test := range map[string]struct {
			filter store.ContactFilter
			want   int
		}{
			"all":                   {store.ContactFilter{}, 2},
			"number":                {store.ContactFilter{PhoneNumber: "+4915112345678"}, 1},
			"part of a number":      {store.ContactFilter{PhoneNumber: "+49151"}, 0},
			"BSUID":                 {store.ContactFilter{BSUID: "DE.abc"}, 1},
			"BSUID in another case": {store.ContactFilter{BSUID: "DE.ABC"}, 0},
			"username":              {store.ContactFilter{Username: "GRÖẞE_1.x"}, 1},
			"username with a dash":  {store.ContactFilter{Username: "größe-1.x"}, 0},
			"search name":           {store.ContactFilter{Search: "aDA"}, 1},
			"search emoji":          {store.ContactFilter{Search: "🦉"}, 1},
			"search address":        {store.ContactFilter{Search: "EXAMPLE."}, 2},
			"search number":         {store.ContactFilter{Search: "5112345"}, 1},
			"search username":       {store.ContactFilter{Search: "röße_1"}, 1},
			"search percent":        {store.ContactFilter{Search: "%"}, 1},
			"search underscore":     {store.ContactFilter{Search: "0%_"}, 1},
			"search backslash":      {store.ContactFilter{Search: `\`}, 1},
			"search with wildcards": {store.ContactFilter{Search: "1%0"}, 0},
			"search and number":     {store.ContactFilter{Search: "ada", PhoneNumber: "+4917000000000"}, 0},
			"label":                 {store.ContactFilter{LabelID: "lbl_x"}, 0},
			"number and label":      {store.ContactFilter{PhoneNumber: "+4915112345678", LabelID: "lbl_x"}, 0},
		} {
			slice, err := st.Read(t.Context()).Contacts(org.ID, account.ID, test.filter, store.Page{Limit: 10})
			if err != nil || len(slice.Rows) != test.want || slice.Next != nil {
				t.Errorf("%s: got %v, %v", name, slice, err)
			}
		}
	})
}

// Every way to find a label gives the same pages as scanning all contacts.
func TestLabelSearchesAgree(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		account, sibling := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, org, "1000002")
		var contacts []chat.Contact
		for i := range 30 {
			if i%4 == 0 {
				clock.Advance(time.Millisecond)
			}
			contacts = append(contacts, storetest.Contact(t, st, account, fmt.Sprint("+491510000", 1000+i)))
		}
		slices.Reverse(contacts)
		elsewhere := storetest.Contact(t, st, sibling, "+4915100001000")
		rapid.Check(t, func(rt *rapid.T) {
			label := st.NewID(chat.KindLabel)
			has := rapid.SliceOfN(rapid.Bool(), len(contacts), len(contacts)).Draw(rt, "has")
			attached, want := []string{elsewhere.ID}, []string{}
			for i, c := range contacts {
				if has[i] {
					attached, want = append(attached, c.ID), append(want, c.ID)
				}
			}
			storetest.InTx(t, st, func(tx *store.Tx) error {
				_, err := tx.AttachToContacts(org.ID, label, attached)
				return err
			})
			search := store.LabelSearch{
				Few: rapid.IntRange(0, 31).Draw(rt, "few"), Walk: rapid.IntRange(1, 31).Draw(rt, "walk"),
			}
			search.Many = rapid.IntRange(search.Few, 31).Draw(rt, "many")
			page := store.Page{Limit: rapid.IntRange(1, 31).Draw(rt, "limit")}
			got := []string{}
			for more := true; more; more = page.After != nil {
				slice, err := store.LabelledContacts(st.Read(t.Context()), search, org.ID, account.ID, label, page)
				if err != nil {
					rt.Fatal(err)
				}
				for _, c := range slice.Rows {
					got = append(got, c.ID)
				}
				page.After = slice.Next
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("got %v, want %v", got, want)
			}
		})
	})
}

func TestRelabelContacts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "1000001")
		first, second := storetest.Contact(t, st, account, "+4915100000001"), storetest.Contact(t, st, account, "+4915100000002")
		vip, urgent := storetest.Label(t, st, org, "VIP"), storetest.Label(t, st, org, "Urgent")
		both := []string{first.ID, second.ID}
		var changed []string
		run := func(change func(*store.Tx) ([]string, error)) []string {
			t.Helper()
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				changed, err = change(tx)
				return err
			})
			slices.Sort(changed)
			return changed
		}
		attach := func(label chat.Label, ids ...string) func(*store.Tx) ([]string, error) {
			return func(tx *store.Tx) ([]string, error) { return tx.AttachToContacts(org.ID, label.ID, ids) }
		}
		requireEqual(t, run(attach(vip, first.ID)), nil, []string{first.ID})
		requireEqual(t, run(attach(vip, both...)), nil, []string{second.ID})
		requireEqual(t, run(attach(urgent, first.ID)), nil, []string{first.ID})
		requireEqual(t, len(run(attach(urgent, st.NewID(chat.KindContact)))), nil, 0)

		r := st.Read(t.Context())
		got, err := r.LabelsOfContacts(org.ID, both)
		requireEqual(t, got, err, map[string][]chat.Label{first.ID: {urgent, vip}, second.ID: {vip}})
		got, err = r.LabelsOfContacts(org.ID, nil)
		requireEqual(t, got, err, map[string][]chat.Label{})

		requireEqual(t, run(func(tx *store.Tx) ([]string, error) { return tx.DetachFromContacts(org.ID, urgent.ID, both) }), nil, []string{first.ID})
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DeleteLabel(org.ID, vip.ID) })
		got, err = r.LabelsOfContacts(org.ID, both)
		requireEqual(t, got, err, map[string][]chat.Label{})
		requireEqual(t, run(attach(vip, both...)), nil, both) // no link was left behind
	})
}

func TestTouchContacts(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "1000001")
		first, second := storetest.Contact(t, st, account, "+4915100000001"), storetest.Contact(t, st, account, "+4915100000002")
		clock.Advance(time.Hour)
		var touched []chat.Contact
		storetest.InTx(t, st, func(tx *store.Tx) (err error) {
			touched, err = tx.TouchContacts(org.ID, []string{second.ID, first.ID})
			return err
		})
		first.UpdatedAt, second.UpdatedAt = st.Now(), st.Now()
		requireEqual(t, touched, nil, []chat.Contact{first, second})
	})
}

// The search index reads a contact anew if it is found by something else now, and not for the provider's identifiers.
func TestRenamedContactsAreSearchedAnew(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "123456")
		contact := storetest.Contact(t, st, account, "+15550002222")
		queued := func() int {
			changes, err := st.Read(t.Context()).SearchChanges(100)
			requireNoError(t, err)
			return len(changes)
		}
		for _, c := range []struct {
			name   string
			change func(*chat.Contact)
			anew   int
		}{
			{"bsuid", func(c *chat.Contact) { c.BSUID = new("US.1") }, 0},
			{"parent", func(c *chat.Contact) { c.ParentBSUID = new("US.ENT.1") }, 0},
			{"name", func(c *chat.Contact) { c.Name = new("Ada") }, 1},
			{"username", func(c *chat.Contact) { c.Username = new("ada") }, 1},
			{"email", func(c *chat.Contact) { c.Email = new("ada@example.com") }, 1},
			{"number", func(c *chat.Contact) { c.PhoneNumber = new("+15550003333") }, 1},
		} {
			before, was := contact, queued()
			c.change(&contact)
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.Rename(before, contact) })
			if got := queued() - was; got != c.anew {
				t.Errorf("another %s: indexed anew %d times, want %d", c.name, got, c.anew)
			}
		}
	})
}
