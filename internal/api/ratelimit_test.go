package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// limits is what a response says of the bucket.
type limits struct{ Limit, Remaining, Reset, RetryAfter string }

func limitsOf(r *apitest.Response) limits {
	h := r.Header
	return limits{h.Get("X-RateLimit-Limit"), h.Get("X-RateLimit-Remaining"), h.Get("X-RateLimit-Reset"), h.Get("Retry-After")}
}

// after is the reset header of a bucket that is full in d: the next whole second.
func after(s *apitest.Server, d time.Duration) string {
	full := s.Clock.Now().Add(d)
	return strconv.FormatInt(full.Add(time.Second-time.Nanosecond).Unix(), 10)
}

// limited is an organization with these limits, and requests of each class that it may send.
type limited struct {
	*apitest.Server
	org  apitest.Org
	plan string
}

func newLimited(t *testing.T, s *apitest.Server, write, read int64) *limited {
	plan := s.NewPlan(t, apitest.Limits(write, read))
	return &limited{s, s.NewOrgOn(t, plan), plan}
}

func (l *limited) read(t *testing.T) *apitest.Response {
	t.Helper()
	return l.Do(t, apitest.Request{Path: "/v1/labels", Key: l.org.Key})
}

// write is a request that takes a token and then fails, which keeps it cheap.
func (l *limited) write(t *testing.T) *apitest.Response {
	t.Helper()
	return l.Do(t, apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Key: l.org.Key, Body: `{}`})
}

func (l *limited) expect(t *testing.T, r *apitest.Response, status int, want limits) {
	t.Helper()
	if r.Status != status {
		t.Errorf("got %d %s, want %d", r.Status, r.Body, status)
	}
	if d := cmp.Diff(want, limitsOf(r)); d != "" {
		t.Errorf("other limits (-want +got):\n%s", d)
	}
}

func TestRateLimitCountsDownAndRefills(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		l := newLimited(t, s, 2, 4) // a token each 30 and 15 seconds
		for left := 3; left >= 0; left-- {
			full := time.Duration(4-left) * 15 * time.Second
			l.expect(t, l.read(t), http.StatusOK, limits{"4", strconv.Itoa(left), after(s, full), ""})
		}
		for range 3 { // a refusal costs nothing
			l.expect(t, l.read(t), http.StatusTooManyRequests, limits{"4", "0", after(s, time.Minute), "15"})
		}
		l.expect(t, l.write(t), http.StatusBadRequest, limits{"2", "1", after(s, 30*time.Second), ""})

		s.Clock.Advance(14 * time.Second)
		l.expect(t, l.read(t), http.StatusTooManyRequests, limits{"4", "0", after(s, 46*time.Second), "1"})
		s.Clock.Advance(999 * time.Millisecond)
		l.expect(t, l.read(t), http.StatusTooManyRequests, limits{"4", "0", after(s, 45001*time.Millisecond), "1"})
		s.Clock.Advance(time.Millisecond)
		l.expect(t, l.read(t), http.StatusOK, limits{"4", "0", after(s, time.Minute), ""})
		l.read(t).RequireFailure(t, "rate_limit_exceeded", "")

		s.Clock.Advance(37 * time.Second)                                                                  // 2.47 tokens
		l.expect(t, l.read(t), http.StatusOK, limits{"4", "1", after(s, (15+23)*time.Second), ""})         // 1.47
		l.expect(t, l.write(t), http.StatusBadRequest, limits{"2", "1", after(s, 30*time.Second), ""})     // full again, then one less
		s.Clock.Advance(1000 * time.Hour)                                                                  // never more than full
		l.expect(t, l.read(t), http.StatusOK, limits{"4", "3", after(s, 15*time.Second), ""})              //
		l.expect(t, l.write(t), http.StatusBadRequest, limits{"2", "1", after(s, 30*time.Second), ""})     //
		l.expect(t, l.write(t), http.StatusBadRequest, limits{"2", "0", after(s, time.Minute), ""})        //
		l.expect(t, l.write(t), http.StatusTooManyRequests, limits{"2", "0", after(s, time.Minute), "30"}) //
	})
}

// Refusals before the bucket show it and take no token; later refusals have taken one.
func TestRateLimitHeadersOnRefusals(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		l := newLimited(t, s, 10, 10)
		full := limits{"10", "10", after(s, 0), ""}
		get := func(path string) *apitest.Response {
			t.Helper()
			return s.Do(t, apitest.Request{Path: path, Key: l.org.Key})
		}
		l.expect(t, get("/v1/nothing"), http.StatusNotFound, full)
		l.expect(t, s.Do(t, apitest.Request{Method: http.MethodPut, Path: "/v1/labels", Key: l.org.Key}), http.StatusMethodNotAllowed, full)
		s.UpdateOrg(t, l.org.ID, core.OrganizationPatch{Suspended: new(true)})
		l.expect(t, l.read(t), http.StatusForbidden, full)
		l.expect(t, l.write(t), http.StatusForbidden, full)
		s.UpdateOrg(t, l.org.ID, core.OrganizationPatch{Suspended: new(false)})

		less := func(n int) limits {
			return limits{"10", strconv.Itoa(10 - n), after(s, time.Duration(n)*6*time.Second), ""}
		}
		l.expect(t, get("/v1/labels?limit=0"), http.StatusBadRequest, less(1))
		l.expect(t, get("/v1/labels/lbl_00000000000000000000000000"), http.StatusNotFound, less(2))
		l.expect(t, s.Do(t, apitest.Request{Method: http.MethodHead, Path: "/v1/labels", Key: l.org.Key}), http.StatusOK, less(3))
		l.expect(t, get("/v1/nothing"), http.StatusNotFound, less(3))
		inactive(t, &apitest.Case{Server: s, Org: l.org})
		l.expect(t, l.read(t), http.StatusPaymentRequired, less(4))
		l.expect(t, get("/v1/me"), http.StatusOK, less(5))
	})
}

func TestRateLimitOfMeWithoutTheAPI(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		plan := s.NewPlan(t, core.PlanPatch{ReadPerMinute: new(int64(1))})
		org := s.NewOrgOn(t, plan)
		me := apitest.Request{Path: "/v1/me", Key: org.Key}
		s.Do(t, me).RequireStatus(t, http.StatusOK)
		s.Do(t, me).RequireFailure(t, "rate_limit_exceeded", "")
	})
}

func TestRateLimitFollowsThePlanAtOnce(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		l := newLimited(t, s, 10, 1200) // leased six at a time: the node holds five of the old plan
		l.expect(t, l.read(t), http.StatusOK, limits{"1200", "1199", after(s, 50*time.Millisecond), ""})

		s.SetPlan(t, l.plan, apitest.Limits(10, 3)) // smaller: what was left beyond it is gone
		l.expect(t, s.Do(t, apitest.Request{Path: "/v1/nothing", Key: l.org.Key}), http.StatusNotFound, limits{"3", "3", after(s, 0), ""})
		l.expect(t, l.read(t), http.StatusOK, limits{"3", "2", after(s, 20*time.Second), ""})

		larger := s.NewPlan(t, apitest.Limits(10, 60)) // larger: it fills at the new rate
		s.UpdateOrg(t, l.org.ID, core.OrganizationPatch{Plan: &larger})
		l.expect(t, l.read(t), http.StatusOK, limits{"60", "1", after(s, 59*time.Second), ""})
		s.Clock.Advance(10 * time.Second)
		l.expect(t, l.read(t), http.StatusOK, limits{"60", "10", after(s, 50*time.Second), ""})
	})
}

func TestRateLimitIsPerOrganization(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		l := newLimited(t, s, 1, 1)
		other := &limited{s, s.NewOrgOn(t, l.plan), l.plan}
		_, second := s.NewKey(t, l.org.ID, nil)
		l.read(t).RequireStatus(t, http.StatusOK)
		l.read(t).RequireFailure(t, "rate_limit_exceeded", "")
		s.Do(t, apitest.Request{Path: "/v1/labels", Key: second}).RequireFailure(t, "rate_limit_exceeded", "") // another key, the same bucket
		other.read(t).RequireStatus(t, http.StatusOK)
	})
}

// A client that waits as long as Retry-After says gets in.
func TestRetryAfterIsEnough(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	for _, perMinute := range []int64{1, 2, 3, 7, 11, 13, 59} {
		l := newLimited(t, s, 1, perMinute)
		for range perMinute {
			l.read(t).RequireStatus(t, http.StatusOK)
		}
		for range 5 {
			r := l.read(t).RequireFailure(t, "rate_limit_exceeded", "")
			wait, err := strconv.Atoi(r.Header.Get("Retry-After"))
			must(t, err)
			s.Clock.Advance(time.Duration(wait)*time.Second - 333*time.Millisecond)
			if r := l.read(t); r.Status == http.StatusTooManyRequests {
				s.Clock.Advance(333 * time.Millisecond)
				l.read(t).RequireStatus(t, http.StatusOK)
			}
			for l.read(t).Status == http.StatusOK { // what else has come in
			}
		}
	}
}

// burst sends requests from several clients at once until all of them are refused, and returns
// how many got through.
func burst(t *testing.T, nodes []*apitest.Server, key string) int64 {
	t.Helper()
	var passed atomic.Int64
	var clients sync.WaitGroup
	for i := range 4 * len(nodes) {
		node := nodes[i%len(nodes)]
		clients.Go(func() {
			for {
				r, err := node.Try(t, t.Context(), apitest.Request{Path: "/v1/labels", Key: key})
				if err != nil {
					t.Error(err)
					return
				}
				if r.Status != http.StatusOK {
					return
				}
				passed.Add(1)
			}
		})
	}
	clients.Wait()
	return passed.Load()
}

func TestNodesShareTheRateLimit(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		const perMinute = 400 // leased two at a time
		l := newLimited(t, s, 1, perMinute)
		nodes := []*apitest.Server{s, s.Another(t)}
		within(t, burst(t, nodes, l.org.Key), perMinute)
		s.Clock.Advance(6 * time.Second)
		within(t, burst(t, nodes, l.org.Key), perMinute/10)

		late := s.Another(t) // it knows of the empty bucket before it has served anything
		r := late.Do(t, apitest.Request{Path: "/v1/nothing", Key: l.org.Key})
		if got := limitsOf(r); got.Remaining != "0" || got.Limit != fmt.Sprint(perMinute) {
			t.Errorf("a new node shows %+v", got)
		}
		late.Do(t, apitest.Request{Path: "/v1/labels", Key: l.org.Key}).RequireFailure(t, "rate_limit_exceeded", "")
	})
}

func within(t *testing.T, got, want int64) {
	t.Helper()
	if slack := want / 20; got < want-slack || got > want+slack {
		t.Errorf("%d requests got through, want %d give or take 5 %%", got, want)
	}
}

// An unspent lease expires, so an idle node does not add tokens to a bucket that has filled up meanwhile.
func TestIdleLeasesAreForgotten(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		const perMinute = 400
		l := newLimited(t, s, 1, perMinute)
		nodes := []*apitest.Server{s, s.Another(t)}
		for _, node := range nodes {
			node.Do(t, apitest.Request{Path: "/v1/labels", Key: l.org.Key}).RequireStatus(t, http.StatusOK)
		}
		s.Clock.Advance(time.Minute)
		if got := burst(t, nodes, l.org.Key); got != perMinute {
			t.Errorf("%d requests got through", got)
		}
	})
}

func TestNodeForgetsIdleOrganizations(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	for range 5 {
		newLimited(t, s, 1, 10).read(t)
	}
	if got := s.API.Buckets(); got != 5 {
		t.Errorf("it remembers %d buckets", got)
	}
	s.Clock.Advance(api.LimiterIdle + time.Millisecond)
	newLimited(t, s, 1, 10).read(t)
	if got := s.API.Buckets(); got != 1 {
		t.Errorf("it remembers %d buckets", got)
	}
}

// However the wall clock jumps, no window lets more requests through than the bucket holds plus the refill, and
// nobody waits longer for the next token.
func TestRateLimitDoesNotFollowTheWallClock(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	const perMinute = 60
	l := newLimited(t, s, 1, perMinute)
	turns := []time.Duration{0, 0, 0, -time.Minute, 0, -11 * time.Minute, 0, time.Minute, 0, 48 * time.Hour, 0, -time.Hour, 0, time.Second, 0, -time.Second, 0, 0, 0, 0}
	var passed []int // by second
	for second := range 100 {
		s.Clock.Step(turns[second%len(turns)])
		n := 0
		for l.read(t).Status == http.StatusOK {
			n++
		}
		passed = append(passed, n)
		for first, sum := second, 0; first >= 0; first-- {
			if sum += passed[first]; sum > perMinute+second-first {
				t.Fatalf("%d requests got through from second %d to %d", sum, first, second)
			}
		}
		s.Clock.Advance(time.Second)
	}
	sum := 0
	for _, n := range passed {
		sum += n
	}
	if sum < perMinute+len(passed)*3/4 { // a turn back costs what one lease was worth
		t.Errorf("%d requests got through in %d seconds: %v", sum, len(passed), passed)
	}
}
