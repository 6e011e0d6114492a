package figures

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// deliveryLife is the age up to which no deliveries have been deleted. Counts of older ones stay as they are.
const deliveryLife = 29 * 24 * time.Hour

// Deliveries are counts of webhook deliveries. Those not in one of the other fields succeeded.
type Deliveries struct {
	Total, Succeeded, Waiting, Dead int64
}

// DeliveryDay is the deliveries made on a day, by their current status.
type DeliveryDay struct {
	Date time.Time
	Deliveries
}

// ReadDeliveries returns the counts of an organization's webhook deliveries, by day and in total.
func ReadDeliveries(r store.Reader, q Query) (days []DeliveryDay, all Deliveries, err error) {
	counts, err := r.DeliveryCounts(q.OrgID, q.From, q.Until)
	for _, d := range q.days() {
		days = append(days, DeliveryDay{Date: d.Date})
	}
	for _, c := range counts {
		i, found := slices.BinarySearchFunc(days, time.UnixMilli(c.Slot), func(d DeliveryDay, at time.Time) int { return d.Date.Compare(at) })
		if !found {
			i--
		}
		days[i].add(c)
		all.add(c)
	}
	return days, all, err
}

func (d *Deliveries) add(c store.DeliveryCount) {
	d.Total += c.Deliveries
	d.Waiting += c.Pending + c.Failed
	d.Dead += c.Dead
	d.Succeeded += c.Deliveries - c.Pending - c.Failed - c.Dead
}

// countDeliveries is count for a slot of deliveries.
func (c *Counter) countDeliveries(ctx context.Context, slot store.Slot) error {
	if slot.Begin().Before(c.store.Now().Add(-deliveryLife)) {
		return nil
	}
	for range retries {
		counts, version, err := c.store.Read(ctx).CountDeliveries(slot)
		if err != nil {
			return err
		}
		stored := false
		err = c.store.InTx(ctx, func(tx *store.Tx) (err error) {
			stored, err = tx.PutDeliveryCount(slot, version, counts)
			return err
		})
		if err != nil || stored {
			return err
		}
	}
	return errContended
}

// sweepDeliveries counts an organization's deliveries, the newest first.
func (c *Counter) sweepDeliveries(ctx context.Context, org chat.Organization) error {
	at, oldest := c.store.Now().Add(store.SlotLength), c.store.Now().Add(-deliveryLife)
	for ctx.Err() == nil {
		begin := time.Now()
		slot, err := c.store.Read(ctx).DeliverySlotBefore(org.ID, at)
		if errors.Is(err, store.ErrNotFound) || err == nil && slot.Begin().Before(oldest) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.countDeliveries(ctx, slot); err != nil {
			return err
		}
		at = slot.Begin()
		c.rest(ctx, restFactor*time.Since(begin))
	}
	return ctx.Err()
}
