package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const deliveryColumns = `org_id, id, subscription_id, event_row, event_id, event_type, subject, status, attempt_count, last_attempt_at, next_attempt_at,
	response_status, response_body_snippet, duration_ms, error_code, error_message, ended_by, replayed_from, replayed, created_at`

func scanDelivery(row scanner) (d chat.WebhookDelivery, err error) {
	var lastAttemptAt, nextAttemptAt *int64
	var createdAt int64
	err = row.Scan(&d.OrgID, &d.ID, &d.SubscriptionID, &d.EventRow, &d.EventID, &d.EventType, &d.Subject, &d.Status, &d.AttemptCount,
		&lastAttemptAt, &nextAttemptAt, &d.ResponseStatus, &d.ResponseBodySnippet, &d.DurationMS, &d.ErrorCode, &d.ErrorMessage,
		&d.EndedBy, &d.ReplayedFrom, &d.Replayed, &createdAt)
	d.LastAttemptAt, d.NextAttemptAt, d.CreatedAt = toTimePtr(lastAttemptAt), toTimePtr(nextAttemptAt), toTime(createdAt)
	return d, err
}

// DeliveryFilter narrows a list of deliveries. Created bounds are exclusive.
type DeliveryFilter struct {
	SubscriptionID string
	Status         chat.DeliveryStatus
	EventType      chat.EventType
	EventID        string
	CreatedAfter   *time.Time
	CreatedBefore  *time.Time
}

func (f DeliveryFilter) conditions(orgID string) (c conditions) {
	c.add("org_id = ?", orgID)
	c.addIf("subscription_id = ?", f.SubscriptionID)
	c.addIf("event_type = ?", string(f.EventType))
	c.addIf("event_id = ?", f.EventID)
	f.addStatus(&c)
	if f.CreatedAfter != nil {
		c.add("id >= ?", firstID(chat.KindDelivery, truncate(*f.CreatedAfter).Add(time.Millisecond)))
	}
	if f.CreatedBefore != nil {
		c.add("id < ?", firstID(chat.KindDelivery, ceilMillisecond(*f.CreatedBefore)))
	}
	return c
}

// addStatus also adds the condition of the partial index literally, because neither engine derives it from a
// parameter.
func (f DeliveryFilter) addStatus(c *conditions) {
	if f.Status == "" {
		return
	}
	c.add("status = ?", string(f.Status))
	if f.Status != chat.DeliverySucceeded {
		c.add("status <> 'succeeded'")
	}
	if f.SubscriptionID != "" && (f.Status == chat.DeliveryFailed || f.Status == chat.DeliveryDead) {
		c.add("status IN ('failed', 'dead')")
	}
}

var deliveriesByID = order[chat.WebhookDelivery]{position: func(d chat.WebhookDelivery) Position { return Position{ID: d.ID} }}

// WebhookDeliveries returns one page of the organization's deliveries.
func (r Reader) WebhookDeliveries(orgID string, f DeliveryFilter, p Page) (Slice[chat.WebhookDelivery], error) {
	return newestFirst(r, scanDelivery, "SELECT "+deliveryColumns+" FROM webhook_deliveries", f.conditions(orgID), deliveriesByID, p)
}

// WebhookDelivery returns a delivery of the organization, or ErrNotFound.
func (r Reader) WebhookDelivery(orgID, id string) (chat.WebhookDelivery, error) {
	return one(r, scanDelivery, "SELECT "+deliveryColumns+" FROM webhook_deliveries WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}

// WebhookDeliveryDetail returns a delivery with its payload and attempts, or ErrNotFound.
func (r Reader) WebhookDeliveryDetail(orgID, id string) (chat.WebhookDeliveryDetail, error) {
	return one(r, func(row scanner) (d chat.WebhookDeliveryDetail, err error) {
		var attempts, payload *string
		d.WebhookDelivery, err = scanDelivery(columnsAround{row: row, last: []any{&attempts, &payload}})
		if payload != nil && *payload != "" {
			d.Payload = []byte(*payload)
		}
		if attempts != nil {
			err = errors.Join(err, json.Unmarshal([]byte(*attempts), &d.Earlier))
		}
		return d, err
	}, "SELECT "+prefixed("d", deliveryColumns)+`, d.attempts,
			(SELECT e.payload FROM events e WHERE e.org_id = d.org_id AND e.id = d.event_row)
		FROM webhook_deliveries d WHERE d.org_id = $1 AND d.id = $2`, orgID, id)
}

// HoldDelivery writes a delivery without an owner, which a sweep finds.
func (tx *Tx) HoldDelivery(j DeliveryJob) error {
	return tx.insertUnowned(j, chat.DeliveryPending, msPtr(&j.DueAt), "")
}

// InsertDeadDelivery writes a delivery that is never attempted, with the reason.
func (tx *Tx) InsertDeadDelivery(j DeliveryJob, reason string) error {
	return tx.insertUnowned(j, chat.DeliveryDead, nil, reason)
}

func (tx *Tx) insertUnowned(j DeliveryJob, status chat.DeliveryStatus, dueAt *int64, endedBy string) error {
	tx.countDelivery(j.OrgID)
	tx.noteDelivery(j.OrgID, j.ID)
	return tx.later(`INSERT INTO webhook_deliveries (org_id, id, subscription_id, event_row, event_id, event_type, subject,
			status, attempt_count, next_attempt_at, ended_by, replayed_from, replayed, owner, epoch, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10, $11, FALSE, '', 0, $12)`,
		j.OrgID, j.ID, j.SubscriptionID, j.EventRow, j.EventID, string(j.EventType), j.Subject,
		string(status), dueAt, orNull(endedBy), orNull(j.ReplayedFrom), j.CreatedAt.UnixMilli())
}

// EndDeliveries ends up to limit of a subscription's open deliveries, and returns how many. They keep their
// owner, so that a running attempt is recorded when it ends.
func (tx *Tx) EndDeliveries(orgID, subscriptionID, reason string, limit int) (int64, error) {
	ended, err := many(tx.Reader, scanText, "UPDATE webhook_deliveries SET status = 'dead', ended_by = $3, next_attempt_at = NULL WHERE next_attempt_at + 0 IS NOT NULL AND "+
		tx.dialect.oneOfThose("org_id, id", "webhook_deliveries WHERE org_id || '' = $1 AND subscription_id = $2 AND next_attempt_at IS NOT NULL LIMIT $4")+" RETURNING id", orgID, subscriptionID, reason, limit)
	for _, id := range ended {
		tx.noteDelivery(orgID, id)
	}
	return int64(len(ended)), err
}

// ReplayFilter selects the deliveries of a subscription to replay.
type ReplayFilter struct {
	DeliveryFilter
	ErrorCode      string
	ResponseStatus *int64
}

func (f ReplayFilter) conditions(orgID string) conditions {
	c := f.DeliveryFilter.conditions(orgID)
	c.add("NOT replayed")
	c.addIf("COALESCE(ended_by, error_code) = ?", f.ErrorCode)
	if f.ResponseStatus != nil {
		c.add("response_status = ?", *f.ResponseStatus)
	}
	return c
}

// TakeForReplay marks and returns up to limit of the selected deliveries, oldest first. A delivery is taken
// only once. Its scheduled attempts are cancelled.
func (tx *Tx) TakeForReplay(orgID string, f ReplayFilter, limit int) ([]chat.WebhookDelivery, error) {
	c := f.conditions(orgID)
	picked := tx.dialect.oneOfThose("org_id, id", "webhook_deliveries"+c.where()+" ORDER BY id LIMIT "+c.arg(limit))
	taken, err := many(tx.Reader, scanDelivery, replayed+" WHERE NOT replayed AND status <> 'succeeded' AND "+picked+" RETURNING "+deliveryColumns, c.args...)
	slices.SortFunc(taken, func(a, b chat.WebhookDelivery) int { return cmp.Compare(a.ID, b.ID) })
	ids := make([]string, len(taken))
	for i, d := range taken {
		ids[i] = d.ID
		tx.noteDelivery(orgID, d.ID)
	}
	tx.callOff(f.SubscriptionID, ids)
	return taken, err
}

// LeftToReplay reports whether the filter selects a delivery that was not taken yet.
func (r Reader) LeftToReplay(orgID string, f ReplayFilter) (bool, error) {
	c := f.conditions(orgID)
	left, err := many(r, scanText, "SELECT id FROM webhook_deliveries"+c.where()+" ORDER BY id LIMIT 1", c.args...)
	return len(left) > 0, err
}

// replayed also cancels scheduled attempts. As in EndDeliveries, the owner stays.
const replayed = `UPDATE webhook_deliveries SET replayed = TRUE,
	ended_by = CASE WHEN status = 'failed' THEN '` + chat.DeliveryReplayed + `' ELSE ended_by END,
	next_attempt_at = CASE WHEN status = 'failed' THEN NULL ELSE next_attempt_at END,
	status = CASE WHEN status = 'failed' THEN 'dead' ELSE status END`

// MarkReplayed is TakeForReplay for one delivery, even if it was taken before.
func (tx *Tx) MarkReplayed(d chat.WebhookDelivery) error {
	tx.callOff(d.SubscriptionID, []string{d.ID})
	tx.noteDelivery(d.OrgID, d.ID)
	return tx.later(replayed+" WHERE org_id = $1 AND id = $2", d.OrgID, d.ID)
}

// PurgeWebhookDeliveries deletes up to limit of an organization's deliveries from before the instant and
// returns how many.
func (tx *Tx) PurgeWebhookDeliveries(orgID string, before time.Time, limit int) (int64, error) {
	return tx.exec("DELETE FROM webhook_deliveries WHERE "+tx.dialect.oneOfThose("org_id, id", "webhook_deliveries WHERE org_id = $1 AND id < $2 ORDER BY id LIMIT $3"),
		orgID, firstID(chat.KindDelivery, before), limit)
}

// EventWalk is the progress of a purge of events.
type EventWalk struct {
	Last            string // the last event it read
	Looked, Removed int64
}

// PurgeEvents reads up to limit of an organization's events from before the instant, after the given one, and
// deletes those without deliveries. A replay may live longer than the delivery that it replays.
func (tx *Tx) PurgeEvents(orgID, after string, before time.Time, limit int) (w EventWalk, err error) {
	ids, err := many(tx.Reader, scanText, "SELECT id FROM events WHERE org_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4",
		orgID, after, firstID(chat.KindEvent, before), limit)
	if err != nil || len(ids) == 0 {
		return EventWalk{Last: after}, err
	}
	w = EventWalk{Last: ids[len(ids)-1], Looked: int64(len(ids))}
	w.Removed, err = tx.removeUnneeded(orgID, ids)
	return w, err
}
