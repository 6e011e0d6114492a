package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// UntilWaits returns once a transaction in the database waits for another's lock, or done is closed.
func UntilWaits(t testing.TB, url string, done <-chan struct{}) {
	t.Helper()
	ctx := context.Background()
	cfg, err := pgxpool.ParseConfig(url) // because it understands pool settings in the address
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for waits := false; !waits; {
		select {
		case <-done:
			return
		default:
		}
		err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
}
