package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// DeliveryJob is a delivery with the data that an attempt needs.
type DeliveryJob struct {
	OrgID          string
	ID             string // wbd_
	SubscriptionID string
	EventRow       string // the event whose bytes are delivered
	EventID        string
	EventType      chat.EventType
	Source         chat.EventSource
	Subject        string
	Payload        []byte
	Attempts       int
	Log            []chat.DeliveryAttempt // the attempts so far, oldest first
	DueAt          time.Time
	ReplayedFrom   string
	Owner          string
	Epoch          int64
	CreatedAt      time.Time
}

// InsertDelivery writes a delivery that is due at once. This node owns it if it delivers.
func (tx *Tx) InsertDelivery(j DeliveryJob) error {
	tx.countDelivery(j.OrgID)
	j.Owner, j.Epoch = "", 1
	if tx.hands.Deliver != nil {
		j.Owner = tx.hands.Node()
	}
	err := tx.later(`INSERT INTO webhook_deliveries (org_id, id, subscription_id, event_row, event_id, event_type, subject,
			status, attempt_count, next_attempt_at, replayed_from, replayed, owner, epoch, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0, $8, $9, FALSE, $10, $11, $12)`,
		j.OrgID, j.ID, j.SubscriptionID, j.EventRow, j.EventID, string(j.EventType), j.Subject,
		j.DueAt.UnixMilli(), orNull(j.ReplayedFrom), j.Owner, j.Epoch, j.CreatedAt.UnixMilli())
	if err != nil {
		return err
	}
	tx.noteDelivery(j.OrgID, j.ID)
	if tx.hands.Deliver == nil {
		tx.tell(TopicDeliveries)
		return nil
	}
	tx.work.deliveries = append(tx.work.deliveries, j)
	return nil
}

// DeliveryDone is the stored result of an attempt.
type DeliveryDone struct {
	OrgID         string
	ID            string
	Epoch         int64
	Status        chat.DeliveryStatus
	Attempts      int
	Earlier       []chat.DeliveryAttempt // the earlier attempts
	Last          chat.DeliveryAttempt
	NextAttemptAt *time.Time // nil: no more attempts
}

// CompleteDeliveries stores the results of the owner's attempts. It skips a delivery that another node has
// taken over.
func (tx *Tx) CompleteDeliveries(owner string, done []DeliveryDone) error {
	// Nodes that write the same rows write them in the same order, so that they do not deadlock.
	slices.SortFunc(done, func(a, b DeliveryDone) int {
		return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.ID, b.ID))
	})
	for _, d := range done {
		tx.noteDelivery(d.OrgID, d.ID)
		if err := tx.completeDelivery(owner, d); err != nil {
			return err
		}
	}
	return nil
}

// completeDelivery stores a result. A finished delivery loses its owner, so that it cannot be completed twice. One that
// was ended during the attempt stays ended, unless the attempt ends it itself.
func (tx *Tx) completeDelivery(owner string, d DeliveryDone) error {
	args := []any{d.OrgID, d.ID, d.Epoch, owner, d.Last.At, d.Last.ResponseStatus, d.Last.ResponseBodySnippet, d.Last.DurationMS}
	if d.Status == chat.DeliverySucceeded && d.Attempts == 1 { // nearly all of them
		return tx.later(`UPDATE webhook_deliveries SET status = 'succeeded', attempt_count = 1, next_attempt_at = NULL, ended_by = NULL, owner = '',
				last_attempt_at = $5, response_status = $6, response_body_snippet = $7, duration_ms = $8
			WHERE org_id = $1 AND id = $2 AND epoch = $3 AND owner = $4`, args...)
	}
	return tx.later(`UPDATE webhook_deliveries SET last_attempt_at = $5, response_status = $6, response_body_snippet = $7, duration_ms = $8,
			status = CASE WHEN ended_by IS NOT NULL AND $9 = 'failed' THEN status ELSE $9 END,
			next_attempt_at = CASE WHEN ended_by IS NOT NULL THEN NULL ELSE CAST($12 AS BIGINT) END, ended_by = CASE WHEN $9 = 'failed' THEN ended_by END,
			attempt_count = $10, attempts = $11, error_code = $13, error_message = $14,
			owner = CASE WHEN CAST($12 AS BIGINT) IS NULL OR ended_by IS NOT NULL THEN '' ELSE owner END
		WHERE org_id = $1 AND id = $2 AND epoch = $3 AND owner = $4`,
		append(args, string(d.Status), d.Attempts, attemptsText(d.Earlier), msPtr(d.NextAttemptAt), d.Last.ErrorCode, d.Last.ErrorMessage)...)
}

func attemptsText(attempts []chat.DeliveryAttempt) *string {
	if len(attempts) == 0 {
		return nil
	}
	list, _ := json.Marshal(attempts) // never fails
	return new(string(list))
}

// useIndexes keeps PostgreSQL from using a plan that was made while the tables were small.
func (tx *Tx) useIndexes() error {
	if tx.dialect.useIndexes == "" {
		return nil
	}
	return tx.later(tx.dialect.useIndexes)
}
