package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// EventFilter narrows a list of events. From is inclusive, Until exclusive.
type EventFilter struct {
	Type          chat.EventType
	PhoneNumberID string
	From          *time.Time
	Until         *time.Time
}

var eventsByID = order[chat.Event]{position: func(e chat.Event) Position { return Position{ID: e.ID} }}

// eventHead is the columns of an event without its payload, which lists do not read.
const eventHead = "org_id, id, event_id, type, source, phone_number_id, subject, created_at"

func scanEventHead(row scanner) (e chat.Event, err error) {
	var createdAt int64
	err = row.Scan(&e.OrgID, &e.ID, &e.EventID, &e.Type, &e.Source, &e.PhoneNumberID, &e.Subject, &createdAt)
	e.CreatedAt = toTime(createdAt)
	return e, err
}

func (f EventFilter) look(orgID string) *look[chat.Event] {
	l := &look[chat.Event]{columns: eventHead, table: "events", scan: scanEventHead, order: eventsByID, most: maxLooked}
	l.within.add("org_id = ?", orgID)
	if f.From != nil {
		l.within.add("id >= ?", firstID(chat.KindEvent, *f.From))
	}
	if f.Until != nil {
		l.within.add("id < ?", firstID(chat.KindEvent, ceilMillisecond(*f.Until)))
	}
	l.wantIf("type = ?", string(f.Type))
	l.wantIf("phone_number_id = ?", f.PhoneNumberID)
	return l
}

// EventHeads returns a page of an organization's events, newest first, without payloads. Like APICalls it skips
// a bounded number of events that the filter does not match.
func (r Reader) EventHeads(orgID string, f EventFilter, p Page) (Slice[chat.Event], error) {
	return f.look(orgID).run(r, p)
}

// EventsToldAs returns up to limit events with one of the receivers' event ids, from an instant on for at most
// within, oldest first. These ids have no index, so it reads a bounded number of events.
func (r Reader) EventsToldAs(orgID string, eventIDs []string, from time.Time, within time.Duration, limit int) ([]chat.Event, error) {
	return many(r, scanEvent, "SELECT "+eventColumns+" FROM (SELECT "+eventColumns+` FROM events WHERE org_id = $1 AND id >= $2 AND id < $3
			ORDER BY id LIMIT $4) w WHERE `+r.dialect.oneOf("event_id", "$5")+" ORDER BY id LIMIT $6",
		orgID, firstID(chat.KindEvent, from), firstID(chat.KindEvent, from.Add(within)), maxLooked/4, r.dialect.list(eventIDs), limit)
}

// EventsByID returns the organization's events with these ids, oldest first.
func (r Reader) EventsByID(orgID string, ids []string) ([]chat.Event, error) {
	return many(r, scanEvent, "SELECT "+eventColumns+" FROM events WHERE org_id = $1 AND "+r.dialect.oneOf("id", "$2")+" ORDER BY id", orgID, r.dialect.list(ids))
}

// EventsOfDeliveries returns the event of each of these deliveries, by the delivery's id.
func (r Reader) EventsOfDeliveries(orgID string, ids []string) (map[string]string, error) {
	of := map[string]string{}
	pairs, err := many(r, scanPair, "SELECT id, event_row FROM webhook_deliveries WHERE org_id = $1 AND "+r.dialect.oneOf("id", "$2"), orgID, r.dialect.list(ids))
	for _, pair := range pairs {
		of[pair[0]] = pair[1]
	}
	return of, err
}

// DeliveriesToldAs returns up to limit deliveries of events with one of the receivers' event ids, oldest first.
func (r Reader) DeliveriesToldAs(orgID string, eventIDs []string, limit int) ([]chat.WebhookDelivery, error) {
	return many(r, scanDelivery, "SELECT "+deliveryColumns+" FROM webhook_deliveries WHERE org_id = $1 AND "+r.dialect.oneOf("event_id", "$2")+" ORDER BY id LIMIT $3",
		orgID, r.dialect.list(eventIDs), limit)
}
