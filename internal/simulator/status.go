package simulator

import "strconv"

// update is one thing to call back about. Statuses are kept as the few words they are made of and
// written when they are sent, which keeps a long queue small; the rest is written beforehand.
type update struct {
	entry  string // the account's id
	at     int64  // unix seconds
	number *number

	// A status.
	msg    *message
	status string
	code   int
	priced bool

	// A message from a person: its contact, which may be missing, and the message object.
	contact []byte
	item    []byte

	// Anything else: the change's field and value.
	field string
	value []byte
	timed bool // the entry carries a time
}

// changeField is the name of the subscription that the update belongs to.
func (u *update) changeField() string {
	if u.field != "" {
		return u.field
	}
	return "messages"
}

// list is the array of the value that the update goes into; empty: the value is complete.
func (u *update) list() string {
	switch {
	case u.msg != nil:
		return "statuses"
	case u.item != nil:
		return "messages"
	}
	return ""
}

// hasContact: failures carry no identity beyond the address used, system messages none at all.
func (u *update) hasContact() bool {
	return u.msg != nil && u.status != statusFailed || u.contact != nil
}

func (u *update) appendContact(w *jsonWriter) {
	if u.msg == nil {
		w.raw(u.contact)
		return
	}
	u.msg.to.appendContact(w, u.status != statusSent)
}

func (u *update) appendItem(w *jsonWriter) {
	if u.msg == nil {
		w.raw(u.item)
		return
	}
	m := u.msg
	w.open('{').field("id", m.id).field("status", u.status).field("timestamp", strconv.FormatInt(u.at, 10))
	u.appendRecipient(w)
	w.optional("biz_opaque_callback_data", m.opaque)
	if u.status == statusFailed {
		w.key("errors").open('[')
		appendWebhookError(w, u.code)
		w.close(']')
	} else if u.priced {
		m.appendPricing(w)
	}
	w.close('}')
}

func (n *number) appendMetadata(w *jsonWriter) {
	digits, _ := n.snapshot()
	w.key("metadata").open('{').field("display_phone_number", digits).field("phone_number_id", n.id).close('}')
}

func (u *update) appendRecipient(w *jsonWriter) {
	to := u.msg.to
	w.optional("recipient_id", to.visiblePhone())
	if u.status != statusFailed || to.byUser {
		w.optional("recipient_user_id", to.userID)
	}
	w.optional("recipient_parent_user_id", to.parentID)
}

func (r recipient) appendContact(w *jsonWriter, username bool) {
	w.open('{').key("profile").open('{').optional("name", r.person.Name)
	if username {
		w.optional("username", r.person.Username)
	}
	w.close('}').optional("wa_id", r.visiblePhone()).optional("user_id", r.userID).optional("parent_user_id", r.parentID)
	w.close('}')
}

func (m *message) appendPricing(w *jsonWriter) {
	kind := "regular"
	if m.free {
		kind = "free_customer_service"
	}
	w.key("pricing").open('{').key("billable").boolean(!m.free).field("pricing_model", "PMP")
	w.field("category", m.category).field("type", kind).close('}')
}

// failureDetails explain the failures that people meet most.
var failureDetails = map[int]string{
	131026: "Message Undeliverable.",
	131047: "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
	131049: "In order to maintain a healthy ecosystem engagement, the message failed to be delivered.",
	131050: "The user has stopped marketing messages from your business.",
	131053: "The media could not be downloaded from the address given, or its type is not supported.",
	131009: "The message to react to does not exist, is too old, or is a reaction itself.",
	132015: "The template was paused before the held message could be sent.",
}

func appendWebhookError(w *jsonWriter, code int) {
	title := titleOf(code)
	details := failureDetails[code]
	if details == "" {
		details = title
	}
	w.open('{').key("code").num(int64(code)).field("title", title).field("message", title)
	w.key("error_data").open('{').field("details", details).close('}')
	w.field("href", "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/").close('}')
}
