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
	// checkHolds is how long a successful write counts, so that frequent checks cost one small write a second.
	checkHolds = time.Second
	// checkLimit bounds the write of a check.
	checkLimit = 10 * time.Second
	// checkSetting is the setting that a check writes, and muchToWrite its size after a write has failed: on a
	// full disk a small write may still succeed.
	checkSetting = "write_check"
	muchToWrite  = 256 << 10
)

// Writable reports whether a write can succeed now; the error says why not. It really writes, because nothing
// else can tell that the disk has room, is not mounted read-only, and that a PostgreSQL is not a standby.
func (s *Store) Writable(ctx context.Context) error {
	if err := s.engine.trouble(); err != nil {
		return err
	}
	return s.check.outcome(ctx, s.write)
}

// Broken gets an error when only a restart of the program helps.
func (s *Store) Broken() <-chan error { return s.engine.breaks() }

// write writes a different value each time, because SQLite skips an unchanged one. On PostgreSQL it is sent
// with the commit in one message, so that a frozen node does not hold up the others' checks.
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

// writeCheck lets one write at a time answer all callers.
type writeCheck struct {
	mu       sync.Mutex
	underWay chan struct{} // closed when the write has ended; nil while none runs
	good     time.Time     // when the last write succeeded
	err      error         // the result of the last write
	inDoubt  bool          // a write has failed since the last successful check
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

// begin starts a write unless one has just succeeded, and returns what to wait for.
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

// doubt makes the next caller check again, because a write has failed.
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
