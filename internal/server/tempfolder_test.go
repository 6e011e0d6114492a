package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server that has no folder for temporary files says so at the start, and one that has leaves nothing in it.
func TestStartTriesTheTemporaryFolder(t *testing.T) {
	t.Parallel()
	s, lines := open(t, settings(t))
	dir := t.TempDir()
	s.warnOfTemporaryFolder(dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || strings.Contains(lines.String(), "temporary") {
		t.Errorf("it left %v, %v, and logged %s", left, err, lines)
	}
	missing := filepath.Join(dir, "missing")
	s.warnOfTemporaryFolder(missing)
	if text := lines.String(); !strings.Contains(text, `level=WARN msg="no temporary files can be made`) || !strings.Contains(text, "folder="+missing) {
		t.Errorf("without the folder it logged %s", text)
	}
}
