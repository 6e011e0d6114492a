// Package node keeps a process known to the others that share its store, by a row that says that it is
// alive, and removes the rows of those that are not heard of any more: what they owned is then taken over.
//
// No clock is compared with another's. Each node counts, by its own, how long it has been since its row was
// last written, and for how long it has seen the row of another unchanged. Time in which it could not look
// does not count: when the store was away for all, all have the time to be heard again.
package node

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/store"
)

const (
	lookEvery = time.Second
	beatEvery = 5 * time.Second
	// life is how long a node counts on what it owns after its last beat.
	life = 30 * time.Second
	// deadAfter is how long the others wait for another beat.
	deadAfter = life + time.Second
	// maxGap is the longest time between two looks at the others. After a longer one they are watched
	// anew: they may have been as cut off as this node was.
	maxGap = 10 * time.Second
	// patience ends a beat or a look that the store does not answer.
	patience = 5 * time.Second
)

// Node is this process. Its name is new at every start, so that what an earlier start left behind is
// nobody's.
type Node struct {
	rows    registry
	now     func() store.Moment
	log     *slog.Logger
	trouble *logging.Episode
	lease   atomic.Pointer[store.Lease]

	beatAt   store.Moment // of the last beat that was written
	lookedAt store.Moment
	seen     map[string]sighting

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// sighting is another node's last beat, and since when it has been that.
type sighting struct {
	beat  int64
	since store.Moment
}

// Start registers the process and keeps it registered until Stop. A nil registerer shows no metrics.
func Start(ctx context.Context, st *store.Store, reg prometheus.Registerer, log *slog.Logger) (*Node, error) {
	n := newNode(rows{st}, st.Moment, reg, log)
	if st.Alone() { // whoever else is registered was killed, and nobody will remove this one
		lease := store.LeaseForGood(n.rows.newName())
		n.lease.Store(&lease)
		return n, n.rows.addAlone(ctx, lease.Node)
	}
	return n, n.start(ctx)
}

func newNode(rows registry, now func() store.Moment, reg prometheus.Registerer, log *slog.Logger) *Node {
	return &Node{rows: rows, now: now, log: log, cancel: func() {}, trouble: logging.NewEpisode(log, reg, "node",
		"this node cannot tell the others that it is alive", "this node can tell the others again that it is alive")}
}

func (n *Node) start(ctx context.Context) error {
	if err := n.begin(ctx); err != nil {
		return err
	}
	background, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.done.Go(func() { n.run(background) })
	return nil
}

// Lease is the name under which this process owns work, and until when that is certain.
func (n *Node) Lease() store.Lease { return *n.lease.Load() }

func (n *Node) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			n.tick(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// tick beats when that is due, or failed the last time, and then looks at the others.
func (n *Node) tick(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var err error
	if n.now().Sub(n.beatAt) >= beatEvery {
		err = n.beat(limited)
	}
	if err == nil {
		err = n.watch(limited)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		n.seen = nil
	}
	n.trouble.Report(err)
}

// beat says that the node is alive. Where others have removed it, it begins anew.
func (n *Node) beat(ctx context.Context) error {
	lease := n.Lease()
	at := n.now() // before it is written: nobody can have seen it earlier
	alive, err := n.rows.beat(ctx, lease.Node)
	switch {
	case err != nil:
		return err
	case !alive:
		n.log.Warn("the other nodes have not heard of this one for long and have taken its work; it begins anew", "node", lease.Node)
		return n.begin(ctx)
	}
	n.hold(lease.Node, at)
	return nil
}

// begin registers the process under a new name.
func (n *Node) begin(ctx context.Context) error {
	name, at := n.rows.newName(), n.now()
	err := n.rows.add(ctx, name)
	if err == nil {
		n.hold(name, at)
	}
	return err
}

func (n *Node) hold(name string, at store.Moment) {
	n.lease.Store(&store.Lease{Node: name, Until: at.Add(life)})
	n.beatAt = at
}

// watch looks at the others, and removes those that were not heard of for too long.
func (n *Node) watch(ctx context.Context) error {
	before := n.now()
	beats, err := n.rows.beats(ctx)
	if err != nil {
		return err
	}
	after := n.now()
	if after.Sub(n.lookedAt) > maxGap {
		n.seen = nil
	}
	n.lookedAt = after
	seen := make(map[string]sighting, len(beats))
	for _, b := range beats {
		last, known := n.seen[b.Node]
		if !known || last.beat != b.Beat {
			last = sighting{b.Beat, after}
		}
		seen[b.Node] = last
		if before.Sub(last.since) > deadAfter && b.Node != n.Lease().Node {
			if err := n.bury(ctx, b); err != nil {
				return err
			}
		}
	}
	n.seen = seen
	return nil
}

func (n *Node) bury(ctx context.Context, b store.NodeBeat) error {
	buried, err := n.rows.bury(ctx, b)
	if buried {
		n.log.Info("a node has not been heard of for long; its work is taken over", "node", b.Node)
	}
	return err
}

// Stop gives up what the node owns: others may take it at once.
func (n *Node) Stop() {
	n.cancel()
	n.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := n.rows.remove(ctx, n.Lease().Node); err != nil {
		n.log.Warn("this node could not say that it is gone", "error", err)
	}
}
