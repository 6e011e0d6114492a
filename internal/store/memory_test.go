package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A caller that is told of a change sees it or a later one, however busy the store is and whatever is cached.
func TestChangesCountAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		ctx, cancel := context.WithCancel(t.Context())
		var others sync.WaitGroup
		defer others.Wait()
		defer cancel()
		for range 4 { // they keep the writer busy, and the account cached
			others.Go(func() {
				for ctx.Err() == nil {
					st.InTx(ctx, func(tx *store.Tx) error { return tx.InsertLabel(storetest.NewLabel(tx, org, tx.NewID(chat.KindLabel))) })
					st.Read(ctx).AccountByNumber(org.ID, *account.PhoneNumberID)
				}
			})
		}
		for i := range 300 {
			account.Name = new(string(rune('a' + i%26)))
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateAccount(account) })
			got, err := st.Read(t.Context()).AccountByNumber(org.ID, *account.PhoneNumberID)
			requireNoError(t, err)
			if got.Name == nil || *got.Name != *account.Name {
				t.Fatalf("change %d: got %v, want %s", i, got.Name, *account.Name)
			}
		}
	})
}

// A command changes the store beside a server, which may have the row cached.
func TestChangesOfOtherProcessesCount(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		server, command := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
		org := storetest.Org(t, server)
		for range 20 {
			key, _ := storetest.Key(t, server, org.ID)
			read := func() chat.APIKey {
				got, err := server.Read(t.Context()).KeyContext(key.Hash)
				requireNoError(t, err)
				return got.Key
			}
			if read(); read().RevokedAt != nil {
				t.Fatal("a new key is revoked")
			}
			storetest.InTx(t, command, func(tx *store.Tx) error { _, err := tx.RevokeKey(key.ID); return err })
			if read().RevokedAt == nil {
				t.Fatal("the server does not know that the key is revoked")
			}
		}
	})
}

// A reader that is held up must not get a value that a command has changed meanwhile.
func TestPausedRecallDoesNotBringBackTheOld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	memory, command := store.OpenMemory(t, dir), store.OpenMemory(t, dir)
	memory.Keep("key", "valid")
	if got := memory.Recall("key"); got != "valid" {
		t.Fatalf("remembered %v", got)
	}
	goOn := memory.Pause()
	answer := make(chan any)
	go func() { answer <- recallWhenPaused(memory) }()
	waitForBlocked("recallWhenPaused")
	command.Change() // it has revoked the key
	goOn()
	if got := <-answer; got != nil {
		t.Errorf("the revoked key is still %v", got)
	}
}

//go:noinline
func recallWhenPaused(memory store.Memory) any { return memory.Recall("key") }

// waitForBlocked returns when a goroutine waits for a lock in a function.
func waitForBlocked(function string) {
	stacks := make([]byte, 4<<20)
	for {
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, function) && strings.Contains(stack, "[sync.RWMutex.RLock") {
				return
			}
		}
		runtime.Gosched()
	}
}

// A program that does not say that it has changed the store, such as SQLite's own shell, is noticed by the writer.
func TestChangesOfStrangersCount(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	account := storetest.Account(t, st, storetest.Org(t, st), "123456")
	read := func() *string {
		got, err := st.Read(t.Context()).AccountByNumber(account.OrgID, *account.PhoneNumberID)
		requireNoError(t, err)
		return got.Name
	}
	read()
	changeAsStranger(t, cfg.Dir, "UPDATE accounts SET name = 'changed'")
	storetest.InTx(t, st, func(*store.Tx) error { return nil })
	if got := read(); got == nil || *got != "changed" {
		t.Errorf("the name is still %v", got)
	}
}

func changeAsStranger(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "parley.db"))
	requireNoError(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), statement)
	requireNoError(t, err)
}

// A store caches a row until it changes, or another row of the same kind.
func TestSteadyRowsAreRemembered(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		fetch := func() *string { // a row that is fetched again is another copy
			got, err := st.Read(t.Context()).AccountByNumber(account.OrgID, *account.PhoneNumberID)
			requireNoError(t, err)
			return got.PhoneNumberID
		}
		fetch() // its organization is known only now
		first := fetch()
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return tx.InsertLabel(storetest.NewLabel(tx, org, "new"))
		})
		if fetch() != first {
			t.Error("the row was fetched twice")
		}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateAccount(account) })
		if fetch() == first {
			t.Error("the row was not fetched after a change")
		}
	})
}

// Steady rows that somebody changes by hand on PostgreSQL are read anew, whatever was changed.
func TestChangesByHandCount(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, db := storetest.OpenAt(t, cfg), admin(t, cfg)
	org := storetest.Org(t, st)
	key, _ := storetest.Key(t, st, org.ID)
	account := customersNumber(t, st, org)
	storetest.InTx(t, st, func(tx *store.Tx) error {
		return tx.PutTemplate(chat.Template{ID: tx.NewID(chat.KindTemplate), OrgID: org.ID, WABAID: "1", Name: "hello", Language: "en",
			Status: chat.TemplateApproved, Components: []byte("[]"), CreatedAt: tx.Now(), UpdatedAt: tx.Now()})
	})
	read := func() string {
		r := st.Read(t.Context())
		caller, err := r.KeyContext(key.Hash)
		requireNoError(t, err)
		number, err := r.AccountByNumber(org.ID, *account.PhoneNumberID)
		requireNoError(t, err)
		template, err := r.TemplateToSend(org.ID, "1", "hello", "en")
		requireNoError(t, err)
		named, err := r.Organization(org.ID)
		requireNoError(t, err)
		return fmt.Sprint(caller.Key.Last4, caller.Organization.Name, caller.Plan.API, *number.CustomerName, number.WABAID, template.ProviderStatus, named.Name)
	}
	for _, change := range []string{
		"UPDATE api_keys SET last4 = 'abcd'", "UPDATE organizations SET name = 'changed'", "UPDATE plans SET api = NOT api",
		"UPDATE customers SET name = 'changed'", "UPDATE accounts SET waba_id = '77'", "UPDATE templates SET provider_status = 'PAUSED'",
	} {
		read()
		before := read()
		_, err := db.Exec(t.Context(), change)
		requireNoError(t, err)
		if read() == before {
			t.Errorf("%s: the store still has %s", change, before)
		}
	}
	read()
	_, err := db.Exec(t.Context(), "DELETE FROM api_keys")
	requireNoError(t, err)
	_, err = st.Read(t.Context()).KeyContext(key.Hash)
	requireError(t, err, store.ErrNotFound)
}

// customersNumber is a number of a customer.
func customersNumber(t *testing.T, st *store.Store, org storetest.Organization) (account chat.Account) {
	t.Helper()
	account = storetest.Account(t, st, org, "123456")
	storetest.InTx(t, st, func(tx *store.Tx) error {
		customer := chat.Customer{ID: tx.NewID(chat.KindCustomer), OrgID: org.ID, TeamID: org.TeamID, Name: "Customer", Status: chat.CustomerActive, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		account.CustomerID = &customer.ID
		return errors.Join(tx.InsertCustomer(customer), tx.UpdateAccount(account))
	})
	return account
}

// Reads of one glance ask once whether rows have changed, and see what is written meanwhile on their behalf.
func TestGlance(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		account := storetest.Account(t, st, storetest.Org(t, st), "123456")
		name := func(ctx context.Context) string {
			got, err := st.Read(ctx).AccountByNumber(account.OrgID, *account.PhoneNumberID)
			requireNoError(t, err)
			if got.Name == nil {
				return ""
			}
			return *got.Name
		}
		rename := func(ctx context.Context, to string) {
			account.Name = &to
			requireNoError(t, st.InTx(ctx, func(tx *store.Tx) error { return tx.UpdateAccount(account) }))
		}
		glance := st.WithGlance(t.Context())
		name(t.Context())
		name(glance)
		rename(glance, "its own")
		requireEqual(t, name(glance), nil, "its own")
		rename(t.Context(), "another's")
		requireEqual(t, name(st.WithGlance(t.Context())), nil, "another's")
		clock.Advance(2 * time.Second)
		requireEqual(t, name(glance), nil, "another's")
	})
}

// What runs after a commit on behalf of a request sees what was committed.
func TestGlanceEndsWithTheCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		glance := st.WithGlance(t.Context())
		name := func() string {
			got, err := st.Read(glance).Organization(org.ID)
			requireNoError(t, err)
			return got.Name
		}
		name()
		name()
		var after string
		requireNoError(t, st.InTx(glance, func(tx *store.Tx) error {
			tx.AfterCommit(func() { after = name() })
			_, err := store.Exec(tx, "UPDATE organizations SET name = 'changed' WHERE id = $1", org.ID)
			return err
		}))
		requireEqual(t, after, nil, "changed")
	})
}

// A store of an earlier version gets its editions when it is opened, and one that has lost a trigger gets it back.
func TestEditionsAreMade(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	db := admin(t, cfg)
	first := storetest.OpenAt(t, cfg)
	org := storetest.Org(t, first)
	key, _ := storetest.Key(t, first, org.ID)
	requireNoError(t, first.Close())
	for _, loss := range []string{"DROP TABLE steady_editions", "DROP FUNCTION new_steady_edition CASCADE", "ALTER TABLE api_keys DISABLE TRIGGER new_steady_edition"} {
		_, err := db.Exec(t.Context(), loss)
		requireNoError(t, err)
		if strings.Contains(loss, "TABLE steady") { // an earlier version has neither
			_, err := db.Exec(t.Context(), "DROP FUNCTION new_steady_edition CASCADE")
			requireNoError(t, err)
		}
		st := storetest.OpenAt(t, cfg)
		for range 3 {
			_, err := st.Read(t.Context()).KeyContext(key.Hash)
			requireNoError(t, err)
		}
		_, err = db.Exec(t.Context(), "UPDATE api_keys SET revoked_at = 1 - COALESCE(revoked_at, 0)")
		requireNoError(t, err)
		var revoked *int64
		requireNoError(t, db.QueryRow(t.Context(), "SELECT revoked_at FROM api_keys").Scan(&revoked))
		got, err := st.Read(t.Context()).KeyContext(key.Hash)
		requireEqual(t, got.Key.RevokedAt.UnixMilli(), err, *revoked)
		requireNoError(t, st.Close())
	}
}

// An organization that is gone has no edition, so that nothing of it is remembered.
func TestEditionsOfTheDeleted(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, db := storetest.OpenAt(t, cfg), admin(t, cfg)
	org := storetest.Org(t, st)
	key, _ := storetest.Key(t, st, org.ID)
	count := func() (n int) {
		requireNoError(t, db.QueryRow(t.Context(), "SELECT COUNT(*) FROM steady_editions WHERE org_id = $1", org.ID).Scan(&n))
		return n
	}
	for range 2 {
		_, err := st.Read(t.Context()).KeyContext(key.Hash)
		requireNoError(t, err)
	}
	requireEqual(t, count(), nil, 1)
	storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DeleteOrganization(org.ID, tx.Now()) })
	_, err := st.Read(t.Context()).KeyContext(key.Hash)
	requireError(t, err, store.ErrNotFound)
	storetest.InTx(t, st, func(tx *store.Tx) error { _, err := tx.PurgeOrganization(org.ID, 1000); return err })
	requireEqual(t, count(), nil, 0)
	_, err = st.Read(t.Context()).KeyContext(key.Hash)
	requireError(t, err, store.ErrNotFound)
}

// A full cache loses a row for each new one, and not all.
func TestFullMemory(t *testing.T) {
	t.Parallel()
	memory := store.OpenMemory(t, t.TempDir())
	const rows = 10_100
	for i := range rows {
		memory.Keep(fmt.Sprint(i), "valid")
		if memory.Recall(fmt.Sprint(i)) == nil {
			t.Fatalf("row %d is not remembered", i)
		}
	}
	remembered := 0
	for i := range rows {
		if memory.Recall(fmt.Sprint(i)) != nil {
			remembered++
		}
	}
	requireEqual(t, remembered, nil, 10_000)
}
