package onboard

import (
	"errors"
	"sync"
)

// errBrokenOff is what those get who waited for one that panicked.
var errBrokenOff = errors.New("the signup broke off")

// flights lets requests that want the same thing at the same time share one doing of it.
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
