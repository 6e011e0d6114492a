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
	type step struct {
		name    string
		wait    time.Duration
		turn    time.Duration // of the wall clock
		want    int64
		granted int64
		left    float64
	}
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		node := newDrawer(storetest.Open(t, engine, storetest.WithClock(clock)))
		for _, s := range []step{
			{"a new bucket is full", 0, 0, 50, 50, 10},
			{"what is left, not what is asked for", 0, 0, 50, 10, 0},
			{"nothing", 0, 0, 1, 0, 0},
			{"refilled by time, in parts", 1500 * time.Millisecond, 0, 5, 1, 0.5},
			{"parts add up", 500 * time.Millisecond, 0, 1, 1, 0},
			{"never more than it holds", time.Hour, 0, 100, 60, 0},
			{"a clock that is turned back adds nothing", 0, -time.Minute, 1, 0, 0},
			{"and takes nothing of the time after that", time.Second, 0, 1, 1, 0},
			{"nor does it add what it took back", 0, time.Minute, 1, 0, 0},
			{"but the time after that", time.Second, 0, 1, 1, 0},
			{"a clock that is turned forth adds no more than has gone by", time.Second, 48 * time.Hour, 5, 1, 0},
			{"a small difference between nodes adds nothing", 0, -clockSkew, 1, 0, 0},
			{"and is waited for", clockSkew, 0, 1, 0, 0},
			{"and no longer", time.Second, 0, 1, 1, 0},
		} {
			clock.Step(s.turn)
			clock.Advance(s.wait)
			lease, err := node.lease("org", perMinute, s.want)
			if err != nil || lease.Granted != s.granted || math.Abs(lease.Left-s.left) > 1e-9 {
				t.Errorf("%s: got %+v (%v)", s.name, lease, err)
			}
		}
	})
}

// clockSkew is the tolerated difference between clocks.
const clockSkew = 5 * time.Second

// drawer draws on buckets as a node does.
type drawer struct {
	st   *store.Store
	last map[string]store.Moment
}

func newDrawer(st *store.Store) *drawer { return &drawer{st, map[string]store.Moment{}} }

func (d *drawer) lease(orgID string, capacity, want int64) (lease store.TokenLease, err error) {
	since := store.Unknown
	if last, ok := d.last[orgID]; ok {
		since = d.st.Moment().Sub(last)
	}
	d.last[orgID] = d.st.Moment()
	err = d.st.InTx(context.Background(), func(tx *store.Tx) (err error) {
		lease, err = tx.LeaseTokens(orgID, "write", capacity, want, since)
		return err
	})
	return lease, err
}

func TestBucketsAreSeparate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		_, err := newDrawer(st).lease("org_1", perMinute, perMinute)
		requireNoError(t, err)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for _, b := range []struct{ org, class string }{{"org_2", "write"}, {"org_1", "read"}} {
				lease, err := tx.LeaseTokens(b.org, b.class, perMinute, 1, store.Unknown)
				requireEqual(t, lease.Granted, err, 1)
			}
			return nil
		})
	})
}

func TestBucketLooksWithoutTaking(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		look := func(capacity int64, now time.Time, since time.Duration) (store.TokenLease, error) {
			return st.Read(t.Context()).Bucket("org", "write", capacity, now, since)
		}
		now := st.Now()
		_, err := look(perMinute, now, store.Unknown)
		requireError(t, err, store.ErrNotFound)

		_, err = newDrawer(st).lease("org", perMinute, 50)
		requireNoError(t, err)
		later := now.Add(5 * time.Second)
		for range 2 {
			got, err := look(perMinute, later, store.Unknown)
			requireEqual(t, got, err, store.TokenLease{Left: 15, At: later})
		}
		got, err := look(perMinute, later, time.Second)
		requireEqual(t, got, err, store.TokenLease{Left: 11, At: later})
		got, err = look(perMinute, now.Add(-time.Second), store.Unknown)
		requireEqual(t, got, err, store.TokenLease{Left: 10, At: now})
		got, err = look(perMinute, now.Add(-time.Hour), store.Unknown)
		requireEqual(t, got, err, store.TokenLease{Left: 10, At: now.Add(-time.Hour)})
		got, err = look(5, now, store.Unknown) // the plan has become smaller
		requireEqual(t, got, err, store.TokenLease{Left: 5, At: now})
	})
}

// For any schedule and any turned clocks, one node gets no more out of a bucket than it holds plus the refill
// of the elapsed time. Each further node whose clock differs can get as much again, and no more. And the bucket
// does give what it has.
func TestBucketLaw(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		clocks := []*storetest.Clock{storetest.NewClock(), storetest.NewClock(), storetest.NewClock()}
		var stores []*store.Store
		for _, c := range clocks {
			stores = append(stores, storetest.OpenAt(t, cfg, storetest.WithClock(c)))
		}
		rapid.Check(t, func(rt *rapid.T) { checkBucketLaw(rt, stores, clocks) })
	})
}

func checkBucketLaw(t *rapid.T, stores []*store.Store, clocks []*storetest.Clock) {
	orgID := stores[0].NewID(chat.KindOrganization)
	capacity := rapid.Int64Range(1, 10_000).Draw(t, "capacity")
	wait := rapid.OneOf(rapid.IntRange(0, 3000), rapid.IntRange(0, 90_000))
	var nodes []*drawer
	for _, st := range stores[:rapid.IntRange(1, len(stores)).Draw(t, "nodes")] {
		nodes = append(nodes, newDrawer(st))
	}
	begin, granted := stores[0].Moment(), int64(0)
	for range rapid.IntRange(1, 10).Draw(t, "leases") {
		node := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
		if rapid.IntRange(0, 3).Draw(t, "turn") == 0 {
			clocks[node].Step(rapid.SampledFrom([]time.Duration{
				-11 * time.Minute, -time.Minute, -clockSkew, -time.Second, time.Second, time.Minute, 11 * time.Minute,
			}).Draw(t, "by"))
		}
		want := rapid.Int64Range(1, capacity).Draw(t, "want")
		lease, err := nodes[node].lease(orgID, capacity, want)
		requireNoError(t, err)
		granted += lease.Granted
		requireLaw(t, lease, capacity, want)
		most := float64(len(nodes)) * float64(capacity) * (1 + stores[0].Moment().Sub(begin).Minutes())
		if float64(granted) > most+1e-6 {
			t.Fatalf("granted %d of at most %f", granted, most)
		}
		passed := time.Duration(wait.Draw(t, "wait")) * time.Millisecond
		for _, c := range clocks {
			c.Advance(passed)
		}
	}
	requireNoStall(t, nodes[0], clocks[0], orgID, capacity)
}

func requireLaw(t *rapid.T, lease store.TokenLease, capacity, want int64) {
	if lease.Granted < 0 || lease.Granted > want || lease.Left < 0 || lease.Left > float64(capacity) {
		t.Fatalf("got %+v for %d of %d", lease, want, capacity)
	}
	if lease.Granted < want && lease.Left >= 1 {
		t.Fatalf("got %+v for %d: it kept what it had", lease, want)
	}
}

// requireNoStall fails the test unless a node gets a token as soon as one is there, apart from the tolerated
// difference of clocks.
func requireNoStall(t *rapid.T, node *drawer, clock *storetest.Clock, orgID string, capacity int64) {
	token := time.Minute/time.Duration(capacity) + time.Millisecond
	for _, wait := range []time.Duration{0, clockSkew, token} {
		clock.Advance(wait)
		lease, err := node.lease(orgID, capacity, 1)
		requireNoError(t, err)
		if lease.Granted == 1 {
			return
		}
	}
	t.Fatalf("of %d a minute none was there after %v", capacity, clockSkew+token)
}

// Stores on one database, as on several nodes, share one bucket.
func TestNodesShareABucket(t *testing.T) {
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
				lease, err := newDrawer(nodes[i%len(nodes)]).lease("org", perMinute, chunk)
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
