package chat

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMediaType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"image/png":                        "image/png",
		"Application/PDF":                  "application/pdf",
		" image/png ; x=y":                 "image/png",
		"audio/ogg; codecs=opus":           "audio/ogg; codecs=opus",
		"audio/ogg;CODECS=\"opus\"":        "audio/ogg; codecs=opus",
		"video/mp4; codecs=\"avc1, mp4a\"": "video/mp4; codecs=\"avc1, mp4a\"",
		"text/plain; charset=utf-8; x=1":   "text/plain; charset=utf-8",
		"text/plain; charset=":             "",
		"image/png; x=\xff":                "",
		"image/png; x=\"\xff\"":            "image/png",
		"text/plain; charset=\"\xff\"":     "",
		"text/plain; charset=\"\u00e9\"":   "",
		"text/plain; charset*=utf-8''%0a":  "",
		"image/png; x=1; x=2":              "",
		"image/\xff":                       "",
		"image/png\r\nX: y":                "",
		"image/p\x00ng":                    "",
		"image":                            "",
		"image/":                           "",
		"/png":                             "",
		"":                                 "",
		"image/png; x=" + strings.Repeat("y", 255): "",
	} {
		got, ok := MediaType(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t, want %q", text, got, ok, want)
		}
	}
}

func TestFilename(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a.png": "a.png", "": "", "caf\u00e9 \U0001f600.pdf": "caf\u00e9 \U0001f600.pdf",
		"a\x00b\r\n\x1b[2J\u0085c\xff.png": "ab[2Jc.png", "\x00": "",
		strings.Repeat("\u00e9", 241): strings.Repeat("\u00e9", 240),
	} {
		if got := Filename(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// For any input, the result fits into a header, a row and JSON, and reading it again changes nothing.
func TestGivenTypesAndNamesAreSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`(image|text|x)/(png|plain|[ -~]{0,3})(; ?(codecs|charset|x)=("?[ -~]{0,5}"?))*`),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		).Draw(t, "text")
		kind, ok := MediaType(text)
		if again, stillOK := MediaType(kind); ok && (again != kind || !stillOK) {
			t.Fatalf("%q becomes %q, and then %q", text, kind, again)
		}
		if strings.ContainsFunc(kind, func(r rune) bool { return r < ' ' || r > '~' }) || len(kind) > 2*maxMediaType {
			t.Fatalf("%q becomes %q", text, kind)
		}
		name := Filename(text)
		if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || Filename(name) != name {
			t.Fatalf("%q becomes %q", text, name)
		}
	})
}
