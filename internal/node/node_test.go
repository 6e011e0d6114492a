package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// fault is a temporary fault between a node and the store.
type fault struct {
	From, To time.Duration
	Kind     faultKind
}

type faultKind string

const (
	refused  faultKind = "refused" // the request is not carried out
	hangs    faultKind = "hangs"   // until the caller gives up
	slow     faultKind = "slow"    // the request is carried out at the end of the fault, if the caller still waits
	unheard  faultKind = "unheard" // the request is carried out, and the answer is lost
	frozen   faultKind = "frozen"  // the process itself stands still, with all its timers
	faultMax           = 90 * time.Second
)

var errFault = errors.New("the store is out of reach")

// memory is a registry in memory.
type memory struct {
	mu    sync.Mutex
	made  int
	nodes map[string]int64
}

func (m *memory) newName() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made++
	return fmt.Sprint("node_", m.made)
}

func (m *memory) add(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes[name] = 1
	return nil
}

func (m *memory) addAlone(ctx context.Context, name string) error { return m.add(ctx, name) }

func (m *memory) beat(_ context.Context, name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	alive := m.nodes[name] > 0
	if alive {
		m.nodes[name]++
	}
	return alive, nil
}

func (m *memory) beats(context.Context) (beats []store.NodeBeat, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, beat := range m.nodes {
		beats = append(beats, store.NodeBeat{Node: name, Beat: beat})
	}
	return beats, nil
}

func (m *memory) bury(_ context.Context, last store.NodeBeat) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.nodes[last.Node] == last.Beat
	if same {
		delete(m.nodes, last.Node)
	}
	return same, nil
}

func (m *memory) remove(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.nodes, name)
	return nil
}

func (m *memory) has(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.nodes[name] > 0
}

// farRegistry is the registry behind a node's faults.
type farRegistry struct {
	*memory
	begin  time.Time
	faults []fault
}

// reach calls the registry if the faults allow it.
func (r farRegistry) reach(ctx context.Context, ask func()) error {
	now := time.Since(r.begin)
	for _, f := range r.faults {
		if now < f.From || now >= f.To {
			continue
		}
		over := time.After(f.To - now)
		switch f.Kind {
		case refused:
			return errFault
		case hangs:
			<-ctx.Done()
			return ctx.Err()
		case slow:
			select {
			case <-over:
			case <-ctx.Done():
				return ctx.Err()
			}
		case unheard:
			ask()
			return errFault
		case frozen:
			<-over
		}
	}
	ask()
	return nil
}

func (r farRegistry) add(ctx context.Context, name string) error {
	return r.reach(ctx, func() { r.memory.add(ctx, name) })
}

func (r farRegistry) beat(ctx context.Context, name string) (alive bool, err error) {
	err = r.reach(ctx, func() { alive, _ = r.memory.beat(ctx, name) })
	return alive, err
}

func (r farRegistry) beats(ctx context.Context) (beats []store.NodeBeat, err error) {
	err = r.reach(ctx, func() { beats, _ = r.memory.beats(ctx) })
	return beats, err
}

func (r farRegistry) bury(ctx context.Context, last store.NodeBeat) (buried bool, err error) {
	err = r.reach(ctx, func() { buried, _ = r.memory.bury(ctx, last) })
	return buried, err
}

// startNodes starts nodes with their faults, whose times count from when all have started.
func startNodes(t *testing.T, faults [][]fault, apart ...time.Duration) (*memory, []*Node) {
	t.Helper()
	m := &memory{nodes: map[string]int64{}}
	origin := time.Now()
	now := func() store.Moment { return store.Moment(1 << 60).Add(time.Since(origin)) }
	var nodes []*Node
	begin := time.Now().Add(5 * time.Second)
	for i, f := range faults {
		if i < len(apart) {
			<-time.After(apart[i])
		}
		n := newNode(farRegistry{m, begin, f}, now, nil, slog.New(slog.DiscardHandler))
		if err := n.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	return m, nodes
}

var pass = worldtest.Pass

// faultsOf draws a sequence of faults.
func faultsOf(kinds ...faultKind) *rapid.Generator[[]fault] {
	return rapid.Custom(func(rt *rapid.T) (faults []fault) {
		at := time.Duration(0)
		for range rapid.IntRange(0, 3).Draw(rt, "faults") {
			at += time.Duration(rapid.IntRange(1, 60_000).Draw(rt, "after")) * time.Millisecond
			f := fault{From: at, Kind: rapid.SampledFrom(kinds).Draw(rt, "kind")}
			at += time.Duration(rapid.IntRange(1, int(faultMax.Milliseconds())).Draw(rt, "length")) * time.Millisecond
			f.To = at
			faults = append(faults, f)
		}
		return faults
	})
}

// With any faults between nodes and their store, no node is removed while it relies on its work. A removed node
// learns of it, and a recovered one is registered.
func TestNobodyIsRemovedWhoCountsOnIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		faults := rapid.SliceOfN(faultsOf(refused, hangs, slow, unheard, frozen), 2, 3).Draw(rt, "faults")
		var failure string
		synctest.Test(t, func(t *testing.T) {
			m, nodes := startNodes(t, faults)
			for range 8 * 60 {
				pass(time.Second)
				for i, n := range nodes {
					if lease := n.Lease(); lease.Holds(n.now(), 0) && !m.has(lease.Node) && failure == "" {
						failure = fmt.Sprintf("node %d counts on its lease and was removed", i)
					}
				}
			}
			for i, n := range nodes {
				if !n.Lease().Holds(n.now(), life/2) {
					failure = fmt.Sprintf("node %d is not well again", i)
				}
				n.Stop(context.Background())
			}
			if len(m.nodes) > 0 {
				failure = fmt.Sprintf("%v are left", m.nodes)
			}
		})
		if failure != "" {
			rt.Fatal(failure)
		}
	})
}

// After an outage of the store for all nodes, all are still registered: the first to recover does not take the
// others for dead.
func TestAnOutageForAllRemovesNobody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		faults := faultsOf(refused, hangs, slow, unheard, frozen).Draw(rt, "faults")
		apart := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 999), func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }), 2, 4).Draw(rt, "apart")
		var failure string
		synctest.Test(t, func(t *testing.T) {
			_, nodes := startNodes(t, slices.Repeat([][]fault{faults}, len(apart)), apart...)
			var names []string
			for _, n := range nodes {
				names = append(names, n.Lease().Node)
			}
			pass(8 * time.Minute)
			for i, n := range nodes {
				if n.Lease().Node != names[i] {
					failure = fmt.Sprintf("node %d was taken for dead", i)
				}
				n.Stop(context.Background())
			}
		})
		if failure != "" {
			rt.Fatal(failure)
		}
	})
}

// registered reports whether a node's row exists.
func registered(t *testing.T, st *store.Store, n *Node) bool {
	t.Helper()
	living, err := st.Read(t.Context()).LivingNodes()
	if err != nil {
		t.Fatal(err)
	}
	return living[n.Lease().Node]
}

// A killed node is removed after it has been silent long enough, and not before.
func TestAKilledNodeIsRemoved(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		place := storetest.NewConfig(t, engine)
		synctest.Test(t, func(t *testing.T) {
			st, log := storetest.OpenAt(t, place), slog.New(slog.DiscardHandler)
			start := func() *Node {
				n := New(st, nil, log)
				if err := n.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				return n
			}
			here, killed, stopped := start(), start(), start()
			pass(time.Minute)
			killed.End()
			stopped.Stop(context.Background())
			if registered(t, st, stopped) {
				t.Error("a node that was stopped is registered")
			}
			pass(life - beatEvery)
			if !registered(t, st, killed) {
				t.Error("the other was removed at once")
			}
			pass(beatEvery + 3*time.Second)
			if registered(t, st, killed) || !registered(t, st, here) {
				t.Error("the killed node is registered, or the living one is not")
			}
			here.Stop(context.Background())
		})
	})
}

// An embedded store has a single node: it does not wait for earlier ones, and cannot lose its work.
func TestANodeAlone(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.SQLite)
	place.Exclusive = true
	synctest.Test(t, func(t *testing.T) {
		st := storetest.OpenAt(t, place)
		killed := newNode(rows{st}, st.Moment, nil, slog.New(slog.DiscardHandler))
		if err := killed.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := New(st, nil, slog.New(slog.DiscardHandler))
		if err := n.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if registered(t, st, killed) {
			t.Error("a node of an earlier start is registered")
		}
		pass(time.Hour)
		if !n.Lease().Holds(st.Moment(), time.Hour) || !registered(t, st, n) {
			t.Errorf("the lease ends: %+v", n.Lease())
		}
		n.Stop(context.Background())
	})
}
