package cloud

import (
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// content is the object of a message that its type names, in our outward shape.
type content struct {
	message node
	named   string // the upstream's type
	kind    chat.MessageType
	object  node // of the upstream; absent if it was not understood
	json    []byte
}

// kinds maps the upstream's types to ours.
var kinds = map[string]chat.MessageType{
	"text":        chat.TypeText,
	"image":       chat.TypeImage,
	"sticker":     chat.TypeImage,
	"document":    chat.TypeDocument,
	"video":       chat.TypeVideo,
	"audio":       chat.TypeAudio,
	"voice":       chat.TypeAudio,
	"location":    chat.TypeLocation,
	"contacts":    chat.TypeContacts,
	"interactive": chat.TypeInteractive,
	"button":      chat.TypeButton,
	"reaction":    chat.TypeReaction,
}

// readContent never fails: a message that cannot be shown still arrived, and gets the type unsupported.
func readContent(m node) content {
	b := content{message: m, named: m.text("type")}
	b.kind, b.object = kinds[b.named], m.get(b.named)
	if !b.wellFormed() {
		b.kind, b.object = chat.TypeUnsupported, node{}
	}
	b.json = b.outward()
	return b
}

func (b content) understood() bool { return b.kind != chat.TypeUnsupported }

func (b content) wellFormed() bool {
	switch b.kind {
	case "":
		return false
	case chat.TypeContacts:
		return b.object.isArray()
	case chat.TypeReaction:
		return b.object.text("message_id") != ""
	default:
		return b.object.isObject()
	}
}

func (b content) outward() []byte {
	r := rewriter{out: make([]byte, 0, len(b.object.raw())+32), member: renameProduct}
	switch {
	case !b.understood():
		r.out = append(r.out, `{"type":`...)
		r.string(b.reason())
		r.out = append(r.out, '}')
	case b.kind == chat.TypeReaction: // the upstream omits the emoji when a reaction is removed
		r.out = append(r.out, `{"message_id":`...)
		r.string(b.object.text("message_id"))
		r.out = append(r.out, `,"emoji":`...)
		r.string(b.object.text("emoji"))
		r.out = append(r.out, '}')
	case b.kind.HasMedia():
		b.outwardMedia(&r)
	default:
		r.copy(b.object)
	}
	return r.out
}

// outwardMedia leaves out the address, which works only for minutes and only with our token.
func (b content) outwardMedia(r *rewriter) {
	r.out = append(r.out, '{')
	for member := range b.object.each {
		if member.called("url") || (b.named == "voice" && member.called("voice")) {
			continue
		}
		r.keyOf(member)
		r.copy(member)
	}
	if b.named == "voice" { // the old type, which is a flag now
		r.key("voice")
		r.out = append(r.out, "true"...)
	}
	r.out = append(r.out, '}')
}

// reason names the unsupported kind of message, in the upstream's word if it has one.
func (b content) reason() string {
	word := b.named
	if word == "unsupported" || word == "unknown" {
		word = b.message.get("unsupported").text("type")
	}
	if word == "" || len(word) > 64 || strings.Trim(word, lowerLetters+"0123456789_") != "" {
		return "unknown"
	}
	return word
}

func (b content) media() *provider.Media {
	if !b.kind.HasMedia() {
		return nil
	}
	m := &provider.Media{
		ID:       b.object.text("id"),
		URL:      b.object.text("url"),
		MimeType: b.object.text("mime_type"),
		SHA256:   digest(b.object.text("sha256")),
		Filename: b.object.text("filename"),
	}
	if m.ID == "" && m.URL == "" {
		return nil
	}
	return m
}

// item is the whole message to pass on, with type and content in our terms.
func (b content) item() []byte {
	r := rewriter{out: make([]byte, 1, len(b.message.raw())+64), member: renameProduct}
	r.out[0] = '{'
	written := false
	for member := range b.message.each {
		switch {
		case member.called("type"):
		case member.called(string(b.kind)), b.understood() && member.called(b.named):
			if !written {
				written = true
				b.write(&r)
			}
		case member.called("timestamp"):
			r.keyOf(member)
			r.seconds(member)
		default:
			r.keyOf(member)
			r.copy(member)
		}
	}
	if !written {
		b.write(&r)
	}
	return append(r.out, '}')
}

func (b content) write(r *rewriter) {
	r.key("type")
	r.string(string(b.kind))
	r.key(string(b.kind))
	r.out = append(r.out, b.json...)
}
