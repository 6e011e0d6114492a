package store_test

import (
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestLatestEvents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		var made []chat.Event
		for _, kind := range []chat.EventType{chat.EventMessageSent, chat.EventContactCreated, chat.EventMessageStatus, chat.EventMessageSent} {
			made = append(made, newEvent(t, st, org.ID, kind))
		}
		newEvent(t, st, other.ID, chat.EventMessageSent)
		for _, test := range []struct {
			types []chat.EventType
			limit int
			want  []int
		}{
			{nil, 10, []int{0, 1, 2, 3}},
			{nil, 2, []int{2, 3}},
			{[]chat.EventType{chat.EventMessageSent}, 10, []int{0, 3}},
			{[]chat.EventType{chat.EventMessageStatus, chat.EventContactCreated}, 1, []int{2}},
			{[]chat.EventType{chat.EventMessageRevoked}, 10, nil},
		} {
			got, err := st.Read(t.Context()).LatestEvents(org.ID, test.types, test.limit)
			var want []chat.Event
			for _, i := range test.want {
				want = append(want, made[i])
			}
			same := func(a, b chat.Event) bool {
				return a.ID == b.ID && a.Type == b.Type && string(a.Payload) == string(b.Payload)
			}
			if err != nil || !slices.EqualFunc(got, want, same) {
				t.Errorf("%v, %d: got %v, %v; want %v", test.types, test.limit, got, err, want)
			}
		}
	})
}

func newEvent(t *testing.T, st *store.Store, orgID string, kind chat.EventType) (e chat.Event) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		id := tx.NewID(chat.KindEvent)
		e = chat.Event{ID: id, OrgID: orgID, EventID: id, Type: kind, Source: chat.SourceService, Payload: []byte(`{"n": 1}`), CreatedAt: tx.Now()}
		return tx.InsertEvent(e)
	})
	return e
}
