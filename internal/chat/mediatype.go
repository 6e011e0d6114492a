package chat

import (
	"mime"
	"strings"
	"unicode"
)

const (
	// UnknownMediaType is the type of a file that came with no type, or with one that cannot be parsed.
	UnknownMediaType = "application/octet-stream"
	// maxMediaType is far above the longest type in use.
	maxMediaType = 255
	maxFilename  = 240
)

// MediaType reads a type from outside, as in a Content-Type header, and returns a form that is safe to store
// and show: type and subtype in lower case, and only the parameters that a player or reader needs. It returns
// false where the text is not a type.
func MediaType(text string) (string, bool) {
	if len(text) > maxMediaType {
		return "", false
	}
	kind, given, err := mime.ParseMediaType(text)
	if err != nil || !strings.Contains(kind, "/") {
		return "", false
	}
	kept := map[string]string{}
	for _, name := range []string{"charset", "codecs"} {
		if value := given[name]; value != "" {
			kept[name] = value
		}
		if strings.ContainsFunc(given[name], func(r rune) bool { return r < ' ' || r > '~' }) {
			return "", false
		}
	}
	return mime.FormatMediaType(kind, kept), true
}

// Filename turns a file's name from outside into one that is safe to store and show: without control characters
// or broken text, and not too long.
func Filename(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > maxFilename {
		text = string(runes[:maxFilename])
	}
	return text
}
