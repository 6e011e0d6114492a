package core

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// A subscription is disabled when its endpoint has failed this often in a row, and for this long. Neither a short
// outage nor a weekend is enough.
const (
	disableAfterFailures = 24
	disableAfter         = 72 * time.Hour
)

// DeliveryResult is the result of a delivery attempt.
type DeliveryResult struct {
	Job     store.DeliveryJob // as it was before the attempt
	Address string            // of the endpoint
	Attempt chat.DeliveryAttempt
	Status  chat.DeliveryStatus
	NextAt  *time.Time // time of the next attempt; nil if there is none
	Gone    bool       // the endpoint answered that it is gone
	Failing bool       // the subscription had counted failures before
	Spared  chat.Spared
}

// Troubled tells whether the result changes what is known of the subscription's endpoint.
func (r DeliveryResult) Troubled() bool { return r.Failing || r.Status != chat.DeliverySucceeded }

// Streak is how long a subscription has been failing.
type Streak struct {
	OrgID          string
	SubscriptionID string
	Failures       int // zero: the streak is over
	Since          time.Time
	DisabledReason string // empty unless this streak disabled the subscription
}

// RecordDeliveries stores the results of a node's attempts, in the order in which they ended, and their effect on the
// subscriptions. A result has no effect on a delivery that the node has lost.
func RecordDeliveries(tx *store.Tx, node string, results []DeliveryResult) ([]Streak, error) {
	results, err := keepMoved(tx, results)
	if err != nil {
		return nil, err
	}
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

// keepMoved has a delivery tried again at once whose endpoint was gone, if the subscription has another address by now: the
// attempt had begun before, perhaps on a node that had not heard of the change.
func keepMoved(tx *store.Tx, results []DeliveryResult) ([]DeliveryResult, error) {
	kept := slices.Clone(results)
	for i, r := range results {
		if !r.Gone {
			continue
		}
		found, err := tx.WebhookSubscriptionsByID(r.Job.OrgID, []string{r.Job.SubscriptionID})
		if err != nil {
			return nil, err
		}
		if len(found) == 1 && found[0].URL != r.Address {
			kept[i].Gone, kept[i].Status, kept[i].NextAt = false, chat.DeliveryFailed, new(tx.Now())
		}
	}
	return kept, nil
}

// deliveryTally sums up a batch of results for one subscription.
type deliveryTally struct {
	orgID, id string
	forget    bool // there was a success, after earlier failures
	failures  int  // since the last success
	first     time.Time
	spared    chat.Spared // after the last result
	gone      bool
}

// tallyDeliveries sums up the results by subscription, in the order of their ids, so that nodes that write the same
// subscriptions do not deadlock.
func tallyDeliveries(results []DeliveryResult) []deliveryTally {
	bySubscription := map[string]*deliveryTally{}
	for _, r := range results {
		if !r.Troubled() && bySubscription[r.Job.SubscriptionID] == nil {
			continue // most results: there is nothing to write
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
	t.spared = r.Spared
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

// record writes the tally and returns the subscription's streak, nil if the subscription is no longer active.
func (t deliveryTally) record(tx *store.Tx) (*Streak, error) {
	s := Streak{OrgID: t.orgID, SubscriptionID: t.id}
	if t.forget {
		if err := tx.ForgetFailures(t.orgID, t.id, t.spared); err != nil {
			return nil, err
		}
	}
	if t.failures == 0 {
		return &s, nil
	}
	var err error
	s.Failures, s.Since, err = tx.CountFailures(t.orgID, t.id, t.failures, t.first, t.spared)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch {
	case t.gone:
		s.DisabledReason = chat.DisabledAsGone
	case s.Failures >= disableAfterFailures && tx.Now().Sub(s.Since) > disableAfter:
		s.DisabledReason = chat.DisabledForFailures
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
