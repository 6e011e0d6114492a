package store_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

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

// The embedded store caches a row until it changes.
func TestSteadyRowsAreRemembered(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	org := storetest.Org(t, st)
	account := storetest.Account(t, st, org, "123456")
	fetch := func() *string { // a row that is fetched again is another copy
		got, err := st.Read(t.Context()).AccountByNumber(account.OrgID, *account.PhoneNumberID)
		requireNoError(t, err)
		return got.PhoneNumberID
	}
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
}
