package store

import (
	"context"
	"time"
)

const (
	firstRows, leastRows, mostRows = 20, 10, 500
	// restFor times as long as a step took, waiting included, no other follows it: long work has at most a
	// fifth of the time, and less the busier the store is.
	restFor = 4
	// longestRest is after a store that was hardly there.
	longestRest = 2 * time.Second
)

// Steps are how long work is done beside requests, a purge for example: a small transaction, a rest, and
// so on. A step is made as large as fits into the time that others may have to wait for it.
type Steps struct {
	store *Store
	rows  int           // of the next step
	rests int           // so many times as long as a step took
	due   time.Duration // how long to rest before it
	rest  func(context.Context, time.Duration)
}

// Steps begins a piece of long work.
func (s *Store) Steps() *Steps { return &Steps{store: s, rows: firstRows, rests: restFor, rest: rest} }

// Brisk is for work that somebody waits for: it has up to half of the time. Others wait for a step no longer.
func (p *Steps) Brisk() *Steps {
	p.rests = 1
	return p
}

// Turn goes on with work of another kind, of which it is not known yet how much fits into a step.
func (p *Steps) Turn() { p.rows = firstRows }

// Do rests after the step before, and takes the next one, in a transaction of its own. work is given how
// many rows it may touch and returns how many it did; there may be more to do when those are all.
func (p *Steps) Do(ctx context.Context, work func(tx *Tx, rows int) (int64, error)) (done int64, more bool, err error) {
	return p.DoIn(ctx, func(fn func(*Tx) error) error { return p.store.InTx(ctx, fn) }, work)
}

// DoIn is Do in a transaction that the caller makes.
func (p *Steps) DoIn(ctx context.Context, inTx func(func(*Tx) error) error, work func(tx *Tx, rows int) (int64, error)) (done int64, more bool, err error) {
	p.rest(ctx, p.due)
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	rows, begin := p.rows, p.store.Moment()
	var worked time.Duration
	err = inTx(func(tx *Tx) (err error) {
		began := p.store.Moment()
		done, err = work(tx, rows)
		worked = p.store.Moment().Sub(began)
		return err
	})
	took := p.store.Moment().Sub(begin)
	p.due = min(time.Duration(p.rests)*took, longestRest)
	if err != nil {
		return 0, false, err
	}
	p.adapt(worked, took)
	return done, done >= int64(rows), nil
}

// adapt makes the next step as large as fits. Where there is one writer, others wait for the work; where
// not, nobody does, and much of the work is in the commit.
func (p *Steps) adapt(worked, took time.Duration) {
	d := p.store.engine.dialect()
	if d.tryLock != "" {
		worked = took
	}
	fits := 2 * p.rows
	if worked > d.stepTime/2 {
		fits = int(int64(p.rows) * int64(d.stepTime) / int64(worked))
	}
	p.rows = min(max(fits, p.rows/2, leastRows), mostRows)
}

func rest(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
