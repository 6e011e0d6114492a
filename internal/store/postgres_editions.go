package store

import (
	"context"
	"database/sql"
	"fmt"
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

// makeEditionsTrigger gives an organization another edition, once in a transaction. Editions are random: after a failover
// that has lost transactions, a counter would come to the same number with other rows. An organization that is gone has
// none.
const makeEditionsTrigger = `CREATE OR REPLACE FUNCTION new_steady_edition() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	org text;
BEGIN
	IF TG_TABLE_NAME = 'plans' THEN
		INSERT INTO steady_editions (org_id, id, edition) SELECT o.id, 'steady', gen_random_uuid() FROM organizations o WHERE o.plan = OLD.name ORDER BY o.id
			ON CONFLICT (org_id, id) DO UPDATE SET edition = excluded.edition, changed_by = excluded.changed_by;
		RETURN NULL;
	ELSIF TG_TABLE_NAME = 'organizations' THEN
		org := COALESCE(NEW.id, OLD.id);
	ELSE
		org := COALESCE(NEW.org_id, OLD.org_id);
	END IF;
	IF EXISTS (SELECT FROM organizations WHERE id = org) THEN
		INSERT INTO steady_editions (org_id, id, edition) VALUES (org, 'steady', gen_random_uuid())
			ON CONFLICT (org_id, id) DO UPDATE SET edition = excluded.edition, changed_by = excluded.changed_by
			WHERE steady_editions.changed_by <> excluded.changed_by;
	ELSE
		DELETE FROM steady_editions WHERE org_id = org;
	END IF;
	RETURN NULL;
END $$`

// steadyTriggers finds the steady tables whose changes give a new edition.
const steadyTriggers = `SELECT COUNT(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
	WHERE t.tgname = 'new_steady_edition' AND t.tgenabled IN ('O', 'A') AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1::text[])`

// withEditions are the tables that postgresMemory has rows of.
var withEditions = []string{"accounts", "api_keys", "customers", "organizations", "plans", "templates"}

// keepEditions has the database give an organization another edition with each change of its rows in the steady tables,
// whoever makes it: this program, an older one beside it, or an operator by hand. Each statement is a transaction of its own,
// so that it waits for one table, and holds no other one meanwhile.
func (e *postgresEngine) keepEditions(ctx context.Context, db *sql.DB) error {
	var there int
	if err := db.QueryRowContext(ctx, steadyTriggers, withEditions).Scan(&there); err != nil {
		return fmt.Errorf("look for the editions of organizations: %w", err)
	}
	if there < len(withEditions) {
		for _, text := range editionsMade() {
			if _, err := db.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("have the database keep editions of organizations: %w", err)
			}
		}
	}
	e.memory.kept = true
	return nil
}

// editionsMade are the statements that make the editions. A trigger waits for the end of its transaction, so that what it
// locks is locked for a moment.
func editionsMade() []string {
	made := []string{makeEditions, makeEditionsTrigger}
	for _, table := range withEditions {
		made = append(made, "DROP TRIGGER IF EXISTS new_steady_edition ON "+table, "CREATE CONSTRAINT TRIGGER new_steady_edition AFTER INSERT OR UPDATE OR DELETE ON "+table+
			" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION new_steady_edition()")
	}
	return append(made, "INSERT INTO steady_editions (org_id, id, edition) SELECT id, 'steady', gen_random_uuid() FROM organizations ON CONFLICT DO NOTHING")
}
