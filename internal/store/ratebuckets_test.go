package store_test

import (
	"context"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const perMinute = 60 // a token a second

func TestLeaseTokens(t *testing.T) {
	t.Parallel()
	type step struct {
		name    string
		wait    time.Duration
		want    int64
		granted int64
		left    float64
	}
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		for _, s := range []step{
			{"a new bucket is full", 0, 50, 50, 10},
			{"what is left, not what is asked for", 0, 50, 10, 0},
			{"nothing", 0, 1, 0, 0},
			{"refilled by time, in parts", 1500 * time.Millisecond, 5, 1, 0.5},
			{"parts add up", 500 * time.Millisecond, 1, 1, 0},
			{"never more than it holds", time.Hour, 100, 60, 0},
			{"a clock that goes back adds nothing", -time.Minute, 1, 0, 0},
			{"nor does it add what it took back", time.Minute, 1, 0, 0},
			{"but the time after that", time.Second, 1, 1, 0},
		} {
			clock.Advance(s.wait)
			lease, err := leaseTokens(st, "org", perMinute, s.want)
			if err != nil || lease.Granted != s.granted || math.Abs(lease.Left-s.left) > 1e-9 {
				t.Errorf("%s: got %+v (%v)", s.name, lease, err)
			}
		}
	})
}

func leaseTokens(st *store.Store, orgID string, capacity, want int64) (lease store.TokenLease, err error) {
	err = st.InTx(context.Background(), func(tx *store.Tx) (err error) {
		lease, err = tx.LeaseTokens(orgID, "write", capacity, want)
		return err
	})
	return lease, err
}

func TestBucketsAreSeparate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		if _, err := leaseTokens(st, "org_1", perMinute, perMinute); err != nil {
			t.Fatal(err)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for _, b := range []struct{ org, class string }{{"org_2", "write"}, {"org_1", "read"}} {
				lease, err := tx.LeaseTokens(b.org, b.class, perMinute, 1)
				requireEqual(t, lease.Granted, err, 1)
			}
			return nil
		})
	})
}

func TestBucketLooksWithoutTaking(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		now := st.Now()
		_, err := st.Read(t.Context()).Bucket("org", "write", perMinute, now)
		requireError(t, err, store.ErrNotFound)

		_, err = leaseTokens(st, "org", perMinute, 50)
		requireNoError(t, err)
		for range 2 {
			later := now.Add(5 * time.Second)
			got, err := st.Read(t.Context()).Bucket("org", "write", perMinute, later)
			requireEqual(t, got, err, store.TokenLease{Left: 15, At: later})
		}
		got, err := st.Read(t.Context()).Bucket("org", "write", perMinute, now.Add(-time.Hour))
		requireEqual(t, got, err, store.TokenLease{Left: 10, At: now})
		got, err = st.Read(t.Context()).Bucket("org", "write", 5, now) // the plan has become smaller
		requireEqual(t, got, err, store.TokenLease{Left: 5, At: now})
	}, storetest.WithClock(clock))
}

// Whatever the schedule and wherever the clock is turned, a bucket gives no more than it holds
// plus what the time on its clock refills, and it does give what it has.
func TestBucketLaw(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		rapid.Check(t, func(rt *rapid.T) { checkBucketLaw(rt, st, clock) })
	})
}

func checkBucketLaw(t *rapid.T, st *store.Store, clock *storetest.Clock) {
	const rounding = 1e-6
	orgID := st.NewID(chat.KindOrganization)
	capacity := rapid.Int64Range(1, 10_000).Draw(t, "capacity")
	wait := rapid.OneOf(rapid.IntRange(0, 3000), rapid.IntRange(-3000, 90_000))
	start := clock.Now()
	latest, granted := start, int64(0)
	for range rapid.IntRange(1, 10).Draw(t, "leases") {
		want := rapid.Int64Range(1, capacity).Draw(t, "want")
		lease, err := leaseTokens(st, orgID, capacity, want)
		if err != nil {
			t.Fatal(err)
		}
		granted += lease.Granted
		if most := float64(capacity) * (1 + latest.Sub(start).Minutes()); float64(granted) > most+rounding {
			t.Fatalf("granted %d of at most %f", granted, most)
		}
		if lease.Granted < 0 || lease.Granted > want || lease.Left < 0 || lease.Left > float64(capacity) {
			t.Fatalf("got %+v for %d of %d", lease, want, capacity)
		}
		if lease.Granted < want && lease.Left >= 1 {
			t.Fatalf("got %+v for %d: it kept what it had", lease, want)
		}
		if !lease.At.Equal(latest) {
			t.Fatalf("the bucket's clock shows %v, not %v", lease.At, latest)
		}
		if now := clock.Advance(time.Duration(wait.Draw(t, "wait")) * time.Millisecond); now.After(latest) {
			latest = now
		}
	}
}

// Stores on one database, as on many nodes, share one bucket.
func TestNodesShareABucket(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg, clock := storetest.NewConfig(t, engine), storetest.NewClock()
		nodes := []*store.Store{
			storetest.OpenAt(t, cfg, storetest.WithClock(clock)),
			storetest.OpenAt(t, cfg, storetest.WithClock(clock)),
		}
		const goroutines, each, chunk = 8, 5, 2
		var granted [goroutines]int64
		requireAllNil(t, together(goroutines, func(i int) error {
			for range each {
				lease, err := leaseTokens(nodes[i%len(nodes)], "org", perMinute, chunk)
				if err != nil {
					return err
				}
				granted[i] += lease.Granted
			}
			return nil
		}))
		var total int64
		for _, n := range granted {
			total += n
		}
		if total != perMinute { // of the 80 that were asked for
			t.Errorf("%d tokens were granted in no time from a bucket of %d", total, perMinute)
		}
	})
}
