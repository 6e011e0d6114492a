package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// gate is an endpoint that answers each request when the test says so.
type gate struct {
	*httptest.Server

	mu   sync.Mutex
	came []*visit
	left chan struct{} // closed when the gate holds nobody any more
}

// visit is an attempt that has reached the gate.
type visit struct {
	id, path string
	answer   chan int
}

func newGate(w *world) *gate {
	w.t.Helper()
	g := &gate{left: make(chan struct{})}
	g.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		v := &visit{r.Header.Get("X-Svc-Delivery-Id"), r.URL.Path, make(chan int, 1)}
		g.mu.Lock()
		g.came = append(g.came, v)
		left := g.left
		g.mu.Unlock()
		w.recorded.Wake()
		select {
		case status := <-v.answer:
			rw.WriteHeader(status)
		case <-left:
		}
	}))
	w.t.Cleanup(func() {
		g.openAll()
		g.Close()
	})
	return g
}

// visits takes the attempts that have reached a path since the last call.
func (g *gate) visits(path string) (came []*visit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.came = slices.DeleteFunc(g.came, func(v *visit) bool {
		if v.path == path {
			came = append(came, v)
		}
		return v.path == path
	})
	return came
}

// waiting is how many visits would be taken.
func (g *gate) waiting(path string) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, v := range g.came {
		if v.path == path {
			n++
		}
	}
	return n
}

// openAll lets all held visits go.
func (g *gate) openAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.left)
	g.left = make(chan struct{})
}
