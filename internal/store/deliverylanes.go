package store

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// DeliveryLane is a subscription with open deliveries, and its first due delivery.
type DeliveryLane struct {
	OrgID          string
	SubscriptionID string
	DueAt          time.Time
	FirstID        string
	Attempts       int    // of the first
	Owner          string // of the first
}

// DeliveryLanes returns up to limit subscriptions with open deliveries, after the given one; none if there are
// no more. It hops from one to the next, so that its cost depends on the number of subscriptions and not of
// deliveries.
func (r Reader) DeliveryLanes(after string, limit int) ([]DeliveryLane, error) {
	// The order has all columns of the index, so that no other index serves.
	const open = " FROM webhook_deliveries d WHERE d.next_attempt_at IS NOT NULL AND d.subscription_id "
	const inOrder = " ORDER BY d.subscription_id, d.next_attempt_at, d.id LIMIT 1)"
	first := func(column string) string {
		return "(SELECT d." + column + open + "= lanes.subscription_id" + inOrder
	}
	return many(r, func(row scanner) (l DeliveryLane, err error) {
		var dueAt int64
		err = row.Scan(&l.SubscriptionID, &l.OrgID, &dueAt, &l.FirstID, &l.Attempts, &l.Owner)
		l.DueAt = toTime(dueAt)
		return l, err
	}, `WITH RECURSIVE lanes (subscription_id, n) AS (
			SELECT CAST($1 AS TEXT)`+r.dialect.byBytes+`, 0
			UNION ALL
			SELECT (SELECT d.subscription_id`+open+"> lanes.subscription_id"+inOrder+`, n + 1
			FROM lanes WHERE subscription_id IS NOT NULL AND n < $2)
		SELECT subscription_id, `+first("org_id")+", "+first("next_attempt_at")+", "+first("id")+", "+first("attempt_count")+", "+first("owner")+`
		FROM lanes WHERE n > 0 AND subscription_id IS NOT NULL`, after, limit)
}

// DeliveryPlace is a place in the queue of a subscription.
type DeliveryPlace struct {
	DueAt time.Time
	ID    string
}

const jobColumns = `d.org_id, d.id, d.subscription_id, d.event_row, d.event_id, d.event_type, e.source, d.subject, e.payload,
	d.attempt_count, d.attempts, d.last_attempt_at, d.response_status, d.response_body_snippet, d.duration_ms, d.error_code, d.error_message,
	d.next_attempt_at, d.replayed_from, d.owner, d.epoch, d.created_at`

// DueDeliveries returns up to limit due deliveries of a subscription that belong to the node or to no living
// node, after the given place, in the order in which they are to be sent. First attempts are due by the horizon
// if that is later, because they were written before the clock was turned back. An organization that PostgreSQL does not
// know yet may have a hundred thousand: only the index of open ones may serve, so none that begins with it.
func (r Reader) DueDeliveries(node, orgID, subscriptionID string, now, horizon time.Time, after DeliveryPlace, limit int) ([]DeliveryJob, error) {
	var place int64
	if !after.DueAt.IsZero() {
		place = after.DueAt.UnixMilli()
	}
	return many(r, scanDeliveryJob, "SELECT "+jobColumns+` FROM webhook_deliveries d`+r.dialect.beside("events", "e", "e.org_id = d.org_id AND e.id = d.event_row")+`
		WHERE d.org_id || '' = $1 AND d.subscription_id = $2 AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= $8 AND (d.next_attempt_at <= $3 OR d.attempt_count = 0)
			AND (d.next_attempt_at, d.id) > ($4, $5) AND (d.owner = $6 OR d.owner`+abandoned+`)
		ORDER BY d.next_attempt_at, d.id LIMIT $7`, orgID, subscriptionID, now.UnixMilli(), place, after.ID, node, limit,
		max(now.UnixMilli(), horizon.UnixMilli()))
}

// DeliveryDue reports whether the node that has a delivery at that epoch must still attempt it.
func (r Reader) DeliveryDue(orgID, id, node string, epoch int64) (bool, error) {
	found, err := many(r, scanText, `SELECT id FROM webhook_deliveries
		WHERE org_id = $1 AND id = $2 AND owner = $3 AND epoch = $4 AND next_attempt_at IS NOT NULL`, orgID, id, node, epoch)
	return len(found) > 0, err
}

func scanDeliveryJob(row scanner) (j DeliveryJob, err error) {
	var (
		payload                string
		attempts, replayedFrom *string
		lastAt                 *int64
		last                   chat.DeliveryAttempt
		dueAt, createdAt       int64
	)
	err = row.Scan(&j.OrgID, &j.ID, &j.SubscriptionID, &j.EventRow, &j.EventID, &j.EventType, &j.Source, &j.Subject, &payload,
		&j.Attempts, &attempts, &lastAt, &last.ResponseStatus, &last.ResponseBodySnippet, &last.DurationMS, &last.ErrorCode, &last.ErrorMessage,
		&dueAt, &replayedFrom, &j.Owner, &j.Epoch, &createdAt)
	if err != nil {
		return j, err
	}
	j.Payload, j.DueAt, j.CreatedAt = []byte(payload), toTime(dueAt), toTime(createdAt)
	if replayedFrom != nil {
		j.ReplayedFrom = *replayedFrom
	}
	if attempts != nil {
		err = json.Unmarshal([]byte(*attempts), &j.Log)
	}
	if lastAt != nil {
		last.At = *lastAt
		j.Log = append(j.Log, last)
	}
	return j, err
}

// ClaimDeliveries makes the node the owner of deliveries of an organization that no living node owns. It
// returns those that it got, in the given order, because another node may have been faster.
func (tx *Tx) ClaimDeliveries(node, orgID string, jobs []DeliveryJob) ([]DeliveryJob, error) {
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	epochs := map[string]int64{}
	err := tx.db.query(tx.ctx, `UPDATE webhook_deliveries SET owner = $1, epoch = epoch + 1
		WHERE org_id = $2 AND `+tx.dialect.oneOf("id", "$3")+` AND next_attempt_at IS NOT NULL
			AND owner <> $1 AND owner`+abandoned+`
		RETURNING id, epoch`, []any{node, orgID, tx.dialect.list(ids)}, func(row scanner) error {
		var id string
		var epoch int64
		err := row.Scan(&id, &epoch)
		epochs[id] = epoch
		return err
	})
	if err == nil {
		err = tx.stillAlive(node)
	}
	var claimed []DeliveryJob
	for _, j := range jobs {
		// A later epoch means that another node has worked on it since it was read.
		if epochs[j.ID] == j.Epoch+1 {
			j.Owner, j.Epoch = node, j.Epoch+1
			claimed = append(claimed, j)
		}
	}
	return claimed, err
}

// CountFailures adds to a subscription's failed attempts since its last success. first is the time of the first
// failure if none was counted before. It returns their number and since when; ErrNotFound if the subscription
// is not active.
func (tx *Tx) CountFailures(orgID, subscriptionID string, failures int, first time.Time, spared chat.Spared) (count int, since time.Time, err error) {
	var ms int64
	count, err = one(tx.Reader, func(row scanner) (n int, err error) {
		err = row.Scan(&n, &ms)
		return n, err
	}, `UPDATE webhook_subscriptions SET consecutive_failures = consecutive_failures + $3, failing_since = COALESCE(failing_since, $4),
			next_probe_at = $5, held_until = $6
		WHERE org_id = $1 AND id = $2 AND status = 'active' RETURNING consecutive_failures, failing_since`,
		orgID, subscriptionID, failures, first.UnixMilli(), msPtr(spared.ProbeAt), msPtr(spared.HeldUntil))
	return count, toTime(ms), err
}

// ForgetFailures resets the count of a subscription's failed attempts. Its endpoint may still be spared, if it asked for
// that beside the success.
func (tx *Tx) ForgetFailures(orgID, subscriptionID string, spared chat.Spared) error {
	return tx.later(`UPDATE webhook_subscriptions SET consecutive_failures = 0, failing_since = NULL, next_probe_at = $3, held_until = $4
		WHERE org_id = $1 AND id = $2 AND consecutive_failures > 0`, orgID, subscriptionID, msPtr(spared.ProbeAt), msPtr(spared.HeldUntil))
}

// ProbeSubscription notes that a delivery tries the endpoint at once, instead of at the time of the next probe.
func (tx *Tx) ProbeSubscription(orgID, subscriptionID string) error {
	return tx.later("UPDATE webhook_subscriptions SET next_probe_at = NULL WHERE org_id = $1 AND id = $2 AND next_probe_at IS NOT NULL", orgID, subscriptionID)
}

// DisableSubscription disables an active subscription.
func (tx *Tx) DisableSubscription(orgID, subscriptionID, reason string) error {
	return tx.later(`UPDATE webhook_subscriptions SET status = 'disabled', disabled_reason = $3, updated_at = $4
		WHERE org_id = $1 AND id = $2 AND status = 'active'`, orgID, subscriptionID, reason, tx.now.UnixMilli())
}

// SubscriptionNews is when a subscription changed last, and whether failures of it are counted.
type SubscriptionNews struct {
	ID        string
	ChangedAt time.Time
	Failing   bool
}

// SubscriptionNews returns the subscriptions that changed since the instant, and those with counted failures.
func (r Reader) SubscriptionNews(since time.Time) ([]SubscriptionNews, error) {
	return many(r, func(row scanner) (n SubscriptionNews, err error) {
		var at int64
		err = row.Scan(&n.ID, &at, &n.Failing)
		n.ChangedAt = toTime(at)
		return n, err
	}, `SELECT id, updated_at, consecutive_failures > 0 FROM webhook_subscriptions WHERE updated_at >= $1
		UNION SELECT id, updated_at, TRUE FROM webhook_subscriptions WHERE consecutive_failures > 0`, since.UnixMilli())
}
