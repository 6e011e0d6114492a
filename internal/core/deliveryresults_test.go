package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// The effect of a batch of outcomes on the subscription depends on their order.
func TestRecordDeliveriesCountsStreaks(t *testing.T) {
	t.Parallel()
	const failed, succeeded = false, true
	for name, test := range map[string]struct {
		before   int // failures that were counted before
		outcomes []bool
		want     int
		told     bool // the engine is told of the streak
	}{
		"a success":             {0, []bool{succeeded}, 0, false},
		"a success after some":  {5, []bool{succeeded}, 0, true},
		"failures":              {0, []bool{failed, failed}, 2, true},
		"more failures":         {5, []bool{failed, failed}, 7, true},
		"failures, success":     {5, []bool{failed, succeeded}, 0, true},
		"success, failure":      {5, []bool{succeeded, failed}, 1, true},
		"one between":           {0, []bool{failed, failed, succeeded, failed}, 1, true},
		"success, none counted": {0, []bool{succeeded, succeeded, failed}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, st *store.Store) {
				putSubscription(t, st)
				if test.before > 0 {
					record(t, st, make([]bool, test.before), 0)
				}
				streaks := record(t, st, test.outcomes, test.before)
				if told := len(streaks) == 1; told != test.told || told && streaks[0].Failures != test.want {
					t.Errorf("the streaks are %+v", streaks)
				}
				if s := subscriptionNow(t, st); s.ConsecutiveFailures != int64(test.want) || (s.FailingSince != nil) != (test.want > 0) {
					t.Errorf("the subscription is %+v", s)
				}
			})
		})
	}
}

// 24 failures over more than 72 hours disable a subscription. One 410 does so at once. A paused subscription stays
// paused.
func TestRecordDeliveriesDisables(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		putSubscription(t, st)
		record(t, st, make([]bool, 30), 0)
		clock.Advance(72 * time.Hour)
		record(t, st, make([]bool, 1), 30)
		if s := subscriptionNow(t, st); s.Status != chat.WebhookActive {
			t.Fatalf("after exactly 72 hours it is %+v", s)
		}
		clock.Advance(time.Millisecond)
		streaks := record(t, st, make([]bool, 1), 31)
		if s := subscriptionNow(t, st); s.Status != chat.WebhookDisabled || *s.DisabledReason != "consecutive_failures" || streaks[0].DisabledReason == "" {
			t.Fatalf("it is %+v", s)
		}
		if streaks := record(t, st, make([]bool, 1), 32); len(streaks) != 0 {
			t.Errorf("of a disabled one: %+v", streaks)
		}
	})
}

// One 410 disables a subscription, also if an attempt that began before it fails otherwise and is recorded with it.
func TestRecordDeliveriesDisablesWhatIsGone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		putSubscription(t, st)
		recordResults(t, st, outcomeOf(st, chat.DeliveryDead, true), outcomeOf(st, chat.DeliveryFailed, false))
		if s := subscriptionNow(t, st); s.Status != chat.WebhookDisabled || *s.DisabledReason != "endpoint_gone" {
			t.Errorf("it is %+v", s)
		}
	})
}

func putSubscription(t *testing.T, st *store.Store) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		return tx.InsertWebhookSubscription(chat.WebhookSubscription{
			ID: "wbs_1", OrgID: "org_1", Events: []string{chat.AllEvents}, Status: chat.WebhookActive, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		})
	})
}

func subscriptionNow(t *testing.T, st *store.Store) chat.WebhookSubscription {
	t.Helper()
	s, err := st.Read(context.Background()).WebhookSubscription("org_1", "wbs_1")
	requireNoError(t, err)
	return s
}

// record records outcomes of deliveries that need not exist.
func record(t *testing.T, st *store.Store, outcomes []bool, counted int) (streaks []core.Streak) {
	t.Helper()
	var results []core.DeliveryResult
	for _, good := range outcomes {
		status := chat.DeliveryFailed
		if good {
			status = chat.DeliverySucceeded
		}
		r := outcomeOf(st, status, false)
		r.Failing = counted > 0
		results = append(results, r)
	}
	return recordResults(t, st, results...)
}

// outcomeOf is the outcome of a delivery that need not exist.
func outcomeOf(st *store.Store, status chat.DeliveryStatus, gone bool) core.DeliveryResult {
	return core.DeliveryResult{
		Job:     store.DeliveryJob{OrgID: "org_1", ID: st.NewID(chat.KindDelivery), SubscriptionID: "wbs_1"},
		Attempt: chat.DeliveryAttempt{At: st.Now().UnixMilli()}, Status: status, Gone: gone,
	}
}

func recordResults(t *testing.T, st *store.Store, results ...core.DeliveryResult) (streaks []core.Streak) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) (err error) {
		streaks, err = core.RecordDeliveries(tx, "node_1", results)
		return err
	})
	return streaks
}
