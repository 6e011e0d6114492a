package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// isRevoked reads a key as a request does.
func isRevoked(t *testing.T, st *store.Store, key chat.APIKey) bool {
	t.Helper()
	got, err := st.Read(t.Context()).KeyContext(key.Hash)
	requireNoError(t, err)
	return got.Key.RevokedAt != nil
}

func runAll(t *testing.T, db *pgx.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := db.Exec(t.Context(), statement)
		requireNoError(t, err)
	}
}

// A plan changes while an organization goes over to it. The organization's key gets the limits that the plan has then.
func TestPlanThatChangesWhileAnOrganizationTakesIt(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, db := storetest.OpenAt(t, cfg), admin(t, cfg)
	org := storetest.Org(t, st)
	key, _ := storetest.Key(t, st, org.ID)
	read := func() chat.Plan {
		got, err := st.Read(t.Context()).KeyContext(key.Hash)
		requireNoError(t, err)
		return got.Plan
	}
	_, err := db.Exec(t.Context(), "INSERT INTO plans SELECT 'other', api, customers, monthly_messages, retention_days, 1, read_per_minute FROM plans LIMIT 1")
	requireNoError(t, err)
	runAll(t, db, "BEGIN", "UPDATE plans SET write_per_minute = 2 WHERE name = 'other'", "SET CONSTRAINTS ALL IMMEDIATE")
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			_, err := store.Exec(tx, "UPDATE organizations SET plan = 'other' WHERE id = $1", org.ID)
			return err
		})
		read()
		read()
	}()
	pgtest.UntilWaits(t, cfg.URL, moved)
	_, err = db.Exec(t.Context(), "COMMIT")
	requireNoError(t, err)
	<-moved
	requireEqual(t, read().WritePerMinute, nil, 2)
}

// Who changes rows by hand may be another user of the database, whose own tables come first to it.
func TestChangesOfAnotherUser(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, db := storetest.OpenAt(t, cfg), admin(t, cfg)
	org := storetest.Org(t, st)
	key, _ := storetest.Key(t, st, org.ID)
	isRevoked(t, st, key)
	isRevoked(t, st, key)
	var other string
	requireNoError(t, db.QueryRow(t.Context(), "SELECT quote_ident('other_' || current_database())").Scan(&other))
	t.Cleanup(func() {
		_, err := db.Exec(context.Background(), "RESET ROLE; DROP ROLE IF EXISTS "+other)
		requireNoError(t, err)
	})
	runAll(t, db, "CREATE ROLE "+other+" SUPERUSER", "CREATE SCHEMA "+other, "CREATE TABLE "+other+".organizations (id text)",
		"SET ROLE "+other, "UPDATE public.api_keys SET revoked_at = 1")
	requireEqual(t, isRevoked(t, st, key), nil, true)
}

// A transaction of a database that was restored from a copy can have the number that another one had where the copy is of.
func TestEditionsOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, db := storetest.OpenAt(t, cfg), admin(t, cfg)
	org := storetest.Org(t, st)
	edition := func() (edition string) {
		requireNoError(t, db.QueryRow(t.Context(), "SELECT edition FROM steady_editions WHERE org_id = $1", org.ID).Scan(&edition))
		return edition
	}
	before := edition()
	tx, err := db.Begin(t.Context())
	requireNoError(t, err)
	var number string
	requireNoError(t, tx.QueryRow(t.Context(), "SELECT pg_current_xact_id()::text").Scan(&number))
	_, err = admin(t, cfg).Exec(t.Context(), "UPDATE steady_editions SET changed_by = $1::text::xid8", number)
	requireNoError(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE organizations SET name = 'changed'")
	requireNoError(t, err)
	requireNoError(t, tx.Commit(t.Context()))
	if edition() == before {
		t.Error("the change gave no other edition")
	}
}

// A node that makes a trigger that was missing tells the others, which have not heard of changes without it, and leaves the
// other triggers alone: who drops one waits for all who read the table.
func TestTriggerThatWasMissing(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, db, reader := storetest.OpenAt(t, cfg), admin(t, cfg), admin(t, cfg)
	key, _ := storetest.Key(t, st, storetest.Org(t, st).ID)
	runAll(t, db, "DROP TRIGGER new_steady_edition ON api_keys", "ALTER TABLE customers DISABLE TRIGGER new_steady_edition")
	isRevoked(t, st, key)
	isRevoked(t, st, key)
	_, err := db.Exec(t.Context(), "UPDATE api_keys SET revoked_at = 1")
	requireNoError(t, err)
	runAll(t, reader, "BEGIN", "SELECT FROM accounts, api_keys, customers") // a copy is being made
	storetest.OpenAt(t, cfg)
	requireEqual(t, isRevoked(t, st, key), nil, true)
	var made int
	requireNoError(t, db.QueryRow(t.Context(), "SELECT COUNT(*) FROM pg_trigger WHERE tgname = 'new_steady_edition' AND tgenabled = 'O'").Scan(&made))
	requireEqual(t, made, nil, 6)
}

// While a node waits for the end of a transaction to make a trigger, others change rows of the table.
func TestNobodyWaitsForTheMakingOfATrigger(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, db, writer := storetest.OpenAt(t, cfg), admin(t, cfg), admin(t, cfg)
	org := storetest.Org(t, st)
	key, _ := storetest.Key(t, st, org.ID)
	runAll(t, writer, "DROP TRIGGER new_steady_edition ON api_keys", "BEGIN", "UPDATE api_keys SET last4 = 'abcd'")
	opened := make(chan error, 1)
	go func() {
		second, err := store.Open(context.Background(), cfg)
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	pgtest.UntilWaits(t, cfg.URL, nil)
	storetest.Key(t, st, org.ID)
	_, err := writer.Exec(t.Context(), "COMMIT")
	requireNoError(t, err)
	requireNoError(t, <-opened)
	_, err = db.Exec(t.Context(), "DELETE FROM api_keys")
	requireNoError(t, err)
	_, err = st.Read(t.Context()).KeyContext(key.Hash)
	requireError(t, err, store.ErrNotFound)
}

// Two transactions change rows of two organizations in opposite order, and so write their editions: both commit.
func TestEditionsInOppositeOrder(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st := storetest.OpenAt(t, cfg)
	var orgs [2]storetest.Organization
	var keys [4]chat.APIKey
	for i := range keys {
		if i < 2 {
			orgs[i] = storetest.Org(t, st)
		}
		keys[i], _ = storetest.Key(t, st, orgs[i%2].ID)
	}
	var attempts [2]int
	written := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	requireAllNil(t, together(2, func(i int) error {
		return st.InTx(context.Background(), func(tx *store.Tx) error {
			attempts[i]++
			_, err := tx.RevokeKey(keys[3*i].ID) // 0 and 3, of the first organization and of the second
			if attempts[i] == 1 {
				_, now := store.Exec(tx, "SET CONSTRAINTS ALL IMMEDIATE")
				err = errors.Join(err, now)
				close(written[i])
				<-written[1-i]
			}
			_, last := tx.RevokeKey(keys[1+i].ID) // 1 and 2, of the other one
			return errors.Join(err, last)
		})
	}))
	if attempts[0]+attempts[1] < 3 {
		t.Errorf("there was no deadlock: %v attempts", attempts)
	}
	for _, key := range keys {
		got, err := st.Read(t.Context()).KeyContext(key.Hash)
		requireEqual(t, got.Key.RevokedAt != nil, err, true)
	}
}
