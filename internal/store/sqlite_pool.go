package store

import (
	"context"
	"errors"
	"sync"
	"time"
)

// sqlitePool lends connections for reading. It opens one when all that are open are lent, up to the number of seats: each
// takes half a megabyte for the schema alone, and a quiet server needs one. The one that came back last is lent first,
// because it is the one with the statements and the pages of the requests that come.
type sqlitePool struct {
	*seats
	open func() (*sqliteConn, error)

	idleMu sync.Mutex
	idle   []*sqliteConn
}

// newSQLitePool opens the first connection, so that an error shows at the start.
func newSQLitePool(size int, open func() (*sqliteConn, error)) (*sqlitePool, error) {
	first, err := open()
	if err != nil {
		return nil, err
	}
	return &sqlitePool{seats: newSeats(size), open: open, idle: []*sqliteConn{first}}, nil
}

// use lends fn a connection, unless ctx ends or the pool is closed first.
func (p *sqlitePool) use(ctx context.Context, fn func(*sqliteConn) error) error {
	turn := turnOf(ctx)
	if err := p.enter(ctx, turn); err != nil {
		return err
	}
	begun := time.Now()
	defer func() { p.leave(turn, time.Since(begun)) }()
	conn, err := p.take()
	if err != nil {
		return err
	}
	defer p.put(conn)
	return fn(conn)
}

func (p *sqlitePool) take() (*sqliteConn, error) {
	p.idleMu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		defer p.idleMu.Unlock()
		conn := p.idle[last]
		p.idle = p.idle[:last]
		return conn, nil
	}
	p.idleMu.Unlock()
	return p.open()
}

func (p *sqlitePool) put(conn *sqliteConn) {
	p.idleMu.Lock()
	defer p.idleMu.Unlock()
	p.idle = append(p.idle, conn)
}

// close waits for what is lent, and lends nothing any more.
func (p *sqlitePool) close() (err error) {
	p.seats.close()
	for _, conn := range p.idle {
		err = errors.Join(err, conn.close())
	}
	return err
}
