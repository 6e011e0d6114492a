package rest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

// docs/errors.md explains every code of the public API, and every reason for a failed message.
func TestErrorsAreExplained(t *testing.T) {
	t.Parallel()
	page := readText(t, "../../docs/errors.md")
	messages, requests, found := strings.Cut(page, "## Why a request was refused")
	if !found {
		t.Fatal("the page has lost its second part")
	}
	for _, code := range constants(t, "../chat/error.go", `\bCode += "(\w+)"`) {
		if !strings.Contains(requests, "`"+code+"`") {
			t.Errorf("the code %s is not explained", code)
		}
		if _, known := catalogue[chat.Code(code)]; !known {
			t.Errorf("the code %s is not in the catalogue", code)
		}
	}
	for _, reason := range constants(t, "../chat/message.go", `MessageErrorCode = "(\w+)"`) {
		if !strings.Contains(messages, "| `"+reason+"` |") {
			t.Errorf("the reason %s is not explained", reason)
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// constants returns the texts of the constants in a file that match the pattern.
func constants(t *testing.T, path, pattern string) (texts []string) {
	t.Helper()
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(readText(t, path), -1) {
		texts = append(texts, match[1])
	}
	if len(texts) < 20 {
		t.Fatalf("only %d constants were found in %s", len(texts), path)
	}
	return texts
}
