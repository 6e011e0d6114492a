package store

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"sync"
	"time"
)

const (
	// checkHolds is how long a write that went through counts: asking often costs one small write a second.
	checkHolds = time.Second
	// checkLimit is how long the write of a check may take.
	checkLimit = 10 * time.Second
	// checkSetting is what a check writes, and muchToWrite how many bytes once a write has failed: on a disk
	// that is full, a small one may still find its place.
	checkSetting = "write_check"
	muchToWrite  = 256 << 10
)

// Writable tells whether a write can succeed now; the error says why not. It writes: nothing else can tell
// that the disk has room, that it is not mounted read-only, that a PostgreSQL is no standby.
func (s *Store) Writable(ctx context.Context) error {
	if err := s.engine.trouble(); err != nil {
		return err
	}
	return s.check.outcome(ctx, s.write)
}

// Broken has an error once nothing but another start of the program can help.
func (s *Store) Broken() <-chan error { return s.engine.breaks() }

// write writes another value each time: SQLite writes nothing where that is there already. On PostgreSQL
// it goes with the commit in one message, so that a node that is frozen does not hold up the others' checks.
func (s *Store) write(much bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkLimit)
	defer cancel()
	value := rand.Text()
	if much {
		random := make([]byte, muchToWrite)
		rand.Read(random)
		value = base64.StdEncoding.EncodeToString(random)
	}
	return s.InTx(ctx, func(tx *Tx) error { return tx.later(putSetting, checkSetting, value) })
}

// writeCheck lets one write at a time answer all who ask.
type writeCheck struct {
	mu       sync.Mutex
	underWay chan struct{} // is closed when the write has ended; nil while there is none
	good     time.Time     // when the last one went through
	err      error         // how the last one ended
	inDoubt  bool          // a write has failed since one of a check went through
}

func (c *writeCheck) outcome(ctx context.Context, write func(much bool) error) error {
	underWay := c.begin(write)
	if underWay != nil {
		select {
		case <-underWay:
		case <-ctx.Done():
			return fmt.Errorf("%w: a write is still not done: %w", ErrUnavailable, ctx.Err())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// begin starts a write unless one has just gone through, and returns what to wait for.
func (c *writeCheck) begin(write func(much bool) error) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	recent := !c.inDoubt && !c.good.IsZero() && time.Since(c.good) < checkHolds
	if c.underWay == nil && !recent {
		c.underWay = make(chan struct{})
		go c.run(write, c.inDoubt)
	}
	return c.underWay
}

// doubt makes the next who asks have it tried, because a write has failed.
func (c *writeCheck) doubt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inDoubt = true
}

func (c *writeCheck) run(write func(much bool) error, much bool) {
	err := write(much)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err = err; err != nil {
		c.inDoubt = true
	} else {
		c.good, c.inDoubt = time.Now(), c.inDoubt && !much
	}
	close(c.underWay)
	c.underWay = nil
}
