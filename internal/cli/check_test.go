package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A check tells how broken indexes are mended, and mends them if it is asked to.
func TestCheckMendsIndexes(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutSetting("needle", "1") })
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.BreakIndex(t, filepath.Join(cfg.Dir, "parley.db"), "needle")
	s := site{[]string{"--data", cfg.Dir}}
	s.run(t, "check").refused(t, exitFailed, "the store is damaged", "`parley check --repair`", "`parley restore`")
	if o := s.run(t, "check", "--repair"); o.code != exitOK || !strings.Contains(o.stdout, "they were made anew") {
		t.Errorf("the repair: %+v", o)
	}
	if o := s.run(t, "check"); o.code != exitOK || !strings.Contains(o.stderr, "The store is sound.") {
		t.Errorf("after it: %+v", o)
	}
}
