package chat

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// placeholder is a {{name}} in a template's text.
type placeholder struct {
	name       string
	start, end int
}

// parsePlaceholders finds the placeholders of a text. Malformed ones stay part of the text; strict is false if
// there were any.
func parsePlaceholders(text string) (found []placeholder, strict bool) {
	strict = true
	for at := 0; ; {
		open := strings.Index(text[at:], "{{")
		between := text[at:]
		if open >= 0 {
			between = text[at : at+open]
		}
		if strings.Contains(between, "}}") {
			strict = false
		}
		if open < 0 {
			return found, strict
		}
		start := at + open
		inner, _, closed := strings.Cut(text[start+2:min(len(text), start+2+maxPlaceholder)], "}}")
		name := strings.TrimSpace(inner)
		if !closed || name == "" || strings.Trim(name, placeholderLetters) != "" {
			strict = false
			at = start + 1
			continue
		}
		end := start + len(inner) + 4
		if name != inner || strings.HasPrefix(text[end:], "}") || strings.HasSuffix(text[:start], "{") {
			strict = false
		}
		found = append(found, placeholder{name, start, end})
		at = end
	}
}

// maxPlaceholder bounds the search for the end of a placeholder, so that a text full of braces is not slow.
const maxPlaceholder = 128

const placeholderLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// placeholderNames returns the names in a text, each once: numbers in order of value, other names in order of
// appearance.
func placeholderNames(text string) []string {
	found, _ := parsePlaceholders(text)
	var names []string
	seen := make(map[string]bool, len(found))
	for _, p := range found {
		if !seen[p.name] {
			seen[p.name] = true
			names = append(names, p.name)
		}
	}
	if !slices.ContainsFunc(names, func(n string) bool { return !isPosition(n) }) {
		slices.SortFunc(names, func(a, b string) int { return position(a) - position(b) })
	}
	return names
}

// isPosition reports a numbered placeholder, as opposed to a named one.
func isPosition(name string) bool {
	return len(name) <= 4 && name[0] != '0' && strings.Trim(name, "0123456789") == ""
}

func position(name string) int {
	n, _ := strconv.Atoi(name) // isPosition accepted it
	return n
}

// fillPlaceholders replaces the placeholders by their values.
func fillPlaceholders(text string, values map[string]string) string {
	found, _ := parsePlaceholders(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, p := range found {
		value, known := values[p.name]
		if !known {
			value = text[p.start:p.end]
		}
		b.WriteString(text[at:p.start])
		b.WriteString(value)
		at = p.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// wordsBeside counts the words of a text outside its placeholders.
func wordsBeside(text string, found []placeholder) int {
	n, at := 0, 0
	count := func(s string) {
		n += len(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	}
	for _, p := range found {
		count(text[at:p.start])
		at = p.end
	}
	count(text[at:])
	return n
}

// blankOr reports a text of white space alone, or of white space and punctuation if punctuation is set.
func blankOr(s string, punctuation bool) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !(punctuation && unicode.IsPunct(r))
	})
}
