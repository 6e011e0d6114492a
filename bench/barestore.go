package main

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the driver the program uses
)

// The bare stores write label rows with nothing around them: no HTTP, no key lookup, no events. They show what the
// engine and the disk allow.

// schema is the program's own table of labels with its indexes, without the foreign key, which would need the rest of
// the schema.
var schema = []string{
	`CREATE TABLE bare_labels (
		org_id     TEXT   NOT NULL,
		id         TEXT   NOT NULL,
		team_id    TEXT   NOT NULL,
		name       TEXT   NOT NULL,
		name_key   TEXT   NOT NULL,
		color      TEXT   NOT NULL,
		created_at BIGINT NOT NULL,
		updated_at BIGINT NOT NULL,
		PRIMARY KEY (org_id, id),
		UNIQUE (org_id, team_id, name_key)
	)`,
	`CREATE INDEX bare_labels_by_age ON bare_labels (org_id, created_at DESC, id DESC)`,
	`CREATE INDEX bare_labels_by_team ON bare_labels (org_id, team_id, created_at DESC, id DESC)`,
}

const insertRow = `INSERT INTO bare_labels
	(org_id, id, team_id, name, name_key, color, created_at, updated_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

func row(i int64) []any {
	now := time.Now().UnixMilli()
	name := fmt.Sprintf("plain %012d", i)
	return []any{
		"org_00000000000000000000000000", fmt.Sprintf("lbl_%026d", i),
		"team_00000000000000000000000000", name, name, "blue", now, now,
	}
}

// bareSQLite commits rows in groups as large as the number of the load's connections, because a writer that serves them
// all cannot find more waiting.
type bareSQLite struct {
	db    *sql.DB
	group int
	next  int64
}

func openBareSQLite(ctx context.Context, dir string, group int) (*bareSQLite, error) {
	name := "file:" + filepath.Join(dir, "bare.db") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, statement := range schema {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			db.Close()
			return nil, err
		}
	}
	return &bareSQLite{db: db, group: group}, nil
}

func (s *bareSQLite) phase(ctx context.Context, b bounds) (tally, error) {
	insert, err := s.db.PrepareContext(ctx, insertRow)
	if err != nil {
		return tally{}, err
	}
	defer insert.Close()
	t := tally{perLatency: s.group}
	start := time.Now()
	for t.elapsed < b.duration && (b.requests == 0 || t.wanted() < b.requests) {
		begin := time.Now()
		if err := s.commitGroup(ctx, insert); err != nil {
			return t, err
		}
		t.latencies = append(t.latencies, time.Since(begin))
		t.elapsed = time.Since(start)
	}
	return t, nil
}

func (s *bareSQLite) commitGroup(ctx context.Context, insert *sql.Stmt) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // a no-op after the commit
	inTx := tx.StmtContext(ctx, insert)
	defer inTx.Close()
	for range s.group {
		s.next++
		if _, err := inTx.ExecContext(ctx, row(s.next)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// barePostgres commits every row separately, with one connection per worker. That is the least a request costs if
// requests do not share a transaction.
type barePostgres struct {
	conns []*pgx.Conn
	next  atomic.Int64
}

func openBarePostgres(ctx context.Context, url string, connections int) (*barePostgres, error) {
	s := &barePostgres{}
	for range connections {
		c, err := pgx.Connect(ctx, url)
		if err != nil {
			s.close(ctx)
			return nil, err
		}
		s.conns = append(s.conns, c)
	}
	for _, statement := range schema {
		if _, err := s.conns[0].Exec(ctx, statement); err != nil {
			s.close(ctx)
			return nil, err
		}
	}
	return s, nil
}

// close also drops the table, so that the program starts on an empty database.
func (s *barePostgres) close(ctx context.Context) {
	for i, c := range s.conns {
		if i == 0 {
			_, _ = c.Exec(ctx, "DROP TABLE IF EXISTS bare_labels") // the whole server is thrown away
		}
		c.Close(ctx)
	}
}

func (s *barePostgres) phase(ctx context.Context, b bounds) (tally, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	last := int64(math.MaxInt64)
	if b.requests > 0 {
		last = s.next.Load() + int64(b.requests)
	}
	tallies := make([]tally, len(s.conns))
	var wg sync.WaitGroup
	for i, c := range s.conns {
		wg.Go(func() {
			if err := s.insertUntil(ctx, c, &tallies[i], start.Add(b.duration), last); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	total := tally{elapsed: time.Since(start)}
	for i := range tallies {
		total.merge(&tallies[i])
	}
	return total, context.Cause(ctx)
}

func (s *barePostgres) insertUntil(ctx context.Context, c *pgx.Conn, t *tally, until time.Time, last int64) error {
	for ctx.Err() == nil {
		i := s.next.Add(1) - 1
		begin := time.Now()
		if i >= last || begin.After(until) {
			return nil
		}
		if _, err := c.Exec(ctx, insertRow, row(i)...); err != nil {
			return err
		}
		t.latencies = append(t.latencies, time.Since(begin))
	}
	return nil
}
