package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	crashes        = 6
	crashClients   = 8
	acksPerRound   = 100
	retryEvery     = 10 * time.Millisecond
	labelsEndpoint = "/v1/labels"
)

// TestCrashes kills the server again and again under clients that retry until they are answered. Everything
// acknowledged exists, once, and no key was processed twice.
func TestCrashes(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store)
		org := srv.NewOrg()
		w := &writers{srv: srv, key: org.Key, ids: map[string]string{}, quit: make(chan struct{})}
		for i := range crashClients {
			w.done.Go(func() { w.run(t, i) })
		}
		stop := sync.OnceFunc(func() {
			close(w.quit)
			w.done.Wait()
		})
		defer stop() // even if the test gives up
		for round := range crashes {
			enough := int64(acksPerRound * (round + 1))
			if !eventually(func() bool { return w.acks.Load() >= enough || t.Failed() }) || t.Failed() {
				break
			}
			srv.Kill()
			srv.Restart()
		}
		stop()
		if w.acks.Load() < crashes*acksPerRound {
			t.Fatalf("only %d labels were acknowledged", w.acks.Load())
		}
		w.verify(t)
	})
}

// writers are clients that create labels and retry each, with its key, until it is acknowledged.
type writers struct {
	srv  *Server
	key  string
	quit chan struct{}
	done sync.WaitGroup
	acks atomic.Int64

	mu  sync.Mutex
	ids map[string]string // by name, which is also the idempotency key
}

func (w *writers) run(t *testing.T, client int) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("label %d of client %d", i, client)
		id, err := w.makeLabel(name)
		if err != nil {
			t.Error(err)
			return
		}
		w.mu.Lock()
		w.ids[name] = id
		w.mu.Unlock()
		w.acks.Add(1)
		select {
		case <-w.quit:
			return
		default:
		}
	}
}

func (w *writers) call(name string) Call {
	return Call{Method: http.MethodPost, Path: labelsEndpoint, Key: w.key, Body: fmt.Sprintf(`{"name":%q}`, name), IdempotencyKey: name}
}

func (w *writers) makeLabel(name string) (id string, err error) {
	tick := time.NewTicker(retryEvery)
	defer tick.Stop()
	deadline := time.Now().Add(patience)
	for {
		reply, err := w.srv.Try(w.call(name))
		switch {
		case err == nil && reply.Status == http.StatusCreated:
			return reply.ID(), nil
		case err == nil && reply.Status < 500 && reply.Code() != "idempotency_in_progress":
			return "", fmt.Errorf("%s: %d %s", name, reply.Status, reply.Body)
		case time.Now().After(deadline):
			return "", fmt.Errorf("%s: never answered, last %+v, %w", name, reply, err)
		}
		<-tick.C
	}
}

// verify compares the existing labels with the acknowledged ones, and requests each again.
func (w *writers) verify(t *testing.T) {
	labels := allLabels(t, w.srv, w.key)
	if len(labels) != len(w.ids) {
		t.Errorf("%d labels exist, %d were acknowledged", len(labels), len(w.ids))
	}
	for name, id := range w.ids {
		if labels[name] != id {
			t.Errorf("%s was acknowledged as %s, but is %q", name, id, labels[name])
		}
		again := w.srv.Do(w.call(name))
		if again.Status != http.StatusCreated || again.ID() != id || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s again: %+v, want a replay of %s", name, again, id)
		}
	}
	t.Logf("%d labels through %d crashes", len(w.ids), crashes)
}

// allLabels reads the list to its end and returns the ids by name.
func allLabels(t *testing.T, srv *Server, key string) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for cursor := ""; ; {
		page := labelPage(t, srv, key, 100, cursor)
		for _, label := range page.Data {
			if ids[label.Name] != "" {
				t.Errorf("%s exists twice", label.Name)
			}
			ids[label.Name] = label.ID
		}
		if page.NextCursor == nil {
			return ids
		}
		cursor = *page.NextCursor
	}
}

type labelList struct {
	Data       []struct{ ID, Name string }
	NextCursor *string `json:"next_cursor"`
}

func labelPage(t *testing.T, srv *Server, key string, limit int, cursor string) (page labelList) {
	t.Helper()
	query := url.Values{"limit": {fmt.Sprint(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	reply := srv.Get(key, labelsEndpoint+"?"+query.Encode())
	if err := json.Unmarshal([]byte(reply.Body), &page); err != nil || reply.Status != http.StatusOK {
		t.Fatalf("got %+v, %v", reply, err)
	}
	return page
}
