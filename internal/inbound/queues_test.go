package inbound

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// waiting makes queues in which numbers have this many updates, in callbacks of ten.
func waiting(t *testing.T, updates map[string]int) *queues {
	t.Helper()
	q := newQueues(maxQueued)
	q.caughtUp(nil, 0)
	for number, n := range updates {
		for range n / 10 {
			var list []provider.Update
			for range 10 {
				list = append(list, provider.Ignored{Origin: provider.Origin{PhoneNumberID: number}})
			}
			if !q.admit(newArrival(store.Callback{}, list)) {
				t.Fatalf("there is no room for %s", number)
			}
		}
	}
	return q
}

// taken counts the updates of a transaction by number.
func taken(turns []turn) map[string]int {
	counts := map[string]int{}
	for _, t := range turns {
		for _, p := range t.pieces {
			counts[t.queue.number] += p.count
		}
	}
	return counts
}

// A number has a whole transaction only if no other waits.
func TestNumbersTakeTurns(t *testing.T) {
	t.Parallel()
	many := map[string]int{}
	for i := range 30 {
		many[fmt.Sprint("number ", i)] = 50
	}
	for name, test := range map[string]struct{ waiting, want map[string]int }{
		"one":         {map[string]int{"a": 1000}, map[string]int{"a": 200}},
		"two":         {map[string]int{"a": 1000, "b": 1000}, map[string]int{"a": 100, "b": 100}},
		"a small one": {map[string]int{"a": 1000, "b": 10}, map[string]int{"a": 100, "b": 10}},
	} {
		if got := taken(waiting(t, test.waiting).take()); !maps.Equal(got, test.want) {
			t.Errorf("%s: taken are %v, want %v", name, got, test.want)
		}
	}
	q := waiting(t, many)
	seen := map[string]bool{}
	for range 3 {
		first := taken(q.take())
		if len(first) != txUpdates/leastShare {
			t.Errorf("of many there have a turn: %v", first)
		}
		for number, n := range first {
			if n != leastShare || seen[number] {
				t.Errorf("%s had %d, seen before: %v", number, n, seen[number])
			}
			seen[number] = true
		}
	}
}

// Few updates go together that many endpoints are told of, and those of others do not wait for them.
func TestUpdatesThatManyAreToldOf(t *testing.T) {
	t.Parallel()
	both := func() *queues {
		q := waiting(t, map[string]int{"a": 1000})
		for range 1000 {
			q.admit(newArrival(store.Callback{}, []provider.Update{provider.Ignored{Origin: provider.Origin{PhoneNumberID: "b"}}}))
		}
		return q
	}
	for name, test := range map[string]struct {
		tells map[string]int
		want  []map[string]int // the first transactions
	}{
		"one":           {map[string]int{"a": 1}, []map[string]int{{"a": 100, "b": 100}}},
		"some":          {map[string]int{"a": 4}, []map[string]int{{"a": 50}, {"b": 200}}},
		"more than fit": {map[string]int{"a": 300}, []map[string]int{{"a": 1}, {"b": 200}}},
		"both many":     {map[string]int{"a": 100, "b": 150}, []map[string]int{{"a": 2}, {"b": 1}}},
		"the second":    {map[string]int{"b": 150}, []map[string]int{{"a": 100, "b": 1}}},
	} {
		q := both()
		for number, each := range test.tells {
			q.learn([]string{number}, each)
		}
		for i, want := range test.want {
			if got := taken(q.take()); !maps.Equal(got, want) {
				t.Errorf("%s: transaction %d takes %v, want %v", name, i, got, want)
			}
		}
	}
}

// On PostgreSQL it is learned how many endpoints an update is told to. On SQLite most deliveries are written later.
func TestWhatUpdatesTellIsLearned(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		r := &Receiver{queues: newQueues(maxQueued)}
		about := provider.Ignored{Origin: provider.Origin{PhoneNumberID: "a"}}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for range 20 {
				d := store.DeliveryJob{OrgID: "org", ID: tx.NewID(chat.KindDelivery), SubscriptionID: "wbs", Payload: []byte("{}")}
				if err := tx.InsertDelivery(d); err != nil {
					return err
				}
			}
			r.learn(tx, []provider.Update{about, about})
			return nil
		})
		want := 10
		if st.Engine() == "sqlite" {
			want = 0
		}
		if got := r.queues.reach.Of("a"); got != want {
			t.Errorf("learned: %d, want %d", got, want)
		}
	})
}

// A number has no other turn while its updates are being applied, and then stands behind the others.
func TestATurnAtATime(t *testing.T) {
	t.Parallel()
	q := waiting(t, map[string]int{"a": 1000})
	turns := q.take()
	more := newArrival(store.Callback{}, []provider.Update{
		provider.Ignored{Origin: provider.Origin{PhoneNumberID: "a"}}, provider.Ignored{Origin: provider.Origin{PhoneNumberID: "b"}},
	})
	if !q.admit(more) {
		t.Fatal("there is no room")
	}
	if got := taken(q.take()); !maps.Equal(got, map[string]int{"b": 1}) {
		t.Errorf("meanwhile taken are %v", got)
	}
	for _, p := range turns[0].pieces {
		q.applied(turns[0].queue, p, nil)
	}
	q.release(turns[0].queue, 0)
	total := 0
	for total < 801 {
		turns := q.take()
		total += taken(turns)["a"]
		for _, p := range turns[0].pieces {
			q.applied(turns[0].queue, p, nil)
		}
		q.release(turns[0].queue, 0)
	}
	if len(q.numbers) != 1 || more.left != 1 { // b was taken and is not finished
		t.Errorf("%d queues are left, and %d parts", len(q.numbers), more.left)
	}
}

// The memory for rows that wait to be read back is bounded. When it is exceeded, every new callback waits for them.
func TestKnownRowsAreBounded(t *testing.T) {
	t.Parallel()
	q := waiting(t, nil)
	arrival := func(id, number string) *arrival {
		return newArrival(store.Callback{ID: id}, []provider.Update{provider.Ignored{Origin: provider.Origin{PhoneNumberID: number}}})
	}
	var bulk []provider.Update
	for i := range 1000 {
		bulk = append(bulk, provider.Ignored{Origin: provider.Origin{PhoneNumberID: fmt.Sprint(i)}})
	}
	for i := range maxKnown / len(bulk) {
		q.spill(newArrival(store.Callback{ID: fmt.Sprint("cbk_", i)}, bulk))
	}
	if !q.admit(arrival("", "another")) || q.admit(arrival("", "1")) {
		t.Error("what comes does not wait for the rows of its own number alone")
	}
	_, _, before := q.outside()
	q.spill(arrival("cbk_more", "1"))
	if len(q.spilled) > 0 || len(q.spilledOf) > 0 || q.known != 0 {
		t.Errorf("known are %d rows, %d numbers, %d of both", len(q.spilled), len(q.spilledOf), q.known)
	}
	if q.caughtUp(nil, before); q.admit(arrival("", "another")) {
		t.Error("a look at the table counts that was before the last row")
	}
	gone, _, lost := q.outside()
	if q.caughtUp(gone, lost); !q.admit(arrival("", "another")) {
		t.Error("what comes waits though all has been read")
	}
}

// The messages of a number's history are applied like any others, however many a callback has.
func TestHistoryIsTakenApart(t *testing.T) {
	t.Parallel()
	of := provider.Origin{PhoneNumberID: "a"}
	chunk := provider.HistoryChunk{Origin: of, Messages: make([]provider.HistoryMessage, 1000)}
	chunk.Messages[999].ProviderID = "last"
	r := &Receiver{cfg: Config{Decode: func([]byte) ([]provider.Update, error) {
		return []provider.Update{provider.Ignored{Origin: of}, chunk, provider.HistoryChunk{Origin: of}}, nil
	}}}
	a := r.decode(store.Callback{ID: "cbk_1"})
	q := waiting(t, nil)
	if !q.load(a) || a.updates != 1002 || a.bytes != 1002*updateBytes {
		t.Errorf("it is %d updates and %d bytes", a.updates, a.bytes)
	}
	if got := taken(q.take()); !maps.Equal(got, map[string]int{"a": txUpdates}) {
		t.Errorf("taken together are %v", got)
	}
	last, ok := a.parts[0].updates[1000].(provider.HistoryChunk)
	if !ok || len(last.Messages) != 1 || last.Messages[0].ProviderID != "last" || last.Origin != of {
		t.Errorf("the last is %+v", a.parts[0].updates[1000])
	}
}

// After a number's turn its next statuses wait a moment for more, unless there are many, or somebody writes.
func TestStatusesWaitForMore(t *testing.T) {
	t.Parallel()
	status := provider.StatusUpdate{Origin: provider.Origin{PhoneNumberID: "a"}}
	message := provider.InboundMessage{Origin: provider.Origin{PhoneNumberID: "a"}}
	many := make([]provider.Update, manyStatuses)
	for i := range many {
		many[i] = status
	}
	for name, test := range map[string]struct {
		come  [][]provider.Update
		tells int
		want  int
		wait  time.Duration
	}{
		"a status":         {[][]provider.Update{{status}}, 0, 1, statusesFor},
		"two":              {[][]provider.Update{{status}, {status}}, 0, 2, statusesFor},
		"many":             {[][]provider.Update{many}, 0, manyStatuses, 0},
		"a message":        {[][]provider.Update{{message}}, 0, 1, 0},
		"both":             {[][]provider.Update{{status}, {message}}, 0, 2, 0},
		"a mixed call":     {[][]provider.Update{{status, message}}, 0, 2, 0},
		"one told to many": {[][]provider.Update{{status}}, txDeliveries / 2, 1, statusesFor},
		"told to many":     {[][]provider.Update{{status}, {status}, {status}}, txDeliveries / 2, 2, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueues(maxQueued)
			q.caughtUp(nil, 0)
			q.learn([]string{"a"}, test.tells)
			come := func(updates ...provider.Update) {
				if !q.admit(newArrival(store.Callback{}, updates)) {
					t.Fatalf("%s: there is no room", name)
				}
			}
			come(status)
			first := q.take()
			q.applied(first[0].queue, first[0].pieces[0], nil)
			q.gather(first[0].queue)
			for _, updates := range test.come {
				come(updates...)
			}
			begin := time.Now()
			turns := q.take()
			if got := taken(turns)["a"]; got != test.want {
				t.Errorf("%s: %d updates are taken, want %d", name, got, test.want)
			}
			if waited := time.Since(begin); waited != test.wait {
				t.Errorf("%s: they waited %v, want %v", name, waited, test.wait)
			}
		})
	}
}

// A number that nobody reports on is forgotten, however its turn ended.
func TestQueuesOfQuietNumbersAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := waiting(t, map[string]int{"a": 10})
		turns := q.take()
		q.applied(turns[0].queue, turns[0].pieces[0], nil)
		q.gather(turns[0].queue)
		<-time.After(statusesFor)
		synctest.Wait()
		if len(q.numbers) != 0 {
			t.Errorf("%d queues are left", len(q.numbers))
		}
	})
}
