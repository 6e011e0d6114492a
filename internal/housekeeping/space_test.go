package housekeeping_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// fillAndPurge writes and deletes 32 MB of events of an organization, and returns the size of the file then.
func fillAndPurge(t *testing.T, cfg store.Config) int64 {
	t.Helper()
	h := newHouse(t, cfg)
	for range 16 {
		h.InTx(func(tx *store.Tx) error {
			for range 20 {
				e := chat.Event{ID: tx.NewID(chat.KindEvent), OrgID: h.Org.ID, Payload: bytes.Repeat([]byte("x"), 100_000), CreatedAt: tx.Now()}
				if err := tx.InsertEvent(e); err != nil {
					return err
				}
			}
			return nil
		})
	}
	h.Clock.Advance(webhookLife)
	h.InTx(func(tx *store.Tx) error { // between rows that stay
		return tx.InsertEvent(chat.Event{ID: tx.NewID(chat.KindEvent), OrgID: h.Org.ID, Payload: []byte("{}"), CreatedAt: tx.Now()})
	})
	h.Clock.Advance(time.Millisecond)
	h.sweep()
	h.keeper.Stop(context.Background())
	if left, err := h.Read().EventsAfter(h.Org.ID, "", 10); err != nil || len(left) != 1 || string(left[0].Payload) != "{}" {
		t.Errorf("left are %d events, %v", len(left), err)
	}
	h.Must(h.Store.Close())
	file, err := os.Stat(filepath.Join(cfg.Dir, "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	return file.Size()
}

// The file shrinks after much of it was deleted.
func TestSpaceIsGivenBack(t *testing.T) {
	t.Parallel()
	if size := fillAndPurge(t, storetest.NewConfig(t, storetest.SQLite)); size > 4<<20 {
		t.Errorf("the file still has %d bytes", size)
	}
}

// A file of an earlier version, which cannot shrink, reuses its space.
func TestSpaceOfAnOldFileIsUsedAgain(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewEmptyConfig(t, storetest.SQLite)
	db, err := sql.Open("sqlite", filepath.Join(cfg.Dir, "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE earlier (id TEXT); DROP TABLE earlier"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	first := fillAndPurge(t, cfg)
	if again := fillAndPurge(t, cfg); first < 30<<20 || again > first+first/10 {
		t.Errorf("the file had %d bytes, and then %d", first, again)
	}
}
