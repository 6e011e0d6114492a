package housekeeping

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// changeBatch is the number of changes read at once.
const changeBatch = 100

// catchUp applies changes that arrived before their message and missed it.
func (h *Housekeeper) catchUp(ctx context.Context) error {
	met, err := h.store.Read(ctx).MetChanges(changeBatch)
	if err != nil || len(met) == 0 {
		return err
	}
	applier := core.Applier{Log: h.log}
	h.steps.Turn()
	var errs []error
	for _, c := range met {
		_, _, err := h.steps.Do(ctx, func(tx *store.Tx, _ int) (int64, error) { return 0, applier.CatchUp(tx, c) })
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
