package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text   string
		names  []string
		strict bool
	}{
		{"no placeholder", nil, true},
		{"Hi {{1}}!", []string{"1"}, true},
		{"{{2}} before {{1}}", []string{"1", "2"}, true},
		{"{{10}} {{9}}", []string{"9", "10"}, true},
		{"{{b}} {{a}} {{b}}", []string{"b", "a"}, true},
		{"{{first_name}} and {{1}}", []string{"first_name", "1"}, true},
		{"{1} }{ {", nil, true},
		{"{{ 1 }}", []string{"1"}, false},
		{"{{}}", nil, false},
		{"{{a-b}} {{c}}", []string{"c"}, false},
		{"{{1", nil, false},
		{"1}}", nil, false},
		{"{{{1}}}", []string{"1"}, false},
		{"{{ {{1}} }}", []string{"1"}, false},
		{"{{1}}}}", []string{"1"}, false},
		{"{{01}}", []string{"01"}, true},
		{"{{ü}}", nil, false},
	} {
		_, strict := parsePlaceholders(tc.text)
		if d := cmp.Diff(tc.names, placeholderNames(tc.text)); d != "" || strict != tc.strict {
			t.Errorf("%q: strict %t, %s", tc.text, strict, d)
		}
	}
}

func TestFillingDoesNotReadValues(t *testing.T) {
	t.Parallel()
	got := fillPlaceholders("a {{1}} b {{2}} c {{3}}", map[string]string{"1": "{{2}}", "2": "x"})
	if want := "a {{2}} b x c {{3}}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBracesCostNoMoreThanLetters reads a megabyte of text that looks like placeholders within a moment.
func TestBracesCostNoMoreThanLetters(t *testing.T) {
	t.Parallel()
	var distinct strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&distinct, "{{a%d}} ", i)
	}
	for _, text := range []string{strings.Repeat("{", 1<<20) + "}}", strings.Repeat("{{ ", 1<<18) + "}}", strings.Repeat("}}{{", 1<<18), distinct.String()} {
		begin := time.Now()
		placeholderNames(text)
		fillPlaceholders(text, nil)
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%.20s… took %s", text, took)
		}
	}
}

// FuzzPlaceholders checks that placeholders are found in order and at their places, and that filling in the
// placeholders themselves changes nothing but blanks inside them.
func FuzzPlaceholders(f *testing.F) {
	for _, seed := range []string{"", "Hi {{1}}, {{name}}.", "{{{1}}}", "{{ 1 }}", "{{", "}}{{", "{{a}}{{b}}", "{{{{1}}}}", "\xff{{1}}\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, strict := parsePlaceholders(text)
		at := 0
		self := map[string]string{}
		for _, p := range found {
			inner := text[p.start:p.end]
			if p.start < at || !strings.HasPrefix(inner, "{{") || !strings.HasSuffix(inner, "}}") || p.name == "" ||
				strings.TrimSpace(inner[2:len(inner)-2]) != p.name || strings.ContainsAny(p.name, "{}") {
				t.Fatalf("%q in %q", inner, text)
			}
			if !slices.Contains(placeholderNames(text), p.name) {
				t.Fatalf("%q is missing from the names of %q", p.name, text)
			}
			at = p.end
			self[p.name] = "{{" + p.name + "}}"
		}
		filled := fillPlaceholders(text, self)
		if strict && filled != text {
			t.Fatalf("%q became %q", text, filled)
		}
		if again, _ := parsePlaceholders(filled); len(again) != len(found) {
			t.Fatalf("%d placeholders in %q, %d in %q", len(found), text, len(again), filled)
		}
		if empty := fillPlaceholders(text, nil); empty != text {
			t.Fatalf("%q without values became %q", text, empty)
		}
	})
}
