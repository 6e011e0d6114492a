package figures

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	packEvery = time.Hour
	// settled is how long after the end of a block nobody can add to it any more.
	settled = time.Hour
)

func (c *Counter) packNow(ctx context.Context) {
	if err := c.Pack(ctx); ctx.Err() == nil {
		c.trouble.Report(err)
	}
}

// Pack packs the durations that are old enough, so that reports on long periods need not read each of them.
func (c *Counter) Pack(ctx context.Context) error {
	orgs, err := c.store.Read(ctx).Organizations()
	if err != nil {
		return err
	}
	for _, org := range orgs {
		for _, what := range []chat.OutcomeKind{chat.OutcomeAnswered, chat.OutcomeResolved} {
			if err := c.packKind(ctx, org.ID, what); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Counter) packKind(ctx context.Context, orgID string, what chat.OutcomeKind) error {
	for ctx.Err() == nil {
		begin := time.Now()
		block, err := c.store.Read(ctx).BlockToPack(orgID, what)
		if errors.Is(err, store.ErrNotFound) || err == nil && store.BlockEnd(block).Add(settled).After(c.store.Now()) {
			return nil
		}
		if err == nil {
			err = c.store.InTx(ctx, func(tx *store.Tx) error { return tx.PackDurations(orgID, what, block) })
		}
		if err != nil {
			return err
		}
		c.rest(ctx, time.Since(begin))
	}
	return ctx.Err()
}
