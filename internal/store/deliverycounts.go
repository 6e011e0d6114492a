package store

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// DeliveryCount is the number of deliveries, and of those that have not succeeded yet or at all.
type DeliveryCount struct {
	Slot                              int64
	Deliveries, Pending, Failed, Dead int64
}

// noteDelivery marks a delivery's slot to be counted again, once the transaction is durable.
func (tx *Tx) noteDelivery(orgID, id string) {
	if tx.hands.Count == nil {
		return
	}
	slot := SlotOf(orgID, chat.TimeOf(id))
	slot.Deliveries = true
	tx.mark(Mark{Slot: slot})
}

// CountDeliveries counts a slot's current deliveries, and returns the slot's version. It reads only indexes.
func (r Reader) CountDeliveries(s Slot) (c DeliveryCount, version int64, err error) {
	const made = "(SELECT COUNT(*) FROM webhook_deliveries WHERE org_id = $1 AND id >= $2 AND id < $3"
	const troubled = made + " AND status <> 'succeeded' AND status = "
	version, err = one(r, scanInt64, "SELECT version FROM delivery_counts WHERE org_id = $1 AND slot = $2", s.OrgID, s.At)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return c, 0, err
	}
	c, err = one(r, scanDeliveryCount, "SELECT CAST($4 AS BIGINT), "+made+"), "+troubled+"'pending'), "+troubled+"'failed'), "+troubled+"'dead')",
		s.OrgID, firstID(chat.KindDelivery, s.Begin()), firstID(chat.KindDelivery, s.End()), s.At)
	return c, version, err
}

func scanDeliveryCount(row scanner) (c DeliveryCount, err error) {
	err = row.Scan(&c.Slot, &c.Deliveries, &c.Pending, &c.Failed, &c.Dead)
	return c, err
}

// PutDeliveryCount stores the count of a slot. It returns false and stores nothing if another node has counted
// the slot since that version.
func (tx *Tx) PutDeliveryCount(s Slot, version int64, c DeliveryCount) (bool, error) {
	n, err := tx.exec(`INSERT INTO delivery_counts (org_id, slot, version, deliveries, pending, failed, dead) VALUES ($1, $2, $3 + 1, $4, $5, $6, $7)
		ON CONFLICT (org_id, slot) DO UPDATE SET version = excluded.version, deliveries = excluded.deliveries, pending = excluded.pending,
			failed = excluded.failed, dead = excluded.dead
		WHERE delivery_counts.version = $3`, s.OrgID, s.At, version, c.Deliveries, c.Pending, c.Failed, c.Dead)
	return n > 0, err
}

// DeliverySlotBefore is the last slot with deliveries that begins before an instant, or ErrNotFound.
func (r Reader) DeliverySlotBefore(orgID string, before time.Time) (Slot, error) {
	id, err := one(r, scanText, "SELECT id FROM webhook_deliveries WHERE org_id = $1 AND id < $2 ORDER BY id DESC LIMIT 1",
		orgID, firstID(chat.KindDelivery, before))
	slot := SlotOf(orgID, chat.TimeOf(id))
	slot.Deliveries = true
	return slot, err
}

// DeliveryCounts returns an organization's counts from an instant (inclusive) until another (exclusive).
func (r Reader) DeliveryCounts(orgID string, from, until time.Time) ([]DeliveryCount, error) {
	return many(r, scanDeliveryCount, `SELECT slot, deliveries, pending, failed, dead FROM delivery_counts
		WHERE org_id = $1 AND slot >= $2 AND slot < $3 ORDER BY slot`, orgID, from.UnixMilli(), until.UnixMilli())
}
