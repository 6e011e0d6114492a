package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// dialect holds the SQL that differs between the engines.
type dialect struct {
	name string
	// forUpdate locks the rows a query returns until the transaction ends.
	forUpdate string
	// keepRow locks the rows a query returns against deletion until the transaction ends.
	keepRow string
	// skipLocked ends a subquery that claims rows. It skips rows that another node is claiming.
	skipLocked string
	// lock waits for a lock named $1, and has it until the transaction ends. Empty: there is one writer.
	lock string
	// tryLock takes a lock named $1 for the transaction and returns whether it got it.
	tryLock string
	// fence ends a subquery that must be planned on its own. PostgreSQL assumes that matching rows are spread
	// evenly over a list, and would walk all of it for a few rows at its end.
	fence string
	// useIndexes makes the rest of a transaction use index look-ups, as for large tables. A plan that was made
	// while a table was empty would scan the table after it has filled, and one that was made for an organization which
	// the statistics do not know would read all its rows.
	useIndexes string
	// member is the condition that column %[1]s has one of the texts of list %[2]s.
	member string
	// between is what oneOfFew adds to it, if anything.
	between string
	// among is the condition that column %[1]s has one of the texts that query %[2]s finds. The query runs
	// once, and the column's index is not used.
	among string
	// texts is the table of the texts (p.value) of list %s.
	texts string
	// list converts a list of texts to one argument. One argument of any length keeps the number of statements
	// small.
	list func([]string) any
	// elements is the table of the elements (p.value) of a JSON array %s; empty where one statement for each
	// costs nothing more.
	elements string
	// objects is the table of the objects (p.value) of a JSON array %s.
	objects string
	// lookUp joins the one row of table %[1]s, called %[2]s and locked by %[4]s, that condition %[3]s finds for each row of
	// what stands before. The planner may neither begin with the table, which it would scan while it takes it for
	// empty, nor read all rows of an organization that its statistics do not know.
	lookUp string
	// picked is the condition that a row, whose key is %[1]s, is one of those that %[2]s finds in the same table. PostgreSQL
	// goes to the places of the rows: by their key it would read all rows of an organization that its statistics do
	// not know, for each of them.
	picked string
	// grown finds the tables that are much larger than the planner's statistics say.
	grown string
	// listed finds the large tables whose statistics seem to list all organizations, and these organizations.
	listed string
	// byBytes follows an expression whose text is compared byte by byte, as columns are.
	byBytes string
	// lower is the text %s in small letters.
	lower string
	// inSteps says that the deliveries of one event are written in several transactions: see Tx.InSteps.
	inSteps bool
	// stepTime is how long a step of long work may take. On SQLite every writer waits for it.
	stepTime time.Duration
	// restBeside is how many times as long as usual a purge rests where others write too. On SQLite they share one
	// journal, and wait for each other's pages to be synced.
	restBeside int
}

// forEach joins one locked row of a table for each row of the tables before.
func (d dialect) forEach(table, alias, condition string) string {
	return fmt.Sprintf(d.lookUp, table, alias, condition, d.forUpdate)
}

// beside is forEach without locks.
func (d dialect) beside(table, alias, condition string) string {
	return fmt.Sprintf(d.lookUp, table, alias, condition, "")
}

// oneOfThose is the condition that a row, whose key is given, is one of those that a query of the same table finds.
func (d dialect) oneOfThose(key, query string) string { return fmt.Sprintf(d.picked, key, query) }

// oneOf is the condition that a column has one of the texts of a list.
func (d dialect) oneOf(column, list string) string { return fmt.Sprintf(d.member, column, list) }

// oneOfFew is oneOf for a table that is empty most of the time. PostgreSQL then thinks that looking at all rows is as good
// as looking for those of the list; so it is told between which rows they are.
func (d dialect) oneOfFew(column, list string) string {
	if d.between == "" {
		return d.oneOf(column, list)
	}
	return d.oneOf(column, list) + fmt.Sprintf(d.between, column, list)
}

var (
	// SQLite has one writer at a time, so every row that a transaction reads is locked already.
	sqliteDialect = dialect{
		name:     "sqlite",
		inSteps:  true,
		lower:    "LOWER(%s)",
		stepTime: 3 * time.Millisecond, restBeside: 4,
		member:  "%[1]s IN (SELECT value FROM json_each(%[2]s))",
		among:   "+%[1]s IN (%[2]s)",
		texts:   "json_each(%s) AS p",
		objects: "json_each(%s) AS p",
		lookUp:  " CROSS JOIN %[1]s %[2]s ON %[3]s",
		picked:  "(%[1]s) IN (SELECT %[1]s FROM %[2]s)",
		list: func(texts []string) any {
			list, _ := json.Marshal(texts) // strings never fail
			return string(list)
		},
	}

	postgresDialect = dialect{
		grown: `SELECT quote_ident(s.relname) FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
			WHERE s.schemaname = current_schema() AND s.n_live_tup > 200 AND s.n_live_tup > 5 * c.reltuples ORDER BY 1`,
		listed: `SELECT quote_ident(p.tablename), p.most_common_vals::text::text[]
			FROM pg_stats p JOIN pg_stat_user_tables s ON s.schemaname = p.schemaname AND s.relname = p.tablename
			WHERE p.schemaname = current_schema() AND p.attname = 'org_id' AND s.n_live_tup > 5000
				AND (SELECT SUM(f) FROM unnest(p.most_common_freqs) f) > 0.99
				AND EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
					WHERE i.indrelid = s.relid AND i.indpred IS NULL AND a.attname = 'org_id')
			ORDER BY 1`,
		name:       "postgres",
		byBytes:    ` COLLATE "C"`,
		lower:      `LOWER(%s COLLATE "default")`,
		stepTime:   25 * time.Millisecond,
		restBeside: 1,
		forUpdate:  " FOR NO KEY UPDATE", // keys never change, so references to the row need not wait
		keepRow:    " FOR KEY SHARE",
		skipLocked: " FOR UPDATE SKIP LOCKED",
		lock:       "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
		tryLock:    "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
		fence:      " OFFSET 0",
		useIndexes: "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_material', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)",
		member:     "%[1]s = ANY(%[2]s::text[])",
		between:    " AND %[1]s >= (SELECT MIN(p) FROM unnest(%[2]s::text[]) p) AND %[1]s <= (SELECT MAX(p) FROM unnest(%[2]s::text[]) p)",
		among:      "(%[1]s || '') = ANY(ARRAY(%[2]s))",
		texts:      "unnest(%s::text[]) AS p (value)",
		objects:    "json_array_elements(%s::json) AS p (value)",
		elements:   "json_array_elements(%s::json) AS p (value)",
		lookUp:     " CROSS JOIN LATERAL (SELECT * FROM %[1]s %[2]s WHERE %[3]s LIMIT 1%[4]s) %[2]s",
		picked:     "ctid = ANY(ARRAY(SELECT ctid FROM %[2]s))",
		list:       func(texts []string) any { return texts },
	}
)
