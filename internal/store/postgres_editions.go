package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// steady is what the editions of organizations are of: their rows in the steady tables.
const steady = "steady"

// editionsTable has an edition for each organization. Its rows, unlike those of other tables, are written by triggers alone.
const editionsTable = "steady_editions"

const makeEditions = `CREATE TABLE IF NOT EXISTS steady_editions (
	org_id     text COLLATE "C" NOT NULL,
	id         text COLLATE "C" NOT NULL,
	edition    text COLLATE "C" NOT NULL,
	changed_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
	PRIMARY KEY (org_id, id))`

// makeEditionsFunction gives an organization another edition, once in a transaction, whose number in changed_by counts only in
// the row that it wrote itself (xmin): a restored database has others' numbers. Editions are random: after a failover
// that has lost transactions, a counter would come to the same number with other rows. An organization that is gone has
// none. One that takes a plan waits for who is changing that plan, and who cannot see yet that the organization has it.
// Whoever changes a row, the tables beside it are meant.
const makeEditionsFunction = `CREATE OR REPLACE FUNCTION new_steady_edition() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$` + editionsBody + `$$`

const editionsBody = `
DECLARE
	org text;
BEGIN
	PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
	IF TG_TABLE_NAME = 'plans' THEN
		INSERT INTO steady_editions (org_id, id, edition) SELECT o.id, 'steady', gen_random_uuid() FROM organizations o WHERE o.plan = OLD.name ORDER BY o.id
			ON CONFLICT (org_id, id) DO UPDATE SET edition = excluded.edition, changed_by = excluded.changed_by;
		RETURN NULL;
	ELSIF TG_TABLE_NAME = 'organizations' THEN
		org := COALESCE(NEW.id, OLD.id);
		IF NEW.plan IS DISTINCT FROM OLD.plan THEN
			PERFORM FROM plans WHERE name = NEW.plan FOR SHARE;
		END IF;
	ELSE
		org := COALESCE(NEW.org_id, OLD.org_id);
	END IF;
	IF EXISTS (SELECT FROM organizations WHERE id = org) THEN
		INSERT INTO steady_editions (org_id, id, edition) VALUES (org, 'steady', gen_random_uuid())
			ON CONFLICT (org_id, id) DO UPDATE SET edition = excluded.edition, changed_by = excluded.changed_by
			WHERE steady_editions.changed_by <> excluded.changed_by OR steady_editions.xmin <> excluded.changed_by::xid;
	ELSE
		DELETE FROM steady_editions WHERE org_id = org;
	END IF;
	RETURN NULL;
END `

// renewEditions gives each organization another edition: what changed without a trigger has not given it one.
const renewEditions = `INSERT INTO steady_editions (org_id, id, edition) SELECT id, 'steady', gen_random_uuid() FROM organizations ORDER BY id
	ON CONFLICT (org_id, id) DO UPDATE SET edition = excluded.edition, changed_by = excluded.changed_by`

// editionsLacking finds what is not as it should be, and returns the statements that mend it. None of them drops a trigger,
// which would wait for all who read the table, a copy of the database among them. A trigger waits for the end of its
// transaction, so that what it locks is locked for a moment.
const editionsLacking = `SELECT $2::text WHERE NOT EXISTS (SELECT FROM pg_proc p
		WHERE p.proname = 'new_steady_edition' AND p.pronamespace = current_schema()::regnamespace AND p.prosrc = $3)
	UNION ALL
	SELECT CASE WHEN t.oid IS NULL THEN format('CREATE CONSTRAINT TRIGGER new_steady_edition AFTER INSERT OR UPDATE OR DELETE ON %I
			DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION new_steady_edition()', c.relname)
		ELSE format('ALTER TABLE %I ENABLE TRIGGER new_steady_edition', c.relname) END
	FROM pg_class c LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = 'new_steady_edition'
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1::text[]) AND COALESCE(t.tgenabled, 'D') NOT IN ('O', 'A')`

// withEditions are the tables that postgresMemory has rows of.
var withEditions = []string{"accounts", "api_keys", "customers", "organizations", "plans", "templates"}

const (
	// editionsWait is how long the making of a trigger waits for a table, which others cannot change meanwhile.
	editionsWait = "SET LOCAL lock_timeout = '200ms'"
	// editionsAgain is how long it then leaves the table to them.
	editionsAgain = time.Second
)

// keepEditions has the database give an organization another edition with each change of its rows in the steady tables,
// whoever makes it: this program, an older one beside it, or an operator by hand.
func (e *postgresEngine) keepEditions(ctx context.Context, db *sql.DB) error {
	lacking, err := texts(ctx, db, editionsLacking, withEditions, makeEditionsFunction, editionsBody)
	if err == nil && len(lacking) > 0 {
		_, err = db.ExecContext(ctx, makeEditions)
	}
	for _, text := range lacking {
		if err == nil {
			err = e.mendEditions(ctx, db, text)
		}
	}
	if err != nil {
		return fmt.Errorf("have the database keep editions of organizations: %w", err)
	}
	e.memory.kept = true
	return nil
}

// mendEditions runs a statement that waits for a table, and renews all editions. It holds no other table, and waits for a long
// transaction a moment at a time.
func (e *postgresEngine) mendEditions(ctx context.Context, db *sql.DB, text string) error {
	for tries := 1; ; tries++ {
		err := tryMending(ctx, db, text)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != lockTimeout && !isRetryable(err) {
			return err
		}
		if tries == migrationTold {
			e.log.Info("another transaction on the database has changed a table and not ended: waiting for it", "statement", text)
		}
		select {
		case <-time.After(editionsAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func tryMending(ctx context.Context, db *sql.DB, text string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, statement := range []string{editionsWait, text, renewEditions} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}
