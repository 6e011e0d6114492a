package client_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

// An event that failed at first is known for as long as any other, once it was handled.
func TestRecentEventsAfterAFailure(t *testing.T) {
	t.Parallel()
	memory := client.NewRecentEvents()
	begin := func(key string) bool {
		first, err := memory.Begin(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return first
	}
	begin("failed")
	if err := memory.Forget(t.Context(), "failed"); err != nil {
		t.Fatal(err)
	}
	others := func(from, n int) {
		for i := range n {
			begin(strconv.Itoa(from + i))
		}
	}
	others(0, client.MaxRecentEvents-1)
	if !begin("failed") {
		t.Fatal("it is known, although it has failed")
	}
	others(client.MaxRecentEvents, client.MaxRecentEvents-1)
	if begin("failed") {
		t.Error("it is forgotten before 10,000 others have come")
	}
	others(2*client.MaxRecentEvents, 1)
	if !begin("failed") {
		t.Error("it is known for longer than others")
	}
}

// ledger is a memory whose claims end when the process does.
type ledger struct {
	claimed, done map[string]bool
	broken        error // of Done
}

func (l *ledger) Begin(_ context.Context, key string) (bool, error) {
	switch {
	case l.done[key]:
		return false, nil
	case l.claimed[key]:
		return false, errors.New("it is being handled")
	}
	l.claimed[key] = true
	return true, nil
}

func (l *ledger) Forget(_ context.Context, key string) error {
	delete(l.claimed, key)
	return nil
}

func (l *ledger) Done(_ context.Context, key string) error {
	if l.broken == nil {
		l.done[key] = true
	}
	return l.broken
}

// With a ledger an event whose process ended halfway comes until it is handled, and not after that.
func TestEventLedger(t *testing.T) {
	t.Parallel()
	memory := &ledger{claimed: map[string]bool{}, done: map[string]bool{}}
	calls, fails := 0, errors.New("not now")
	h := &client.WebhookHandler{Secrets: []string{"whsec_x"}, Memory: memory, ContactCreated: func(context.Context, client.ContactCreated) error {
		calls++
		return fails
	}}
	expect := func(when string, status, called int) {
		t.Helper()
		if got := deliver(h, chat.EventContactCreated, core.SamplePayload(chat.EventContactCreated)); got != status || calls != called {
			t.Errorf("%s: %d after %d calls, want %d after %d", when, got, calls, status, called)
		}
	}
	expect("it fails", http.StatusInternalServerError, 1)
	if len(memory.done) > 0 {
		t.Error("what failed is done")
	}
	fails = nil
	memory.claimed["contact.created:evt_1"] = true // by another process, which is gone
	expect("it is claimed", http.StatusInternalServerError, 1)
	clear(memory.claimed)
	expect("the claim is old", http.StatusOK, 2)
	expect("it is done", http.StatusOK, 2)
	clear(memory.claimed)
	clear(memory.done)
	memory.broken = errors.New("no room")
	expect("it is handled, and not noted", http.StatusOK, 3)
}
