package api_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// inEveryOrganization changes every organization, whichever the test uses.
func inEveryOrganization(tx *store.Tx) error {
	orgs, err := tx.Organizations()
	for _, org := range orgs {
		if err == nil {
			_, err = core.CreateLabel(tx, org.ID, chat.NewLabel{Name: "from a hook " + tx.NewID(chat.KindEvent)})
		}
	}
	return err
}

func refuseLate(_ context.Context, tx *store.Tx) error {
	if err := inEveryOrganization(tx); err != nil {
		return err
	}
	return chat.Invalid("late", "Refused after the change.")
}

// sendTogether sends the same request n times at once, spread over nodes.
func sendTogether(t *testing.T, nodes []*apitest.Server, r apitest.Request, n int) []*apitest.Response {
	t.Helper()
	answers := make([]*apitest.Response, n)
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			answer, err := nodes[i%len(nodes)].Try(t, t.Context(), r)
			if err != nil {
				t.Error(err)
			}
			answers[i] = answer
		})
	}
	done.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return answers
}

// onlyOnce checks the answers to identical requests: one did the work; the others replay its answer or say that
// it is under way.
func onlyOnce(t *testing.T, answers []*apitest.Response) {
	t.Helper()
	var did, body string
	for _, r := range answers {
		id := r.Header.Get("X-Request-Id")
		switch {
		case r.Status == http.StatusConflict:
			r.RequireFailure(t, "idempotency_in_progress", "Idempotency-Key")
			continue
		case r.Status != http.StatusCreated:
			t.Errorf("got %d %s", r.Status, r.Body)
		case r.Header.Get("Idempotent-Replayed") == "false" && did != "":
			t.Errorf("%s did the work again after %s", id, did)
		case r.Header.Get("Idempotent-Replayed") == "false":
			did = id
		}
		if body != "" && string(r.Body) != body {
			t.Errorf("two answers: %s and %s", body, r.Body)
		}
		body = string(r.Body)
	}
	if did == "" {
		t.Error("nobody did the work")
	}
}

func raceOnce(t *testing.T, nodes []*apitest.Server) {
	t.Helper()
	for range 3 {
		org := nodes[0].NewOrg(t)
		request := under("k", "/v1/labels", `{"name":"x"}`)
		request.Key = org.Key
		onlyOnce(t, sendTogether(t, nodes, request, 24))
		for table, want := range map[string]int{"labels": 1, "idempotency": 1} {
			if n := nodes[0].Count(t, table, org.ID); n != want {
				t.Errorf("%d rows in %s, want %d", n, table, want)
			}
		}
		for _, node := range nodes {
			if n := node.API.ClaimsHeld(); n != 0 {
				t.Errorf("%d keys are still claimed", n)
			}
			r := node.Do(t, request).RequireStatus(t, http.StatusCreated)
			if r.Header.Get("Idempotent-Replayed") != "true" {
				t.Error("the work was done again later")
			}
		}
	}
}

func TestConcurrentRequestsDoTheWorkOnce(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) { raceOnce(t, []*apitest.Server{s}) })
}

func TestConcurrentRequestsOnTwoNodesDoTheWorkOnce(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.Postgres)
	raceOnce(t, []*apitest.Server{s, s.Another(t)})
}

// gate is a hook that reports when it is reached and continues when it is told.
type gate struct {
	reached, open chan struct{}
	report        *sync.Once // a transaction may run more than once
}

func newGate() gate { return gate{make(chan struct{}), make(chan struct{}), &sync.Once{}} }

// openAtEnd opens the gate when the test has failed. The server must be started before, so that it closes
// after.
func (g gate) openAtEnd(t *testing.T) {
	t.Cleanup(func() {
		select {
		case <-g.open:
		default:
			close(g.open)
		}
	})
}

func (g gate) pass(_ context.Context, tx *store.Tx) error {
	if err := inEveryOrganization(tx); err != nil {
		return err
	}
	g.report.Do(func() { close(g.reached) })
	<-g.open
	return nil
}

// sendLater sends a request whose answer comes later.
func sendLater(t *testing.T, s *apitest.Server, r apitest.Request) (answer func() *apitest.Response) {
	done := make(chan *apitest.Response, 1)
	go func() {
		response, err := s.Try(t, t.Context(), r)
		if err != nil {
			t.Error(err)
		}
		done <- response
	}()
	return func() *apitest.Response { return <-done }
}

func gated(key, extra string) apitest.Request {
	r := under("k", "/v1/probe", `{"name":"n","kind":"a","hook":"gate"`+extra+`}`)
	r.Key = key
	return r
}

func TestRequestUnderWay(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		g := newGate()
		s := apitest.Start(t, engine, api.Probes(api.Hooks{"gate": g.pass}))
		g.openAtEnd(t)
		org := s.NewOrg(t)
		s.Do(t, apitest.Request{Method: http.MethodPost, Path: "/v1/probe", Key: org.Key}) // has the tokens leased
		answer := sendLater(t, s, gated(org.Key, ""))
		<-g.reached
		under := s.Do(t, gated(org.Key, ""))
		under.RequireFailure(t, "idempotency_in_progress", "Idempotency-Key")
		if wait := under.Header.Get("Retry-After"); wait != "1" {
			t.Errorf("Retry-After is %q", wait)
		}
		s.Do(t, gated(org.Key, `,"count":1`)).RequireFailure(t, "idempotency_key_reuse", "Idempotency-Key")
		close(g.open)
		first := answer().RequireStatus(t, http.StatusCreated)
		again := s.Do(t, gated(org.Key, "")).RequireStatus(t, http.StatusCreated)
		if again.Header.Get("Idempotent-Replayed") != "true" || string(again.Body) != string(first.Body) {
			t.Errorf("then %v %s", again.Header, again.Body)
		}
		if n := s.Count(t, "labels", org.ID); n != 1 {
			t.Errorf("the effect is there %d times", n)
		}
	})
}

func TestRequestUnderWayOnAnotherNode(t *testing.T) {
	t.Parallel()
	g := newGate()
	s := apitest.Start(t, storetest.Postgres, api.Probes(api.Hooks{"gate": g.pass}))
	other := s.Another(t)
	g.openAtEnd(t)
	org := s.NewOrg(t)
	answer := sendLater(t, s, gated(org.Key, ""))
	<-g.reached
	other.Do(t, gated(org.Key, "")).RequireFailure(t, "idempotency_in_progress", "Idempotency-Key")
	close(g.open)
	first := answer().RequireStatus(t, http.StatusCreated)
	again := other.Do(t, gated(org.Key, "")).RequireStatus(t, http.StatusCreated)
	if again.Header.Get("Idempotent-Replayed") != "true" || string(again.Body) != string(first.Body) {
		t.Errorf("then %v %s", again.Header, again.Body)
	}
}

// A request without an outcome leaves its key free, and no effect.
func TestFailedWorkCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	failures := map[string]struct {
		fail error
		code string
	}{
		"a panic":           {nil, "internal_error"},
		"an unknown error":  {errors.New("unknown"), "internal_error"},
		"store unavailable": {store.ErrUnavailable, "service_unavailable"},
		"a late 5xx":        {chat.Fail(chat.CodeProviderFailure, "The provider failed."), "whatsapp_upstream_error"},
	}
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
				var healed atomic.Bool // a transaction may be retried, so a count of calls would not do
				hook := func(_ context.Context, tx *store.Tx) error {
					if err := inEveryOrganization(tx); err != nil || healed.Load() {
						return err
					}
					if failure.fail == nil {
						panic("in the work")
					}
					return failure.fail
				}
				s := apitest.Start(t, engine, api.Probes(api.Hooks{"gate": hook}))
				retryOnce(t, s, failure.code, func() { healed.Store(true) })
			})
		})
	}
}

func retryOnce(t *testing.T, s *apitest.Server, code string, heal func()) {
	t.Helper()
	org := s.NewOrg(t)
	s.Unchanged(t, org.ID, func() {
		if got := s.Do(t, gated(org.Key, "")).Failure(t); got.Code != code {
			t.Errorf("got %+v, want %s", got, code)
		}
	})
	if n := s.API.ClaimsHeld(); n != 0 {
		t.Errorf("%d keys are still claimed", n)
	}
	heal()
	r := s.Do(t, gated(org.Key, "")).RequireStatus(t, http.StatusCreated)
	if r.Header.Get("Idempotent-Replayed") != "false" {
		t.Error("the retry was not done")
	}
	if n := s.Count(t, "labels", org.ID); n != 1 {
		t.Errorf("the effect is there %d times", n)
	}
}

// The change of a client that goes away is rolled back, and the client may come back with the same key.
func TestClientThatGoesAway(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		reached, finished := make(chan struct{}, 2), make(chan struct{}, 2)
		leave := true
		hook := func(ctx context.Context, tx *store.Tx) error {
			if err := inEveryOrganization(tx); err != nil || !leave {
				return err
			}
			reached <- struct{}{}
			<-ctx.Done()
			finished <- struct{}{}
			return nil
		}
		s := apitest.Start(t, engine, api.Probes(api.Hooks{"gate": hook}))
		org := s.NewOrg(t)
		for _, request := range []apitest.Request{gated(org.Key, ""), withoutKey(gated(org.Key, ""))} {
			s.Unchanged(t, org.ID, func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					<-reached
					cancel()
				}()
				if _, err := s.Try(t, ctx, request); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				<-finished
				s.API.FillSlots()() // waits until the request has ended, which holds a place
			})
		}
		leave = false
		r := s.Do(t, gated(org.Key, "")).RequireStatus(t, http.StatusCreated)
		if r.Header.Get("Idempotent-Replayed") != "false" {
			t.Error("the retry was not done")
		}
	})
}

func withoutKey(r apitest.Request) apitest.Request {
	r.Header = nil
	return r
}
