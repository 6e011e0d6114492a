package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A number's conversations of a status are found even if the organization has many of other numbers.
func TestConversationsOfAStatusAmongMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		quiet, busy := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, org, "1000002")
		var want []string
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for i := range 2_050 {
				at := tx.Now().Add(time.Duration(i) * time.Second)
				account := busy
				if i%500 == 0 {
					account = quiet
				}
				c := chat.Conversation{
					ID: tx.NewIDAt(chat.KindConversation, at), OrgID: org.ID, AccountID: account.ID, ContactID: tx.NewID(chat.KindContact),
					Status: chat.ConversationOpen, LastMessageAt: &at, CreatedAt: at, UpdatedAt: at,
				}
				if account == quiet {
					want = append(want, c.ID)
				}
				if err := tx.InsertConversation(c); err != nil {
					return err
				}
			}
			return nil
		})
		slices.Reverse(want)
		want = want[len(want)-5:] // a transaction may run twice
		for _, limit := range []int{1, 2, 4, 10} {
			got := allPages(t, limit, func(p store.Page) (store.Slice[chat.ConversationDetail], error) {
				return st.Read(t.Context()).Conversations(org.ID, quiet.ID, store.ConversationFilter{Status: chat.ConversationOpen}, p)
			}, func(c chat.ConversationDetail) string { return c.ID })
			requireEqual(t, got, nil, want)
		}
	})
}

func allPages[T any](t *testing.T, limit int, read func(store.Page) (store.Slice[T], error), id func(T) string) (ids []string) {
	t.Helper()
	for p := (store.Page{Limit: limit}); ; {
		slice, err := read(p)
		requireNoError(t, err)
		for _, row := range slice.Rows {
			ids = append(ids, id(row))
		}
		if slice.Next == nil {
			return ids
		}
		p.After = slice.Next
	}
}

// inboxWorld is an organization with two teams, a number of each, and conversations of every kind.
type inboxWorld struct {
	st    *store.Store
	users []chat.User
	teams map[string][]string // by user
	team  map[string]string   // of an account
	label chat.Label
	all   []chat.Conversation
	// marked have a label, or their contacts have; mentioned name the first user.
	marked, mentioned map[string]bool
}

func newInboxWorld(t *testing.T, st *store.Store) *inboxWorld {
	t.Helper()
	org := storetest.Org(t, st)
	other := storetest.Team(t, st, org.ID, "Other")
	w := &inboxWorld{st: st, teams: map[string][]string{}, team: map[string]string{}, marked: map[string]bool{}, mentioned: map[string]bool{}}
	first, second := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, storetest.Organization{ID: org.ID, TeamID: other.ID}, "1000002")
	w.team[first.ID], w.team[second.ID] = org.TeamID, other.ID
	w.label = storetest.Label(t, st, org, "VIP")
	storetest.InTx(t, st, func(tx *store.Tx) error {
		w.users, w.all = nil, nil
		for i, sees := range []chat.Visibility{chat.SeesAll, chat.SeesTeams, chat.SeesAssigned} {
			u := chat.User{ID: tx.NewID(chat.KindUser), OrgID: org.ID, Email: fmt.Sprint(sees, "@example.com"), Name: string(sees), Role: chat.RoleAgent, Sees: sees}
			w.users = append(w.users, u)
			w.teams[u.ID] = []string{[]string{org.TeamID, other.ID}[i%2]}
			if err := tx.InsertUser(u); err != nil {
				return err
			}
			if err := tx.PutMember(org.ID, w.teams[u.ID][0], u.ID); err != nil {
				return err
			}
		}
		for i := range 96 {
			if err := w.add(tx, []chat.Account{first, second}[i%2], i/2); err != nil {
				return err
			}
		}
		return nil
	})
	return w
}

// add makes a conversation whose state follows from n, so that every combination occurs.
func (w *inboxWorld) add(tx *store.Tx, account chat.Account, n int) error {
	contact := storetest.NewContact(tx, account, fmt.Sprintf("+49151%07d", n))
	if err := tx.InsertContact(contact); err != nil {
		return err
	}
	at := tx.Now().Add(-time.Duration(n%7) * time.Minute) // several have the same
	c := chat.Conversation{
		ID: tx.NewID(chat.KindConversation), OrgID: account.OrgID, AccountID: account.ID, ContactID: contact.ID,
		Status: chat.ConversationStatuses[n%3], UnreadCount: int64(n % 2), LastMessageAt: &at, CreatedAt: at, UpdatedAt: at,
	}
	if user := n / 3 % 4; user < 3 {
		c.AssignedTo = &w.users[user].ID
	}
	if c.Status == chat.ConversationPending && n%5 < 2 {
		c.SnoozedUntil = &chat.Forever
	}
	if c.Status != chat.ConversationResolved && n%4 == 0 {
		c.WaitingSince = &at
	}
	w.all = append(w.all, c)
	if err := tx.InsertConversation(c); err != nil {
		return err
	}
	var err error
	switch n % 6 {
	case 0:
		_, err = tx.AttachToConversation(c.OrgID, c.ID, w.label.ID)
	case 1:
		_, err = tx.AttachToContacts(c.OrgID, w.label.ID, []string{contact.ID})
	case 2:
		w.mentioned[c.ID] = true
		return tx.InsertNote(chat.Note{ID: tx.NewID(chat.KindNote), OrgID: c.OrgID, ConversationID: c.ID, AuthorID: "usr_x", Body: "x",
			Mentions: []string{w.users[0].ID, w.users[1].ID, w.users[2].ID}, CreatedAt: at})
	}
	w.marked[c.ID] = n%6 < 2
	return err
}

// want is the expected list, found by checking every conversation.
func (w *inboxWorld) want(u chat.User, q store.InboxQuery) []string {
	var found []chat.Conversation
	for _, c := range w.all {
		if w.sees(u, c) && w.passes(u, q, c) {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b chat.Conversation) int {
		switch q.Sort {
		case chat.SortWaiting:
			return compare(*a.WaitingSince, a.ID, *b.WaitingSince, b.ID)
		case chat.SortOldest:
			return compare(*a.LastMessageAt, a.ID, *b.LastMessageAt, b.ID)
		default:
			return compare(*b.LastMessageAt, b.ID, *a.LastMessageAt, a.ID)
		}
	})
	var ids []string
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	return ids
}

func compare(a time.Time, aID string, b time.Time, bID string) int {
	if order := a.Compare(b); order != 0 {
		return order
	}
	return strings.Compare(aID, bID)
}

func (w *inboxWorld) sees(u chat.User, c chat.Conversation) bool {
	switch u.Sees {
	case chat.SeesTeams:
		return slices.Contains(w.teams[u.ID], w.team[c.AccountID])
	case chat.SeesAssigned:
		return c.AssignedTo != nil && *c.AssignedTo == u.ID
	}
	return true
}

func (w *inboxWorld) passes(u chat.User, q store.InboxQuery, c chat.Conversation) bool {
	of := func(user string) bool { return c.AssignedTo != nil && *c.AssignedTo == user }
	views := map[chat.InboxView]bool{
		"": true, chat.ViewAll: true, chat.ViewMine: of(u.ID), chat.ViewUnassigned: c.AssignedTo == nil,
		chat.ViewSnoozed: c.SnoozedUntil != nil, chat.ViewMentions: w.mentioned[c.ID],
	}
	return views[q.View] && slices.Contains(q.Statuses(), c.Status) && (!q.Unread || c.UnreadCount > 0) &&
		(q.AccountID == "" || c.AccountID == q.AccountID) && (q.TeamID == "" || w.team[c.AccountID] == q.TeamID) &&
		(q.AssignedTo == "" || of(q.AssignedTo)) && (q.LabelID == "" || w.marked[c.ID]) &&
		(q.Sort != chat.SortWaiting || c.WaitingSince != nil)
}

// Every list of every user follows the rules, in order and across pages, and the counts agree.
func TestInboxLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		w := newInboxWorld(t, st)
		r := st.Read(t.Context())
		for n, u := range w.users {
			for i, q := range w.queries() {
				if i%7 != n { // together they have every kind
					continue
				}
				want := w.want(u, q)
				got := allPages(t, 11, func(p store.Page) (store.Slice[chat.InboxEntry], error) { return r.Inbox(u, q, p) },
					func(e chat.InboxEntry) string { return e.ID })
				if !slices.Equal(got, want) {
					t.Errorf("who sees %s gets with %+v\n%v, want\n%v", u.Sees, q, got, want)
				}
			}
			all := store.InboxQuery{InboxFilter: chat.InboxFilter{Status: chat.AnyStatus}}
			ids, err := r.InboxIDs(u, all, 1000)
			requireEqual(t, ids, err, w.want(u, all))
			for _, view := range chat.InboxViews {
				q := store.InboxQuery{InboxFilter: chat.InboxFilter{View: view}}
				n, err := r.InboxCount(u, q)
				unread := q
				unread.Unread = true
				requireEqual(t, n, err, chat.InboxCount{Open: len(w.want(u, q)), Unread: len(w.want(u, unread))})
			}
			seen, err := r.SeenOf(u, w.ids())
			slices.Sort(seen)
			slices.Sort(ids)
			requireEqual(t, seen, err, ids)
		}
	})
}

func (w *inboxWorld) ids() (ids []string) {
	for _, c := range w.all {
		ids = append(ids, c.ID)
	}
	return ids
}

// queries are the filters in their combinations.
func (w *inboxWorld) queries() (all []store.InboxQuery) {
	account := w.all[0].AccountID
	for _, view := range append([]chat.InboxView{""}, chat.InboxViews...) {
		for _, status := range []string{"", "pending", "resolved", chat.AnyStatus} {
			for _, sort := range []chat.InboxSort{"", chat.SortOldest, chat.SortWaiting} {
				f := chat.InboxFilter{View: view, Status: status, Sort: sort}
				unread, label, team, assigned := f, f, f, f
				unread.Unread, label.LabelID, team.TeamID, assigned.AssignedTo = true, w.label.ID, w.team[account], w.users[1].ID
				all = append(all, store.InboxQuery{InboxFilter: f, AccountID: account})
				for _, f := range []chat.InboxFilter{f, unread, label, team, assigned} {
					all = append(all, store.InboxQuery{InboxFilter: f})
				}
			}
		}
	}
	return all
}

// The newest message of each conversation is found, and none for an empty one.
func TestLastMessages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1000001")
		m := pair(t, st, account)
		putMessages(t, st, account, m.Goes, m.From, 3)
		newest, err := st.Read(t.Context()).Messages(account.OrgID, account.ID, store.MessageFilter{ConversationID: m.From}, store.Page{Limit: 1})
		requireNoError(t, err)
		last, err := st.Read(t.Context()).LastMessages(account.OrgID, []string{m.From, m.Into})
		requireEqual(t, last, err, map[string]chat.Message{m.From: newest.Rows[0]})
	})
}
