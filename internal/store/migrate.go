package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/parleyhq/parley/internal/store/migrations"
)

// migrateUp applies the missing migrations. The caller holds a lock against other nodes, so that each migration
// runs once, however many nodes start together.
func migrateUp(ctx context.Context, dialect goose.Dialect, db *sql.DB) error {
	provider, err := goose.NewProvider(dialect, db, migrations.Files)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	have, want, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if have > want {
		return fmt.Errorf("the store has schema version %d, newer than this program knows (%d): start the newer program, or restore a backup from before the upgrade", have, want)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate the store: %w", err)
	}
	return nil
}
