package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plainID is a field whose tag says what an id of one kind looks like.
var plainID = regexp.MustCompile(`(?m)^\s+\w+\s+(?:\*|\[\])?string\s+.*pattern:"\^[a-z]+_\[0-9A-HJKMNP-TV-Z\]\{26\}\$".*$`)

// An id's type says what it looks like. No field of a request or an answer repeats that.
func TestIDsAreTyped(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, folder := range []string{"api", "app", "rest"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			for _, field := range plainID.FindAllString(string(text), -1) {
				t.Errorf("%s: a field repeats the pattern of an id; use its type of package rest:\n%s", file, field)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d files were read", seen)
	}
}
