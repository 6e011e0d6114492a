package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plainID matches a field whose tag has the pattern of one kind of id.
var plainID = regexp.MustCompile(`(?m)^\s+\w+\s+(?:\*|\[\])?string\s+.*pattern:"\^[a-z]+_\[0-9A-HJKMNP-TV-Z\]\{26\}\$".*$`)

// The type of an id has its pattern. No field of a request or an answer repeats it.
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
