package store

import (
	"context"
	"errors"
	"sync"
)

// sqlitePool lends connections for reading. It opens one when all that are open are lent, up to its size: each takes half a
// megabyte for the schema alone, and a quiet server needs one. The one that came back last is lent first, because it is the
// one with the statements and the pages of the requests that come.
type sqlitePool struct {
	open func() (*sqliteConn, error)
	lent chan struct{} // has an item for each lent connection, and room for as many as may be
	mu   sync.Mutex
	idle []*sqliteConn
}

// newSQLitePool opens the first connection, so that an error shows at the start.
func newSQLitePool(size int, open func() (*sqliteConn, error)) (*sqlitePool, error) {
	first, err := open()
	if err != nil {
		return nil, err
	}
	return &sqlitePool{open: open, lent: make(chan struct{}, size), idle: []*sqliteConn{first}}, nil
}

// use lends fn a connection, unless ctx or closed ends first.
func (p *sqlitePool) use(ctx context.Context, closed <-chan struct{}, fn func(*sqliteConn) error) error {
	select {
	case p.lent <- struct{}{}:
		defer func() { <-p.lent }()
	case <-closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	conn, err := p.take()
	if err != nil {
		return err
	}
	defer p.giveBack(conn)
	return fn(conn)
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

func (p *sqlitePool) giveBack(conn *sqliteConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, conn)
}

// close waits for what is lent, and lends nothing any more.
func (p *sqlitePool) close() (err error) {
	for range cap(p.lent) {
		p.lent <- struct{}{}
	}
	for _, conn := range p.idle {
		err = errors.Join(err, conn.close())
	}
	return err
}
