package store

import (
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const eventColumns = "org_id, id, event_id, type, source, phone_number_id, subject, payload, created_at"

func scanEvent(row scanner) (e chat.Event, err error) {
	var createdAt int64
	var payload string
	err = row.Scan(&e.OrgID, &e.ID, &e.EventID, &e.Type, &e.Source, &e.PhoneNumberID, &e.Subject, &payload, &createdAt)
	e.Payload, e.CreatedAt = []byte(payload), toTime(createdAt)
	return e, err
}

// InsertEvent records an event.
func (tx *Tx) InsertEvent(e chat.Event) error {
	return tx.later("INSERT INTO events ("+eventColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		e.OrgID, e.ID, e.EventID, string(e.Type), string(e.Source), e.PhoneNumberID, e.Subject, string(e.Payload), e.CreatedAt.UnixMilli())
}

// Event returns an event of the organization, or ErrNotFound. Its payload may have been removed.
func (r Reader) Event(orgID, id string) (chat.Event, error) {
	return one(r, scanEvent, "SELECT "+eventColumns+" FROM events WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}

// EventsWithPayload returns the events that still have a payload. Inside a transaction the payloads stay until
// it ends.
func (r Reader) EventsWithPayload(orgID string, ids []string) (map[string]bool, error) {
	return set(r, "SELECT id FROM events WHERE org_id = $1 AND "+r.dialect.oneOf("id", "$2")+" AND payload <> '' ORDER BY id"+r.forUpdate(),
		orgID, r.dialect.list(ids))
}

// removeUnneeded deletes the events without deliveries, and returns how many. Those with a fan-out are about to have some.
func (tx *Tx) removeUnneeded(orgID string, ids []string) (int64, error) {
	return tx.exec("DELETE FROM events WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$2")+` AND NOT EXISTS
		(SELECT 1 FROM webhook_deliveries d WHERE d.org_id = events.org_id AND d.event_id = events.event_id AND d.event_row = events.id)
		AND NOT EXISTS (SELECT 1 FROM fan_outs f WHERE f.org_id = events.org_id AND f.event = events.id)`,
		orgID, tx.dialect.list(ids))
}

// removePayloads deletes events. If an event has deliveries, its row stays without the payload, and its open
// deliveries are ended. Those that are not written yet will be ended when they are.
func (tx *Tx) removePayloads(orgID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if _, err := tx.removeUnneeded(orgID, ids); err != nil {
		return err
	}
	rows := tx.dialect.list(ids)
	// The events are locked before their deliveries, because a replay in progress has locked its event.
	told, err := many(tx.Reader, scanText, "UPDATE events SET payload = '' WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$2")+" RETURNING event_id", orgID, rows)
	if err != nil || len(told) == 0 {
		return err
	}
	ended, err := many(tx.Reader, scanPair, `UPDATE webhook_deliveries SET status = 'dead', ended_by = '`+chat.DeliveryPayloadRemoved+`', next_attempt_at = NULL
		WHERE org_id = $1 AND `+tx.dialect.oneOf("event_id", "$2")+" AND "+tx.dialect.oneOf("event_row", "$3")+" AND next_attempt_at IS NOT NULL RETURNING subscription_id, id",
		orgID, tx.dialect.list(told), rows)
	off := map[string][]string{}
	for _, d := range ended {
		tx.noteDelivery(orgID, d[1])
		off[d[0]] = append(off[d[0]], d[1])
	}
	for subscriptionID, ids := range off {
		tx.callOff(subscriptionID, ids)
	}
	return err
}

// FirstEventID is before the ids of all events made at t or later.
func FirstEventID(t time.Time) string { return firstID(chat.KindEvent, t) }

// EventsAfter returns up to limit of an organization's events after the given id, oldest first.
func (r Reader) EventsAfter(orgID, id string, limit int) ([]chat.Event, error) {
	return many(r, scanEvent, "SELECT "+eventColumns+" FROM events WHERE org_id = $1 AND id > $2 ORDER BY id LIMIT $3", orgID, id, limit)
}

// LatestEvents returns up to limit of an organization's newest events, oldest first; of the given types, or of
// all.
func (r Reader) LatestEvents(orgID string, types []chat.EventType, limit int) ([]chat.Event, error) {
	var c conditions
	c.add("org_id = ?", orgID)
	if len(types) > 0 {
		marks := make([]string, len(types))
		for i, t := range types {
			marks[i] = c.arg(string(t))
		}
		c.parts = append(c.parts, "type IN ("+strings.Join(marks, ", ")+")")
	}
	text := "SELECT " + eventColumns + " FROM events" + c.where() + " ORDER BY id DESC LIMIT " + c.arg(limit)
	events, err := many(r, scanEvent, text, c.args...)
	slices.Reverse(events)
	return events, err
}
