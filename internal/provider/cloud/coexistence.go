package cloud

import (
	"cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// addressBook decodes changes to the contacts of the phone app.
func (c *change) addressBook() {
	for item := range c.value.elements("state_sync") {
		contact := item.get("contact")
		phone := contact.text("phone_number", "wa_id")
		u := provider.ContactSync{
			Origin:  c.origin,
			Removed: item.text("action") == "remove",
			Contact: provider.Person{
				Phone:        e164(phone),
				UserID:       cmp.Or(contact.text("user_id"), bsuid(phone)),
				ParentUserID: contact.text("parent_user_id"),
				Username:     username(contact.text("username")),
				ProfileName:  contact.text("full_name", "first_name"),
			},
		}
		if !known(u.Contact) {
			c.lose("the change to the address book names no contact")
			continue
		}
		c.add(u)
	}
}

// history decodes chats from before the number was connected, and their files.
func (c *change) history() {
	for chunk := range c.value.elements("history") {
		c.historyChunk(chunk)
	}
	var files []provider.HistoryMessage
	for _, list := range []struct {
		name     string
		outbound bool
	}{{"messages", false}, {"message_echoes", true}} {
		for m := range c.value.elements(list.name) {
			who, contact := c.author(m, list.outbound)
			files = c.historyMessage(files, m, who, contact, list.outbound)
		}
	}
	if len(files) > 0 {
		c.add(provider.HistoryChunk{Origin: c.origin, Messages: files})
	}
}

func (c *change) historyChunk(chunk node) {
	if !chunk.isObject() {
		c.lose("the part of the history is not an object")
		return
	}
	u := provider.HistoryChunk{Origin: c.origin}
	for thread := range chunk.elements("threads") {
		u.Messages = c.thread(u.Messages, thread)
	}
	c.add(u)
}

// thread decodes one chat of the history. The chat names its person once, for all messages.
func (c *change) thread(messages []provider.HistoryMessage, thread node) []provider.HistoryMessage {
	id, context := thread.text("id"), thread.get("context")
	who, contact := c.person(cmp.Or(context.text("wa_id"), id), context.text("user_id"), context.text("parent_user_id"))
	who.UserID = cmp.Or(who.UserID, bsuid(id))
	who.Username = cmp.Or(username(context.text("username")), who.Username)
	business := e164(c.origin.DisplayPhoneNumber)
	for m := range thread.elements("messages") {
		messages = c.historyMessage(messages, m, who, contact, isOutbound(m, business))
	}
	return messages
}

// isOutbound reports whether the business wrote a message: it comes from its number, or goes to another.
func isOutbound(m node, business string) bool {
	if business != "" && e164(m.text("from")) == business {
		return true
	}
	to := m.text("to", "to_user_id")
	return to != "" && e164(to) != business
}

func (c *change) historyMessage(messages []provider.HistoryMessage, m node, who provider.Person, contact node, outbound bool) []provider.HistoryMessage {
	switch {
	case m.text("id") == "":
		c.lose("the message has no id")
		return messages
	case !known(who):
		c.lose("the message does not say whom it is with")
		return messages
	}
	return append(messages, provider.HistoryMessage{
		Message:     c.message(m, who, contact),
		Outbound:    outbound,
		Status:      historyStatuses[m.get("history_context").text("status")],
		Placeholder: m.text("type") == "media_placeholder",
	})
}

var historyStatuses = map[string]chat.MessageStatus{
	"PENDING":   chat.StatusPending,
	"SENT":      chat.StatusSent,
	"DELIVERED": chat.StatusDelivered,
	"READ":      chat.StatusRead,
	"PLAYED":    chat.StatusRead,
	"ERROR":     chat.StatusFailed,
}
