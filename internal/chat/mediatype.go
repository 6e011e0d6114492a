package chat

import (
	"mime"
	"strings"
	"unicode"
)

const (
	// UnknownMediaType is the type of a file of which nobody said a type that can be read.
	UnknownMediaType = "application/octet-stream"
	// maxMediaType is far above the longest type in use.
	maxMediaType = 255
	maxFilename  = 240
)

// MediaType reads a type that somebody else gave, as in a Content-Type header, and makes it one that can
// be stored and shown again: type and subtype in small letters, and the parameters without which a file
// is not played or read well. It is false where the text is no type.
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

// Filename makes a file's name that somebody else gave one that can be stored and shown again: without
// control characters and broken text, and not too long.
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
