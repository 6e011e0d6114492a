package search

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// mostText bounds the searchable part of a text, in bytes. The longest message has 4,096 letters.
const mostText = 16 << 10

// textOf is the visible text of a row.
func textOf(row store.SearchRow) string {
	text := row.Text
	if kindOf(row.ID) == chat.KindMessage {
		text = contentText(json.RawMessage(row.Text))
	}
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// indexText is the searchable text of a row: its visible text, and the digits of a contact's number.
func indexText(row store.SearchRow) string {
	text := fold(textOf(row))
	if row.Number != "" {
		text += "\n" + chat.Digits(row.Number)
	}
	return text
}

func kindOf(id string) chat.Kind {
	kind, _, _ := strings.Cut(id, "_")
	return chat.Kind(kind)
}

// readable are the members of contents that people see.
var readable = []string{
	"body", "text", "caption", "filename", "title", "description", "name", "formatted_name", "address", "display_text", "phone",
}

// contentText is the visible text of a message's content. For a template that is its preview.
func contentText(content json.RawMessage) string {
	var template struct {
		Preview json.RawMessage `json:"preview"`
	}
	if json.Unmarshal(content, &template) == nil && len(template.Preview) > 0 && template.Preview[0] == '{' {
		content = template.Preview
	}
	var texts []string
	collect(json.NewDecoder(bytes.NewReader(content)), false, &texts)
	return strings.Join(texts, "\n")
}

// collect reads a value and gathers its texts in order. It returns false at the end.
func collect(d *json.Decoder, wanted bool, texts *[]string) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch token := token.(type) {
	case string:
		if wanted && token != "" {
			*texts = append(*texts, token)
		}
	case json.Delim:
		for d.More() {
			inside := wanted
			if token == '{' {
				name, err := d.Token()
				if err != nil {
					return false
				}
				inside = slices.Contains(readable, name.(string))
			}
			if !collect(d, inside, texts) {
				return false
			}
		}
		_, err = d.Token()
	}
	return err == nil
}

// fold removes differences of case, accents and width.
func fold(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		foldRune(r, func(r rune) { b.WriteRune(r) })
	}
	return b.String()
}

// foldRune calls emit with the folded form of a letter: none, one or several.
func foldRune(r rune, emit func(rune)) {
	switch {
	case r < 0x80:
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r < ' ' || r == 0x7f:
			r = ' '
		}
		emit(r)
	case unicode.IsSpace(r) || unicode.IsControl(r):
		emit(' ')
	default:
		for _, part := range norm.NFKD.String(string(r)) {
			if !unicode.In(part, unicode.Mn, unicode.Cf) {
				emit(unicode.ToLower(unicode.ToUpper(part)))
			}
		}
	}
}
