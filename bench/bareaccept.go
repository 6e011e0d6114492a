package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// The bare path of a send is what every server would do for it: read the request, look the key up, and write the
// message, its job and its conversation, for all requests that wait in one transaction. It checks nothing else, and
// nobody sends the messages. It runs as its own process, like the program under test.

// acceptSchema has the columns and indexes that the program's rows have.
const acceptSchema = `
	CREATE TABLE bare_keys (hash TEXT PRIMARY KEY, org_id TEXT NOT NULL);
	CREATE TABLE bare_messages (org_id TEXT NOT NULL, id TEXT NOT NULL, account_id TEXT NOT NULL, conversation_id TEXT NOT NULL, status TEXT NOT NULL,
		type TEXT NOT NULL, content TEXT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (org_id, id));
	CREATE INDEX bare_messages_by_status ON bare_messages (account_id, status, id);
	CREATE INDEX bare_messages_by_conversation ON bare_messages (conversation_id, id);
	CREATE INDEX bare_messages_by_type ON bare_messages (account_id, type, id);
	CREATE TABLE bare_jobs (org_id TEXT NOT NULL, message_id TEXT NOT NULL, account_id TEXT NOT NULL, conversation_id TEXT NOT NULL, due_at BIGINT NOT NULL,
		owner TEXT NOT NULL, PRIMARY KEY (org_id, message_id));
	CREATE INDEX bare_jobs_by_owner ON bare_jobs (owner, account_id, message_id);
	CREATE TABLE bare_conversations (org_id TEXT NOT NULL, id TEXT NOT NULL, account_id TEXT NOT NULL, sort_at BIGINT NOT NULL, PRIMARY KEY (org_id, id));
	CREATE INDEX bare_conversations_by_activity ON bare_conversations (org_id, account_id, sort_at DESC, id DESC);
	INSERT INTO bare_keys VALUES ('key', 'org_00000000000000000000000000');`

// acceptFiller shows PostgreSQL what conversations are like. A plan that is made while the table is empty reads all of it, or
// all of an index, for ever.
const acceptFiller = `
	INSERT INTO bare_conversations SELECT 'org_00000000000000000000000001', 'filler ' || n, 'acc_2', n FROM generate_series(1, 5000) AS n;
	ANALYZE bare_conversations;`

const (
	acceptWriters = 4 // on PostgreSQL; SQLite has one
	acceptBatch   = 64
)

// bareSend is a request that waits for its rows.
type bareSend struct {
	to, content string
	done        chan error
}

// acceptor writes the rows of several sends in one transaction.
type acceptor interface {
	accept(ctx context.Context, batch []bareSend) error
}

// serveAccept serves the bare path on addr, over the SQLite file or PostgreSQL address in place.
func serveAccept(ctx context.Context, addr, place string) error {
	waiting := make(chan bareSend, 4096)
	writers, open := 1, func() (acceptor, error) { return openAcceptSQLite(ctx, place) }
	if strings.HasPrefix(place, "postgres") {
		writers, open = acceptWriters, func() (acceptor, error) { return openAcceptPostgres(ctx, place) }
	}
	for i := range writers {
		a, err := open()
		if err != nil {
			return err
		}
		if pg, ok := a.(*acceptPostgres); ok && i == 0 {
			if _, err := pg.conn.Exec(ctx, acceptSchema+acceptFiller); err != nil {
				return err
			}
		}
		go acceptAll(ctx, a, waiting)
	}
	server := &http.Server{Addr: addr, ReadHeaderTimeout: 10 * time.Second, Handler: acceptHandler(waiting)}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func acceptHandler(waiting chan<- bareSend) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // the generator asks whether the server is there
			return
		}
		var body struct{ To, Type string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s := bareSend{to: body.To, content: `{"name":"hello_world","language":"en_US"}`, done: make(chan error, 1)}
		waiting <- s
		if err := <-s.done; err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer, _ := json.Marshal(map[string]any{"data": map[string]string{"id": messageID(), "to": body.To, "status": "queued", "filler": strings.Repeat("x", 200)}})
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		_, _ = w.Write(answer) // fails only if the client is gone
	})
}

var lastMessage atomic.Int64

func messageID() string { return fmt.Sprintf("msg_%026d", lastMessage.Add(1)) }

// acceptAll writes what waits, again and again.
func acceptAll(ctx context.Context, a acceptor, waiting <-chan bareSend) {
	for s := range waiting {
		batch := []bareSend{s}
		for more := true; more && len(batch) < acceptBatch; {
			select {
			case s := <-waiting:
				batch = append(batch, s)
			default:
				more = false
			}
		}
		err := a.accept(ctx, batch)
		for _, s := range batch {
			s.done <- err
		}
	}
}

type acceptSQLite struct{ db *sql.DB }

func openAcceptSQLite(ctx context.Context, file string) (*acceptSQLite, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, acceptSchema)
	return &acceptSQLite{db}, err
}

func (a *acceptSQLite) accept(ctx context.Context, batch []bareSend) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // a no-op after the commit
	now := time.Now().UnixMilli()
	for _, s := range batch {
		var org string
		if err := tx.QueryRowContext(ctx, "SELECT org_id FROM bare_keys WHERE hash = 'key'").Scan(&org); err != nil {
			return err
		}
		id := messageID()
		for _, w := range []statement{
			{"INSERT INTO bare_messages VALUES ($1, $2, 'acc_1', $3, 'queued', 'template', $4, $5)", []any{org, id, s.to, s.content, now}},
			{"INSERT INTO bare_jobs VALUES ($1, $2, 'acc_1', $3, $4, 'node')", []any{org, id, s.to, now}},
			{"INSERT INTO bare_conversations VALUES ($1, $2, 'acc_1', $3) ON CONFLICT (org_id, id) DO UPDATE SET sort_at = excluded.sort_at", []any{org, s.to, now}},
		} {
			if _, err := tx.ExecContext(ctx, w.text, w.args...); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// statement is a statement with its arguments.
type statement struct {
	text string
	args []any
}

type acceptPostgres struct{ conn *pgx.Conn }

func openAcceptPostgres(ctx context.Context, url string) (*acceptPostgres, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "SET plan_cache_mode = force_generic_plan") // one for this organization believes that it has no rows yet
	return &acceptPostgres{conn}, err
}

// accept reads the key, then writes with three statements that travel together with the commit.
func (a *acceptPostgres) accept(ctx context.Context, batch []bareSend) error {
	var org string
	if err := a.conn.QueryRow(ctx, "SELECT org_id FROM bare_keys WHERE hash = ANY($1)", []string{"key"}).Scan(&org); err != nil {
		return err
	}
	var ids, to, contents, people []string
	seen := map[string]bool{}
	for _, s := range batch {
		ids, to, contents = append(ids, messageID()), append(to, s.to), append(contents, s.content)
		if !seen[s.to] {
			seen[s.to] = true
			people = append(people, s.to)
		}
	}
	now := time.Now().UnixMilli()
	all := &pgx.Batch{}
	// The rows are found, and locked, in the order of the index. With ORDER BY, PostgreSQL reads the whole index instead.
	all.Queue("SELECT id, sort_at FROM bare_conversations WHERE org_id = $1 AND id = ANY($2) FOR UPDATE", org, people)
	all.Queue("INSERT INTO bare_messages SELECT $1, i, 'acc_1', t, 'queued', 'template', c, $2 FROM unnest($3::text[], $4::text[], $5::text[]) AS n (i, t, c)", org, now, ids, to, contents)
	all.Queue("INSERT INTO bare_jobs SELECT $1, i, 'acc_1', t, $2, 'node' FROM unnest($3::text[], $4::text[]) AS n (i, t)", org, now, ids, to)
	all.Queue("INSERT INTO bare_conversations SELECT $1, t, 'acc_1', $2 FROM unnest($3::text[]) AS n (t) ORDER BY t ON CONFLICT (org_id, id) DO UPDATE SET sort_at = excluded.sort_at", org, now, people)
	return a.conn.SendBatch(ctx, all).Close() // one implicit transaction
}
