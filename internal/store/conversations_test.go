package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestConversationDetail(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account, sibling := storetest.Account(t, st, org, "1000001"), storetest.Account(t, st, org, "1000002")
		contact := storetest.Contact(t, st, account, "+4915100000001")
		at := st.Now()
		conversation := storetest.Conversation(t, st, contact, &at)
		user := chat.User{ID: st.NewID(chat.KindUser), OrgID: org.ID, Email: "ada@example.com", Name: "Ada", CreatedAt: st.Now()}
		conversation.AssignedTo, conversation.Status, conversation.LastInboundAt, conversation.UnreadCount = &user.ID, chat.ConversationPending, &at, 3
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := tx.InsertUser(user); err != nil {
				return err
			}
			return tx.UpdateConversation(conversation)
		})
		want := chat.ConversationDetail{Conversation: conversation, ContactNumber: contact.PhoneNumber, AssigneeName: &user.Name, AssigneeEmail: &user.Email}
		r := st.Read(t.Context())
		got, err := r.ConversationDetail(org.ID, account.ID, conversation.ID)
		requireEqual(t, got, err, want)
		_, err = r.ConversationDetail(org.ID, sibling.ID, conversation.ID)
		requireError(t, err, store.ErrNotFound)
		slice, err := r.Conversations(org.ID, account.ID, store.ConversationFilter{AssignedTo: user.ID, Status: chat.ConversationPending}, store.Page{Limit: 1})
		requireEqual(t, slice, err, store.Slice[chat.ConversationDetail]{Rows: []chat.ConversationDetail{want}})
	})
}

// inbox is a handful of conversations in all states, with many that share an instant.
func inbox(t *rapid.T, st *store.Store, account chat.Account) []chat.Conversation {
	n := rapid.IntRange(0, 12).Draw(t, "conversations")
	states := []chat.ConversationStatus{chat.ConversationOpen, chat.ConversationResolved, chat.ConversationPending}
	instant := rapid.Map(rapid.IntRange(1, 3), func(ms int) time.Time { return time.UnixMilli(int64(ms)).UTC() })
	var all []chat.Conversation
	for i := range n {
		at := instant.Draw(t, "at")
		c := chat.Conversation{
			ID: st.NewID(chat.KindConversation), OrgID: account.OrgID, AccountID: account.ID, ContactID: fmt.Sprint(account.ID, "_", i),
			Status: rapid.SampledFrom(states).Draw(t, "status"), CreatedAt: at, UpdatedAt: instant.Draw(t, "updated"),
		}
		if rapid.Bool().Draw(t, "has a message") {
			c.LastMessageAt = &at
		}
		if rapid.Bool().Draw(t, "is assigned") {
			c.AssignedTo = new("usr_1")
		}
		all = append(all, c)
	}
	return all
}

// The pages of any filter contain exactly the matching conversations, in the documented order.
func TestConversationPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		numbers := 0
		rapid.Check(t, func(rt *rapid.T) {
			numbers++
			account := storetest.Account(t, st, org, fmt.Sprint(1_000_000+numbers))
			all := inbox(rt, st, account)
			label := st.NewID(chat.KindLabel)
			labelled := map[string]bool{}
			storetest.InTx(t, st, func(tx *store.Tx) error {
				for i, c := range all {
					if err := tx.InsertConversation(c); err != nil {
						return err
					}
					if labelled[c.ID] = i%2 == 0; labelled[c.ID] {
						if _, err := tx.AttachToConversation(org.ID, c.ID, label); err != nil {
							return err
						}
					}
				}
				return nil
			})
			filter := drawFilter(rt, account, label)
			want := fitting(all, filter, labelled)
			if got := walkConversations(rt, st, account, filter); !slices.Equal(got, want) {
				rt.Fatalf("%+v: got %v, want %v", filter, got, want)
			}
		})
	})
}

func drawFilter(t *rapid.T, account chat.Account, label string) (f store.ConversationFilter) {
	if rapid.Bool().Draw(t, "by status") {
		f.Status = chat.ConversationOpen
	}
	if rapid.Bool().Draw(t, "by assignee") {
		f.AssignedTo = "usr_1"
	}
	if rapid.Bool().Draw(t, "by label") {
		f.LabelID = label
	}
	if rapid.IntRange(0, 4).Draw(t, "by contact") == 0 {
		f.ContactID = account.ID + "_1"
	}
	if rapid.Bool().Draw(t, "by update") {
		// Between two milliseconds: the exclusive bound must not round up.
		since := time.UnixMilli(int64(rapid.IntRange(0, 3).Draw(t, "since"))).Add(999 * time.Microsecond)
		f.UpdatedSince = &since
	}
	return f
}

func fitting(all []chat.Conversation, f store.ConversationFilter, labelled map[string]bool) []string {
	fit := slices.DeleteFunc(slices.Clone(all), func(c chat.Conversation) bool {
		return f.Status != "" && c.Status != f.Status || f.AssignedTo != "" && c.AssignedTo == nil || f.LabelID != "" && !labelled[c.ID] ||
			f.ContactID != "" && c.ContactID != f.ContactID || f.UpdatedSince != nil && !c.UpdatedAt.After(*f.UpdatedSince)
	})
	key := func(c chat.Conversation) int64 {
		switch {
		case f.UpdatedSince != nil:
			return c.UpdatedAt.UnixMilli()
		case c.LastMessageAt == nil:
			return -1
		default:
			return c.LastMessageAt.UnixMilli()
		}
	}
	slices.SortFunc(fit, func(a, b chat.Conversation) int {
		if key(a) != key(b) {
			return int(key(b) - key(a))
		}
		if a.ID < b.ID {
			return 1
		}
		return -1
	})
	ids := []string{}
	for _, c := range fit {
		ids = append(ids, c.ID)
	}
	return ids
}

func walkConversations(t *rapid.T, st *store.Store, account chat.Account, f store.ConversationFilter) []string {
	page := store.Page{Limit: rapid.IntRange(1, 13).Draw(t, "limit")}
	ids := []string{}
	for more := true; more; more = page.After != nil {
		slice, err := st.Read(t.Context()).Conversations(account.OrgID, account.ID, f, page)
		requireNoError(t, err)
		for _, c := range slice.Rows {
			ids = append(ids, c.ID)
		}
		page.After = slice.Next
	}
	return ids
}
