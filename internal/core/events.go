package core

import (
	"github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// occurrence is one of our own events, before it has an envelope.
type occurrence struct {
	orgID         string
	kind          chat.EventType
	row           string // empty: a new one
	id            string // empty: the event's own evt_ id
	phoneNumberID string
	subject       string
	data          any
}

// nativeEnvelope is the payload that a receiver gets: exactly these four fields.
type nativeEnvelope struct {
	ID        string         `json:"id"`
	Type      chat.EventType `json:"type"`
	CreatedAt string         `json:"created_at"`
	Data      any            `json:"data"`
}

// emit records an event in the transaction of its change.
func emit(tx *store.Tx, o occurrence) error {
	e := chat.Event{
		ID: o.row, OrgID: o.orgID, EventID: o.id, Type: o.kind, Source: chat.SourceService,
		PhoneNumberID: o.phoneNumberID, Subject: o.subject, CreatedAt: tx.Now(),
	}
	if e.ID == "" {
		e.ID = tx.NewID(chat.KindEvent)
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

// carrierOf is the row of the event that will carry a message's content. If the message was stored without that row,
// it is added to the message here, so that its content can be removed from the event too.
func carrierOf(tx *store.Tx, m chat.Message) (row string, err error) {
	if m.EventRow != "" {
		return m.EventRow, nil
	}
	row = tx.NewID(chat.KindEvent)
	return row, tx.AddEventRow(m.OrgID, m.ID, row)
}

// deref is the value behind p, or its zero.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
