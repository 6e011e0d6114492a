package core

import (
	"github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// occurrence is an event of our own, before it has an envelope.
type occurrence struct {
	orgID         string
	kind          chat.EventType
	id            string // empty: the event's own evt_ id
	phoneNumberID string
	subject       string
	data          any
}

// nativeEnvelope is what a receiver gets: exactly these four fields.
type nativeEnvelope struct {
	ID        string         `json:"id"`
	Type      chat.EventType `json:"type"`
	CreatedAt string         `json:"created_at"`
	Data      any            `json:"data"`
}

// emit records events in the transaction of the change they tell of.
func emit(tx *store.Tx, occurrences ...occurrence) error {
	events := make([]chat.Event, len(occurrences))
	for i, o := range occurrences {
		e, err := newEvent(tx, o)
		if err != nil {
			return err
		}
		events[i] = e
	}
	return tx.InsertEvents(events...)
}

// newEvent puts an occurrence into its envelope.
func newEvent(tx *store.Tx, o occurrence) (chat.Event, error) {
	e := chat.Event{
		ID: tx.NewID(chat.KindEvent), OrgID: o.orgID, EventID: o.id, Type: o.kind, Source: chat.SourceService,
		PhoneNumberID: o.phoneNumberID, Subject: o.subject, CreatedAt: tx.Now(),
	}
	if e.EventID == "" {
		e.EventID = e.ID
	}
	payload, err := json.Marshal(nativeEnvelope{ID: e.EventID, Type: e.Type, CreatedAt: chat.FormatTime(e.CreatedAt), Data: o.data})
	e.Payload = payload
	return e, err
}

// deref is the value behind p, or its zero.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
