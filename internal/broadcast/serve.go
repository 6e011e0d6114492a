package broadcast

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// few and enough bound how many messages may wait: so few that they are soon counted where they leave slowly, and more
// than are sent until the worker looks again where they leave fast.
const few, enough = 16, 300

// most is how many broadcast messages of a number may wait to be sent for the first time. That is at most half a second's
// worth, so that a pause takes effect at once and other messages are not delayed.
func (w *Worker) most(n *number) int {
	return min(max(8, int(w.cfg.PerSecond/2)), max(few, n.leaves.within(burst/2)), enough)
}

// longestRest bounds the rest after a step that took long because the store was hardly available.
const longestRest = 100 * time.Millisecond

// share is the part of a number's rate that broadcasts get. The rest is for people's own messages.
const share = 0.9

// serve advances the broadcasts of a number, each with an equal part of the number's room.
func (w *Worker) serve(ctx context.Context, node string, n *number) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	room, err := w.room(ctx, n)
	if err != nil {
		return err
	}
	var going []chat.Broadcast
	n.turn++
	for i := range n.broadcasts {
		left := len(n.broadcasts) - i
		b := n.broadcasts[(i+n.turn)%len(n.broadcasts)]
		made, over, err := w.advance(ctx, node, n, b, (room+left-1)/left)
		if err != nil {
			return err
		}
		if room -= made; !over {
			going = append(going, b)
		}
		n.leaves.waiting += made
	}
	slices.SortFunc(going, func(a, b chat.Broadcast) int { return strings.Compare(a.ID, b.ID) })
	n.broadcasts = going
	return nil
}

// room is how many more messages the number may have waiting.
func (w *Worker) room(ctx context.Context, n *number) (int, error) {
	most := w.most(n)
	room := most
	for _, b := range n.broadcasts {
		if room <= 0 {
			break
		}
		at := n.places[b.ID]
		queued, first, err := w.cfg.Store.Read(ctx).QueuedFirst(b.OrgID, b.ID, at.sent, room)
		if err != nil {
			return 0, err
		}
		room -= queued
		if first != "" {
			at.sent = first
			n.places[b.ID] = at
		}
	}
	n.leaves.look(w.cfg.Store.Moment(), most-room)
	return room, nil
}

// steps bounds how many steps a broadcast takes in one turn.
const steps = 50

// advance advances one broadcast. It returns how many messages it made, and whether nothing is left to do.
func (w *Worker) advance(ctx context.Context, node string, n *number, b chat.Broadcast, room int) (made int, over bool, err error) {
	allowed := -1
	for range steps {
		state, err := core.ReadBroadcastState(w.cfg.Store.Read(ctx), b)
		if errors.Is(err, store.ErrNotFound) {
			return made, true, nil // the number was deleted, and its broadcasts with it
		}
		if err != nil {
			return made, false, err
		}
		if why := state.Ill(b, w.cfg.Store.Now()); why != "" && b.Status == chat.BroadcastSending {
			return made, true, w.pause(ctx, state.Account, b, why)
		}
		if allowed < 0 {
			allowed = w.allowance(n, b, state.Slow(), room)
		}
		at := n.places[b.ID]
		state.After = at.made
		p, err := w.timed(ctx, func() (core.Progress, error) { return w.step(ctx, node, state, b, min(w.slice, allowed-made)) })
		if err != nil {
			return made, false, err
		}
		if p.Last != "" {
			at.made = p.Last
			n.places[b.ID] = at
		}
		made += p.Messages
		n.spend(b, p.Messages)
		if p.Over || !p.More && (p.Messages == 0 || made >= allowed) {
			return made, p.Over, nil
		}
	}
	return made, false, nil
}

// timed takes a step and adapts the size of the next one to the time it took. Then it rests for half as long as the
// step took, so that others can use the store.
func (w *Worker) timed(ctx context.Context, step func() (core.Progress, error)) (core.Progress, error) {
	begin := w.cfg.Store.Moment()
	p, err := step()
	took := w.cfg.Store.Moment().Sub(begin)
	switch {
	case took > w.bounds.time:
		w.slice = max(smallest, w.slice/2)
	case p.Messages >= w.slice:
		w.slice = min(w.bounds.most, w.slice+max(4, w.slice/2))
	}
	if err == nil && took > 0 {
		rest := time.NewTimer(min(took/2, longestRest))
		defer rest.Stop()
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
	}
	return p, err
}

// step takes one step in a transaction. If the quota runs out in the middle of it, smaller steps use up the rest, and
// then the broadcast pauses.
func (w *Worker) step(ctx context.Context, node string, state core.BroadcastState, b chat.Broadcast, limit int) (p core.Progress, err error) {
	ctx = store.WithTurn(ctx, store.Turn{OrgID: b.OrgID, Bulk: true})
	for again := false; ; {
		err = w.cfg.Store.Aside(ctx, func() error {
			return w.cfg.Store.InTx(ctx, func(tx *store.Tx) (err error) {
				p, err = core.AdvanceBroadcast(tx, state, b.ID, node, limit)
				return err
			})
		})
		code, refused := chat.CodeOf(err)
		switch {
		case errors.Is(err, store.ErrDuplicate) && !again: // one of the contacts was created at the same time by someone else
			again = true
		case !refused:
			return p, err
		case code == chat.CodeQuotaExceeded && limit > 1:
			limit /= 2
		default:
			return core.Progress{Over: true}, w.pause(ctx, state.Account, b, reasonOf(code))
		}
	}
}

// reasonOf is why a broadcast pauses after one of its messages was refused.
func reasonOf(code chat.Code) chat.BroadcastReason {
	switch code {
	case chat.CodeQuotaExceeded:
		return chat.ReasonQuotaExceeded
	case chat.CodeAccountRestricted:
		return chat.ReasonAccountRestricted
	case chat.CodeMediaNotFound, chat.CodeInvalidFieldValue: // the latter of a file that is of another type than the header
		return chat.ReasonMediaMissing
	default:
		return chat.ReasonAccountDisconnected
	}
}

func (w *Worker) pause(ctx context.Context, account chat.Account, b chat.Broadcast, why chat.BroadcastReason) error {
	w.cfg.Log.Warn("a broadcast has paused itself", "broadcast", b.ID, "reason", why)
	return w.cfg.Store.InTx(ctx, func(tx *store.Tx) error { return core.PauseIll(tx, account, b.ID, why) })
}
