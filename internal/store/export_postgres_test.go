package store

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Later is a statement whose result nobody waits for.
func Later(tx *Tx, sql string, args ...any) error { return tx.later(sql, args...) }

// Journey counts the statements sent to PostgreSQL, and the round trips.
type Journey struct{ Statements, Trips atomic.Int64 }

// Traced is a configuration whose statements are counted.
func Traced(cfg Config) (Config, *Journey) {
	j := &Journey{}
	cfg.tracer = j
	return cfg, j
}

func (j *Journey) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	j.Statements.Add(1)
	j.Trips.Add(1)
	return ctx
}

func (j *Journey) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (j *Journey) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	j.Trips.Add(1)
	return ctx
}

func (j *Journey) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {
	j.Statements.Add(1)
}

func (j *Journey) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// OneGroup makes PostgreSQL's groups run one at a time.
func OneGroup(s *Store) {
	g := s.engine.(*postgresEngine).groups
	g.lines, g.ahead = g.lines[:1], g.ahead[:1]
}

// InLine is the number of members that wait for the next group, in the first line of those that name a thread and of the
// others.
func InLine(s *Store) (waiting int) {
	g := s.engine.(*postgresEngine).groups
	for _, line := range []*groupLine{&g.lines[0], &g.ahead[0]} {
		line.mu.Lock()
		waiting += line.waiting.Len()
		line.mu.Unlock()
	}
	return waiting
}

// Exec is a statement whose count of changed rows the closure waits for.
func Exec(tx *Tx, sql string, args ...any) (int64, error) { return tx.exec(sql, args...) }

// RunsTogether reports whether PostgreSQL would run a transaction of this kind together with others.
func RunsTogether(s *Store, kind string) bool {
	u := &s.engine.(*postgresEngine).groups.unfit
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.until[kind] == 0
}

// HoldLookUps makes look-ups by a key wait until they are released.
func HoldLookUps(s *Store) (waiting func() int, release func()) {
	e := s.engine.(*postgresEngine)
	e.lookUps.mu.Lock()
	defer e.lookUps.mu.Unlock()
	e.lookUps.running += lookUpTrips
	waiting = func() int {
		e.lookUps.mu.Lock()
		defer e.lookUps.mu.Unlock()
		return len(e.lookUps.waiting)
	}
	return waiting, func() {
		for range lookUpTrips {
			e.lookUps.leave(e)
		}
	}
}

// Fit says what is known of a statement by its text: its kind, the table that it is about, and whether its row can be
// named.
func Fit(sql string) string {
	f := aheadFormOf(sql)
	kind := map[aheadKind]string{aheadOther: "alone", aheadRead: "read", aheadAdd: "add", aheadInsert: "insert", aheadChange: "change"}[f.kind]
	for _, known := range []struct {
		is   bool
		word string
	}{{f.table != "", f.table}, {f.row != nil, "row"}, {f.locks, "locked"}, {f.counted, "counted"}} {
		if known.is {
			kind += " " + known.word
		}
	}
	return kind
}

// NextGroup is the turns of the members that run together, of those that wait, when each turn's last member wrote so
// many rows.
func NextGroup(waiting []Turn, written map[Turn]int) (together []Turn) {
	line := &newGroups(nil).lines[0]
	for _, turn := range waiting {
		line.waiting.Add(turn, &member{ctx: WithTurn(context.Background(), turn)})
	}
	for turn, rows := range written {
		line.learn([]*member{{ctx: WithTurn(context.Background(), turn), rows: rows}})
	}
	for _, m := range line.next() {
		together = append(together, turnOf(m.ctx))
	}
	return together
}
