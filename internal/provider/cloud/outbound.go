package cloud

import (
	"errors"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

var (
	errNoContent   = errors.New("the message has no content")
	errNoRecipient = errors.New("the message has no recipient")
)

// encode makes the upstream's body of a message. Content is copied unchanged where our shape equals the
// upstream's, which is the case for most messages.
func encode(m provider.Outbound) ([]byte, error) {
	if len(m.Content) == 0 {
		return nil, errNoContent
	}
	out := make([]byte, 0, len(m.Content)+320)
	out = append(out, `{"messaging_product":"whatsapp","recipient_type":"individual"`...)
	switch {
	case m.To != "":
		// Without the plus the upstream would take the number for one of the sender's own country.
		out = appendMember(out, "to", "+"+strings.TrimPrefix(m.To, "+"))
	case m.Recipient != "":
		out = appendMember(out, "recipient", m.Recipient)
	default:
		return nil, errNoRecipient
	}
	if m.ReplyTo != "" && m.Type != chat.TypeReaction { // a reaction names its target itself
		out = append(out, `,"context":{"message_id":`...)
		out = append(appendString(out, m.ReplyTo), '}')
	}
	if m.ID != "" {
		out = appendMember(out, "biz_opaque_callback_data", m.ID)
	}
	out = appendMember(out, "type", string(m.Type))
	out = append(appendString(append(out, ','), string(m.Type)), ':')
	out, err := appendContent(out, m)
	return append(out, '}'), err
}

func appendMember(out []byte, name, value string) []byte {
	out = append(appendString(append(out, ','), name), ':')
	return appendString(out, value)
}

// appendContent translates the kinds whose shape differs from the upstream's.
func appendContent(out []byte, m provider.Outbound) ([]byte, error) {
	var member func(r *rewriter, parent, member node) bool
	switch {
	case m.Type == chat.TypeInteractive:
		member = chain(renameButtons, replaceMedia(m))
	case m.Type == chat.TypeTemplate:
		member = chain(spellLanguage, replaceMedia(m))
	case m.Type.HasMedia() && m.MediaID != "":
		return appendUploaded(out, m)
	default:
		return append(out, m.Content...), nil
	}
	content, err := parse(m.Content)
	if err != nil {
		return nil, err
	}
	r := rewriter{out: out, member: member}
	if m.Type == chat.TypeTemplate {
		r.leaveOut = isPreview
	}
	r.copy(content)
	return r.out, nil
}

// isPreview reports a template's preview, which is our own addition.
func isPreview(parent, member node) bool { return parent.at == 0 && member.called("preview") }

// appendUploaded writes media content with the upstream's id in place of ours, or of a link.
func appendUploaded(out []byte, m provider.Outbound) ([]byte, error) {
	content, err := parse(m.Content)
	if err != nil {
		return nil, err
	}
	r := rewriter{out: append(out, '{')}
	r.key("id")
	r.string(m.MediaID)
	for member := range content.each {
		if member.called("id") || member.called("link") {
			continue
		}
		r.keyOf(member)
		r.copy(member)
	}
	return append(r.out, '}'), nil
}

func chain(steps ...func(*rewriter, node, node) bool) func(*rewriter, node, node) bool {
	return func(r *rewriter, parent, member node) bool {
		for _, step := range steps {
			if step(r, parent, member) {
				return true
			}
		}
		return false
	}
}

// renameButtons renames our reply_buttons to the upstream's button.
func renameButtons(r *rewriter, parent, member node) bool {
	if parent.at != 0 || !member.called("type") || member.str() != "reply_buttons" {
		return false
	}
	r.string("button")
	return true
}

// spellLanguage expands a template's language, which may be a plain string in our API.
func spellLanguage(r *rewriter, parent, member node) bool {
	if parent.at != 0 || !member.called("language") || member.kind() != '"' {
		return false
	}
	r.out = append(r.out, `{"code":`...)
	r.string(member.str())
	r.out = append(r.out, '}')
	return true
}

// replaceMedia replaces our ids of files inside headers, parameters and cards by the upstream's. Only an object
// under the name of a media type is a file: ids of buttons and rows are the customer's own.
func replaceMedia(m provider.Outbound) func(*rewriter, node, node) bool {
	if m.MediaID == "" && len(m.MediaIDs) == 0 {
		return func(*rewriter, node, node) bool { return false }
	}
	return func(r *rewriter, parent, member node) bool {
		if !member.called("id") || parent.at == 0 || !isMediaKind(parent.name()) {
			return false
		}
		id := m.MediaIDs[member.str()]
		if id == "" {
			id = m.MediaID
		}
		if id == "" {
			return false
		}
		r.string(id)
		return true
	}
}

func isMediaKind(name string) bool {
	return chat.MessageType(name).HasMedia() || name == "sticker"
}
