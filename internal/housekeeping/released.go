package housekeeping

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// release unassigns conversations of users who have left, as far as that was not done when they left.
func (h *Housekeeper) release(ctx context.Context) error {
	for {
		orgID, userID, err := h.store.Read(ctx).LeftBehind()
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		n, _, err := h.steps.Do(ctx, func(tx *store.Tx, rows int) (int64, error) { return core.Release(tx, orgID, userID, rows) })
		if err != nil || n == 0 {
			return err
		}
	}
}
