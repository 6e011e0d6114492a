package store

import (
	"context"
	"time"
)

const (
	firstRows, leastRows, mostRows = 20, 10, 500
	// restFor is how many times as long as a step took, waiting included, the work rests. Long work thus uses
	// at most a fifth of the time, and less on a busy store: see pause.
	restFor = 4
	// longestRest bounds the rest, for steps on a store that hardly answered.
	longestRest = 2 * time.Second
	// courteousFor is how long a purge is courteous to others who write. One that takes longer may never end otherwise,
	// because rows can come faster than they go.
	courteousFor = time.Hour
	// courteousPart is the part of a step's usual time that a courteous one takes. Others also wait for its commit and sync.
	courteousPart = 3
)

// Steps runs long work in the background, such as a purge: a small transaction, a rest, and so on. A step is as
// large as fits into the time that others may have to wait for it.
type Steps struct {
	store     *Store
	rows      int           // of the next step
	rests     int           // how many times as long as a step took it rests
	purge     bool          // nobody waits for the end of the work
	began     Moment        // when this kind of work did
	courteous bool          // others write too, and the work leaves them more time
	due       time.Duration // how long to rest before the next step
	rest      func(context.Context, time.Duration)
}

// Steps begins a piece of long work.
func (s *Store) Steps() *Steps { return &Steps{store: s, rows: firstRows, rests: restFor, rest: rest} }

// Brisk is for work that somebody waits for: it uses up to half of the time. Others wait no longer for a step.
func (p *Steps) Brisk() *Steps {
	p.rests = 1
	return p
}

// Purge is for work whose end nobody waits for: where others write too, its steps may be shorter and its rests longer.
func (p *Steps) Purge() *Steps {
	p.purge, p.began = true, p.store.Moment()
	return p
}

// Turn switches to work of another kind, for which the right size of a step is not known yet.
func (p *Steps) Turn() { p.rows, p.began = firstRows, p.store.Moment() }

// Do rests after the previous step, and runs the next one in a transaction of its own. work gets the number of
// rows it may touch and returns how many it touched; there may be more to do if these are equal.
func (p *Steps) Do(ctx context.Context, work func(tx *Tx, rows int) (int64, error)) (done int64, more bool, err error) {
	return p.DoIn(ctx, func(fn func(*Tx) error) error { return p.store.InTx(ctx, fn) }, work)
}

// DoIn is Do in a transaction of the caller.
func (p *Steps) DoIn(ctx context.Context, inTx func(func(*Tx) error) error, work func(tx *Tx, rows int) (int64, error)) (done int64, more bool, err error) {
	p.pause(ctx)
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

// pause rests after a step. A purge rests longer if others wrote meanwhile.
func (p *Steps) pause(ctx context.Context) {
	before := p.store.commits.Load()
	p.rest(ctx, p.due)
	longer := p.store.engine.dialect().restBeside - 1
	p.courteous = p.purge && longer > 0 && p.store.commits.Load() != before && p.store.Moment().Sub(p.began) < courteousFor
	if p.courteous {
		p.rest(ctx, time.Duration(longer)*p.due)
	}
}

// adapt sets the size of the next step. With one writer, others wait for the work; without, nobody does, and
// much of the time is the commit.
func (p *Steps) adapt(worked, took time.Duration) {
	d := p.store.engine.dialect()
	if d.tryLock != "" {
		worked = took
	}
	may := d.stepTime
	if p.courteous {
		may /= courteousPart
	}
	fits := 2 * p.rows
	if worked > may/2 {
		fits = int(int64(p.rows) * int64(may) / int64(worked))
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
