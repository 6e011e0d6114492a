package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// DeliveryJob is a delivery as it is worked on.
type DeliveryJob struct {
	OrgID          string
	ID             string // wbd_
	SubscriptionID string
	EventRow       string // of the event whose bytes are delivered
	EventID        string
	EventType      chat.EventType
	Source         chat.EventSource
	Subject        string
	Payload        []byte
	Attempts       int
	DueAt          time.Time
	ReplayedFrom   string
	Owner          string
	Epoch          int64
	CreatedAt      time.Time
}

// DeliverTo makes owner the node of deliveries that are born on this store, and hands them over
// once they are durable. Without it they belong to no node and wait for one to look.
func (s *Store) DeliverTo(owner string, enqueue func([]DeliveryJob)) {
	s.deliveries = deliveryOutlet{owner, enqueue}
}

type deliveryOutlet struct {
	owner   string
	enqueue func([]DeliveryJob)
}

// InsertDelivery writes a delivery that is due at once, owned by this store's node, to which it is
// handed after the commit.
func (tx *Tx) InsertDelivery(j DeliveryJob) error {
	j.Owner, j.Epoch = tx.store.deliveries.owner, 1
	err := tx.later(`INSERT INTO webhook_deliveries (org_id, id, subscription_id, event_row, event_id, event_type, subject,
			status, attempt_count, next_attempt_at, replayed_from, replayed, owner, epoch, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0, $8, $9, FALSE, $10, $11, $12)`,
		j.OrgID, j.ID, j.SubscriptionID, j.EventRow, j.EventID, string(j.EventType), j.Subject,
		j.DueAt.UnixMilli(), orNull(j.ReplayedFrom), j.Owner, j.Epoch, j.CreatedAt.UnixMilli())
	if err != nil || tx.store.deliveries.enqueue == nil {
		return err
	}
	if len(tx.born) == 0 {
		tx.AfterCommit(func() { tx.store.deliveries.enqueue(tx.born) })
	}
	tx.born = append(tx.born, j)
	return nil
}
