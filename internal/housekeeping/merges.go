package housekeeping

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// mergesAtOnce is how many merges are read at a time.
const mergesAtOnce = 100

// mergeContacts merges contacts with many messages that callbacks have shown to be one person.
func (h *Housekeeper) mergeContacts(ctx context.Context) error {
	due, err := h.store.Read(ctx).DueMerges(mergesAtOnce)
	for _, m := range due {
		err = errors.Join(err, h.mergeContact(ctx, m))
	}
	return err
}

func (h *Housekeeper) mergeContact(ctx context.Context, m store.DueMerge) error {
	account, err := h.store.Read(ctx).Account(m.OrgID, m.AccountID)
	if errors.Is(err, store.ErrNotFound) {
		return h.store.InTx(ctx, func(tx *store.Tx) error { return tx.DropDueMerge(m) })
	}
	if err != nil {
		return err
	}
	moved := h.inSteps(ctx, "messages of merged contacts", func(tx *store.Tx, rows int) (int64, error) {
		return core.MoveForMerge(tx, account, m, rows)
	})
	if moved > 0 {
		h.log.Info("moved", "what", "messages of merged contacts", "rows", moved)
	}
	return h.store.InTx(ctx, func(tx *store.Tx) error { return core.FinishMerge(tx, account, m) })
}
