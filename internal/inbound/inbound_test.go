package inbound_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/part/parttest"
)

func TestVerification(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		open := parttest.Start(t, inbound.New(func(c inbound.Config) inbound.Config {
			c.VerifyToken = ""
			return c
		}(r.cfg)))
		for query, want := range map[string]string{
			"hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=secret": "200 1158201444",
			"hub.mode=subscribe&hub.challenge=x%0Ay&hub.verify_token=secret":      "200 x\ny",
			"hub.mode=subscribe&hub.challenge=1&hub.verify_token=Secret":          "403 verification failed\n",
			"hub.mode=subscribe&hub.challenge=1&hub.verify_token=":                "403 verification failed\n",
			"hub.mode=subscribe&hub.challenge=1":                                  "403 verification failed\n",
			"hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=secret":        "403 verification failed\n",
			"hub.challenge=1&hub.verify_token=secret":                             "403 verification failed\n",
			"": "403 verification failed\n",
		} {
			answer := r.serve(httptest.NewRequest(http.MethodGet, "/provider/webhook?"+query, nil))
			if got := fmt.Sprint(answer.Code, " ", answer.Body); got != want {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
			if kind := answer.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") || answer.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: the challenge comes as %q", query, kind)
			}
		}
		recorder := httptest.NewRecorder()
		open.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/?hub.mode=subscribe&hub.challenge=1&hub.verify_token=", nil))
		if recorder.Code != http.StatusForbidden {
			t.Errorf("without a token of its own it verifies anybody: %d", recorder.Code)
		}
	})
}

func TestRefusals(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		post := func(signature, body string) *http.Request {
			request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			if signature != "" {
				request.Header.Set("X-Hub-Signature-256", signature)
			}
			return request
		}
		large := strings.Repeat("x", 3<<20+1)
		endless := func() *http.Request { // without a declared length
			request := post("of "+large, "")
			request.Body, request.ContentLength = io.NopCloser(strings.NewReader(large)), -1
			return request
		}
		cutOff := post("of a", "a")
		cutOff.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
		for name, test := range map[string]struct {
			request *http.Request
			want    int
		}{
			"no signature":          {post("", "a"), http.StatusUnauthorized},
			"another signature":     {post("of b", "a"), http.StatusUnauthorized},
			"no possible signature": {post("a", "a"), http.StatusUnauthorized},
			"a body too large":      {post("of "+large, large), http.StatusRequestEntityTooLarge},
			"an endless body":       {endless(), http.StatusRequestEntityTooLarge},
			"a body cut off":        {cutOff, http.StatusBadRequest},
			"another method":        {httptest.NewRequest(http.MethodPut, "/", strings.NewReader("a")), http.StatusMethodNotAllowed},
			"yet another method":    {httptest.NewRequest(http.MethodHead, "/", nil), http.StatusMethodNotAllowed},
			"a signature by query":  {httptest.NewRequest(http.MethodPost, "/?X-Hub-Signature-256=of+a", strings.NewReader("a")), http.StatusUnauthorized},
		} {
			answer := r.serve(test.request)
			if answer.Code != test.want || test.want == http.StatusMethodNotAllowed && answer.Header().Get("Allow") != "GET, POST" {
				t.Errorf("%s: got %d with %v, want %d", name, answer.Code, answer.Header(), test.want)
			}
		}
		pass(2 * time.Second)
		r.require("")
	})
}

// A callback is applied before it is answered, and leaves no row.
func TestAcceptedAndApplied(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		if code := r.deliver("a b"); code != http.StatusOK {
			t.Fatalf("got %d", code)
		}
		synctest.Wait()
		r.require("a b")
		r.deliver("a b") // callbacks are repeated
		r.deliver("c")
		synctest.Wait()
		r.require("a b c")
	})
}

// A callback that cannot be stored is not acknowledged: the provider sends it again.
func TestStoreAway(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		if err := r.Store.Close(); err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("a"))
		request.Header.Set("X-Hub-Signature-256", "of a")
		if answer := r.serve(request); answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") != "1" {
			t.Errorf("got %d with %v", answer.Code, answer.Header())
		}
	})
}

// An unreadable callback is dropped, because it would not be readable the next time either.
func TestUnreadableIsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, body := range []string{"a", "broken", "b", "terrible", "\xff\x00c"} {
			if code := r.deliver(body); code != http.StatusOK {
				t.Errorf("%q got %d", body, code)
			}
		}
		r.put("broken", node, 0)
		r.put("terrible", node, 0)
		pass(2 * time.Second)
		r.require("a b \uFFFDc")
	})
}

// A callback may have more updates than one transaction takes.
func TestLargeCallback(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var words []string
		for i := range 450 {
			words = append(words, fmt.Sprintf("w%03d", i))
		}
		r.deliver(strings.Join(words, " "))
		synctest.Wait()
		r.require(strings.Join(words, " "))
		if events := r.Events(); len(events) != len(words)+1 {
			t.Errorf("there are %d events", len(events))
		}
	})
}

// The callbacks of a dead node are taken over, in their order; those of a living one are not.
func TestTakeOver(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.Alive("node_b")
		var want []string
		for i := range 20 {
			r.put(fmt.Sprintf("m%02d", i), "node_dead", 0)
			want = append(want, fmt.Sprintf("m%02d", i))
		}
		r.put("theirs", "node_b", 0)
		pass(3 * time.Second)
		r.require(strings.Join(want, " "))
		if left := r.stored("node_b"); len(left) != 1 {
			t.Errorf("of a living node are left %q", left)
		}
		r.Dead("node_b")
		pass(3 * time.Second)
		r.require(strings.Join(want, " ") + " theirs")
	})
}

// A node without a lease takes nothing over, because others may be about to take over its own.
func TestNoTakeOverWithoutALease(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.unleased.Store(true)
		pass(3 * time.Second)
		r.put("m1", "node_dead", 0)
		pass(time.Minute)
		if left := r.stored("node_dead"); len(left) != 1 {
			t.Errorf("of the dead node are left %q", left)
		}
		r.unleased.Store(false)
		pass(3 * time.Second)
		r.require("m1")
	})
}

// Files are fetched once the message is stored, by the node that fetches.
func TestFilesAreFetched(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.deliver("file:1 poison")
		pass(10 * time.Second) // and it is tried again
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.fetched) != 1 || r.fetched[0].ProviderMediaID != "9001" || r.fetched[0].Owner != "node_media" {
			t.Errorf("to fetch are %+v", r.fetched)
		}
		if r.poisons < 3 {
			t.Errorf("the poison was met %d times", r.poisons)
		}
	})
}

// An update that cannot be applied holds up no other, not even those of its own callback, which is stored and retried
// until it is set aside.
func TestPoisonIsSetAside(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.hold(1)
		var deliveries sync.WaitGroup
		for _, body := range []string{"a", "b poison c", "d 2/x"} {
			deliveries.Go(func() {
				if code := r.deliver(body); code != http.StatusOK {
					t.Errorf("%q got %d", body, code)
				}
			})
			synctest.Wait() // so that they wait in this order
		}
		release()
		deliveries.Wait()
		synctest.Wait()
		r.require("held a b c d", "b poison c, attempt 1, in 1s")
		pass(3 * time.Second)
		r.require("held a b c d", "b poison c, attempt 2, in 3s")
		r.put("poison e", node, 7)
		pass(3 * time.Second)
		if left := r.stored(node); len(left) != 2 || !strings.HasPrefix(left[1], "poison e, attempt 8, in 719h59m5") {
			t.Errorf("left are %q", left)
		}
		r.require("held a b c d e", r.stored(node)...)
	})
}

// The provider does not wait for a stuck number: its callback is stored and keeps its place. The row is removed when
// the callback has been applied.
func TestPatienceEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.hold(1)
		pass(time.Second)
		before := time.Now()
		if code := r.deliver("a"); code != http.StatusOK || time.Since(before) != 2*time.Second {
			t.Errorf("got %d after %v", code, time.Since(before))
		}
		r.require("", "1/held, attempt 0, in -1s", "a, attempt 0, in 0s")
		pass(10 * time.Second) // sweeps skip callbacks that are in memory
		release()
		r.require("held a")
	})
}

// Callbacks that do not fit into memory are stored and read back, in their order. Other numbers find room.
func TestMoreThanMemoryHolds(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.hold(1)
		want := []string{"held"}
		for i := range 10 {
			padding := strings.Repeat("x", 2<<20)
			if i > 7 {
				padding = "" // these would fit
			}
			r.deliver(fmt.Sprintf("late%d blank:%s", i, padding))
			want = append(want, fmt.Sprint("late", i))
		}
		before := time.Now()
		for number := 2; number <= numbers; number++ {
			r.deliver(fmt.Sprintf("%d/beside", number))
			if got := r.applied(number); len(got) != 1 {
				t.Errorf("number %d has %q", number, got)
			}
		}
		if took := time.Since(before); took > 0 {
			t.Errorf("other numbers waited %v", took)
		}
		if left := r.stored(node); len(left) != 11 {
			t.Errorf("stored are %q", left)
		}
		release()
		pass(2 * time.Second)
		r.require(strings.Join(want, " "))
	})
}

// A stop waits for running transactions. Callbacks that the provider waits for are stored.
func TestStop(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.hold(1)
		var work sync.WaitGroup
		work.Go(func() {
			if code := r.deliver("a"); code != http.StatusOK {
				t.Errorf("got %d", code)
			}
		})
		synctest.Wait()
		stopped := make(chan struct{})
		work.Go(func() {
			r.receiver.Stop(context.Background())
			close(stopped)
		})
		synctest.Wait()
		select {
		case <-stopped:
			t.Fatal("it did not wait")
		default:
		}
		release()
		work.Wait()
		if code := r.deliver("b"); code != http.StatusOK { // stored for the next start
			t.Errorf("got %d", code)
		}
		if left := r.stored(node); len(left) == 0 || !strings.HasPrefix(left[len(left)-1], "b, attempt 0") {
			t.Errorf("stored are %q", left)
		}
		r.start()
		r.deliver("c")
		pass(3 * time.Second)
		r.require("held a b c")
	})
}

// A stop that may not wait gives up transactions that hang. Nothing is written after it, and nothing is lost.
func TestStopThatMayNotWait(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.hold(1)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		r.receiver.Stop(ended)
		release()
		r.require("", "1/held, attempt 0, in 0s")
		r.start()
		pass(3 * time.Second)
		r.require("held")
	})
}
