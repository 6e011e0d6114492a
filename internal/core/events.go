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

// emit records an event in the transaction of the change it tells of.
func emit(tx *store.Tx, o occurrence) error {
	e := chat.Event{
		ID: tx.NewID(chat.KindEvent), OrgID: o.orgID, EventID: o.id, Type: o.kind, Source: chat.SourceService,
		PhoneNumberID: o.phoneNumberID, Subject: o.subject, CreatedAt: tx.Now(),
	}
	if e.EventID == "" {
		e.EventID = e.ID
	}
	envelope := nativeEnvelope{ID: e.EventID, Type: e.Type, CreatedAt: chat.FormatTime(e.CreatedAt), Data: o.data}
	payload, err := json.Marshal(envelope, json.Deterministic(true))
	if err != nil {
		return err
	}
	e.Payload = payload
	return record(tx, e)
}

// deref is the value behind p, or its zero.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
