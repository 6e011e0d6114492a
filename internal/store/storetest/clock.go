package storetest

import (
	"sync"
	"time"
)

// Clock is both clocks of a store. It stands still until a test moves it.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	elapsed time.Duration
}

// NewClock makes a clock that shows the same fixed instant in every test.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)}
}

// Now is the wall clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Elapsed is the elapsed time, however the wall clock was turned.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// Advance lets time pass and returns the wall clock.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.elapsed += d
	return c.now
}

// Set lets time pass until the wall clock shows now. If it is already later, the clock is turned back.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += max(0, now.Sub(c.now))
	c.now = now
}

// Step turns the wall clock, back if d is negative, while no time passes.
func (c *Clock) Step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
