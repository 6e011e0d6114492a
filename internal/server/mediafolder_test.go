package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder in which no file can be stored is told at the start, and not only by the first file that is lost. Root may write
// everywhere, so that a file is in the place of a folder.
func TestMediaThatTakesNoFiles(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	media := filepath.Join(cfg.Data, "media")
	for _, good := range []bool{true, false} {
		if !good {
			must(t, os.RemoveAll(filepath.Join(media, ".arriving")))
			must(t, os.WriteFile(filepath.Join(media, ".arriving"), nil, 0o600))
		}
		s, lines := open(t, cfg)
		must(t, s.Close())
		if told := strings.Contains(lines.String(), "takes none") && strings.Contains(lines.String(), "folder="+media+" user="); told == good {
			t.Errorf("good %v: %s", good, lines)
		}
		if left, err := filepath.Glob(filepath.Join(media, "*new*")); err != nil || len(left) > 0 {
			t.Errorf("left are %v (%v)", left, err)
		}
	}
}
