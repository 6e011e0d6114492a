package chat_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/parleyhq/parley/internal/chat"
)

func TestLapsed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	past, future := now.Add(-time.Millisecond), now.Add(time.Millisecond)
	for _, test := range []struct {
		name   string
		status chat.SubscriptionStatus
		ends   *time.Time
		want   bool
	}{
		{"active", chat.SubscriptionActive, nil, false},
		{"active after its trial", chat.SubscriptionActive, &past, false},
		{"trial without an end", chat.SubscriptionTrialing, nil, false},
		{"trial", chat.SubscriptionTrialing, &future, false},
		{"trial that ends now", chat.SubscriptionTrialing, &now, true},
		{"trial that has ended", chat.SubscriptionTrialing, &past, true},
		{"inactive", chat.SubscriptionInactive, nil, true},
		{"inactive within its trial", chat.SubscriptionInactive, &future, true},
		{"unknown", "", nil, true},
	} {
		if got := (chat.Organization{Subscription: test.status, TrialEndsAt: test.ends}).Lapsed(now); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestFoldCase(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"vip", "VIP", "Vip"},
		{"straße", "STRAẞE"},
		{"ΣΊΣΥΦΟΣ", "σίσυφος", "σίσυφοσ"}, // a final sigma is a sigma
		{"Ǆ", "ǅ", "ǆ"},
		{"k", "K", "\u212a"}, // the Kelvin sign
		{"привет", "ПРИВЕТ"},
		{"日本", "日本"},
		{""},
	} {
		for _, s := range same {
			if got := chat.FoldCase(s); got != chat.FoldCase(same[0]) {
				t.Errorf("%q becomes %q, %q becomes %q", s, got, same[0], chat.FoldCase(same[0]))
			}
		}
	}
	for _, pair := range [][2]string{{"a", "b"}, {"a", "á"}, {"a", "a "}, {"o", "0"}} {
		if chat.FoldCase(pair[0]) == chat.FoldCase(pair[1]) {
			t.Errorf("%q and %q are one", pair[0], pair[1])
		}
	}
}

// Characters that Unicode calls equal except for case fold to the same text, and folding twice changes nothing.
func TestFoldCaseOfEveryCharacter(t *testing.T) {
	t.Parallel()
	const end = 0x20000 // no script after it has cases
	for r := range rune(end) {
		folded := chat.FoldCase(string(r))
		if again := chat.FoldCase(folded); again != folded {
			t.Errorf("%U becomes %q and then %q", r, folded, again)
		}
		if other := unicode.SimpleFold(r); other != r && chat.FoldCase(string(other)) != folded {
			t.Errorf("%U becomes %q, %U becomes %q", r, folded, other, chat.FoldCase(string(other)))
		}
	}
}

// Letters beyond ASCII are left alone: those that fold to the letters of another's address are another mailbox.
func TestFoldEmail(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		" Ann@Example.COM ":  "ann@example.com",
		"adm\u0131n@acme.de": "adm\u0131n@acme.de", // dotless i
		"adm\u0130n@acme.de": "adm\u0130n@acme.de", // dotted capital I
		"\u017fam@acme.de":   "\u017fam@acme.de",   // long s
		"\u212aim@acme.de":   "\u212aim@acme.de",   // the sign of the kelvin
		"JÖRG@acme.de":       "jÖrg@acme.de",
		"a\xff@acme.de":      "a\xff@acme.de",
	} {
		if got := chat.FoldEmail(given); got != want {
			t.Errorf("%q becomes %q, not %q", given, got, want)
		}
	}
}

func TestCleanName(t *testing.T) {
	t.Parallel()
	if got, err := chat.CleanName("  " + strings.Repeat("é", 200)); err != nil || got != strings.Repeat("é", 200) {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := chat.CleanName(strings.Repeat("é", 201))
	requireInvalid(t, err, "name")
}

func TestCleanEmail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		in   string
		want string
	}{
		{"plain", "ann@example.com", "ann@example.com"},
		{"white space around", "\tann@example.com ", "ann@example.com"},
		{"case kept", "Ann@Example.com", "Ann@Example.com"},
		{"tag", "ann+parley@example.com", "ann+parley@example.com"},
		{"longest", strings.Repeat("a", 243) + "@example.com", strings.Repeat("a", 243) + "@example.com"},
		{"too long", strings.Repeat("a", 244) + "@example.com", ""},
		{"empty", "", ""},
		{"no address", "ann", ""},
		{"no name", "@example.com", ""},
		{"with a display name", "Ann <ann@example.com>", ""},
		{"in brackets", "<ann@example.com>", ""},
		{"two", "ann@example.com, bob@example.com", ""},
		{"line break", "ann@example.com\nBcc: bob@example.com", ""},
	} {
		got, err := chat.CleanEmail(test.in)
		if got != test.want {
			t.Errorf("%s: got %q, %v", test.name, got, err)
		}
		if test.want == "" {
			requireInvalid(t, err, "email")
		}
	}
}
