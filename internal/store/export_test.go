package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/chat"
)

// WriterQueue is how many transactions may wait for the embedded store's writer.
const WriterQueue = writerQueue

// Waiting is how many transactions wait for the embedded store's writer now.
func Waiting(s *Store) int {
	w := s.engine.(*sqliteEngine).writer
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queue.Len()
}

// Closing tells whether Close has begun.
func Closing(s *Store) bool {
	switch e := s.engine.(type) {
	case *sqliteEngine:
		e.writer.mu.Lock()
		defer e.writer.mu.Unlock()
		return e.writer.closed
	case *postgresEngine:
		return e.closed.Load()
	default:
		panic("unknown engine")
	}
}

// MigrationLock is the advisory lock on PostgreSQL that lets one node migrate at a time.
const MigrationLock = migrationLock

// Linguistic finds the tables on PostgreSQL whose texts are compared by a language's rules.
const Linguistic = linguistic

// LabelSearch decides how rows with a label are found.
type LabelSearch struct{ Few, Many, Walk int }

// LabelledContacts is Reader.Contacts for a label, found in a given way.
func LabelledContacts(r Reader, s LabelSearch, orgID, accountID, labelID string, p Page) (Slice[chat.Contact], error) {
	list := contactList
	list.labelSearch = labelSearch{fewLinks: s.Few, manyLinks: s.Many, shortWalk: s.Walk}
	var c conditions
	c.add("c.org_id = ?", orgID)
	c.add("c.account_id = ?", accountID)
	return list.page(r, c, contactsByAge, labelID, p)
}

// Plans runs fn and returns the engine's plan for each statement that fn read with.
func Plans(ctx context.Context, s *Store, fn func(Reader) error) ([]string, error) {
	r := s.Read(ctx)
	planner := &planningSession{session: r.db, sqlite: s.Engine() == "sqlite"}
	r.db = planner
	err := fn(r)
	return planner.plans, err
}

// planningSession asks for the plan of each query before it runs it.
type planningSession struct {
	session
	sqlite bool
	plans  []string
}

func (p *planningSession) query(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	if err := p.plan(ctx, sql, args); err != nil {
		return err
	}
	return p.session.query(ctx, sql, args, each)
}

func (p *planningSession) plan(ctx context.Context, sql string, args []any) error {
	explain, scan := "EXPLAIN (COSTS OFF) ", scanText
	if p.sqlite {
		explain, scan = "EXPLAIN QUERY PLAN ", func(row scanner) (step string, err error) {
			var id, parent, unused int
			err = row.Scan(&id, &parent, &unused, &step)
			return step, err
		}
	}
	steps, err := many(Reader{ctx: ctx, db: p.session}, scan, explain+sql, args...)
	p.plans = append(p.plans, strings.Join(steps, "\n"))
	return err
}

// WritePlans runs fn and returns the engine's plan for each statement that fn wrote with.
func WritePlans(ctx context.Context, s *Store, fn func(*Tx) error) ([]string, error) {
	var planner *planningSession
	err := s.InTx(ctx, func(tx *Tx) error {
		planner = &planningSession{session: tx.db, sqlite: s.Engine() == "sqlite"}
		tx.db = planner
		return fn(tx)
	})
	return planner.plans, err
}

func (p *planningSession) later(ctx context.Context, sql string, args []any) error {
	if !strings.HasPrefix(sql, "SET ") {
		if err := p.plan(ctx, sql, args); err != nil {
			return err
		}
	}
	return p.session.later(ctx, sql, args)
}

// UseIndexes makes the transaction use indexes, as for large tables.
func UseIndexes(tx *Tx) error { return tx.useIndexes() }

// MoveSendJob puts a job into another conversation.
func MoveSendJob(ctx context.Context, s *Store, messageID, conversationID string) error {
	return s.InTx(ctx, func(tx *Tx) error {
		return tx.execOne("UPDATE send_jobs SET conversation_id = $2 WHERE message_id = $1", messageID, conversationID)
	})
}

func (p *planningSession) exec(ctx context.Context, sql string, args []any) (int64, error) {
	if err := p.plan(ctx, sql, args); err != nil {
		return 0, err
	}
	return p.session.exec(ctx, sql, args)
}

// PurgedTables are the tables that a purge of an account empties: rows of the account, and rows that refer to
// them.
func PurgedTables() (tables []string) {
	tables = append(append([]string{"messages"}, hangOnMessages...), withAccount...)
	for _, p := range purgeables {
		tables = append(tables, p.table)
		for _, statement := range p.before(sqliteDialect) {
			tables = append(tables, strings.Fields(statement)[2]) // DELETE FROM …
		}
	}
	return tables
}

// TablesWith are the tables that have a column, in the embedded store.
func TablesWith(ctx context.Context, s *Store, column string) ([]string, error) {
	return many(s.Read(ctx), scanText, `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.name = $1 ORDER BY m.name`, column)
}

// FlushStatistics makes PostgreSQL count the transaction's writes as soon as it ends.
func (tx *Tx) FlushStatistics() error {
	if tx.dialect.grown == "" {
		return nil
	}
	_, err := tx.exec("SELECT pg_stat_force_next_flush()")
	return err
}

// GrownTables are the tables that RefreshStatistics would analyze; known is false if the engine has no
// statistics.
func GrownTables(ctx context.Context, s *Store) (tables []string, known bool, err error) {
	grown := s.engine.dialect().grown
	if grown == "" {
		return nil, false, nil
	}
	tables, err = many(s.Read(ctx), scanText, grown)
	return tables, true, err
}

// UnawareTables are the tables that MeetOrganizations would analyze; known is false if the engine has no statistics.
func UnawareTables(ctx context.Context, s *Store) (tables []string, known bool, err error) {
	if s.engine.dialect().listed == "" {
		return nil, false, nil
	}
	tables, err = s.unawareTables(ctx)
	return tables, true, err
}

// EndListening breaks the connections that listen to notifications.
func EndListening(ctx context.Context, s *Store) error {
	return s.InTx(ctx, func(tx *Tx) error {
		_, err := tx.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN " + wakeupChannel + "' AND datname = current_database()")
		return err
	})
}

// RemovePayloads removes the payloads of events.
func RemovePayloads(tx *Tx, orgID string, ids []string) error { return tx.removePayloads(orgID, ids) }

// Pooled reports whether a pooler lends the store's connections by the transaction.
func Pooled(s *Store) bool { return s.engine.(*postgresEngine).pooled }

// PreparesStatements reports whether connections keep prepared statements.
func PreparesStatements(s *Store) bool {
	return s.engine.(*postgresEngine).pool.Config().ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement
}

// Tell sends a notification.
func Tell(s *Store, topic Topic) { s.engine.tell(topic) }

// OnRest calls rest instead of resting.
func (p *Steps) OnRest(rest func(time.Duration)) {
	p.rest = func(_ context.Context, d time.Duration) { rest(d) }
}

// Isolation is the level of the transaction.
func (tx *Tx) Isolation() (string, error) {
	return one(tx.Reader, scanText, "SELECT current_setting('transaction_isolation')")
}

// IdleLimit is how long the server lets the transaction be idle.
func (tx *Tx) IdleLimit() (string, error) {
	return one(tx.Reader, scanText, "SELECT current_setting('idle_in_transaction_session_timeout')")
}

// LimitIdle changes that limit.
func (tx *Tx) LimitIdle(d time.Duration) error {
	_, err := tx.exec(fmt.Sprintf("SET LOCAL idle_in_transaction_session_timeout = %d", d.Milliseconds()))
	return err
}

// LimitSearch makes a search index on PostgreSQL scan so few texts, with trigrams or without.
func LimitSearch(x *SearchIndex, trigrams bool, newest, most int) {
	if p, ok := x.searchEngine.(*postgresSearch); ok {
		p.trigrams, p.newest, p.most = trigrams, newest, most
	}
}

// APICallsAmong is Reader.APICalls that skips no more than most calls.
func APICallsAmong(r Reader, orgID string, f CallFilter, p Page, most int) (Slice[APICall], error) {
	l := f.look(orgID)
	l.most = most
	return l.run(r, p)
}
