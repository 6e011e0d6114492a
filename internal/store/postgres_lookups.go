package store

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

const (
	// lookUpTrips is how many look-ups by a key are under way at once. Those that come meanwhile wait, and are sent
	// together: a busy server's look-up then costs a part of a statement instead of a journey and a statement.
	lookUpTrips = 2
	// lookUpSize bounds what is sent together.
	lookUpSize = 64
)

// lookUps are reads of rows by their keys, outside of transactions. Nobody gets a row that was read before they asked.
type lookUps struct {
	mu      sync.Mutex
	running int
	waiting []*lookUp
}

// lookUp is one that waits.
type lookUp struct {
	asked
	each func(scanner) error
	err  error
	done chan struct{}
}

// isLookUp reports whether a query is for one row by its key.
func isLookUp(sql string) bool {
	if !strings.Contains(sql, " WHERE org_id = $1 AND id = $2") { // most are not, and some of their texts are made on the spot
		return false
	}
	form := aheadFormOf(sql)
	return form.kind == aheadRead && form.row != nil && !form.locks
}

// lookUp runs a query, together with others if the database is busy.
func (e *postgresEngine) lookUp(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	w := e.lookUps.enter(sql, args, each)
	if w == nil {
		defer e.lookUps.leave(e)
		return e.ask(ctx, sql, args, each)
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if e.lookUps.remove(w) {
			return ctx.Err()
		}
		<-w.done // its batch is under way, and has its own time limit
	}
	if w.err != nil { // perhaps because of another's query
		return e.ask(ctx, sql, args, each)
	}
	return nil
}

// enter takes a place for a query of one's own, or else waits for others.
func (l *lookUps) enter(sql string, args []any, each func(scanner) error) *lookUp {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running < lookUpTrips {
		l.running++
		return nil
	}
	w := &lookUp{each: each, done: make(chan struct{})}
	w.statement, w.key = statement{sql, args}, askKey{sql, textOf(args)}
	l.waiting = append(l.waiting, w)
	return w
}

// remove takes back a query that waits, whose caller has left. It reports false if the query is being answered.
func (l *lookUps) remove(w *lookUp) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, w)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// leave gives the place to those that wait.
func (l *lookUps) leave(e *postgresEngine) {
	if next := l.next(); len(next) > 0 {
		go func() {
			for ; len(next) > 0; next = l.next() {
				e.answer(next)
			}
		}()
	}
}

// next takes those that wait; if none do, the place is free.
func (l *lookUps) next() (next []*lookUp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), lookUpSize)
	next, l.waiting = l.waiting[:n:n], l.waiting[n:]
	if n == 0 {
		l.running--
	}
	return next
}

// answer runs the queries of those that wait.
func (e *postgresEngine) answer(waiting []*lookUp) {
	ctx, cancel := context.WithTimeout(context.Background(), acquireTimeout)
	defer cancel()
	err := e.askAll(ctx, waiting)
	for _, w := range waiting {
		if err != nil {
			w.err = err
		}
		close(w.done)
	}
}

// askAll sends queries together. They are one transaction, which the settings are for.
func (e *postgresEngine) askAll(ctx context.Context, waiting []*lookUp) error {
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	all := reads{{statement: statement{sql: postgresDialect.useIndexes}, each: func(scanner) error { return nil }}}
	asking := make([]*asked, len(waiting))
	for i, w := range waiting {
		asking[i] = &w.asked
	}
	addAsked(&all, asking)
	batch := &pgx.Batch{}
	for _, r := range all {
		batch.Queue(r.sql, r.args...)
	}
	results := conn.SendBatch(ctx, batch)
	err = all.take(results)
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return postgresError(err)
	}
	for _, w := range waiting {
		w.err = w.asked.each(conn.Conn().TypeMap(), w.each)
	}
	return nil
}
