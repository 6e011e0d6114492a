package wire

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer appends JSON the way the upstream's PHP writes it: "/" as "\/", and everything beyond ASCII as \u with
// lowercase digits. Receivers must check the signature over exactly these bytes, so a receiver that decodes first
// fails.
type Writer struct{ B []byte }

// comma writes a comma, unless an object or array was just opened.
func (w *Writer) comma() {
	if n := len(w.B); n > 0 {
		switch w.B[n-1] {
		case '{', '[', ':', ',':
		default:
			w.B = append(w.B, ',')
		}
	}
}

func (w *Writer) Key(name string) *Writer {
	w.comma()
	w.B = append(w.B, '"')
	w.B = append(w.B, name...)
	w.B = append(w.B, '"', ':')
	return w
}

func (w *Writer) Open(c byte) *Writer {
	w.comma()
	w.B = append(w.B, c)
	return w
}

func (w *Writer) Close(c byte) *Writer {
	w.B = append(w.B, c)
	return w
}

func (w *Writer) str(s string) *Writer {
	w.comma()
	w.B = AppendPHPString(w.B, s)
	return w
}

// Field writes a string field; optional leaves it out if it is empty.
func (w *Writer) Field(name, value string) *Writer { return w.Key(name).str(value) }

func (w *Writer) Optional(name, value string) *Writer {
	if value != "" {
		w.Field(name, value)
	}
	return w
}

func (w *Writer) Num(n int64) *Writer {
	w.comma()
	w.B = strconv.AppendInt(w.B, n, 10)
	return w
}

func (w *Writer) Boolean(v bool) *Writer {
	w.comma()
	w.B = strconv.AppendBool(w.B, v)
	return w
}

// Raw appends JSON that is already in the upstream's form.
func (w *Writer) Raw(b []byte) {
	w.comma()
	w.B = append(w.B, b...)
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

func AppendPHPString(b []byte, s string) []byte {
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

// JSON encodes any value in the upstream's form.
func JSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return EscapePHP(b)
}

// EscapePHP rewrites valid JSON. Outside of strings there is neither "/" nor anything beyond ASCII, so only existing
// escapes need care.
func EscapePHP(src []byte) []byte {
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
