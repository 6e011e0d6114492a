package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// claimAll is every way to claim work, each of which finds some.
var claimAll = map[string]func(tx *store.Tx, node string) error{
	"send jobs": func(tx *store.Tx, node string) error {
		if _, err := tx.InsertSendJob(store.SendJob{OrgID: "org", MessageID: tx.NewID(chat.KindMessage), Owner: "dead"}); err != nil {
			return err
		}
		_, err := tx.ClaimSendJobs(node, 1)
		return err
	},
	"callbacks": func(tx *store.Tx, node string) error {
		if err := tx.InsertCallback(store.Callback{ID: tx.NewID(chat.KindMessage), DueAt: tx.Now(), Owner: "dead"}); err != nil {
			return err
		}
		_, err := tx.ClaimCallbacks(node, 1)
		return err
	},
	"media jobs": func(tx *store.Tx, node string) error {
		if err := tx.InsertMediaJob(store.MediaJob{OrgID: "org", MessageID: tx.NewID(chat.KindMessage), DueAt: tx.Now(), Owner: "dead"}); err != nil {
			return err
		}
		_, err := tx.ClaimMediaJobs(node, 1)
		return err
	},
	"account jobs": func(tx *store.Tx, node string) error {
		if err := tx.PutAccountJob("org", tx.NewID(chat.KindAccount), store.JobConnected); err != nil {
			return err
		}
		_, err := tx.ClaimAccountJobs(store.JobConnected, node, tx.Now().Add(time.Minute), time.Hour, 1)
		return err
	},
	"deliveries": func(tx *store.Tx, node string) error {
		job := store.DeliveryJob{OrgID: "org", ID: tx.NewID(chat.KindDelivery), DueAt: tx.Now(), CreatedAt: tx.Now()}
		if err := tx.InsertDelivery(job); err != nil {
			return err
		}
		_, err := tx.ClaimDeliveries(node, "org", []store.DeliveryJob{job})
		return err
	},
}

// A node can claim work only while it is alive.
func TestTheDeadClaimNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.Alive(t, st, "alive")
		for what, claim := range claimAll {
			requireTxError(t, st, store.ErrNotAlive, func(tx *store.Tx) error { return claim(tx, "removed") })
			if err := st.InTx(t.Context(), func(tx *store.Tx) error { return claim(tx, "alive") }); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// No node is removed in the middle of a claim, because the others would have dealt with its work before it has
// any.
func TestAClaimHoldsUpARemoval(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.Postgres)
	storetest.Alive(t, st, "me")
	beats, err := st.Read(t.Context()).NodeBeats()
	requireNoError(t, err)
	bury := func(ctx context.Context) (buried bool, err error) {
		err = st.InTx(ctx, func(tx *store.Tx) (err error) {
			buried, err = tx.BuryNode(beats[0])
			return err
		})
		return buried, err
	}
	for what, claim := range claimAll {
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := claim(tx, "me"); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if _, err := bury(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: a node that claims was removed: %v", what, err)
			}
			return nil
		})
	}
	if buried, err := bury(t.Context()); err != nil || !buried {
		t.Errorf("afterwards it is not: %v", err)
	}
}

// Each beat is different, even if the clock stands still or was turned back, and protects a node from others
// that have not seen it.
func TestBeats(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		storetest.Alive(t, st, "a")
		seen := map[int64]bool{}
		for _, step := range []time.Duration{0, 0, time.Minute, -time.Hour, 0} {
			beats, err := st.Read(t.Context()).NodeBeats()
			requireNoError(t, err)
			if len(beats) != 1 || beats[0].Node != "a" || seen[beats[0].Beat] {
				t.Fatalf("the nodes are %v", beats)
			}
			seen[beats[0].Beat] = true
			clock.Step(step)
			storetest.InTx(t, st, func(tx *store.Tx) error {
				if alive, err := tx.BeatNode("a", tx.Now()); err != nil || !alive {
					t.Errorf("the beat of a living node: %v, %v", alive, err)
				}
				if alive, err := tx.BeatNode("b", tx.Now()); err != nil || alive {
					t.Errorf("the beat of a node that is not there: %v, %v", alive, err)
				}
				if buried, err := tx.BuryNode(beats[0]); err != nil || buried {
					t.Errorf("a node that has beaten since was removed: %v, %v", buried, err)
				}
				return nil
			})
		}
	})
}
