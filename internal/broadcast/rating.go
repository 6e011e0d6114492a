package broadcast

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// rateEvery is how often a number's rating is read while its broadcasts are sent. The provider's callbacks tell of
	// RED and of its end, but not of YELLOW, and one may be lost.
	rateEvery = 5 * time.Minute
	// ratePatience is how long the broadcasts of a number wait for its rating before they go on with the last one known.
	ratePatience = 3 * time.Second
)

// rating is what a worker knows of the reading of a number's rating.
type rating struct {
	asked store.Moment  // when it was last asked for
	heard chan struct{} // closed when the first answer is there
}

// rated asks for a number's rating when it is time to. It reports whether the broadcasts may go on: the first answer,
// after a start or a resumption, is waited for.
func (w *Worker) rated(n *number) bool {
	if w.cfg.Rate == nil || len(n.broadcasts) == 0 {
		return true
	}
	now, r := w.cfg.Store.Moment(), &n.rating
	first := r.heard == nil
	if first || now.Sub(r.asked) >= rateEvery {
		heard := make(chan struct{})
		b := n.broadcasts[0]
		w.Go(func(ctx context.Context) {
			defer close(heard)
			w.rate(ctx, b)
		})
		r.asked = now
		if first {
			r.heard = heard
		}
	}
	select {
	case <-r.heard:
		return true
	default:
		return now.Sub(r.asked) >= ratePatience
	}
}

func (w *Worker) rate(ctx context.Context, b chat.Broadcast) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	account, err := w.cfg.Store.Read(ctx).Account(b.OrgID, b.AccountID)
	if err == nil && account.CheckConnected() == nil {
		err = w.cfg.Rate(ctx, account)
	}
	if err != nil && ctx.Err() == nil {
		w.cfg.Log.Info("the rating of a number could not be read", "account", b.AccountID, "error", err)
	}
}
