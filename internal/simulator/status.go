package simulator

import (
	"strconv"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// update is one thing to call back about. A status is kept in its few parts and written when it is sent, which keeps a
// long queue small. The rest is written beforehand.
type update struct {
	entry  string // the account's id
	at     int64  // unix seconds
	number *number

	// A status.
	msg    *message
	status string
	code   int
	priced bool

	// A message from a person: the contact, which may be missing, and the message object.
	contact []byte
	item    []byte

	// Anything else: the change's field and value.
	field string
	value []byte
	timed bool // the entry carries a time
}

// changeField is the field of the subscription that the update belongs to.
func (u *update) changeField() string {
	if u.field != "" {
		return u.field
	}
	return "messages"
}

// list is the array of the value that the update goes into; empty if the value is complete.
func (u *update) list() string {
	switch {
	case u.msg != nil:
		return "statuses"
	case u.item != nil:
		return "messages"
	}
	return ""
}

// hasContact tells whether the update carries a contact. Failures carry no identity beyond the address used, and system
// messages none at all.
func (u *update) hasContact() bool {
	return u.msg != nil && u.status != statusFailed || u.contact != nil
}

func (u *update) appendContact(w *wire.Writer) {
	if u.msg == nil {
		w.Raw(u.contact)
		return
	}
	u.msg.to.appendContact(w, u.status != statusSent)
}

func (u *update) appendItem(w *wire.Writer) {
	if u.msg == nil {
		w.Raw(u.item)
		return
	}
	m := u.msg
	w.Open('{').Field("id", m.id).Field("status", u.status).Field("timestamp", strconv.FormatInt(u.at, 10))
	u.appendRecipient(w)
	w.Optional("biz_opaque_callback_data", m.opaque)
	if u.status == statusFailed {
		w.Key("errors").Open('[')
		appendWebhookError(w, u.code)
		w.Close(']')
	} else if u.priced {
		m.appendPricing(w)
	}
	w.Close('}')
}

func (n *number) appendMetadata(w *wire.Writer) {
	digits, _ := n.snapshot()
	w.Key("metadata").Open('{').Field("display_phone_number", digits).Field("phone_number_id", n.id).Close('}')
}

func (u *update) appendRecipient(w *wire.Writer) {
	to := u.msg.to
	w.Optional("recipient_id", to.visiblePhone())
	if u.status != statusFailed || to.byUser {
		w.Optional("recipient_user_id", to.userID)
	}
	w.Optional("recipient_parent_user_id", to.parentID)
}

func (r recipient) appendContact(w *wire.Writer, username bool) {
	w.Open('{').Key("profile").Open('{').Optional("name", r.person.Name)
	if username {
		w.Optional("username", r.person.Username)
	}
	w.Close('}').Optional("wa_id", r.visiblePhone()).Optional("user_id", r.userID).Optional("parent_user_id", r.parentID)
	w.Close('}')
}

func (m *message) appendPricing(w *wire.Writer) {
	kind := "regular"
	if m.free {
		kind = "free_customer_service"
	}
	w.Key("pricing").Open('{').Key("billable").Boolean(!m.free).Field("pricing_model", "PMP")
	w.Field("category", m.category).Field("type", kind).Close('}')
}

// failureDetails explain the most frequent failures.
var failureDetails = map[int]string{
	131026: "Message Undeliverable.",
	131047: "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
	131049: "In order to maintain a healthy ecosystem engagement, the message failed to be delivered.",
	131050: "The user has stopped marketing messages from your business.",
	131053: "The media could not be downloaded from the address given, or its type is not supported.",
	131009: "The message to react to does not exist, is too old, or is a reaction itself.",
	132015: "The template was paused before the held message could be sent.",
}

func appendWebhookError(w *wire.Writer, code int) {
	title := wire.TitleOf(code)
	details := failureDetails[code]
	if details == "" {
		details = title
	}
	w.Open('{').Key("code").Num(int64(code)).Field("title", title).Field("message", title)
	w.Key("error_data").Open('{').Field("details", details).Close('}')
	w.Field("href", "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/").Close('}')
}
