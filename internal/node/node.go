// Package node keeps a process known to the others that share its store: a row that says until
// when it is alive. Work whose owner is not alive is taken over.
package node

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	beatEvery = 5 * time.Second
	// life is how long a node counts as alive after its last beat.
	life = 30 * time.Second
)

// Node is this process. Its id is new at every start, so that what an earlier start left behind
// is nobody's.
type Node struct {
	id     string
	store  *store.Store
	log    *slog.Logger
	until  atomic.Int64 // milliseconds
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start registers the process and keeps it registered until Stop.
func Start(ctx context.Context, st *store.Store, log *slog.Logger) (*Node, error) {
	n := &Node{id: st.NewID(chat.Kind("node")), store: st, log: log}
	if st.Alone() { // whoever else is registered was killed: its work need not wait
		if err := st.InTx(ctx, (*store.Tx).DeleteNodes); err != nil {
			return nil, err
		}
	}
	if err := n.beat(ctx); err != nil {
		return nil, err
	}
	background, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.done.Go(func() { n.run(background) })
	return n, nil
}

// ID names the node as the owner of work.
func (n *Node) ID() string { return n.id }

// Until is the instant from which on others may take this node's work, unless it says once more that
// it is alive. It never promises too much.
func (n *Node) Until() time.Time { return time.UnixMilli(n.until.Load()) }

func (n *Node) run(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := n.beat(ctx); err != nil && ctx.Err() == nil {
				n.log.Warn("this node could not say that it is alive", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (n *Node) beat(ctx context.Context) error {
	var until time.Time
	err := n.store.InTx(ctx, func(tx *store.Tx) error {
		until = tx.Now().Add(life)
		if err := tx.PurgeNodes(tx.Now().Add(-24 * time.Hour)); err != nil {
			return err
		}
		return tx.PutNode(n.id, until)
	})
	if err == nil {
		n.until.Store(until.UnixMilli())
	}
	return err
}

// Stop gives up what the node owns: others may take it at once.
func (n *Node) Stop() {
	n.cancel()
	n.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := n.store.InTx(ctx, func(tx *store.Tx) error { return tx.DeleteNode(n.id) }); err != nil {
		n.log.Warn("this node could not say that it is gone", "error", err)
	}
}
