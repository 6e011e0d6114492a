package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/parleyhq/parley/internal/store/migrations"
)

// migrateUp applies the missing migrations. The caller holds a lock against other nodes, so that each migration
// runs once, however many nodes start together. If the store must exist, an older schema is refused. made says that there was
// none.
func migrateUp(ctx context.Context, dialect goose.Dialect, db *sql.DB, mustExist bool) (made bool, err error) {
	provider, err := goose.NewProvider(dialect, db, migrations.Files)
	if err != nil {
		return false, fmt.Errorf("read migrations: %w", err)
	}
	have, want, err := provider.GetVersions(ctx)
	if err != nil {
		return false, fmt.Errorf("read the schema's version: %w", err)
	}
	if have > want {
		return false, fmt.Errorf("the store has schema version %d, newer than this program knows (%d): start the newer program, or restore a backup from before the upgrade with this one", have, want)
	}
	if have < want && mustExist {
		return false, fmt.Errorf("the store has schema version %d, and this program needs %d: run `parley migrate`, or start the server with this program, which also goes on with what waits; older programs refuse the store after that", have, want)
	}
	if _, err := provider.Up(ctx); err != nil {
		return false, fmt.Errorf("migrate the store: %w", err)
	}
	return have == 0, nil
}
