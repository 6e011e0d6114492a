package cloud

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// rewriter copies values into JSON that is compact and free of needless escapes. member, if set, may
// write another value for a member of an object and return true, or leave it to be copied. leaveOut,
// if set, picks members that are not copied at all.
type rewriter struct {
	out      []byte
	member   func(r *rewriter, parent, member node) bool
	leaveOut func(parent, member node) bool
}

func (r *rewriter) copy(n node) {
	switch n.kind() {
	case 0:
		r.out = append(r.out, "null"...)
	case '{':
		r.object(n)
	case '[':
		r.array(n)
	case '"':
		r.quoted(n.raw())
	default:
		r.out = append(r.out, n.raw()...)
	}
}

func (r *rewriter) object(n node) {
	r.out = append(r.out, '{')
	for member := range n.each {
		if r.leaveOut != nil && r.leaveOut(n, member) {
			continue
		}
		r.keyOf(member)
		if r.member == nil || !r.member(r, n, member) {
			r.copy(member)
		}
	}
	r.out = append(r.out, '}')
}

func (r *rewriter) array(n node) {
	r.out = append(r.out, '[')
	for element := range n.each {
		r.comma()
		r.copy(element)
	}
	r.out = append(r.out, ']')
}

// key begins a member.
func (r *rewriter) key(name string) {
	r.comma()
	r.string(name)
	r.out = append(r.out, ':')
}

// keyOf begins a member with the name of a document's member.
func (r *rewriter) keyOf(member node) {
	r.comma()
	r.quoted(member.quotedName())
	r.out = append(r.out, ':')
}

// quoted copies a string of a document. Most strings need no change.
func (r *rewriter) quoted(text []byte) {
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		r.out = append(r.out, text...)
		return
	}
	r.string(unquote(text))
}

// comma separates the value from the previous one in the same container.
func (r *rewriter) comma() {
	if last := r.out[len(r.out)-1]; last != '{' && last != '[' {
		r.out = append(r.out, ',')
	}
}

func (r *rewriter) string(s string) { r.out = appendString(r.out, s) }

// usualSeconds is the length of an instant as the upstream nearly always writes it: ten digits between quotes.
const usualSeconds = len(`"1767225600"`)

// seconds copies an instant as receivers expect it: unix seconds in a string. The upstream has sent numbers and
// milliseconds too.
func (r *rewriter) seconds(n node) {
	at := time.Time{}
	if n.kind() != '"' || len(n.raw()) != usualSeconds {
		at = instant(n.str())
	}
	if at.IsZero() {
		r.copy(n)
		return
	}
	r.string(strconv.FormatInt(at.Unix(), 10))
}

// appendString quotes any text: broken characters become U+FFFD.
func appendString(out []byte, s string) []byte {
	out, _ = jsontext.AppendQuote(out, s)
	return out
}

// The names of the upstream's product: ours and its own on the wire.
const (
	upstreamProduct = "whatsapp"
	ownProduct      = "chat"
)

// neutral copies a value of a callback to pass on, with the product under our name.
func neutral(n node) []byte {
	r := rewriter{out: make([]byte, 0, len(n.raw())), member: renameProduct}
	r.copy(n)
	return r.out
}

func renameProduct(r *rewriter, _, member node) bool {
	if !member.called("messaging_product") || member.str() != upstreamProduct {
		return false
	}
	r.string(ownProduct)
	return true
}
