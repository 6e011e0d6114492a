package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	count "github.com/parleyhq/parley/internal/figures"
)

// homeScenarios are the requests of the first page. With -messages they are measured alone, on half a year of that
// many messages of 100 numbers.
var homeScenarios = []dashboardScenario{
	{"dashboard, home: what needs attention", fetching("/attention")},
	{"dashboard, home: figures of 7 days", fetching("/figures?days=7")},
	{"dashboard, home: figures of 90 days", fetching("/figures?days=90")},
	{"dashboard, home: 90 days in Nepal", fetching("/figures?days=90&zone=Asia/Kathmandu")}, // its hours begin at a quarter to
	{"dashboard, home: 90 days of a number", fetching("/figures?days=90&number=7000042")},
	{"dashboard, home: webhooks of 90 days", fetching("/figures/webhooks?days=90")},
}

//go:embed months.sql
var months string

// fillMonths writes so many messages of so many numbers with a few statements, and has the program's own parts count
// them and tell the database how many there are, as a worker would within seconds.
func fillMonths(ctx context.Context, s *server, messages, numbers int) error {
	begin := fmt.Sprintf("CREATE TABLE wanted AS SELECT '%s' AS org_id, CAST(%d AS BIGINT) AS messages, CAST(%d AS BIGINT) AS numbers, CAST(%d AS BIGINT) AS now;\n",
		s.target.org, messages, numbers, time.Now().UnixMilli())
	if err := execute(ctx, s.store, begin+months); err != nil {
		return fmt.Errorf("fill half a year: %w", err)
	}
	st, err := openBeside(ctx, s.store)
	if err != nil {
		return err
	}
	counter := count.New(count.Config{Store: st, Log: slog.New(slog.DiscardHandler)})
	return errors.Join(counter.Sweep(ctx), counter.Pack(ctx), st.RefreshStatistics(ctx), st.Close())
}

// execute runs statements beside the program, which is stopped.
func execute(ctx context.Context, store []string, statements string) error {
	if len(store) > 2 {
		c, err := pgx.Connect(ctx, store[3])
		if err != nil {
			return err
		}
		_, err = c.Exec(ctx, statements)
		return errors.Join(err, c.Close(ctx))
	}
	db, err := sql.Open("sqlite", filepath.Join(store[1], "parley.db"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statements)
	return errors.Join(err, db.Close())
}
