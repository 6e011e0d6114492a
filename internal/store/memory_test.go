package store_test

import (
	"context"
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
			storetest.InTx(t, server, func(*store.Tx) error { read(); return nil })
			storetest.InTx(t, command, func(tx *store.Tx) error { _, err := tx.RevokeKey(key.ID); return err })
			storetest.InTx(t, server, func(*store.Tx) error {
				if read().RevokedAt == nil {
					t.Error("the server does not know that the key is revoked")
				}
				return nil
			})
		}
	})
}

// A reader that is held up must not get a value that a command has changed meanwhile.
func TestPausedRecallDoesNotBringBackTheOld(t *testing.T) {
	t.Parallel()
	memory := store.NewMemory()
	memory.Begin(false)
	memory.Keep("key", "valid")
	if got := memory.Recall("key"); got != "valid" {
		t.Fatalf("remembered %v", got)
	}
	goOn := memory.Pause()
	answer := make(chan any)
	go func() { answer <- recallWhenPaused(memory) }()
	waitForBlocked("recallWhenPaused")
	memory.End()
	memory.Begin(true) // a command has revoked the key
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

// The embedded store caches a row while nobody can have changed it.
func TestSteadyRowsAreRemembered(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	account := storetest.Account(t, st, storetest.Org(t, st), "123456")
	fetch := func() *string { // a row that is fetched again is another copy
		got, err := st.Read(t.Context()).AccountByNumber(account.OrgID, *account.PhoneNumberID)
		requireNoError(t, err)
		return got.PhoneNumberID
	}
	var first *string
	storetest.InTx(t, st, func(tx *store.Tx) error {
		if first = fetch(); fetch() != first {
			t.Error("the row was fetched twice")
		}
		return tx.UpdateAccount(account)
	})
	storetest.InTx(t, st, func(*store.Tx) error {
		if fetch() == first {
			t.Error("the row was not fetched after a change")
		}
		return nil
	})
}
