package onboard

import (
	"errors"
	"sync"
)

// errBrokenOff is the error for requests that waited for a signup which panicked.
var errBrokenOff = errors.New("the signup broke off")

// flights lets simultaneous requests for the same signup share one run of it.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight
}

type flight struct {
	done   chan struct{}
	result connected
	err    error
}

func newFlights() *flights { return &flights{under: map[string]*flight{}} }

func (f *flights) do(key string, fn func() (connected, error)) (connected, error) {
	f.mu.Lock()
	if other := f.under[key]; other != nil {
		f.mu.Unlock()
		<-other.done
		return other.result, other.err
	}
	own := &flight{done: make(chan struct{}), err: errBrokenOff}
	f.under[key] = own
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.under, key)
		f.mu.Unlock()
		close(own.done)
	}()
	own.result, own.err = fn()
	return own.result, own.err
}
