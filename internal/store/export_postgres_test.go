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
	s.engine.(*postgresEngine).groups.lines = s.engine.(*postgresEngine).groups.lines[:1]
}

// InLine is the number of members that wait for the next group.
func InLine(s *Store) int {
	line := &s.engine.(*postgresEngine).groups.lines[0]
	line.mu.Lock()
	defer line.mu.Unlock()
	return line.waiting.Len()
}

// NextGroup is the turns of the members that run together, of those that wait, when each turn's last member wrote so
// many rows.
func NextGroup(waiting []Turn, written map[Turn]int) (together []Turn) {
	line := &newGroups(nil).lines[0]
	for _, turn := range waiting {
		line.add(&member{ctx: WithTurn(context.Background(), turn)}, func(*groupLine) {})
	}
	for turn, rows := range written {
		line.learn([]*member{{ctx: WithTurn(context.Background(), turn), rows: rows}})
	}
	for _, m := range line.next() {
		together = append(together, turnOf(m.ctx))
	}
	return together
}
