package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/fair"
)

// readersKept is how many connections the program's own reads leave to organizations. One organization leaves as many or more.
const readersKept = 2

// sqlitePool lends connections for reading. It opens one when all that are open are lent, up to its size: each takes half a
// megabyte for the schema alone, and a quiet server needs one. The one that came back last is lent first, because it is the
// one with the statements and the pages of the requests that come.
//
// Those who wait take turns by the time for which they had connections. A statement that runs cannot be interrupted, so
// turns alone would let whoever comes first keep the others out for as long as its longest statements take. Therefore nobody
// gets so many that none is left (see may).
type sqlitePool struct {
	open func() (*sqliteConn, error)
	size int

	mu      sync.Mutex
	idle    []*sqliteConn
	lent    int
	has     map[Turn]int // lent connections; no entry: none
	waiting *fair.Turns[Turn, *sqliteCaller]
	closed  bool
	back    sync.Cond // one came back after the pool was closed
}

// sqliteCaller waits for a connection.
type sqliteCaller struct {
	answered chan struct{} // closed when it may have one, or never will: then err is set
	err      error
	gone     bool // it no longer waits
}

// newSQLitePool opens the first connection, so that an error shows at the start. The size is more than readersKept.
func newSQLitePool(size int, open func() (*sqliteConn, error)) (*sqlitePool, error) {
	first, err := open()
	if err != nil {
		return nil, err
	}
	p := &sqlitePool{open: open, size: size, idle: []*sqliteConn{first}, has: map[Turn]int{}, waiting: fair.NewTurns[Turn, *sqliteCaller]()}
	p.back.L = &p.mu
	return p, nil
}

// use lends fn a connection, unless ctx ends or the pool is closed first.
func (p *sqlitePool) use(ctx context.Context, fn func(*sqliteConn) error) error {
	turn := turnOf(ctx)
	if err := p.enter(ctx, turn); err != nil {
		return err
	}
	var conn *sqliteConn // nil: none could be opened
	begun := time.Now()
	defer func() { p.leave(turn, conn, time.Since(begun)) }()
	conn, err := p.take()
	if err != nil {
		return err
	}
	return fn(conn)
}

// enter waits until turn may have a connection.
func (p *sqlitePool) enter(ctx context.Context, turn Turn) error {
	p.mu.Lock()
	switch {
	case p.closed:
		p.mu.Unlock()
		return ErrClosed
	case p.may(turn): // so nobody of the same turn waits
		p.admit(turn)
		p.mu.Unlock()
		return nil
	}
	c := &sqliteCaller{answered: make(chan struct{})}
	p.waiting.Add(turn, c)
	p.mu.Unlock()
	select {
	case <-c.answered:
		return c.err
	case <-ctx.Done():
		return p.giveUp(ctx, c)
	}
}

// may reports whether turn gets a free connection, if there is one. What an organization has is at most twice what it leaves
// free, so there is one for the next, who leaves one too. The last one is for the program's own reads, which are short:
// nobody is authenticated without them.
func (p *sqlitePool) may(turn Turn) bool {
	free := p.size - p.lent
	if turn.OrgID == "" {
		return free > 0 && p.has[turn] < p.size-readersKept
	}
	return p.has[turn] < 2*(free-1)
}

func (p *sqlitePool) admit(turn Turn) {
	p.lent++
	p.has[turn]++
}

// giveUp ends a wait, unless the caller has just been answered.
func (p *sqlitePool) giveUp(ctx context.Context, c *sqliteCaller) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-c.answered:
		return c.err
	default:
		c.gone = true
		return ctx.Err()
	}
}

func (p *sqlitePool) take() (*sqliteConn, error) {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		defer p.mu.Unlock()
		conn := p.idle[last]
		p.idle = p.idle[:last]
		return conn, nil
	}
	p.mu.Unlock()
	return p.open()
}

// leave gives a connection back, and admits all who may now have one.
func (p *sqlitePool) leave(turn Turn, conn *sqliteConn, had time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if conn != nil {
		p.idle = append(p.idle, conn)
	}
	p.lent--
	if p.has[turn]--; p.has[turn] == 0 {
		delete(p.has, turn)
	}
	p.waiting.Charge(turn, had)
	if p.closed {
		p.back.Signal()
	}
	for p.waiting.Len() > 0 {
		next, _, ok := p.waiting.First(p.may)
		if !ok {
			return
		}
		if c := p.waiting.TakeOf(next); !c.gone {
			p.admit(next)
			close(c.answered)
		}
	}
}

// close waits for what is lent, and lends nothing any more.
func (p *sqlitePool) close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c, ok := p.waiting.Take(); ok; _, c, ok = p.waiting.Take() {
		c.err = ErrClosed
		close(c.answered)
	}
	for p.lent > 0 {
		p.back.Wait()
	}
	for _, conn := range p.idle {
		err = errors.Join(err, conn.close())
	}
	return err
}
