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

// Event returns an event of the organization, or ErrNotFound.
func (r Reader) Event(orgID, id string) (chat.Event, error) {
	return one(r, scanEvent, "SELECT "+eventColumns+" FROM events WHERE org_id = $1 AND id = $2", orgID, id)
}

// FirstEventID comes before the ids of all events that are made at t or later.
func FirstEventID(t time.Time) string { return firstID(chat.KindEvent, t) }

// EventsAfter returns up to limit of an organization's events behind the given id, oldest first.
func (r Reader) EventsAfter(orgID, id string, limit int) ([]chat.Event, error) {
	return many(r, scanEvent, "SELECT "+eventColumns+" FROM events WHERE org_id = $1 AND id > $2 ORDER BY id LIMIT $3", orgID, id, limit)
}

// LatestEvents returns up to limit of an organization's newest events, oldest first: of the given
// types, or of all when none is given.
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
