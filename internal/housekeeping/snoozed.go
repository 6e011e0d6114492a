package housekeeping

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// wakeEvery is how late a snoozed conversation may come back.
const wakeEvery = 5 * time.Second

// WakeSnoozed opens the conversations whose snooze has ended. The check whether there are any costs no transaction.
func (h *Housekeeper) WakeSnoozed(ctx context.Context) error {
	more, err := h.store.Read(ctx).AnyToWake(h.store.Now())
	for steps := h.store.Steps(); more && err == nil; {
		_, more, err = steps.Do(ctx, func(tx *store.Tx, rows int) (int64, error) {
			free, err := tx.TryLock("wake")
			if err != nil || !free {
				return 0, err
			}
			return core.Wake(tx, rows)
		})
	}
	return err
}
