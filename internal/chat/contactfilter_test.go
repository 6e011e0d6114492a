package chat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

// A search has a bounded number of words to look for, and yet nobody is found without one of those that were written.
func TestWordsOfAContactFilter(t *testing.T) {
	t.Parallel()
	for search, want := range map[string][]string{
		"":                            nil,
		" ADA  Groß ":                 {"ada", "groß"},
		"+49 (1510) 000-01":           {"49151000001"},
		"a b c d e f g h i j k l":     strings.Fields("a b c d e f g h i j k l"),
		"a b c d e f g h i j k l  M ": append(strings.Fields("a b c d e f g h i j k"), "l m"),
		strings.Repeat("x ", 100):     append(strings.Fields(strings.Repeat("x ", 11)), strings.TrimSpace(strings.Repeat("x ", 89))),
	} {
		if got := (chat.ContactFilter{Search: search}).Words(); !slices.Equal(got, want) {
			t.Errorf("%q has the words %q, want %q", search, got, want)
		}
	}
}
