package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// known is a contact with the fields that filters use.
type known struct {
	chat.Contact
	labels   []string
	assignee string
	seen     *time.Time
}

// people are contacts of two numbers of two teams.
type people struct {
	st       *store.Store
	org      storetest.Organization
	accounts [2]chat.Account
	labels   [3]chat.Label
	me       chat.User
	all      []known
}

func newPeople(t *testing.T, st *store.Store, clock *storetest.Clock) *people {
	p := &people{st: st, org: storetest.Org(t, st), me: chat.User{ID: st.NewID(chat.KindUser)}}
	p.me.OrgID = p.org.ID
	p.accounts = [2]chat.Account{storetest.Account(t, st, p.org, "1000001"), storetest.Account(t, st, p.org, "1000002")}
	for i := range p.labels {
		p.labels[i] = storetest.Label(t, st, p.org, fmt.Sprint("Label ", i))
	}
	storetest.InTx(t, st, func(tx *store.Tx) error {
		p.me.Email, p.me.Name, p.me.Role, p.me.Sees = "ada@example.com", "Ada", chat.RoleAgent, chat.SeesAll
		return errors.Join(tx.InsertUser(p.me), tx.PutMember(p.org.ID, p.org.TeamID, p.me.ID))
	})
	for i := range 24 {
		clock.Advance(time.Duration(i%3) * time.Second)
		p.add(t, i)
	}
	return p
}

func (p *people) add(t *testing.T, i int) {
	account := p.accounts[i%2]
	k := known{}
	storetest.InTx(t, p.st, func(tx *store.Tx) error {
		k.Contact = storetest.NewContact(tx, account, fmt.Sprint("+4915100000", 100+i))
		k.Name = new([]string{"ada", "Ben", "cem"}[i%3] + fmt.Sprint(" ", i/6))
		k.Consent = []chat.Consent{chat.ConsentUnknown, chat.ConsentOptedIn, chat.ConsentOptedOut}[i/2%3]
		if err := tx.InsertContact(k.Contact); err != nil {
			return err
		}
		for j, label := range p.labels {
			if i>>j&1 == 1 {
				k.labels = append(k.labels, label.ID)
				if _, err := tx.AttachToContacts(p.org.ID, label.ID, []string{k.ID}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if i%4 != 0 {
		at := p.st.Now().Add(-time.Duration(i) * time.Hour).Truncate(time.Millisecond)
		conversation := storetest.Conversation(t, p.st, k.Contact, &at)
		if i%4 > 1 {
			k.seen, conversation.LastInboundAt = &at, &at
		}
		if i%5 == 0 {
			k.assignee, conversation.AssignedTo = p.me.ID, &p.me.ID
		}
		storetest.InTx(t, p.st, func(tx *store.Tx) error { return tx.UpdateConversation(conversation) })
	}
	p.all = append(p.all, k)
}

// want is the expected result of a filter, found by checking every contact.
func (p *people) want(u chat.User, q store.ContactQuery) (found []known) {
	for _, k := range p.all {
		has := func(id string) bool { return slices.Contains(k.labels, id) }
		labelled := slices.ContainsFunc(q.LabelIDs, has)
		if q.AllLabels {
			labelled = !slices.ContainsFunc(q.LabelIDs, func(id string) bool { return !has(id) })
		}
		if len(q.LabelIDs) > 0 && !labelled || q.Consent != "" && k.Consent != q.Consent || q.AccountID != "" && k.AccountID != q.AccountID ||
			q.NeverSeen && k.seen != nil || q.SeenAfter != nil && (k.seen == nil || k.seen.Before(*q.SeenAfter)) ||
			q.NotSeenSince != nil && k.seen != nil && !k.seen.Before(*q.NotSeenSince) || u.Sees == chat.SeesAssigned && k.assignee != u.ID ||
			slices.ContainsFunc(q.Words(), func(word string) bool { return !strings.Contains(k.SearchKey(), word) }) {
			continue
		}
		found = append(found, k)
	}
	return found
}

var contactQueries = rapid.Custom(func(t *rapid.T) store.ContactQuery {
	var q store.ContactQuery
	q.Search = rapid.SampledFrom([]string{"", "", "ADA", "2 ben", "a d a a d a a d a a d ada", "a d a a d a a d a a d a d", "+49 (1510) 000-01"}).Draw(t, "search")
	q.Consent = rapid.SampledFrom([]chat.Consent{"", chat.ConsentOptedIn, chat.ConsentOptedOut}).Draw(t, "consent")
	q.AllLabels, q.NeverSeen = rapid.Bool().Draw(t, "all"), rapid.IntRange(0, 5).Draw(t, "never") == 0
	return q
})

// Each list in either order, its pages, the ids and the count equal the expected result, for every user.
func TestContactListsAgree(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		p := newPeople(t, st, clock)
		rapid.Check(t, func(rt *rapid.T) {
			u, q := p.me, contactQueries.Draw(rt, "query")
			u.Sees = rapid.SampledFrom([]chat.Visibility{chat.SeesAll, chat.SeesTeams, chat.SeesAssigned}).Draw(rt, "sees")
			for i, label := range p.labels {
				if rapid.IntRange(0, 2).Draw(rt, fmt.Sprint("label ", i)) == 0 {
					q.LabelIDs = append(q.LabelIDs, label.ID)
				}
			}
			hours := rapid.IntRange(-20, 30).Draw(rt, "hours")
			if at := st.Now().Add(-time.Duration(hours) * time.Hour); hours > 15 {
				q.SeenAfter = &at
			} else if hours > 0 {
				q.NotSeenSince = &at
			}
			if n := rapid.IntRange(0, 3).Draw(rt, "number"); n < 2 {
				q.AccountID = p.accounts[n].ID
			}
			p.compare(rt, u, q, rapid.IntRange(1, 9).Draw(rt, "limit"))
		})
	})
}

func (p *people) compare(t *rapid.T, u chat.User, q store.ContactQuery, limit int) {
	want := p.want(u, q)
	r := p.st.Read(t.Context())
	for sort, before := range map[chat.ContactSort]func(a, b known) int{
		chat.ContactsNewest: func(a, b known) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) },
		chat.ContactsByName: func(a, b known) int {
			return cmp.Or(cmp.Compare(a.SearchKey(), b.SearchKey()), cmp.Compare(a.ID, b.ID))
		},
	} {
		slices.SortFunc(want, before)
		got, page := []string{}, store.Page{Limit: limit}
		for more := true; more; more = page.After != nil {
			slice, err := r.ListContacts(u, q, sort, page)
			requireNoError(t, err)
			for _, e := range slice.Rows {
				got = append(got, e.ID)
			}
			page.After = slice.Next
		}
		sameIDs(t, string(sort), got, want)
	}
	slices.SortFunc(want, func(a, b known) int { return cmp.Compare(a.ID, b.ID) })
	got, after := []string{}, ""
	for {
		ids, err := r.ContactIDs(u, q, after, limit)
		requireNoError(t, err)
		if got = append(got, ids...); len(ids) < limit {
			break
		}
		after = ids[len(ids)-1]
	}
	sameIDs(t, "ids", got, want)
	if n, err := r.CountContacts(u, q); err != nil || n != len(want) {
		t.Fatalf("counted %d, %v, want %d", n, err, len(want))
	}
}

// Who is looked for by a number in another spelling than the contact's is found wherever numbers find people.
func TestPeopleAreFoundByEitherSpelling(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		here, there := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, org, "1000002")
		ada, adaToo := storetest.Contact(t, st, here, "+5215512345678"), storetest.Contact(t, st, there, "+525512345678")
		u, r := chat.User{OrgID: org.ID, Sees: chat.SeesAll}, st.Read(t.Context())
		same := func(what string, got int, err error, want int) {
			if err != nil || got != want {
				t.Errorf("%s: %d, %v, want %d", what, got, err, want)
			}
		}
		for _, number := range []string{*ada.PhoneNumber, *adaToo.PhoneNumber} {
			page, err := r.Contacts(org.ID, here.ID, store.ContactFilter{PhoneNumber: number}, store.Page{Limit: 2})
			same("the filter by number", len(page.Rows), err, 1)
			found, err := r.ContactsWithNumber(org.ID, number, 10)
			same("the numbers that the person wrote with", len(found), err, 2)
			n, err := r.CountContacts(u, store.ContactQuery{ContactFilter: chat.ContactFilter{Search: number}})
			same("the search", n, err, 2)
		}
		others, err := r.Namesakes(u, ada)
		same("the contact of the other number", len(others), err, 1)
	})
}

func sameIDs(t *rapid.T, what string, got []string, want []known) {
	ids := []string{}
	for _, k := range want {
		ids = append(ids, k.ID)
	}
	if !slices.Equal(got, ids) {
		t.Fatalf("%s: got %v, want %v", what, got, ids)
	}
}
