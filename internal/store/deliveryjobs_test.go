package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// putDeliveries stores events and their deliveries to a subscription, born on the store's node.
func putDeliveries(t *testing.T, st *store.Store, orgID, subscriptionID string, count int) (jobs []store.DeliveryJob) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		jobs = nil
		for i := range count {
			id := tx.NewID(chat.KindEvent)
			e := chat.Event{ID: id, OrgID: orgID, EventID: id, Type: chat.EventContactCreated, Source: chat.SourceService, Payload: []byte("{}"), CreatedAt: tx.Now()}
			if err := tx.InsertEvent(e); err != nil {
				return err
			}
			j := store.DeliveryJob{
				OrgID: orgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: subscriptionID, EventRow: id, EventID: id, EventType: e.Type, Source: e.Source,
				Subject: fmt.Sprint("subject ", i), Payload: e.Payload, DueAt: tx.Now(), CreatedAt: tx.Now(),
			}
			jobs = append(jobs, j)
			if err := tx.InsertDelivery(j); err != nil {
				return err
			}
		}
		return nil
	})
	return jobs
}

func ids(jobs []store.DeliveryJob) (list []string) {
	for _, j := range jobs {
		list = append(list, j.ID)
	}
	return list
}

func TestBornDeliveriesAreHandedOver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		var got []store.DeliveryJob
		storetest.OwnedBy(st, "node_1")
		st.HandTo(func(h *store.Hands) { h.Deliver = func(jobs []store.DeliveryJob) { got = append(got, jobs...) } })
		want := putDeliveries(t, st, "org_1", "wbs_1", 3)
		for i := range want {
			want[i].Owner, want[i].Epoch = "node_1", 1
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		stored, err := st.Read(t.Context()).DueDeliveries("node_1", "org_1", "wbs_1", st.Now(), st.Now(), store.DeliveryPlace{}, 10)
		requireNoError(t, err)
		if diff := cmp.Diff(want, stored); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDueDeliveriesInTheirOrder(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		storetest.OwnedBy(st, "node_1")
		mine := putDeliveries(t, st, "org_1", "wbs_1", 5)
		storetest.OwnedBy(st, "node_2")
		theirs := putDeliveries(t, st, "org_1", "wbs_1", 2)
		storetest.OwnedBy(st, "")
		nobodys := putDeliveries(t, st, "org_1", "wbs_1", 2)
		putDeliveries(t, st, "org_1", "wbs_2", 1)
		putDeliveries(t, st, "org_2", "wbs_1", 1)
		storetest.Alive(t, st, "node_2")
		read := func(after store.DeliveryPlace, limit int) []store.DeliveryJob {
			t.Helper()
			jobs, err := st.Read(t.Context()).DueDeliveries("node_1", "org_1", "wbs_1", st.Now(), time.Time{}, after, limit)
			requireNoError(t, err)
			return jobs
		}
		first := read(store.DeliveryPlace{}, 3)
		rest := read(store.DeliveryPlace{DueAt: first[2].DueAt, ID: first[2].ID}, 100)
		want := slices.Concat(ids(mine), ids(nobodys))
		if diff := cmp.Diff(want, append(ids(first), ids(rest)...)); diff != "" {
			t.Error(diff)
		}
		storetest.Dead(t, st, "node_2")
		if got := ids(read(store.DeliveryPlace{}, 100)); len(got) != 9 || !slices.Contains(got, theirs[0].ID) {
			t.Errorf("with the other node gone: %v", got)
		}
		if early, err := st.Read(t.Context()).DueDeliveries("node_1", "org_1", "wbs_1", st.Now().Add(-time.Millisecond), time.Time{}, store.DeliveryPlace{}, 100); err != nil || len(early) > 0 {
			t.Errorf("before they are due: %v, %v", early, err)
		}
	})
}

// After the clock was turned back, first attempts are due by the horizon, and retries are not.
func TestDueDeliveriesByAHorizon(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		storetest.OwnedBy(st, "node_1")
		jobs := putDeliveries(t, st, "org_1", "wbs_1", 3)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return tx.CompleteDeliveries("node_1", []store.DeliveryDone{{
				OrgID: "org_1", ID: jobs[1].ID, Epoch: 1, Status: chat.DeliveryFailed, Attempts: 1, NextAttemptAt: new(tx.Now()),
			}})
		})
		written := st.Now()
		before := written.Add(-time.Hour)
		for _, test := range []struct {
			horizon time.Time
			want    []string
		}{
			{before, nil},
			{written.Add(-time.Millisecond), nil},
			{written, []string{jobs[0].ID, jobs[2].ID}},
		} {
			due, err := st.Read(t.Context()).DueDeliveries("node_1", "org_1", "wbs_1", before, test.horizon, store.DeliveryPlace{}, 10)
			requireEqual(t, ids(due), err, test.want)
		}
	})
}

// Completions write many rows at a time, in statements of several sizes.
func TestCompleteDeliveries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.OwnedBy(st, "node_1")
		jobs := putDeliveries(t, st, "org_1", "wbs_1", 200)
		next := st.Now().Add(time.Hour)
		var done []store.DeliveryDone
		for i, j := range jobs {
			d := store.DeliveryDone{OrgID: j.OrgID, ID: j.ID, Epoch: 1, Attempts: 1, Status: chat.DeliverySucceeded}
			d.Last = chat.DeliveryAttempt{At: int64(1000 + i), ResponseStatus: new(int64(200)), DurationMS: new(int64(i))}
			if i%2 == 0 {
				d.Last.ResponseBodySnippet = new("thanks")
			}
			if i%10 == 3 {
				d.Status, d.Attempts, d.NextAttemptAt = chat.DeliveryFailed, 2, &next
				d.Last.ErrorCode, d.Last.ErrorMessage = new("http_error"), new("no")
				d.Earlier = []chat.DeliveryAttempt{{At: 5, ErrorCode: new("timeout")}}
			}
			done = append(done, d)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.CompleteDeliveries("node_1", slices.Clone(done)) })
		for i, j := range jobs {
			got, err := st.Read(t.Context()).WebhookDeliveryDetail("org_1", j.ID)
			requireNoError(t, err)
			want := slices.Concat(done[i].Earlier, []chat.DeliveryAttempt{done[i].Last})
			if diff := cmp.Diff(want, got.Attempts()); diff != "" || got.Status != done[i].Status || got.AttemptCount != int64(done[i].Attempts) {
				t.Fatalf("delivery %d is %+v: %s", i, got, diff)
			}
			if open := got.NextAttemptAt != nil; open != (done[i].NextAttemptAt != nil) || open && !got.NextAttemptAt.Equal(next) {
				t.Fatalf("delivery %d is due at %v", i, got.NextAttemptAt)
			}
		}
		// A finished delivery stays as it is.
		again := done[0]
		again.Status, again.NextAttemptAt = chat.DeliveryFailed, &next
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.CompleteDeliveries("node_1", []store.DeliveryDone{again}) })
		if got, err := st.Read(t.Context()).WebhookDelivery("org_1", again.ID); err != nil || got.Status != chat.DeliverySucceeded {
			t.Errorf("after a second completion: %+v, %v", got, err)
		}
	})
}

// A node that was frozen past its lease changes nothing, even if it got the delivery back.
func TestCompletionIsFenced(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.OwnedBy(st, "node_1")
		job := putDeliveries(t, st, "org_1", "wbs_1", 1)[0]
		job.Owner, job.Epoch = "node_1", 1
		claim := func(node string) []store.DeliveryJob {
			t.Helper()
			var got []store.DeliveryJob
			storetest.Alive(t, st, node)
			defer storetest.Dead(t, st, node)
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				got, err = tx.ClaimDeliveries(node, "org_1", []store.DeliveryJob{job})
				return err
			})
			return got
		}
		counts := func(owner string, epoch int64) bool { // a completion
			t.Helper()
			done := []store.DeliveryDone{{OrgID: "org_1", ID: job.ID, Epoch: epoch, Status: chat.DeliverySucceeded, Attempts: 1}}
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.CompleteDeliveries(owner, done) })
			got, err := st.Read(t.Context()).WebhookDelivery("org_1", job.ID)
			requireNoError(t, err)
			return got.Status == chat.DeliverySucceeded
		}
		storetest.Alive(t, st, "node_1")
		if got := claim("node_2"); len(got) != 0 {
			t.Fatalf("a living node's delivery was taken: %+v", got)
		}
		storetest.Dead(t, st, "node_1")
		got := claim("node_2")
		if len(got) != 1 || got[0].Owner != "node_2" || got[0].Epoch != 2 {
			t.Fatalf("claimed %+v", got)
		}
		if counts("node_1", 1) {
			t.Fatal("the former owner's completion counts")
		}
		job = got[0]
		if got := claim("node_1"); len(got) != 1 || got[0].Epoch != 3 {
			t.Fatalf("claimed back %+v", got)
		}
		if counts("node_1", 1) || counts("node_2", 2) || counts("node_2", 3) {
			t.Fatal("a completion of an earlier lease counts")
		}
		if stale := claim("node_3"); len(stale) != 0 { // job is as it was two leases ago
			t.Errorf("what was read before another node worked on it was claimed as it was: %+v", stale)
		}
		if !counts("node_3", 4) {
			t.Error("the owner's completion does not count")
		}
	})
}

func TestDeliveryLanes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.OwnedBy(st, "node_1")
		var want []store.DeliveryLane
		for i := range 12 {
			org, sub := fmt.Sprintf("org_%d", i/4), fmt.Sprintf("wbs_%02d", i)
			first := putDeliveries(t, st, org, sub, 3)[0]
			want = append(want, store.DeliveryLane{OrgID: org, SubscriptionID: sub, DueAt: first.DueAt, FirstID: first.ID, Owner: "node_1"})
		}
		var got []store.DeliveryLane
		for last := ""; ; last = got[len(got)-1].SubscriptionID {
			lanes, err := st.Read(t.Context()).DeliveryLanes(last, 5)
			requireNoError(t, err)
			if len(lanes) == 0 {
				break
			}
			got = append(got, lanes...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFailuresOfASubscription(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := chat.WebhookSubscription{ID: "wbs_1", OrgID: "org_1", Status: chat.WebhookActive, Events: []string{"*"}, CreatedAt: st.Now(), UpdatedAt: st.Now()}
		first := st.Now().Add(-time.Hour)
		spared := chat.Spared{ProbeAt: new(st.Now().Add(5 * time.Second)), HeldUntil: new(st.Now().Add(time.Minute))}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			requireNoError(t, tx.InsertWebhookSubscription(s))
			for i, want := range []int{3, 6} {
				n, since, err := tx.CountFailures("org_1", "wbs_1", 3, first.Add(time.Duration(i)*time.Minute), spared)
				if n != want || !since.Equal(first) || err != nil {
					t.Errorf("%d since %v, %v", n, since, err)
				}
			}
			requireSpared(t, tx, spared)
			requireNoError(t, tx.ProbeSubscription("org_1", "wbs_1"))
			requireSpared(t, tx, chat.Spared{HeldUntil: spared.HeldUntil})
			requireNoError(t, tx.ForgetFailures("org_1", "wbs_1", chat.Spared{}))
			requireSpared(t, tx, chat.Spared{})
			n, since, err := tx.CountFailures("org_1", "wbs_1", 1, st.Now(), spared)
			if n != 1 || since.Equal(first) || err != nil {
				t.Errorf("after a success: %d since %v, %v", n, since, err)
			}
			requireNoError(t, tx.DisableSubscription("org_1", "wbs_1", "endpoint_gone"))
			if _, _, err := tx.CountFailures("org_1", "wbs_1", 1, st.Now(), spared); err != store.ErrNotFound {
				t.Errorf("of a disabled subscription: %v", err)
			}
			return nil
		})
		got, err := st.Read(t.Context()).WebhookSubscription("org_1", "wbs_1")
		requireNoError(t, err)
		if got.Status != chat.WebhookDisabled || *got.DisabledReason != "endpoint_gone" {
			t.Errorf("the subscription is %+v", got)
		}
	})
}

func requireSpared(t *testing.T, tx *store.Tx, want chat.Spared) {
	t.Helper()
	got, err := tx.WebhookSubscriptionsByID("org_1", []string{"wbs_1", "wbs_none"})
	requireEqual(t, len(got), err, 1)
	requireEqual(t, got[0].Spared, nil, want)
}

// The statements that run every second, and with every batch, must not get slower with the table.
func TestDeliveryPlans(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		storetest.OwnedBy(st, "node_1")
		jobs := putDeliveries(t, st, "org_1", "wbs_1", 5)
		reads, err := store.Plans(t.Context(), st, func(r store.Reader) error {
			if _, err := r.DeliveryLanes("", 10); err != nil {
				return err
			}
			_, err := r.DueDeliveries("node_1", "org_1", "wbs_1", st.Now(), st.Now(), store.DeliveryPlace{}, 10)
			return err
		})
		requireNoError(t, err)
		for _, plan := range reads {
			if !strings.Contains(plan, "webhook_deliveries_open") {
				t.Errorf("they are not found by the index of open ones:\n%s", plan)
			}
		}
		var done []store.DeliveryDone
		for _, j := range jobs {
			done = append(done, store.DeliveryDone{OrgID: j.OrgID, ID: j.ID, Epoch: 1, Status: chat.DeliverySucceeded, Attempts: 1})
		}
		writes, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error { return tx.CompleteDeliveries("node_1", done) })
		requireNoError(t, err)
		for _, plan := range append(reads, writes...) {
			for _, bad := range []string{"Seq Scan on webhook_deliveries", "Seq Scan on events", "SCAN webhook_deliveries", "SCAN d", "SCAN e", "TEMP B-TREE"} {
				if strings.Contains(plan, bad) {
					t.Errorf("%s in\n%s", bad, plan)
				}
			}
		}
		if len(reads) != 2 || len(writes) == 0 {
			t.Errorf("%d and %d plans", len(reads), len(writes))
		}
	})
}

// A delivery that is ended keeps the result of a running attempt: the attempt counts, and the end stays only if
// it failed.
func TestEndedDeliveriesKeepTheirAttempts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.OwnedBy(st, "node_1")
		jobs := putDeliveries(t, st, "org_1", "wbs_1", 90) // more than the largest statement takes
		next := st.Now().Add(time.Minute)
		complete := func(attempt int, ends func(i int) (chat.DeliveryStatus, *time.Time)) {
			t.Helper()
			var done []store.DeliveryDone
			for i, j := range jobs {
				d := store.DeliveryDone{OrgID: j.OrgID, ID: j.ID, Epoch: 1, Attempts: attempt, Last: chat.DeliveryAttempt{At: int64(attempt)}}
				if d.Status, d.NextAttemptAt = ends(i); d.Status != chat.DeliverySucceeded {
					d.Last.ErrorCode = new("timeout")
				}
				done = append(done, d)
			}
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.CompleteDeliveries("node_1", slices.Clone(done)) })
		}
		due := func() (n int) {
			t.Helper()
			for _, j := range jobs {
				is, err := st.Read(t.Context()).DeliveryDue("org_1", j.ID, "node_1", 1)
				requireNoError(t, err)
				if is {
					n++
				}
			}
			return n
		}
		failed := func(int) (chat.DeliveryStatus, *time.Time) { return chat.DeliveryFailed, &next }
		complete(1, failed)
		requireEqual(t, due(), nil, len(jobs))
		storetest.InTx(t, st, func(tx *store.Tx) error {
			n, err := tx.EndDeliveries("org_1", "wbs_1", chat.DeliverySubscriptionDisabled, 1000)
			requireEqual(t, n, err, int64(len(jobs)))
			return nil
		})
		requireEqual(t, due(), nil, 0)
		complete(2, func(i int) (chat.DeliveryStatus, *time.Time) {
			switch i % 3 {
			case 0:
				return chat.DeliverySucceeded, nil
			case 1:
				return chat.DeliveryDead, nil
			}
			return failed(i)
		})
		complete(3, failed) // it has no owner any more
		want := []string{"succeeded ", "dead timeout", "dead subscription_disabled"}
		for i, j := range jobs {
			d, err := st.Read(t.Context()).WebhookDelivery("org_1", j.ID)
			requireNoError(t, err)
			code, _ := d.Failure()
			if code == nil {
				code = new("")
			}
			requireEqual(t, fmt.Sprint(d.AttemptCount, " ", d.Status, " ", *code), nil, "2 "+want[i%3])
			requireEqual(t, d.NextAttemptAt == nil, nil, true)
		}
	})
}
