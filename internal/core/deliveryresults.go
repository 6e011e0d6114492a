package core

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// A subscription is disabled when its endpoint has failed so often in a row, and for so long: neither
// a short outage nor a weekend does it.
const (
	disableAfterFailures = 24
	disableAfter         = 72 * time.Hour
)

// Why a subscription was disabled.
const (
	disabledForFailures = "consecutive_failures"
	disabledAsGone      = "endpoint_gone"
)

// DeliveryResult is how an attempt of a delivery went.
type DeliveryResult struct {
	Job     store.DeliveryJob // as it was before the attempt
	Attempt chat.DeliveryAttempt
	Status  chat.DeliveryStatus
	NextAt  *time.Time // of the next attempt; nil when it is over
	Gone    bool       // the endpoint said that it is no more
	Failing bool       // failures of the subscription were counted before
}

// Streak is how long a subscription has been failing.
type Streak struct {
	OrgID          string
	SubscriptionID string
	Failures       int // zero: the streak is over
	Since          time.Time
	DisabledReason string // empty unless this disabled the subscription
}

// RecordDeliveries stores how attempts of a node went, in the order in which they ended, with what
// that means for their subscriptions. An attempt whose delivery is not the node's any more changes
// nothing of it.
func RecordDeliveries(tx *store.Tx, node string, results []DeliveryResult) ([]Streak, error) {
	done := make([]store.DeliveryDone, len(results))
	for i, r := range results {
		done[i] = store.DeliveryDone{
			OrgID: r.Job.OrgID, ID: r.Job.ID, Epoch: r.Job.Epoch, Status: r.Status, Attempts: r.Job.Attempts + 1,
			Earlier: r.Job.Log, Last: r.Attempt, NextAttemptAt: r.NextAt,
		}
	}
	if err := tx.CompleteDeliveries(node, done); err != nil {
		return nil, err
	}
	var streaks []Streak
	for _, t := range tallyDeliveries(results) {
		s, err := t.record(tx)
		if err != nil {
			return nil, err
		}
		if s != nil {
			streaks = append(streaks, *s)
		}
	}
	return streaks, nil
}

// deliveryTally is what a batch of results says of one subscription.
type deliveryTally struct {
	orgID, id string
	forget    bool // there was a success, and failures before
	failures  int  // since the last success
	first     time.Time
	gone      bool
}

// tallyDeliveries sums up by subscription, in the order of their ids: nodes that write the same ones
// do not lock each other out.
func tallyDeliveries(results []DeliveryResult) []deliveryTally {
	bySubscription := map[string]*deliveryTally{}
	for _, r := range results {
		if r.Status == chat.DeliverySucceeded && !r.Failing && bySubscription[r.Job.SubscriptionID] == nil {
			continue // nearly all: there is nothing to write
		}
		t := bySubscription[r.Job.SubscriptionID]
		if t == nil {
			t = &deliveryTally{orgID: r.Job.OrgID, id: r.Job.SubscriptionID}
			bySubscription[t.id] = t
		}
		t.add(r)
	}
	tallies := make([]deliveryTally, 0, len(bySubscription))
	for _, t := range bySubscription {
		tallies = append(tallies, *t)
	}
	slices.SortFunc(tallies, func(a, b deliveryTally) int { return cmp.Or(cmp.Compare(a.orgID, b.orgID), cmp.Compare(a.id, b.id)) })
	return tallies
}

func (t *deliveryTally) add(r DeliveryResult) {
	if r.Status == chat.DeliverySucceeded {
		t.forget, t.failures = true, 0
		return
	}
	if t.failures == 0 {
		t.first = time.UnixMilli(r.Attempt.At)
	}
	t.failures++
	t.gone = t.gone || r.Gone
}

// record returns how the subscription stands, nil if it is not active any more.
func (t deliveryTally) record(tx *store.Tx) (*Streak, error) {
	s := Streak{OrgID: t.orgID, SubscriptionID: t.id}
	if t.forget {
		if err := tx.ForgetFailures(t.orgID, t.id); err != nil {
			return nil, err
		}
	}
	if t.failures == 0 {
		return &s, nil
	}
	var err error
	s.Failures, s.Since, err = tx.CountFailures(t.orgID, t.id, t.failures, t.first)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch {
	case t.gone:
		s.DisabledReason = disabledAsGone
	case s.Failures >= disableAfterFailures && tx.Now().Sub(s.Since) > disableAfter:
		s.DisabledReason = disabledForFailures
	default:
		return &s, nil
	}
	tx.SubscriptionChanged(t.orgID, t.id)
	return &s, tx.DisableSubscription(t.orgID, t.id, s.DisabledReason)
}

// EndDisabledDeliveries ends up to limit of a subscription's open deliveries if it is disabled, and returns
// how many.
func EndDisabledDeliveries(tx *store.Tx, orgID, subscriptionID string, limit int) (int64, error) {
	s, err := tx.WebhookSubscription(orgID, subscriptionID)
	if errors.Is(err, store.ErrNotFound) || err == nil && s.Status != chat.WebhookDisabled {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return tx.EndDeliveries(orgID, subscriptionID, chat.DeliverySubscriptionDisabled, limit)
}
