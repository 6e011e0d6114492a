package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// hostile are texts with a special meaning to the engines.
var hostile = []string{
	`"`, `""`, `"""`, `a"b"c`, `NEAR(abc def)`, `abc AND def`, `abc OR def`, `NOT abc`, `abc*`, `^abc`, `text:abc`, `{text}: abc`, `-abc`, `+abc`, `(abc`, `abc)`,
	`%%%`, `___`, `a%b`, `a_c`, `\`, `\\\`, `'`, `''; DROP TABLE docs; --`, "abc\x00def", "\x00\x00\x00", "\xff\xfe\xfd", "abc\ndef", "\u202eabc", "🎉🎉🎉", "日本語の",
	"İstanbul", "ß", "ﬁﬁﬁ", "e\u0301e\u0301e\u0301", "\u0301\u0301\u0301", strings.Repeat("a ", 100), strings.Repeat("x", 200),
}

// Every character stands for itself: a text finds itself, and a text that lacks one of its words is not found.
func TestHostileQueries(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		decoy := r.write("abc def xyz text docs")
		messages := map[string]chat.Message{}
		for _, text := range hostile {
			messages[text] = r.write(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), " "))
		}
		r.sweep()
		for _, text := range hostile {
			query := Parse(text)
			ids := r.search(chat.KindMessage, text)
			r.search(chat.KindContact, text)
			r.search(chat.KindNote, text)
			if query.empty() {
				same(t, "what is found for nothing", ids, []string{})
				continue
			}
			if !slices.Contains(ids, messages[text].ID) {
				t.Errorf("%q does not find itself", text)
			}
			if has := query.matches(store.SearchRow{ID: decoy.ID, Text: `{"body":"abc def xyz text docs"}`}); slices.Contains(ids, decoy.ID) != has {
				t.Errorf("%q finds the other text: %v", text, !has)
			}
		}
	})
}

// For any texts and queries, exactly the texts with all words are found.
func TestFindsExactly(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	alphabet := rapid.StringOfN(rapid.SampledFrom([]rune(`abABé "'*()%_-\ßı`)), 0, 12, -1)
	texts := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		text := alphabet.Draw(t, "text")
		texts[r.write(text).ID] = text
		r.sweep()
		query := Parse(alphabet.Draw(t, "query"))
		want := []string{}
		for id, text := range texts {
			folded, all := fold(strings.Join(strings.Fields(text), " ")), !query.empty()
			for _, word := range query.words {
				all = all && strings.Contains(folded, word)
			}
			if all {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		slices.Reverse(want)
		got := r.searchAs(Request{User: r.user, Kind: chat.KindMessage, Query: query, Limit: 100})
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("the search for %q (-want +got):\n%s", query.words, d)
		}
	})
}

// Marks cover the words, counted in a browser's units, however the text was cut.
func TestSnippets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(strings.Fields(rapid.StringOfN(rapid.SampledFrom([]rune("abé 🎉ßﬁ")), 0, 400, -1).Draw(t, "text")), " ")
		query := Parse(rapid.StringOfN(rapid.SampledFrom([]rune("abe 🎉f")), 1, 4, -1).Draw(t, "query"))
		s := query.snippet(text)
		units := utf16.Encode([]rune(s.Text))
		if n := len([]rune(s.Text)); n > snippetLetters+2 {
			t.Fatalf("the snippet has %d letters", n)
		}
		last := 0
		for _, mark := range s.Marks {
			if mark[0] < last || mark[1] <= mark[0] || mark[1] > len(units) {
				t.Fatalf("the marks of %q are %v", s.Text, s.Marks)
			}
			last = mark[1]
		}
		if query.matches(store.SearchRow{ID: "nte_", Text: text}) && !query.empty() && len(s.Marks) == 0 {
			t.Fatalf("nothing is marked in %q for %q", s.Text, query.words)
		}
	})
	s := Parse("cafe 🎉").snippet("🎉 Two Cafés")
	same(t, "the marks", s, Snippet{Text: "🎉 Two Cafés", Marks: [][2]int{{0, 2}, {7, 11}}})
}

// The visible texts of a message can be found, and nothing else of it.
func TestContentText(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"body":"Hello","preview_url":true}`:                                                                                      "Hello",
		`{"caption":"My cat","id":"med_1","mime_type":"image/png","sha256":"abc"}`:                                                 "My cat",
		`{"filename":"invoice.pdf","link":"https://example.com/secret"}`:                                                           "invoice.pdf",
		`{"type":"button","body":{"text":"Choose"},"action":{"buttons":[{"type":"reply","reply":{"id":"x","title":"Yes"}}]}}`:      "Choose\nYes",
		`{"name":"order_update","components":[{"parameters":[{"text":"A"}]}],"preview":{"body":"Dear A","footer":{"text":"Bye"}}}`: "Dear A\nBye",
		`{"latitude":1,"longitude":2,"name":"Office","address":"Main St"}`:                                                         "Office\nMain St",
		`[{"name":{"formatted_name":"Ana"},"phones":[{"phone":"+1 555","wa_id":"1555"}]}]`:                                         "Ana\n+1 555",
		`{"body":`: "", `null`: "", `17`: "", ``: "", `{"body":{"body":["a",["b"]]}}`: "a\nb", `{"body":"a"`: "a",
	} {
		same(t, content, contentText([]byte(content)), want)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		query := Parse(text)
		for _, word := range query.words {
			if word == "" || strings.ContainsAny(word, " \x00\n") || len(query.words) > mostWords {
				t.Errorf("%q is looked for as %q", text, query.words)
			}
		}
		if !query.empty() && len(strings.Fields(text)) <= mostWords && !query.matches(store.SearchRow{ID: "nte_", Text: text}) {
			t.Errorf("%q does not match itself", text)
		}
	})
}
