package core

import (
	"context"
	"errors"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// atOnce is how many deliveries of an event are written in its own transaction where that is done in steps, and
	// inStep how many in each that follows: less than a millisecond of the writer. While nobody else comes there is less
	// to commit if a step has aloneInStep.
	atOnce, inStep, aloneInStep = 16, 24, 64
	// inAll is how many deliveries of all its events a transaction writes while others come, such as one with the outcomes
	// of many sends.
	inAll = 64
	// fanOutPage is how many fan-outs are looked at together.
	fanOutPage = 100
)

// record stores an event, with a delivery for each subscription that wants it, in the transaction of its change. In steps,
// what is too much for one transaction follows after the commit, and so does what must not overtake it.
func record(tx *store.Tx, e chat.Event) error {
	if err := tx.InsertEvent(e); err != nil {
		return err
	}
	receivers, err := receiversOf(tx, e)
	if err != nil || len(receivers) == 0 {
		return err
	}
	n, behind := len(receivers), int64(0)
	if tx.InSteps() {
		if behind, err = tx.LastFanOut(e.OrgID, e.Subject); err != nil {
			return err
		}
		n = firstPart(tx, e.OrgID, n, behind)
	}
	if err := deliverAll(tx, receivers[:n], e); err != nil || n == len(receivers) {
		return err
	}
	f := store.FanOut{
		OrgID: e.OrgID, Subject: e.Subject, Seq: behind + 1, Event: e.ID,
		Last: receivers[len(receivers)-1].ID, Left: len(receivers) - n,
	}
	if n > 0 {
		f.Done = receivers[n-1].ID
	}
	return tx.Postpone(f, finishTogether)
}

// firstPart is how many of an event's n deliveries are written with the event: none behind an earlier event about the same
// subject whose deliveries are not all written, and none in a transaction that has many of the organization's events.
func firstPart(tx *store.Tx, orgID string, n int, behind int64) int {
	if behind > 0 || tx.Delivered(orgID) >= inAll && tx.Crowded() {
		return 0
	}
	return min(n, atOnce)
}

// receiversOf are the subscriptions that want an event, in the order of their ids.
func receiversOf(tx *store.Tx, e chat.Event) (wanting []chat.WebhookSubscription, err error) {
	all, err := tx.EventReceivers(e.OrgID)
	for _, s := range all {
		if s.Wants(e.Type, e.PhoneNumberID) {
			wanting = append(wanting, s)
		}
	}
	return wanting, err
}

func deliverAll(tx *store.Tx, receivers []chat.WebhookSubscription, e chat.Event) error {
	for _, s := range receivers {
		if err := deliver(tx, s, deliveryOf(tx, s, e)); err != nil {
			return err
		}
	}
	return nil
}

// finishTogether finishes fan-outs of an organization, as many at a time as fit into a step. An error of the store leaves
// the rest to FinishFanOuts.
func finishTogether(ctx context.Context, st *store.Store, postponed []store.FanOut) {
	defer st.KeepFanOuts(postponed)()
	for len(postponed) > 0 {
		n := together(postponed)
		if finishSome(ctx, st, postponed[:n]) != nil {
			return
		}
		postponed = postponed[n:]
	}
}

// together is how many of the fan-outs fit into a step, at least one.
func together(postponed []store.FanOut) int {
	room := inStep
	for i, f := range postponed {
		if room -= f.Left; room < 0 {
			return max(1, i)
		}
	}
	return len(postponed)
}

// finishSome finishes some fan-outs of an organization, step by step.
func finishSome(ctx context.Context, st *store.Store, some []store.FanOut) error {
	for left := true; left; {
		most := inStep
		if !st.Crowded() {
			most = aloneInStep
		}
		err := st.InStep(ctx, some[0].OrgID, func(tx *store.Tx) (err error) {
			left, err = step(tx, some, most)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// step writes up to most deliveries of some fan-outs, and tells whether any are left. Earlier fan-outs about the same
// subjects go first, whoever has made them.
func step(tx *store.Tx, some []store.FanOut, most int) (left bool, err error) {
	for _, wanted := range some {
		for finished := false; !finished; {
			if most == 0 {
				return true, nil
			}
			f, err := tx.FirstFanOutUntil(wanted)
			if errors.Is(err, store.ErrNotFound) {
				break // somebody else has finished it
			}
			if err != nil {
				return false, err
			}
			written, ended, err := advance(tx, f, most)
			if err != nil {
				return false, err
			}
			most -= written
			finished = ended && f.Seq == wanted.Seq
		}
	}
	return false, nil
}

// advance writes up to most deliveries of a fan-out, which ends with the last of them. Its receivers are the
// subscriptions of when it was recorded, as they are now.
func advance(tx *store.Tx, f store.FanOut, most int) (written int, ended bool, err error) {
	e, err := tx.Event(f.OrgID, f.Event)
	if errors.Is(err, store.ErrNotFound) {
		return 0, true, tx.EndFanOut(f)
	}
	if err != nil {
		return 0, false, err
	}
	receivers, err := receiversOf(tx, e)
	if err != nil {
		return 0, false, err
	}
	receivers = slices.DeleteFunc(receivers, func(s chat.WebhookSubscription) bool { return s.ID <= f.Done || s.ID > f.Last })
	if len(receivers) <= most {
		return len(receivers), true, errors.Join(deliverAll(tx, receivers, e), tx.EndFanOut(f))
	}
	f.Done = receivers[most-1].ID
	return most, false, errors.Join(deliverAll(tx, receivers[:most], e), tx.AdvanceFanOut(f))
}

// FinishFanOuts finishes the fan-outs that a crash, an error or another program has left, until ctx ends. It leaves those
// alone that somebody in this process finishes.
func FinishFanOuts(ctx context.Context, st *store.Store) (err error) {
	for last := (store.FanOut{}); ctx.Err() == nil; {
		found, readErr := st.Read(ctx).FanOutsAfter(last, fanOutPage)
		if ctx.Err() != nil {
			return err
		}
		if readErr != nil || len(found) == 0 {
			return errors.Join(err, readErr)
		}
		for _, f := range found {
			if st.Kept(f) {
				continue
			}
			failed := finishSome(store.WithTurn(ctx, store.Turn{OrgID: f.OrgID}), st, []store.FanOut{f})
			if ctx.Err() != nil {
				return err
			}
			err = errors.Join(err, failed)
			if errors.Is(err, store.ErrUnavailable) {
				return err
			}
		}
		last = found[len(found)-1]
	}
	return err
}

// deliver stores a delivery according to the subscription's status: it is sent, waits until the subscription is
// resumed, or is kept for a replay. Of an event whose content was removed meanwhile nothing is sent.
func deliver(tx *store.Tx, s chat.WebhookSubscription, job store.DeliveryJob) error {
	switch {
	case len(job.Payload) == 0:
		return tx.InsertDeadDelivery(job, chat.DeliveryPayloadRemoved)
	case s.Status == chat.WebhookActive:
		return tx.InsertDelivery(job)
	case s.Status == chat.WebhookPaused:
		return tx.HoldDelivery(job)
	default:
		return tx.InsertDeadDelivery(job, chat.DeliverySubscriptionDisabled)
	}
}

func deliveryOf(tx *store.Tx, s chat.WebhookSubscription, e chat.Event) store.DeliveryJob {
	return store.DeliveryJob{
		OrgID: e.OrgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: s.ID, EventRow: e.ID, EventID: e.EventID,
		EventType: e.Type, Source: e.Source, Subject: e.Subject, Payload: e.Payload, DueAt: tx.Now(), CreatedAt: tx.Now(),
	}
}
