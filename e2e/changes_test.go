package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

// testReactions: a reaction is a message of its own in either direction, and so is its removal.
func testReactions(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	m := n.receiveText(person, "like this?")
	for _, emoji := range []string{"👍", ""} {
		id := n.send(person, "reaction", map[string]any{"message_id": m["message_id"], "emoji": emoji})
		sent := n.awaitStatus(id, "sent")
		if sent.str("reaction", "message_id") != m.str("message_id") || sent.at("reaction", "emoji") != emoji {
			t.Errorf("the reaction is %v", sent)
		}
		if e := n.onlyEvent(chat.EventMessageSent, id); e.at("data", "message", "body") != emoji {
			t.Errorf("message.sent is %v", e)
		}
	}
	mine := n.send(person, "text", text("and this?"))
	target := n.awaitStatus(mine, "read").str("message_id")
	on := n.receive(person, "reaction", map[string]any{"reaction": map[string]any{"message_id": target, "emoji": "❤️"}})
	off := n.receive(person, "reaction", map[string]any{"reaction": map[string]any{"message_id": target}})
	for id, emoji := range map[string]string{on: "❤️", off: ""} {
		r := n.find(id)
		if r.str("type") != "reaction" || r.str("reaction", "message_id") != target || r.at("reaction", "emoji") != emoji {
			t.Errorf("the reaction is %v", r)
		}
		checkReceivedEvent(t, n, r, person)
	}
	if got := n.message(mine).str("status"); got != "read" {
		t.Errorf("the message reacted to is %s", got)
	}
	failed := n.send(person, "reaction", map[string]any{"message_id": "wamid.unknown", "emoji": "👍"})
	checkFailure(t, n.awaitStatus(failed, "failed"), "upstream_error", 131009)
}

// aboutMessage are the fields that events about a message have in common.
var aboutMessage = []string{
	"contact_id", "contact_phone_number", "conversation_id", "display_phone_number", "message_id", "phone_number_id", "provider_id",
}

func testEditsAndRevocations(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	m := n.receiveText(person, "first")
	id := m.str("id")
	for _, body := range []string{"second", "third"} {
		n.receive(person, "edit", map[string]any{"edit": map[string]any{
			"original_message_id": m["message_id"], "message": map[string]any{"type": "text", "text": text(body)},
		}})
		n.await(id, body, func(m object) bool { return m.str("text", "body") == body })
	}
	n.settle(person)
	checkEditedEvents(t, n, m)
	withheld := n.receive(person, "edit", map[string]any{"edit": map[string]any{"original_message_id": m["message_id"]}})
	row := n.find(withheld)
	if row.str("type") != "unsupported" || row.str("unsupported", "type") != "edit" || row.str("context", "message_id") != m.str("message_id") {
		t.Errorf("an edit without content is %v", row)
	}
	for range 2 {
		n.receive(person, "revoke", map[string]any{"revoke": map[string]any{"original_message_id": m["message_id"]}})
	}
	revoked := n.await(id, "revoked", func(m object) bool { return m["is_revoked"] == true })
	if revoked.str("text", "body") != "third" {
		t.Errorf("a revoked message is %v", revoked)
	}
	n.settle(person)
	e := n.onlyEvent(chat.EventMessageRevoked, id)
	if want := slices.Sorted(slices.Values(append([]string{"revoked_at"}, aboutMessage...))); !slices.Equal(e.names("data"), want) {
		t.Errorf("message.revoked has %v", e.names("data"))
	}
	checkAbout(t, n, e, m)
}

func checkEditedEvents(t *testing.T, n *Number, m object) {
	t.Helper()
	events := n.eventsWith(chat.EventMessageEdited, m.str("id"))
	if len(events) != 2 {
		t.Fatalf("%d times message.edited", len(events))
	}
	last := events[1]
	want := slices.Sorted(slices.Values(append([]string{"edit_history", "edited_at", "new_content", "original_content"}, aboutMessage...)))
	if !slices.Equal(last.names("data"), want) {
		t.Errorf("message.edited has %v", last.names("data"))
	}
	checkAbout(t, n, last, m)
	if last.str("data", "new_content") != "third" || last.str("data", "original_content") != "first" {
		t.Errorf("message.edited is %v", last)
	}
	history, _ := last.at("data", "edit_history").([]any)
	if len(history) != 2 || last.str("data", "edit_history", 1, "content") != "second" || last.str("data", "edit_history", 1, "edited_at") == "" {
		t.Errorf("the history is %v", history)
	}
}

// checkAbout checks which person and message an event is about.
func checkAbout(t *testing.T, n *Number, e, m object) {
	t.Helper()
	want := map[string]any{
		"message_id": m["id"], "provider_id": m["message_id"], "conversation_id": m["conversation_id"], "contact_phone_number": m["from"],
		"contact_id": n.contact(m.str("from"))["id"], "phone_number_id": n.ID, "display_phone_number": n.Phone,
	}
	for name, value := range want {
		if e.at("data", name) != value {
			t.Errorf("%s: %s is %v, want %v", e["type"], name, e.at("data", name), value)
		}
	}
}

// testIdentity: a person who changes the phone number keeps the contact and the conversation.
func testIdentity(t *testing.T, w world) {
	n, old, fresh := w.number(t), newPerson(), newPerson()
	m := n.receiveText(old, "hello")
	before := n.contact(old)
	n.sim.do(http.MethodPost, "identity", map[string]any{"phone_number_id": n.ID, "person": old, "new_phone": fresh})
	e := n.onlyEvent(chat.EventContactIdentityUpdated, before.str("id"))
	after := n.contact(fresh)
	if after["id"] != before["id"] || after["bsuid"] == before["bsuid"] || after["bsuid"] == nil {
		t.Errorf("the contact was %v, is %v", before, after)
	}
	contact := map[string]any{}
	for _, name := range []string{
		"id", "object", "phone_number", "name", "email", "metadata", "created_at", "updated_at", "bsuid", "parent_bsuid", "username",
	} {
		contact[name] = after[name]
	}
	contact["phone_number_id"] = n.ID
	want := map[string]any{
		"contact":         contact,
		"previous":        map[string]any{"bsuid": before["bsuid"], "parent_bsuid": nil, "phone_number": old},
		"phone_number_id": n.ID,
	}
	if diff := cmp.Diff(want, e["data"]); diff != "" {
		t.Errorf("contact.identity_updated (-want +got):\n%s", diff)
	}
	if next := n.receiveText(fresh, "it is me"); next["conversation_id"] != m["conversation_id"] {
		t.Errorf("the next message is in another conversation: %v", next)
	}
	if contacts, conversation := n.all("/contacts"), n.conversation(fresh); len(contacts) != 1 || conversation["unread_count"] != 2.0 {
		t.Errorf("the contacts are %v, the conversation %v", contacts, conversation)
	}
}

// testPreferences: a person's choice about marketing is stored, even if the person never wrote.
func testPreferences(t *testing.T, w world) {
	n, known, unknown := w.number(t), newPerson(), newPerson()
	n.receiveText(known, "hello")
	if got := n.contact(known)["marketing_consent"]; got != "unknown" {
		t.Errorf("at first it is %v", got)
	}
	for _, step := range []struct{ value, consent string }{{"stop", "opted_out"}, {"resume", "opted_in"}, {"stop", "opted_out"}} {
		for _, person := range []string{known, unknown} {
			n.sim.do(http.MethodPost, "preferences", map[string]any{"phone_number_id": n.ID, "person": person, "value": step.value})
			n.settle(person)
			if got := n.contact(person)["marketing_consent"]; got != step.consent {
				t.Errorf("after %s it is %v", step.value, got)
			}
		}
	}
}

// testEchoes: a message that the business writes on its phone is stored like any other outbound message.
func testEchoes(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	echo := func(kind string, content any) object {
		t.Helper()
		id := n.sim.do(http.MethodPost, "echoes", map[string]any{"phone_number_id": n.ID, "to": person, "type": kind, kind: content}).str("id")
		m := n.find(id)
		if m.str("direction") != "outbound" || m.str("source") != "app" || m.str("status") != "sent" || m.str("to") != person || m.str("type") != kind {
			t.Errorf("the echo is %v", m)
		}
		return m
	}
	written := echo("text", map[string]any{"body": "from the phone"})
	e := n.onlyEvent(chat.EventMessageSent, written.str("id"))
	if e.str("data", "message", "source") != "app" || e.str("data", "message", "body") != "from the phone" || e.at("data", "from_me") != true ||
		e.str("id") != written.str("id")+":sent" {
		t.Errorf("message.sent is %v", e)
	}
	picture := echo("image", map[string]any{"caption": "look"})
	e = n.onlyEvent(chat.EventMessageSent, picture.str("id")) // the event waits for the file
	link := e.str("data", "message", "media_url")
	if file := fetch(t, link); file.Status != http.StatusOK || file.Header.Get("Content-Type") != "image/png" {
		t.Errorf("message.sent is %v, its file %d", e, file.Status)
	}
	if e.str("data", "message", "image", "link") != link || e.str("data", "message", "image", "caption") != "look" || e.str("data", "message", "media_status") != "ready" {
		t.Errorf("message.sent is %v", e)
	}
	if c := n.conversation(person); c["unread_count"] != 0.0 || c["last_inbound_at"] != nil {
		t.Errorf("the conversation is %v", c)
	}
	n.sim.do(http.MethodPost, "callbacks", map[string]any{"phone_number_id": n.ID, "field": "smb_message_echoes", "value": map[string]any{
		"messaging_product": "whatsapp", "metadata": map[string]any{"display_phone_number": n.Phone[1:], "phone_number_id": n.ID},
		"message_echoes": []any{map[string]any{
			"from": n.Phone[1:], "to": person[1:], "id": "wamid.revocation." + n.ID, "timestamp": "1790000000", "type": "revoke",
			"revoke": map[string]any{"original_message_id": written["message_id"]},
		}},
	}})
	n.await(written.str("id"), "revoked", func(m object) bool { return m["is_revoked"] == true })
	if told := n.events(chat.EventMessageRevoked); len(told) > 0 { // the contact did not revoke it
		t.Errorf("message.revoked is %s", told[0].Payload)
	}
}

// testHistory: old messages are imported without notifications.
func testHistory(t *testing.T, w world) {
	n := w.number(t)
	n.sim.do(http.MethodPatch, "numbers/"+n.ID, map[string]any{"on_business_app": true})
	n.sim.do(http.MethodPost, "sync", map[string]any{"phone_number_id": n.ID, "sync_type": "history"})
	const people, messages = 3, 21 // two in each of three phases, and a picture
	var rows []object
	complete := eventually(func() bool { rows = n.all("/messages"); return len(rows) >= messages })
	if !complete || len(rows) != messages {
		t.Fatalf("%d messages came in", len(rows))
	}
	var pictures []object
	for _, m := range rows {
		outbound := m.str("text", "body") == "Yes, from nine."
		if (m.str("direction") == "outbound") != outbound || (m.str("source") == "app") != outbound || m.str("status") != "read" {
			t.Errorf("the message is %v", m)
		}
		if m.str("type") == "image" {
			pictures = append(pictures, m)
		}
	}
	if len(pictures) != people {
		t.Errorf("%d pictures came in", len(pictures))
	}
	for _, m := range pictures {
		media := n.path("/messages/" + m.str("id") + "/media")
		if !eventually(func() bool { return n.srv.Get(n.org.Key, media).Status == http.StatusOK }) { // follows the redirect
			t.Errorf("the picture's file never came: %v", m)
		}
	}
	conversations := n.all("/conversations")
	for _, c := range conversations {
		if c["unread_count"] != 0.0 || c["last_inbound_at"] != nil || c["last_message_at"] == nil {
			t.Errorf("the conversation is %v", c)
		}
	}
	if len(conversations) != people || len(n.all("/contacts")) != people {
		t.Errorf("%d conversations, %d contacts", len(conversations), len(n.all("/contacts")))
	}
	if events := n.events(); len(events) > 0 {
		t.Errorf("%d events, such as %s", len(events), events[0].Payload)
	}
}

// testContactSync: the phone's address book is added to the contacts, and overwrites nothing.
func testContactSync(t *testing.T, w world) {
	n := w.number(t)
	n.receiveText(map[string]any{"phone": "+4915510000101", "name": "Known"}, "hello")
	n.sim.do(http.MethodPost, "sync", map[string]any{"phone_number_id": n.ID, "sync_type": "smb_app_state_sync"})
	if !eventually(func() bool { return len(n.all("/contacts")) == 3 }) {
		t.Fatalf("the contacts are %v", n.all("/contacts"))
	}
	if got := n.contact("+4915510000101")["name"]; got != "Known" {
		t.Errorf("the contact who wrote is called %v", got)
	}
	if got := n.contact("+4915510000102").str("name"); !strings.HasSuffix(got, " Example") {
		t.Errorf("the contact from the phone is called %q", got)
	}
	if created := n.events(chat.EventContactCreated); len(created) != 1 {
		t.Errorf("%d times contact.created", len(created))
	}
	if rows := n.all("/conversations"); len(rows) != 1 {
		t.Errorf("the conversations are %v", rows)
	}
}

// testMerge: a person who hides the phone number is known by an id, until a status of a message to the number shows
// both.
func testMerge(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	hidden := n.receiveText(map[string]any{"phone": person, "name": "Ada", "username": "ada" + person[1:], "hide_phone": true}, "guess who")
	first := n.all("/contacts")
	if len(first) != 1 || first[0]["phone_number"] != nil || first[0]["bsuid"] == nil {
		t.Fatalf("the contacts are %v", first)
	}
	id := n.send(person, "text", text("is it you?"))
	n.awaitStatus(id, "read")
	n.onlyEvent(chat.EventContactIdentityUpdated, first[0].str("id"))
	contacts, conversations := n.all("/contacts"), n.all("/conversations")
	if len(contacts) != 1 || contacts[0]["phone_number"] != person || contacts[0]["id"] != first[0]["id"] ||
		len(conversations) != 1 || conversations[0]["id"] != hidden["conversation_id"] {
		t.Errorf("the contacts are %v, the conversations %v", contacts, conversations)
	}
	if m := n.message(id); m["conversation_id"] != hidden["conversation_id"] {
		t.Errorf("the message is in another conversation: %v", m)
	}
	next := n.receiveText(person, "it is me")
	if sent := n.eventsWith(chat.EventMessageSent, id); next["conversation_id"] != hidden["conversation_id"] || len(sent) != 1 {
		t.Errorf("the next message is %v; sent was told %d times", next, len(sent))
	}
}
