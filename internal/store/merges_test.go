package store_test

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// pair is two contacts with a conversation each, ready to be merged.
func pair(t *testing.T, st *store.Store, account chat.Account) store.Merge {
	t.Helper()
	stays, goes := storetest.Contact(t, st, account, "+4915510000001"), storetest.Contact(t, st, account, "+4915510000002")
	return store.Merge{
		OrgID: account.OrgID, Stays: stays.ID, Goes: goes.ID,
		Into: storetest.Conversation(t, st, stays, nil).ID, From: storetest.Conversation(t, st, goes, nil).ID,
	}
}

// putMessages stores messages in a conversation, with their jobs.
func putMessages(t *testing.T, st *store.Store, account chat.Account, contactID, conversationID string, n int) (jobs []store.SendJob) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		jobs = nil
		for range n {
			m := chat.Message{
				ID: tx.NewID(chat.KindMessage), OrgID: account.OrgID, AccountID: account.ID, ConversationID: conversationID, ContactID: contactID,
				Direction: chat.Outbound, Type: chat.TypeText, Status: chat.StatusQueued, Content: json.RawMessage(`{}`), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}
			requireNoError(t, tx.InsertMessage(m))
			job, err := tx.InsertSendJob(store.SendJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ConversationID: m.ConversationID, DueAt: tx.Now(), Owner: "node_1"})
			requireNoError(t, err)
			jobs = append(jobs, job)
		}
		return nil
	})
	return jobs
}

// messagesIn counts a conversation's messages with a contact.
func messagesIn(t *testing.T, st *store.Store, account chat.Account, contactID, conversationID string) (n int) {
	t.Helper()
	page, err := st.Read(t.Context()).Messages(account.OrgID, account.ID, store.MessageFilter{ConversationID: conversationID}, store.Page{Limit: 100})
	requireNoError(t, err)
	for _, m := range page.Rows {
		if m.ContactID == contactID {
			n++
		}
	}
	return n
}

func TestMessagesMoveInParts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1000001")
		m := pair(t, st, account)
		putMessages(t, st, account, m.Stays, m.Into, 2)
		putMessages(t, st, account, m.Goes, m.From, 5)
		for _, want := range []bool{true, false} {
			got, err := st.Read(t.Context()).HasMoreMessages(m.OrgID, m.From, map[bool]int{true: 4, false: 5}[want])
			requireEqual(t, got, err, want)
		}
		for _, want := range []int64{3, 2, 0} {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				n, err := tx.MoveMessages(m, 3)
				requireEqual(t, n, err, want)
				return err
			})
		}
		requireEqual(t, messagesIn(t, st, account, m.Stays, m.Into), nil, 7)
	})
}

// The ids of merged objects name the remaining one, also after another merge, until it is deleted.
func TestMergedIDs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "1000001")
		m := pair(t, st, account)
		putMessages(t, st, account, m.Goes, m.From, 2)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.MergeContacts(m) })
		eldest := storetest.Contact(t, st, account, "+4915510000003")
		next := store.Merge{OrgID: org.ID, Stays: eldest.ID, Goes: m.Stays, Into: storetest.Conversation(t, st, eldest, nil).ID, From: m.Into}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.MergeContacts(next) })
		requireEqual(t, messagesIn(t, st, account, next.Stays, next.Into), nil, 2)
		names := map[string]string{m.Goes: next.Stays, m.Stays: next.Stays, m.From: next.Into, m.Into: next.Into}
		for old, want := range names {
			got, err := st.Read(t.Context()).MergedInto(org.ID, old)
			requireEqual(t, got, err, want)
		}
		all, err := st.Read(t.Context()).MergedAmong(org.ID, append(slices.Collect(maps.Keys(names)), next.Stays, "ctc_other"))
		if err != nil || !maps.Equal(all, names) {
			t.Errorf("together they are %v, %v, want %v", all, err, names)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			requireNoError(t, tx.DeleteConversation(org.ID, next.Into))
			return tx.DeleteContact(org.ID, next.Stays)
		})
		for old := range names {
			_, err := st.Read(t.Context()).MergedInto(org.ID, old)
			requireError(t, err, store.ErrNotFound)
		}
	})
}

// Jobs stay in their queues, and later ones wait for all of them.
func TestSendJobsOfMergedConversations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1000001")
		m := pair(t, st, account)
		before := append(putMessages(t, st, account, m.Stays, m.Into, 1), putMessages(t, st, account, m.Goes, m.From, 2)...)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.MergeContacts(m) })
		after := putMessages(t, st, account, m.Stays, m.Into, 2)
		jobs, err := st.Read(t.Context()).SendJobsBehind(m.OrgID, m.Into, "", 10)
		requireNoError(t, err)
		var queues []string
		for _, j := range jobs {
			queues = append(queues, map[string]string{m.Into: "into", m.From: "from"}[j.Queue()]+map[bool]string{true: " gated"}[j.Gated])
		}
		requireEqual(t, queues, nil, []string{"into", "from", "from", "into gated", "into gated"})
		for _, job := range before {
			for _, gated := range after {
				open, err := st.Read(t.Context()).GateOpen(gated)
				requireEqual(t, open, err, false)
			}
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DropSendJobs(m.OrgID, job.MessageID) })
		}
		for _, gated := range after {
			open, err := st.Read(t.Context()).GateOpen(gated)
			requireEqual(t, open, err, true)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DropSendJobs(m.OrgID, after[0].MessageID, after[1].MessageID) })
		requireEqual(t, putMessages(t, st, account, m.Stays, m.Into, 1)[0].Gated, nil, false)
	})
}

// If only the conversation that stays has jobs, its queue is the only one.
func TestMergeWithoutJobsGatesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1000001")
		m := pair(t, st, account)
		putMessages(t, st, account, m.Stays, m.Into, 1)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.MergeContacts(m) })
		requireEqual(t, putMessages(t, st, account, m.Stays, m.Into, 1)[0].Gated, nil, false)
	})
}

func TestDueMerges(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		due := store.DueMerge{OrgID: "org_1", AccountID: "acc_1", ContactID: "ctc_1", OtherID: "ctc_2"}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			requireNoError(t, tx.InsertDueMerge(due))
			return tx.InsertDueMerge(store.DueMerge{OrgID: due.OrgID, AccountID: due.AccountID, ContactID: due.OtherID, OtherID: due.ContactID})
		})
		got, err := st.Read(t.Context()).DueMerges(10)
		requireEqual(t, got, err, []store.DueMerge{due})
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DropDueMerge(due) })
		got, err = st.Read(t.Context()).DueMerges(10)
		requireEqual(t, len(got), err, 0)
	})
}

// A table with rows of a contact or a conversation must be merged with it, and be listed here.
func TestEveryTableOfAContactIsMerged(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	for column, want := range map[string][]string{
		// A broadcast's recipient keeps the old id of the contact, which still names it.
		"contact_id":      {"broadcast_recipients", "consent_changes", "contact_labels", "contact_notes", "conversations", "due_merges", "messages"},
		"conversation_id": {"away_replies", "conversation_labels", "drafts", "happenings", "messages", "note_mentions", "notes", "send_jobs"},
	} {
		tables, err := store.TablesWith(t.Context(), st, column)
		requireEqual(t, tables, err, want)
	}
}

// A merge reads only rows of the two contacts.
func TestMergesGoAlongIndexes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1000001")
		m := pair(t, st, account)
		putMessages(t, st, account, m.Goes, m.From, 1)
		plans, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error {
			requireNoError(t, store.UseIndexes(tx))
			if _, err := tx.MoveMessages(m, 10); err != nil {
				return err
			}
			if _, err := tx.HasMoreMessages(m.OrgID, m.From, 10); err != nil {
				return err
			}
			return tx.MergeContacts(m)
		})
		requireNoError(t, err)
		for _, plan := range plans {
			if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN ") {
				t.Errorf("this looks at all rows:\n%s", plan)
			}
		}
	})
}

// shown is a message or a status with the person's identifiers.
func shown(account chat.Account, p provider.Person, update provider.Update) provider.Update {
	origin := provider.Origin{PhoneNumberID: *account.PhoneNumberID}
	raw := provider.Raw{Item: json.RawMessage(`{}`)}
	switch u := update.(type) {
	case provider.InboundMessage:
		u.Origin, u.Contact, u.Raw, u.Type, u.Content = origin, p, raw, chat.TypeText, json.RawMessage(`{"body":"x"}`)
		return u
	case provider.StatusUpdate:
		u.Origin, u.Recipient, u.Raw = origin, p, raw
		return u
	}
	return update
}

// A callback with both identifiers of a known contact costs no more statements than one with less.
func TestKnownContactsCostNoStatements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1000001")
		number := provider.Person{Phone: "+4915510000001"}
		both := provider.Person{Phone: number.Phone, UserID: "DE.ada", ParentUserID: "DE.ENT.ada"}
		apply := func(tx *store.Tx, u provider.Update) error {
			return core.Applier{Log: slog.New(slog.DiscardHandler)}.Apply(tx, u)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			requireNoError(t, apply(tx, shown(account, both, provider.InboundMessage{Message: provider.Message{ProviderID: "wamid.0"}})))
			a, err := core.AcceptSend(tx, account, chat.Plan{}, core.NewMessage{To: number.Phone, Type: chat.TypeText, Content: json.RawMessage(`{}`), Source: chat.SourceAPI})
			requireNoError(t, err)
			_, err = tx.MarkSent(account.OrgID, store.SentMessage{ID: a.Message.ID, ProviderID: "wamid.out"})
			return err
		})
		count := func(u provider.Update) int {
			plans, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error { return apply(tx, u) })
			requireNoError(t, err)
			return len(plans)
		}
		for name, updates := range map[string][2]provider.Update{
			"a message": {provider.InboundMessage{Message: provider.Message{ProviderID: "wamid.1"}}, provider.InboundMessage{Message: provider.Message{ProviderID: "wamid.2"}}},
			"a status":  {provider.StatusUpdate{ProviderID: "wamid.out", Status: "delivered"}, provider.StatusUpdate{ProviderID: "wamid.out", Status: "read"}},
		} {
			less, more := count(shown(account, number, updates[0])), count(shown(account, both, updates[1]))
			if less != more || less == 0 {
				t.Errorf("%s costs %d statements with the number alone and %d with the id", name, less, more)
			}
		}
	})
}
