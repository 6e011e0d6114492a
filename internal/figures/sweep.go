package figures

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// sweep counts once what may have changed while no counter ran, newest first.
func (c *Counter) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.Sweep(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		c.trouble.Report(err)
		c.rest(ctx, longRest)
	}
}

// Sweep counts the messages on which the provider may still report, and all earlier ones if they were never
// counted.
func (c *Counter) Sweep(ctx context.Context) error {
	orgs, err := c.store.Read(ctx).Organizations()
	if err != nil {
		return err
	}
	for _, org := range orgs {
		if err := c.sweepOrganization(ctx, org); err != nil {
			return err
		}
		if err := c.sweepDeliveries(ctx, org); err != nil {
			return err
		}
	}
	return nil
}

func (c *Counter) sweepOrganization(ctx context.Context, org chat.Organization) error {
	r := c.store.Read(ctx)
	beginning := store.Slot{OrgID: org.ID}
	complete, err := r.SlotVersion(beginning)
	if err != nil {
		return err
	}
	oldest, err := c.oldest(r, org)
	if err != nil {
		return err
	}
	at := c.store.Now().Add(store.SlotLength)
	for ctx.Err() == nil {
		begin := time.Now()
		slot, err := r.SlotBefore(org.ID, at)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return err
		}
		if slot.Begin().Before(oldest) && complete > 0 {
			return nil
		}
		if err := c.count(ctx, slot, nil); err != nil {
			return err
		}
		at = slot.Begin()
		c.rest(ctx, restFactor*time.Since(begin))
	}
	if complete > 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	return c.count(ctx, beginning, nil)
}

// oldest is how far back slots may be counted again. Slots whose messages are about to be deleted for their age
// must keep their counts, which outlive the messages.
func (c *Counter) oldest(r store.Reader, org chat.Organization) (time.Time, error) {
	plan, err := r.Plan(org.Plan)
	if err != nil {
		return time.Time{}, err
	}
	back := lateFor
	if days := plan.Keeps(org.Settings); days != nil {
		back = min(back, time.Duration(*days-1)*24*time.Hour)
	}
	return c.store.Now().Add(-back), nil
}
