package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// audience is many open dashboards: streams of hints, as the browser reads them.
type audience struct {
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	greeted int
	seen    map[string]int // how many streams have announced a conversation
	all     chan string    // conversations that every stream has announced
	ready   chan struct{}
}

// openDashboards opens dashboards and waits until each has its first hint.
func (o *office) openDashboards(ctx context.Context, count int) (*audience, error) {
	ctx, cancel := context.WithCancel(ctx)
	a := &audience{cancel: cancel, seen: map[string]int{}, all: make(chan string, 10*hintsSent), ready: make(chan struct{})}
	failed := make(chan error, count)
	for i := range count {
		client := o.people[i%len(o.people)]
		a.done.Go(func() { failed <- a.follow(ctx, o, client, count) })
	}
	select {
	case <-a.ready:
		return a, nil
	case err := <-failed:
		a.close()
		return nil, fmt.Errorf("a dashboard's stream ended: %w", err)
	}
}

func (a *audience) close() {
	a.cancel()
	a.done.Wait()
}

// follow reads one stream until the end.
func (a *audience) follow(ctx context.Context, o *office, client *http.Client, count int) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url("/app/api/stream"), nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	heard := map[string]bool{} // a stream announces a conversation more than once
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var hint struct{ Kind, ID string }
		if err := json.Unmarshal([]byte(text), &hint); err != nil {
			return err
		}
		if !heard[hint.ID] {
			a.hear(hint.Kind, hint.ID, count)
		}
		heard[hint.ID] = true
	}
	return errors.Join(lines.Err(), fmt.Errorf("status %d", answer.StatusCode))
}

func (a *audience) hear(kind, id string, count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch kind {
	case "hello":
		if a.greeted++; a.greeted == count {
			close(a.ready)
		}
	case "conversation":
		if a.seen[id]++; a.seen[id] == count {
			a.all <- id
		}
	}
}

// idleDashboards counts each second of each dashboard as a request, so the CPU per request is what one dashboard costs
// per second.
func idleDashboards(ctx context.Context, o *office) (f figures, err error) {
	a, err := o.openDashboards(ctx, dashboards)
	if err != nil {
		return f, err
	}
	defer a.close()
	before, known := cpuTime(o.process.pid())
	select {
	case <-time.After(idleTime):
	case <-ctx.Done():
		return f, ctx.Err()
	}
	after, _ := cpuTime(o.process.pid())
	f.Requests, f.Elapsed, f.PerSecond = dashboards*int(idleTime.Seconds()), idleTime, dashboards
	if known {
		f.CPUMicros = float64((after - before).Microseconds()) / float64(f.Requests)
	}
	return f, nil
}

// messageOnAll times inbound messages from the callback until the last dashboard has been told.
func messageOnAll(ctx context.Context, o *office) (f figures, err error) {
	a, err := o.openDashboards(ctx, dashboards)
	if err != nil {
		return f, err
	}
	defer a.close()
	c, err := dial(ctx, o.target.addr, time.Now().Add(5*time.Minute))
	if err != nil {
		return f, err
	}
	defer c.Close()
	var t tally
	callback := inboundText(o.target)
	begin := time.Now()
	for i := range hintsSent {
		sent := time.Now()
		h, body, err := c.roundTrip(callback(nil, 0, i), http.StatusOK)
		if err != nil || h.status != http.StatusOK {
			return f, errors.Join(err, fmt.Errorf("callback: status %d: %s", h.status, body))
		}
		select {
		case <-a.all:
			t.latencies = append(t.latencies, time.Since(sent))
		case <-time.After(startDeadline):
			return f, errors.New("a message did not reach every dashboard")
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
	t.elapsed = time.Since(begin)
	f.count(&t)
	return f, nil
}
