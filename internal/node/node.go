// Package node registers a process in the store that it shares with others. The process renews its row while it
// is alive, and removes the rows of silent nodes, whose work is then taken over.
//
// Clocks of two nodes are never compared. Each node measures by its own clock how long ago it renewed its row,
// and for how long another's row has not changed. Time in which it could not read the store does not count:
// after an outage of the store for all nodes, each of them has time to renew its row.
package node

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	lookEvery = time.Second
	beatEvery = 5 * time.Second
	// life is how long after its last beat a node still owns its work.
	life = 30 * time.Second
	// deadAfter is how long the other nodes wait for a beat.
	deadAfter = life + time.Second
	// maxGap is the longest time between two looks at the others. After a longer one the watch starts over,
	// because the others may have been cut off like this node.
	maxGap = 10 * time.Second
	// patience bounds a beat or a look that the store does not answer.
	patience = 5 * time.Second
)

// Node is this process. Its name is new at every start, so that nobody mistakes it for an earlier one.
type Node struct {
	part.Life
	rows    registry
	now     func() store.Moment
	log     *slog.Logger
	trouble *logging.Episode
	lease   atomic.Pointer[store.Lease]

	beatAt   store.Moment // when the last beat was written
	lookedAt store.Moment
	seen     map[string]sighting
	alone    bool // nobody else can use the store
}

// sighting is another node's last beat, and since when it has not changed.
type sighting struct {
	beat  int64
	since store.Moment
}

// New makes a node that is not registered yet. A nil registerer shows no metrics.
func New(st *store.Store, reg prometheus.Registerer, log *slog.Logger) *Node {
	n := newNode(rows{st}, st.Moment, reg, log)
	n.alone = st.Alone()
	return n
}

func newNode(rows registry, now func() store.Moment, reg prometheus.Registerer, log *slog.Logger) *Node {
	return &Node{Life: part.NewLife(), rows: rows, now: now, log: log, trouble: logging.NewEpisode(log, reg, "node",
		"this node cannot tell the others that it is alive", "this node can tell the others again that it is alive")}
}

// Start registers the process and keeps it registered until Stop.
func (n *Node) Start(ctx context.Context) error {
	if n.alone { // whoever else is registered was killed, and nobody will remove this one
		lease := store.LeaseForGood(n.rows.newName())
		n.lease.Store(&lease)
		return n.rows.addAlone(ctx, lease.Node)
	}
	if err := n.begin(ctx); err != nil {
		return err
	}
	n.Go(n.run)
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

// tick beats if that is due or failed last time, and then looks at the other nodes.
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

// beat renews the node's row. If others have removed the row, the node registers anew.
func (n *Node) beat(ctx context.Context) error {
	lease := n.Lease()
	at := n.now() // read before the write, so that no other node saw the beat earlier
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

// watch looks at the other nodes, and removes those that were silent for too long.
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
func (n *Node) Stop(ctx context.Context) {
	n.Life.Stop(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := n.rows.remove(ctx, n.Lease().Node); err != nil {
		n.log.Warn("this node could not say that it is gone", "error", err)
	}
}
