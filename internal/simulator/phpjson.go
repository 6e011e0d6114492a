package simulator

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonWriter appends JSON the way the upstream's PHP writes it: "/" as "\/", and everything beyond
// ASCII as \u with lowercase digits. Receivers must check the signature over exactly these bytes,
// and this makes a receiver that decodes first fail.
type jsonWriter struct{ b []byte }

// comma separates from what came before, unless something was just opened.
func (w *jsonWriter) comma() {
	if n := len(w.b); n > 0 {
		switch w.b[n-1] {
		case '{', '[', ':', ',':
		default:
			w.b = append(w.b, ',')
		}
	}
}

func (w *jsonWriter) key(name string) *jsonWriter {
	w.comma()
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
	return w
}

func (w *jsonWriter) open(c byte) *jsonWriter {
	w.comma()
	w.b = append(w.b, c)
	return w
}

func (w *jsonWriter) close(c byte) *jsonWriter {
	w.b = append(w.b, c)
	return w
}

func (w *jsonWriter) str(s string) *jsonWriter {
	w.comma()
	w.b = appendPHPString(w.b, s)
	return w
}

// field writes a string field; optional leaves it out when empty.
func (w *jsonWriter) field(name, value string) *jsonWriter { return w.key(name).str(value) }

func (w *jsonWriter) optional(name, value string) *jsonWriter {
	if value != "" {
		w.field(name, value)
	}
	return w
}

func (w *jsonWriter) num(n int64) *jsonWriter {
	w.comma()
	w.b = strconv.AppendInt(w.b, n, 10)
	return w
}

func (w *jsonWriter) boolean(v bool) *jsonWriter {
	w.comma()
	w.b = strconv.AppendBool(w.b, v)
	return w
}

// raw appends JSON that is already in the upstream's form.
func (w *jsonWriter) raw(b []byte) *jsonWriter {
	w.comma()
	w.b = append(w.b, b...)
	return w
}

const hexLower = "0123456789abcdef"

func appendUnicode(b []byte, r uint16) []byte {
	return append(b, '\\', 'u', hexLower[r>>12&15], hexLower[r>>8&15], hexLower[r>>4&15], hexLower[r&15])
}

func appendRune(b []byte, r rune) []byte {
	if r >= 0x10000 {
		hi, lo := utf16.EncodeRune(r)
		return appendUnicode(appendUnicode(b, uint16(hi)), uint16(lo))
	}
	return appendUnicode(b, uint16(r))
}

func appendPHPString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			b = appendPHPByte(b, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		b = appendRune(b, r)
		i += size
	}
	return append(b, '"')
}

func appendPHPByte(b []byte, c byte) []byte {
	switch c {
	case '"', '\\', '/':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	if c < 0x20 {
		return appendUnicode(b, uint16(c))
	}
	return append(b, c)
}

// phpJSON encodes any value in the upstream's form.
func phpJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return phpEscape(b)
}

// phpEscape rewrites valid JSON. Outside strings there is neither "/" nor anything beyond ASCII, so
// only escapes that are already there need care.
func phpEscape(src []byte) []byte {
	out := make([]byte, 0, len(src)+len(src)/8)
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\\' && i+1 < len(src):
			out = append(out, c, src[i+1])
			i += 2
		case c == '/':
			out = append(out, '\\', '/')
			i++
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, size := utf8.DecodeRune(src[i:])
			out = appendRune(out, r)
			i += size
		}
	}
	return out
}
