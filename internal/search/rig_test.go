package search

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// rig is an organization with a number, a person and an index.
type rig struct {
	*worldtest.World
	t            testing.TB
	cfg          store.Config
	index        *store.SearchIndex
	indexer      *Indexer
	conversation chat.Conversation
	user         chat.User
}

func eachRig(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { test(t, newRig(t, engine)) })
}

func newRig(t testing.TB, engine storetest.Engine) *rig {
	t.Helper()
	clock := storetest.NewClock()
	r := &rig{t: t, cfg: storetest.NewConfig(t, engine)}
	storetest.WithClock(clock)(&r.cfg)
	r.World = worldtest.New(t, storetest.OpenAt(t, r.cfg), clock)
	r.open()
	t.Cleanup(func() { r.index.Close() })
	r.user = chat.User{ID: "usr_00000000000000000000000000", OrgID: r.Org.ID, Sees: chat.SeesAll}
	r.conversation = r.converse(r.Account, "+6281234500001")
	return r
}

// open opens the index and makes an indexer that does not rest.
func (r *rig) open() {
	r.t.Helper()
	var err error
	r.index, err = r.Store.OpenSearch(r.t.Context())
	r.Must(err)
	r.indexer = New(Config{Store: r.Store, Index: r.index, Log: slog.New(slog.DiscardHandler)})
}

func (r *rig) converse(account chat.Account, phone string) chat.Conversation {
	r.t.Helper()
	return storetest.Conversation(r.t, r.Store, storetest.Contact(r.t, r.Store, account, phone), nil)
}

// write stores a text in a conversation and returns the message.
func (r *rig) write(text string) chat.Message {
	r.t.Helper()
	r.Clock.Advance(time.Millisecond)
	return r.writeAt(r.conversation, text, r.Clock.Now(), r.Clock.Now())
}

// writeMany stores texts at once.
func (r *rig) writeMany(n int, text string) []chat.Message {
	r.t.Helper()
	all := make([]chat.Message, n)
	r.InTx(func(tx *store.Tx) error {
		for i := range all {
			all[i] = r.message(tx, r.conversation, text, tx.Now(), tx.Now())
			if err := tx.InsertMessage(all[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// writeAt is write with separate times for the id and the creation.
func (r *rig) writeAt(c chat.Conversation, text string, id, created time.Time) (m chat.Message) {
	r.t.Helper()
	r.InTx(func(tx *store.Tx) error {
		m = r.message(tx, c, text, id, created)
		return tx.InsertMessage(m)
	})
	return m
}

func (r *rig) message(tx *store.Tx, c chat.Conversation, text string, id, created time.Time) chat.Message {
	r.t.Helper()
	content, err := json.Marshal(map[string]string{"body": text})
	r.Must(err)
	return chat.Message{
		ID: tx.NewIDAt(chat.KindMessage, id), OrgID: c.OrgID, AccountID: c.AccountID, ConversationID: c.ID, ContactID: c.ContactID,
		Direction: chat.Inbound, Type: chat.TypeText, Status: chat.StatusDelivered, Content: content, CreatedAt: created, UpdatedAt: tx.Now(),
	}
}

func (r *rig) sweep() {
	r.t.Helper()
	r.Must(r.indexer.Sweep(r.t.Context()))
}

// search returns the ids of all hits, over all pages.
func (r *rig) search(kind chat.Kind, text string) []string {
	r.t.Helper()
	return r.searchAs(Request{User: r.user, Kind: kind, Query: Parse(text), Limit: 50})
}

func (r *rig) searchAs(req Request) []string {
	r.t.Helper()
	ids := []string{}
	for range 10_000 {
		result, err := NewSearcher(r.Store, r.index).Search(r.t.Context(), req)
		if err != nil {
			r.t.Fatalf("search for %q: %v", req.Query.words, err)
		}
		for _, hit := range result.Hits {
			ids = append(ids, hit.ID)
		}
		if req.After = result.Next; req.After == "" {
			return ids
		}
	}
	r.t.Fatalf("the search for %q does not end", req.Query.words)
	return nil
}

// found fails the test unless a search finds exactly these messages, newest first.
func (r *rig) found(text string, want ...chat.Message) {
	r.t.Helper()
	ids := []string{}
	for _, m := range want {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	if d := cmp.Diff(ids, r.search(chat.KindMessage, text)); d != "" {
		r.t.Errorf("the search for %q (-want +got):\n%s", text, d)
	}
}

// indexed are the ids of messages that the index itself holds for a word.
func (r *rig) indexed(word string) (ids []string) {
	r.t.Helper()
	found, err := r.index.Find(context.Background(), store.SearchQuery{Kind: chat.KindMessage, OrgID: r.Org.ID, Words: []string{word}, Limit: 1000})
	r.Must(err)
	for _, hit := range found.Hits {
		ids = append(ids, hit.ID)
	}
	return ids
}
