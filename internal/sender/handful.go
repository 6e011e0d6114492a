package sender

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// handful is how many messages of broadcasts a number takes at once. They are looked at together before they are
	// sent, because one by one that would cost more than the sending.
	handful = 32
	// leastHandful is how many calls must be able to begin before a handful is taken.
	leastHandful = 8
	// handfulEvery is how often a number takes a handful that is not full because no more messages wait, or may go yet. It is
	// long enough to gather some, and short enough that nobody notices.
	handfulEvery = 50 * time.Millisecond
)

// start begins the sending of what next returned.
func (n *number) start(some []queued) {
	s := n.sender
	if some[0].bulk() {
		s.work.Go(func() { n.sendHandful(some) })
		return
	}
	if s.starts.Enter(s.ctx, some[0].turn()) {
		s.work.Go(func() { n.send(some[0], nil) })
	}
}

// sendHandful looks at messages of broadcasts, and sends them as they get their turns to start.
func (n *number) sendHandful(some []queued) {
	looks, err := n.lookAt(some)
	for _, w := range some {
		if err != nil {
			n.returned(w.Job.Queue())
			n.settle(w, n.unlessGone(err))
			continue
		}
		look := looks[w.Message.ID]
		if !n.sender.starts.Enter(n.sender.ctx, w.turn()) {
			return
		}
		n.sender.work.Go(func() { n.send(w, &look) })
	}
}

// lookAt reads what decides whether messages of broadcasts may still be sent. Meanwhile the next handful gathers.
func (n *number) lookAt(some []queued) (map[string]core.Look, error) {
	defer n.looked()
	s := n.sender
	ctx, cancel := context.WithTimeout(store.WithTurn(context.WithoutCancel(s.ctx), some[0].turn()), lookTimeout)
	defer cancel()
	works := make([]store.SendWork, len(some))
	for i, w := range some {
		works[i] = w.SendWork
	}
	var looks map[string]core.Look
	err := s.cfg.Store.Aside(ctx, func() (err error) {
		looks, err = core.LookAt(s.cfg.Store.Read(ctx), n.orgID, works)
		return err
	})
	return looks, err
}

func (n *number) looked() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.looking--
	n.wake.Wake()
}
