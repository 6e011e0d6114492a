package storetest

import (
	"sync"
	"time"
)

// Clock is both clocks of a store. It stands still until it is set.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	elapsed time.Duration
}

// NewClock makes a clock that shows the same fixed instant in every test.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)}
}

// Now is the instant the wall clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Elapsed is how much time has gone by, whatever the wall clock was turned to.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// Advance lets time go by and returns what the wall clock shows then.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.elapsed += d
	return c.now
}

// Set lets time go by until the wall clock shows that. Where it is later already, it is turned back.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += max(0, now.Sub(c.now))
	c.now = now
}

// Step turns the wall clock, back where d is negative, while no time goes by.
func (c *Clock) Step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
