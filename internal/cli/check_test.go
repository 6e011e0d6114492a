package cli

import (
	"errors"
	"os"
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

// A check sees a search index that is damaged. A repair removes it, and the next server fills another.
func TestCheckSeesTheSearchIndex(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	index, err := st.OpenSearch(t.Context())
	if err := errors.Join(err, index.Close(), st.Close()); err != nil {
		t.Fatal(err)
	}
	s, path := site{[]string{"--data", cfg.Dir}}, filepath.Join(cfg.Dir, "search.db")
	if o := s.run(t, "check"); o.code != exitOK {
		t.Errorf("a sound index: %+v", o)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(content); i++ { // all pages but the first
		content[i] = 0xff
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := s.run(t, "check"); o.code != exitFailed || !strings.Contains(o.stdout, "the search index is damaged") {
		t.Errorf("a damaged index: %+v", o)
	}
	if o := s.run(t, "check", "--repair"); o.code != exitOK || !strings.Contains(o.stdout, "removed: the server makes it anew") {
		t.Errorf("the repair: %+v", o)
	}
	if o := s.run(t, "check"); o.code != exitOK {
		t.Errorf("after it: %+v", o)
	}
}
