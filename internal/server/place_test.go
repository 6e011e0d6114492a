package server

import (
	"path/filepath"
	"strings"
	"testing"
)

// A start in the wrong place makes a new store there. The log tells of it, and each start says where its store is.
func TestLogNamesTheStore(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	for _, c := range []struct {
		demo  bool
		level string
	}{{false, "WARN"}, {true, "INFO"}} {
		cfg := cfg
		cfg.Demo, cfg.Data = c.demo, filepath.Join(cfg.Data, c.level)
		for _, isNew := range []bool{true, false} {
			s, lines := open(t, cfg)
			must(t, start(t, s)())
			if told := strings.Contains(lines.String(), "level="+c.level+` msg="a new store was made`); told != isNew || !strings.Contains(lines.String(), "store=sqlite place="+cfg.Data) {
				t.Errorf("new %v, demo %v: %s", isNew, c.demo, lines)
			}
		}
	}
}
