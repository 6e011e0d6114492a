package sender

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// outage is a time in which the store is unavailable: it refuses, or does not answer.
type outage struct {
	From, To time.Duration
	Hangs    bool
}

// arrival is an outcome that is added at a given time. A bad one is always refused.
type arrival struct {
	At   time.Duration
	Bad  bool
	Org  int
	Bulk bool
}

// ofWork is the work of a message in an organization's turn.
func ofWork(id string, org int, bulk bool) store.SendWork {
	w := store.SendWork{Job: store.SendJob{OrgID: fmt.Sprint(org), MessageID: id}}
	if bulk {
		w.Message.Source = chat.SourceBroadcast
	}
	return w
}

// away is the store that a recorder writes to in these tests. It notes the fate of each outcome.
type away struct {
	begin   time.Time
	outages []outage
	bad     map[string]bool

	mu      sync.Mutex
	written map[string]int
	settled map[string][]settled
	awaited map[string]time.Duration // when somebody who awaits the outcome went on
}

type settled struct {
	at  time.Duration
	err error
}

var errBad = errors.New("the outcome cannot be written")

func (a *away) record(results []core.SendResult) error {
	for _, o := range a.outages {
		now := time.Since(a.begin)
		switch {
		case now < o.From || now >= o.To:
		case !o.Hangs:
			return fmt.Errorf("%w: refused", store.ErrUnavailable)
		case o.To-now > recordTimeout:
			<-time.After(recordTimeout)
			return context.DeadlineExceeded
		default:
			<-time.After(o.To - now)
		}
	}
	<-time.After(time.Millisecond)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range results {
		if a.bad[r.Work.Job.MessageID] {
			return errBad
		}
	}
	for _, r := range results {
		a.written[r.Work.Job.MessageID]++
	}
	return nil
}

// onEach are the ways in which outcomes are put together on each engine.
var onEach = map[string]batches{
	"sqlite":   {most: wholeBatch, atOnce: sharers},
	"postgres": {most: wholeBatch, fewest: recordFewest, atOnce: recorders},
}

func wholeBatch(string) int { return recordBatch }

// recorderOf starts a recorder with a clock that begins now.
func recorderOf(record func([]core.SendResult) error, by batches) *recorder {
	begin := time.Now()
	return newRecorder(record, by, func() store.Moment { return store.Moment(1).Add(time.Since(begin)) }, slog.New(slog.DiscardHandler), logging.NewEpisode(nil, nil, "x", "x", "x"))
}

// addAll adds outcomes that the recorder sees at once: it begins no batch before all have come.
func addAll(r *recorder, work ...store.SendWork) {
	r.mu.Lock()
	for _, w := range work {
		result := core.SendResult{Work: w}
		r.put(outcome{result: result, after: func(error) {}})
		r.count(result, 1)
	}
	r.mu.Unlock()
	r.wake.Wake()
}

// add adds an outcome that the recorder writes to a.
func (a *away) add(r *recorder, id string, org int, bulk bool) {
	r.add(core.SendResult{Work: ofWork(id, org, bulk)}, func(err error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.settled[id] = append(a.settled[id], settled{time.Since(a.begin), err})
	})
	go func() {
		r.await(context.Background(), []string{"none", id})
		a.mu.Lock()
		defer a.mu.Unlock()
		a.awaited[id] = time.Since(a.begin)
	}()
}

// backBy is when the store is available for good for an outcome added at a given time: at once, or after the outage.
func (a *away) backBy(at time.Duration) time.Duration {
	for _, o := range a.outages {
		if at >= o.From && at < o.To {
			at = o.To
		}
	}
	return at
}

// seemsAway tells whether a recorder may take the store for unavailable: it notices only with its next try that the store
// is back.
func (a *away) seemsAway(at time.Duration) bool {
	return slices.ContainsFunc(a.outages, func(o outage) bool { return at >= o.From && at <= o.To+recordAgain })
}

func newAway(outages []outage) *away {
	return &away{begin: time.Now(), outages: outages, bad: map[string]bool{}, written: map[string]int{}, settled: map[string][]settled{}, awaited: map[string]time.Duration{}}
}

// However often and long the store is unavailable, every outcome is written once, within a second of the store's
// return. An outcome that the store refuses delays no other, and is given up after a while. Who awaits an outcome goes on
// once it is written or refused, or the store is unavailable.
func TestOutcomesAreKeptUntilTheyAreWritten(t *testing.T) {
	t.Parallel()
	seconds := func(from, to int) *rapid.Generator[time.Duration] {
		return rapid.Map(rapid.IntRange(from*10, to*10), func(n int) time.Duration { return time.Duration(n) * time.Second / 10 })
	}
	rapid.Check(t, func(rt *rapid.T) {
		var outages []outage
		at := time.Duration(0)
		for range rapid.IntRange(0, 3).Draw(rt, "outages") {
			at += seconds(2, 30).Draw(rt, "pause")
			o := outage{From: at, Hangs: rapid.Bool().Draw(rt, "hangs")}
			at += seconds(0, 120).Draw(rt, "length")
			o.To = at
			outages = append(outages, o)
		}
		arrivals := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) arrival {
			return arrival{seconds(0, 200).Draw(rt, "at"), rapid.IntRange(0, 9).Draw(rt, "bad") == 0, rapid.IntRange(1, 4).Draw(rt, "organization"), rapid.Bool().Draw(rt, "bulk")}
		}), 1, 60).Draw(rt, "outcomes")
		slices.SortFunc(arrivals, func(a, b arrival) int { return int(a.At - b.At) })
		by := onEach[rapid.SampledFrom([]string{"sqlite", "postgres"}).Draw(rt, "engine")]
		var failure string
		synctest.Test(t, func(*testing.T) { failure = runOutages(outages, arrivals, by) })
		if failure != "" {
			rt.Fatal(failure)
		}
	})
}

func runOutages(outages []outage, arrivals []arrival, by batches) string {
	a := newAway(outages)
	r := recorderOf(a.record, by)
	for i, in := range arrivals {
		<-time.After(in.At - time.Since(a.begin))
		id := fmt.Sprint(i)
		a.mu.Lock()
		a.bad[id] = in.Bad
		a.mu.Unlock()
		a.add(r, id, in.Org, in.Bulk)
	}
	r.stop()
	synctest.Wait()
	for i, in := range arrivals {
		id, want := fmt.Sprint(i), 1
		got := a.settled[id]
		if in.Bad {
			want = 0
		}
		switch {
		case len(got) != 1 || a.written[id] != want:
			return fmt.Sprintf("outcome %d was written %d times and settled as %v", i, a.written[id], got)
		case in.Bad != (got[0].err != nil), in.Bad && !errors.Is(got[0].err, errBad):
			return fmt.Sprintf("outcome %d was settled as %v", i, got)
		case !in.Bad && got[0].at > a.backBy(a.backBy(in.At)+time.Second)+time.Second:
			return fmt.Sprintf("outcome %d came at %v and was written at %v", i, in.At, got[0].at)
		case in.Bad && got[0].at < in.At+16*time.Second:
			return fmt.Sprintf("outcome %d came at %v and was given up at %v", i, in.At, got[0].at)
		}
		if went, ok := a.awaited[id]; !ok || went > got[0].at || !in.Bad && went < got[0].at && !a.seemsAway(in.At) || in.Bad && went >= got[0].at {
			return fmt.Sprintf("outcome %d came at %v and was settled at %v; who awaits it went on at %v", i, in.At, got[0].at, went)
		}
	}
	if r.kept != 0 || len(r.orgs) != 0 || r.behind("1") {
		return fmt.Sprintf("%d outcomes are left, by organization %v", r.kept, r.orgs)
	}
	return ""
}

// Outcomes of broadcasts gather for a moment, and are written together; a person's is written at once.
func TestOutcomesOfBroadcastsGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var batches []int
		var at []time.Duration
		r := recorderOf(func(results []core.SendResult) error {
			batches, at = append(batches, len(results)), append(at, time.Since(begin))
			return nil
		}, onEach["sqlite"])
		add := func(n int, source chat.Source) {
			addAll(r, slices.Repeat([]store.SendWork{{Message: chat.Message{Source: source}}}, n)...)
			synctest.Wait()
		}
		gap := recordGather * 11 / 100 // none comes at the moment of a write
		for range 12 {
			add(1, chat.SourceBroadcast)
			<-time.After(gap)
		}
		add(1, chat.SourceDashboard)
		add(1, chat.SourceBroadcast)
		add(recordFew, chat.SourceBroadcast)
		add(1, chat.SourceBroadcast)
		r.stop()
		later := 12 * gap
		if !slices.Equal(batches, []int{10, 1, recordFew + 3, 1}) || !slices.Equal(at, []time.Duration{recordGather, later, later, later}) {
			t.Errorf("they were written as %v at %v", batches, at)
		}
	})
}

// While outcomes of some organizations take as long as they like, one batch of each is being written, and those of another
// are written as they come.
func TestOutcomesDoNotWaitForThoseOfOthers(t *testing.T) {
	t.Parallel()
	for engine, by := range onEach {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				slow, begin := by.atOnce-1, time.Now()
				var mu sync.Mutex
				began, quick := map[string]int{}, []time.Duration{}
				r := recorderOf(func(results []core.SendResult) error {
					orgID := results[0].Work.Job.OrgID
					mu.Lock()
					if began[orgID]++; orgID == "0" {
						quick = append(quick, time.Since(begin))
					}
					mu.Unlock()
					if orgID != "0" {
						<-time.After(time.Minute)
					}
					return nil
				}, by)
				for org := range slow {
					addAll(r, slices.Repeat([]store.SendWork{ofWork("", org+1, false)}, by.fewest+1)...)
				}
				<-time.After(time.Second)
				for org := range slow {
					r.add(core.SendResult{Work: ofWork(fmt.Sprint(org, "later"), org+1, false)}, func(error) {})
				}
				for i := range 3 {
					<-time.After(time.Second)
					r.add(core.SendResult{Work: ofWork(fmt.Sprint(i), 0, false)}, func(error) {})
				}
				synctest.Wait()
				if want := []time.Duration{2 * time.Second, 3 * time.Second, 4 * time.Second}; !slices.Equal(quick, want) {
					t.Errorf("the quick ones are written after %v, not %v", quick, want)
				}
				if most := slices.Max(slices.Collect(maps.Values(began))); began["1"] != 1 || most != 3 {
					t.Errorf("batches that began, by organization: %v", began)
				}
				r.stop()
			})
		})
	}
}

func (a *away) requireWritten(t *testing.T, id string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if got := a.settled[id]; a.written[id] != 1 || len(got) != 1 || got[0].err != nil {
		t.Errorf("after %v %q was written %d times and settled as %v", time.Since(a.begin), id, a.written[id], got)
	}
}

// locking is record while somebody holds the rows of some jobs, until they are freed.
func (a *away) locking(freed time.Duration, locked func(store.SendJob) bool) func([]core.SendResult) error {
	return func(results []core.SendResult) error {
		of := func(r core.SendResult) bool { return locked(r.Work.Job) }
		if time.Since(a.begin) < freed && slices.ContainsFunc(results, of) {
			<-time.After(recordTimeout)
			return errLocked
		}
		return a.record(results)
	}
}

// Whoever holds an organization's rows for long, such as a node that froze in a transaction, keeps the outcomes that need
// them from being written, and nothing else: others send, and what came in a batch with such an outcome is written too.
func TestLockedRowsHoldUpNobodyElse(t *testing.T) {
	t.Parallel()
	for engine, by := range onEach {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAway(nil)
				const freed = 5 * time.Minute
				r := recorderOf(a.locking(freed, func(job store.SendJob) bool { return job.MessageID[0] == 'l' }), by)
				defer r.stop()
				for i := range 8 {
					a.add(r, fmt.Sprint("locked ", i), 1, i%2 == 0)
					a.add(r, fmt.Sprint("free ", i), 1, i%2 == 0)
				}
				for i := 0; time.Since(a.begin) < freed; i++ {
					if r.behind("2") {
						t.Fatalf("after %v nothing is sent", time.Since(a.begin))
					}
					id := fmt.Sprint("other ", i)
					a.add(r, id, 2, false)
					<-time.After(3 * time.Second)
					if i > 8 { // the first were in a batch with those that are locked
						a.requireWritten(t, id)
					}
				}
				for i := range 8 {
					a.requireWritten(t, fmt.Sprint("free ", i))
				}
				r.stop()
				for i := range 8 {
					a.requireWritten(t, fmt.Sprint("locked ", i))
				}
			})
		})
	}
}

// Also outcomes that keep coming, a few at a time, and cannot be written hold up nobody else for long.
func TestLockedRowsForLong(t *testing.T) {
	t.Parallel()
	for engine, by := range onEach {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAway(nil)
				const freed, proved = 10 * time.Minute, time.Minute
				r := recorderOf(a.locking(freed, func(job store.SendJob) bool { return job.OrgID == "1" }), by)
				defer r.stop()
				i := 0
				for ; time.Since(a.begin) < freed; i++ {
					a.add(r, fmt.Sprint("locked ", i), 1, false)
					id := fmt.Sprint("other ", i)
					a.add(r, id, 2, false)
					<-time.After(2 * time.Second)
					if time.Since(a.begin) > proved {
						a.requireWritten(t, id)
					}
				}
				r.stop()
				for i := range i {
					a.requireWritten(t, fmt.Sprint("other ", i))
					a.requireWritten(t, fmt.Sprint("locked ", i))
				}
				if len(r.locked) != 0 {
					t.Errorf("locked by organization: %v", r.locked)
				}
			})
		})
	}
}

// On PostgreSQL the outcomes of turns that have few go together, one batch at a time, and those of a turn that has many alone.
func TestFewOutcomesShareABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var batches [][]int
		r := recorderOf(func(results []core.SendResult) error {
			of := map[string]int{}
			for _, r := range results {
				of[r.Work.Job.OrgID]++
			}
			mu.Lock()
			batches = append(batches, slices.Sorted(maps.Values(of)))
			mu.Unlock()
			<-time.After(time.Second)
			return nil
		}, onEach["postgres"])
		add := func(first int, counts ...int) {
			var work []store.SendWork
			for org, n := range counts {
				work = append(work, slices.Repeat([]store.SendWork{ofWork("", first+org, false)}, n)...)
			}
			addAll(r, work...)
		}
		add(0, 2, recordFewest+1, 1, recordFewest)
		<-time.After(time.Second / 4)
		add(10, 3, recordFewest+2)
		<-time.After(time.Second / 4)
		add(20, 4)
		r.stop()
		early, late := batches[:3], batches[3:]
		slices.SortFunc(early, slices.Compare[[]int])
		if want := [][]int{{1, 2, recordFewest}, {recordFewest + 1}, {recordFewest + 2}}; !slices.EqualFunc(early, want, slices.Equal[[]int]) {
			t.Errorf("at once they were written as %v, not %v", early, want)
		}
		if want := [][]int{{3, 4}}; !slices.EqualFunc(late, want, slices.Equal[[]int]) {
			t.Errorf("later they were written as %v, not %v", late, want)
		}
	})
}

// Few outcomes go together that many endpoints are told of, and never with those of other turns.
func TestOutcomesThatManyAreToldOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var batches [][]string
		by := onEach["postgres"]
		by.most = func(orgID string) int {
			if orgID == "many" {
				return 2
			}
			return recordBatch
		}
		r := recorderOf(func(results []core.SendResult) error {
			var of []string
			for _, r := range results {
				of = append(of, r.Work.Job.OrgID)
			}
			mu.Lock()
			batches = append(batches, slices.Sorted(slices.Values(of)))
			mu.Unlock()
			<-time.After(time.Second)
			return nil
		}, by)
		var work []store.SendWork
		for _, orgID := range []string{"many", "many", "many", "few", "fewer", "few"} {
			work = append(work, store.SendWork{Job: store.SendJob{OrgID: orgID}})
		}
		addAll(r, work...)
		r.stop()
		slices.SortFunc(batches[:2], slices.Compare[[]string])
		if want := [][]string{{"few", "few", "fewer"}, {"many", "many"}, {"many"}}; !slices.EqualFunc(batches, want, slices.Equal[[]string]) {
			t.Errorf("they were written as %v, not %v", batches, want)
		}
	})
}

// How many endpoints an outcome's event has is learned from its transaction.
func TestReachIsLearned(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := New(Config{Store: st, Lease: func() store.Lease { return store.Lease{} }})
		results := []core.SendResult{{Work: ofWork("a", 1, false)}, {Work: ofWork("b", 1, false)}, {Work: ofWork("c", 2, false)}}
		deliver := func(each int) {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				for range 2 * each {
					d := store.DeliveryJob{OrgID: results[0].Work.Job.OrgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: "wbs", Payload: []byte("{}")}
					if err := tx.InsertDelivery(d); err != nil {
						return err
					}
				}
				s.learn(tx, results)
				return nil
			})
		}
		org, other := results[0].Work.Job.OrgID, results[2].Work.Job.OrgID
		for _, step := range []struct{ each, want int }{
			{0, recordBatch}, {3, recordBatch}, {20, recordDeliveries / 20}, {recordDeliveries + 1, 1}, {16, recordDeliveries / 96},
			{16, recordDeliveries / 48}, {0, recordDeliveries / 24}, {0, recordDeliveries / 12}, {0, recordDeliveries / 6}, {0, recordBatch},
		} {
			if deliver(step.each); s.fittingReach(org) != step.want || s.fittingReach(other) != recordBatch {
				t.Errorf("after %d deliveries of each, %d outcomes go together, and %d of another organization; want %d", step.each, s.fittingReach(org), s.fittingReach(other), step.want)
			}
		}
	})
}

// Outcomes that are not written hold new messages back, until they are written: of one organization half as many as of
// all together.
func TestUnwrittenOutcomesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAway([]outage{{0, 9 * time.Second, true}})
		r := recorderOf(a.record, onEach["postgres"])
		for i := range maxUnrecorded {
			org := i / orgUnrecorded
			if r.behind(fmt.Sprint(org)) {
				t.Fatalf("with %d outcomes nothing is handed out", i)
			}
			a.add(r, fmt.Sprint(i), org, false)
			if i == orgUnrecorded && (!r.behind("0") || r.behind("2")) {
				t.Error("with the most outcomes of an organization its messages are handed out, or those of another are not")
			}
		}
		if !r.behind("2") {
			t.Error("messages are handed out, however many outcomes wait")
		}
		<-time.After(10 * time.Second)
		synctest.Wait()
		if r.behind("0") || len(a.written) != maxUnrecorded {
			t.Errorf("%d outcomes were written", len(a.written))
		}
		r.stop()
	})
}

// While the store is unavailable no message is sent. When the process stops, each outcome is tried once more, and then
// the process may end.
func TestOutcomesAtTheEndOfTheProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAway([]outage{{0, time.Hour, false}})
		r := recorderOf(a.record, onEach["sqlite"])
		a.add(r, "one", 1, false)
		<-time.After(time.Minute)
		synctest.Wait()
		if !r.behind("2") || len(a.settled) != 0 {
			t.Errorf("after a minute the outcome is settled as %v", a.settled)
		}
		r.hurry()
		a.add(r, "two", 2, false)
		r.stop()
		for _, id := range []string{"one", "two"} {
			if got := a.settled[id]; len(got) != 1 || !errors.Is(got[0].err, store.ErrUnavailable) {
				t.Errorf("%s is settled as %v", id, got)
			}
		}
	})
}
