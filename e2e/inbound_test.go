package e2e

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

// receivable is a message of each type that people write, without files, and our name for it.
var receivable = []struct {
	kind    string
	content any
	as      string
	want    any // the content in the API
}{
	{"text", "Grüße 👋", "text", map[string]any{"body": "Grüße 👋"}},
	{"location", map[string]any{"latitude": 52.5, "longitude": 13.4, "name": "Here"}, "location", nil},
	{"contacts", []any{map[string]any{"name": map[string]any{"formatted_name": "Ada"}}}, "contacts", nil},
	{"interactive", map[string]any{"type": "button_reply", "button_reply": map[string]any{"id": "yes", "title": "Yes"}}, "interactive", nil},
	{"interactive", map[string]any{"type": "list_reply", "list_reply": map[string]any{"id": "s", "title": "Small"}}, "interactive", nil},
	{"button", map[string]any{"payload": "more", "text": "Tell me more"}, "button", nil},
	{"order", map[string]any{"catalog_id": "1", "product_items": []any{}}, "unsupported", map[string]any{"type": "order"}},
	{"unsupported", map[string]any{"type": "poll_creation"}, "unsupported", map[string]any{"type": "poll_creation"}},
	{"hologram", map[string]any{"depth": 3}, "unsupported", map[string]any{"type": "hologram"}},
}

func testReceiveEachType(t *testing.T, w world) {
	n := w.number(t)
	for _, r := range receivable {
		person := newPerson()
		id := n.receive(person, r.kind, map[string]any{r.kind: r.content})
		m := n.find(id)
		want := r.want
		if want == nil {
			want = r.content
		}
		if m.str("type") != r.as || m.str("direction") != "inbound" || m.str("status") != "delivered" || m.str("from") != person || m.str("to") != n.Phone {
			t.Errorf("%s: the message is %v", r.kind, m)
		}
		if diff := cmp.Diff(want, m[r.as]); diff != "" {
			t.Errorf("%s: the content (-want +got):\n%s", r.kind, diff)
		}
		checkReceivedEvent(t, n, m, person)
	}
	if got, want := len(n.events()), 2*len(receivable); got != want { // contact.created, message.received
		t.Errorf("%d events, want %d", got, want)
	}
}

// checkReceivedEvent checks the whole payload of a message.received. Of the message object it checks the fields that
// all types have.
func checkReceivedEvent(t *testing.T, n *Number, m object, person string) object {
	t.Helper()
	e := n.onlyEvent(chat.EventMessageReceived, m.str("message_id"))
	contact := n.contact(person)
	value := e.at("entry", 0, "changes", 0, "value").(map[string]any)
	message := object(value["messages"].([]any)[0].(map[string]any))
	want := object{
		"object": "chat_business_account",
		"entry": []any{map[string]any{"id": n.WABAID, "changes": []any{map[string]any{"field": "messages", "value": map[string]any{
			"messaging_product": "chat",
			"metadata":          map[string]any{"display_phone_number": strings.TrimPrefix(n.Phone, "+"), "phone_number_id": n.ID},
			"contacts": []any{map[string]any{
				"profile": map[string]any{"name": contact["name"]}, "wa_id": strings.TrimPrefix(person, "+"), "user_id": contact["bsuid"],
			}},
			"messages": []any{map[string]any(message)},
		}}}}},
		"svc": map[string]any{
			"conversation_id": m["conversation_id"], "contact_id": contact["id"], "message_id": m["id"], "phone_number_id": n.ID,
			"labels": []any{}, "conversation": map[string]any{"status": "open", "assigned_to": nil},
			"contact":   map[string]any{"name": contact["name"], "phone_number": person},
			"media_url": e.at("svc", "media_url"), "media_status": e.at("svc", "media_status"),
		},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("message.received of a %s (-want +got):\n%s", m["type"], diff)
	}
	kind := m.str("type")
	if message.str("id") != m.str("message_id") || message.str("type") != kind || "+"+message.str("from") != person ||
		message.str("timestamp") == "" || !cmp.Equal(message[kind], m[kind]) {
		t.Errorf("message.received of a %s has %v, want %v", kind, message, m)
	}
	return e
}

// testReceiveFiles: a file is fetched, stored and served, and the event waits for it.
func testReceiveFiles(t *testing.T, w world) {
	n := w.number(t)
	for _, f := range []struct{ kind, as, mimeType, name string }{
		{"image", "image", "image/jpeg", ""}, {"document", "document", "application/pdf", "report.pdf"},
		{"video", "video", "video/mp4", ""}, {"audio", "audio", "audio/ogg; codecs=opus", ""}, {"sticker", "image", "image/webp", ""},
	} {
		content := []byte(strings.Repeat("\x00\xff the bytes of a "+f.kind, 1000))
		person := newPerson()
		id := n.receive(person, f.kind, map[string]any{f.kind: map[string]any{"caption": "look"}, "file": map[string]any{
			"mime_type": f.mimeType, "filename": f.name, "data": base64.StdEncoding.EncodeToString(content),
		}})
		e := n.onlyEvent(chat.EventMessageReceived, id) // the event waits for the file
		m := n.find(id)
		if m.str("type") != f.as || m.at(f.as, "url") != nil || m.str(f.as, "mime_type") != f.mimeType {
			t.Errorf("%s: the message is %v", f.kind, m)
		}
		checkReceivedEvent(t, n, m, person)
		address := checkFile(t, n, m.str("id"), f.mimeType, content)
		if e.str("svc", "media_url") != address || e.str("svc", "media_status") != "ready" {
			t.Errorf("%s: the event says %v", f.kind, e["svc"])
		}
		if again := checkFile(t, n, m.str("id"), f.mimeType, content); again != address {
			t.Errorf("%s: the address was %s, then %s", f.kind, address, again)
		}
	}
	plain := n.receiveText(newPerson(), "no file")
	expect(t, n.srv.Get(n.org.Key, n.path("/messages/"+plain.str("id")+"/media")), http.StatusNotFound, "resource_not_found")
	expect(t, n.srv.Get("", "/media/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), http.StatusNotFound, "resource_not_found")
}

// testInbox: one conversation per person, its count of unread messages, and how it reopens.
func testInbox(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	first := n.receiveText(map[string]any{"phone": person, "name": "Ada"}, "one")
	n.receiveText(person, "two")
	c := n.conversation(person)
	if c["unread_count"] != 2.0 || c.str("status") != "open" || c.str("contact", "name") != "Ada" || c["last_inbound_at"] == nil ||
		c.str("id") != first.str("conversation_id") {
		t.Errorf("the conversation is %v", c)
	}
	created := n.onlyEvent(chat.EventContactCreated, n.contact(person).str("id"))
	want := []string{"created_at", "email", "id", "metadata", "name", "object", "phone_number", "phone_number_id", "updated_at"}
	if !slices.Equal(created.names("data", "contact"), want) || created.str("data", "contact", "name") != "Ada" {
		t.Errorf("contact.created is %v", created)
	}
	patched := n.srv.Do(Call{Method: http.MethodPatch, Path: n.path("/conversations/" + c.str("id")), Key: n.org.Key, Body: `{"status":"resolved"}`})
	expect(t, patched, http.StatusOK, "")
	n.send(person, "text", text("an answer opens nothing"))
	if got := n.conversation(person).str("status"); got != "resolved" {
		t.Errorf("after a send it is %s", got)
	}
	n.receiveText(person, "three")
	if got := n.conversation(person); got.str("status") != "open" || got["unread_count"] != 3.0 {
		t.Errorf("after another message it is %v", got)
	}
	patched = n.srv.Do(Call{Method: http.MethodPatch, Path: n.path("/conversations/" + c.str("id")), Key: n.org.Key, Body: `{"status":"pending"}`})
	expect(t, patched, http.StatusOK, "")
	n.receiveText(person, "four")
	if got := n.conversation(person); got.str("status") != "pending" || got["unread_count"] != 4.0 {
		t.Errorf("pending, then a message: it is %v", got)
	}
}

// textCallback is a callback with a text from a person.
func textCallback(n *Number, from, id, body string) string {
	digits := strings.TrimPrefix(from, "+")
	return envelopeOf(n, fmt.Sprintf(`"contacts":[{"profile":{"name":"P"},"wa_id":%q}],"messages":[%s]`, digits, textMessage(digits, id, body)))
}

func textMessage(digits, id, body string) string {
	return fmt.Sprintf(`{"from":%q,"id":%q,"timestamp":"%d","type":"text","text":{"body":%q}}`, digits, id, time.Now().Unix(), body)
}

// envelopeOf is a callback whose value has these members.
func envelopeOf(n *Number, members string) string {
	return fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[%s]}]}`, n.WABAID, updateOf(n, members))
}

// updateOf is a part of a callback whose value has these members.
func updateOf(n *Number, members string) string {
	return fmt.Sprintf(`{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":%q,"phone_number_id":%q},%s}}`,
		n.Phone[1:], n.ID, members)
}

// testNewPersonAtOnce: a person's first messages in both directions at the same instant create one contact and one
// conversation.
func testNewPersonAtOnce(t *testing.T, w world) {
	const people, each = 4, 4
	n := w.number(t)
	for range people {
		person := newPerson()
		var wg sync.WaitGroup
		for i := range each {
			body := textCallback(n, person, fmt.Sprintf("wamid.%s.%d", person, i), "hello")
			wg.Go(func() {
				if reply, err := n.srv.callBack(body, sign(body)); err != nil || reply.Status != http.StatusOK {
					t.Errorf("the callback got %+v, %v", reply, err)
				}
			})
			wg.Go(func() {
				call := Call{Method: http.MethodPost, Path: n.path("/messages"), Key: n.org.Key, Body: sendBody(person, "text", text("hello"))}
				if reply, err := n.srv.Try(call); err != nil || reply.Status != http.StatusOK {
					t.Errorf("the send got %+v, %v", reply, err)
				}
			})
		}
		wg.Wait()
		n.find(fmt.Sprintf("wamid.%s.%d", person, each-1))
		if !eventually(func() bool { return n.conversation(person)["unread_count"] == float64(each) }) {
			t.Errorf("the conversation is %v", n.conversation(person))
		}
		contact := n.contact(person)
		n.onlyEvent(chat.EventContactCreated, contact.str("id"))
	}
	if got := len(n.all("/messages")); got != 2*people*each {
		t.Errorf("%d messages, want %d", got, 2*people*each)
	}
}

// testPeopleWithoutNumbers: a person who hides the phone number is known by the user id, in both directions.
func testPeopleWithoutNumbers(t *testing.T, w world) {
	n := w.number(t)
	hidden := map[string]any{"phone": newPerson(), "name": "Noor", "username": fmt.Sprintf("noor.%s", n.ID), "hide_phone": true}
	m := n.receiveText(hidden, "hello")
	if m["from"] != nil || m.str("bsuid") == "" || m.str("username") != hidden["username"] {
		t.Fatalf("the message is %v", m)
	}
	reply := n.srv.Post(n.org.Key, n.path("/messages"), fmt.Sprintf(
		`{"messaging_product":"chat","recipient":%q,"context":{"message_id":%q},"type":"text","text":{"body":"hello"}}`, m["bsuid"], m["message_id"]))
	expect(t, reply, http.StatusOK, "")
	sent := n.awaitStatus(reply.ID(), "read")
	if sent["to"] != nil || sent["bsuid"] != m["bsuid"] || sent["conversation_id"] != m["conversation_id"] || sent.at("context", "message_id") != m["message_id"] {
		t.Errorf("the answer is %v", sent)
	}
	if contacts := n.all("/contacts"); len(contacts) != 1 || contacts[0].str("name") != "Noor" || contacts[0]["phone_number"] != nil {
		t.Errorf("the contacts are %v", contacts)
	}
}

func testReadReceipts(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	m := n.receiveText(person, "hello")
	mark := func(id, more string) Reply {
		t.Helper()
		return n.srv.Post(n.org.Key, n.path("/messages"), fmt.Sprintf(`{"messaging_product":"chat","status":"read","message_id":%q%s}`, id, more))
	}
	typing := func() float64 { return n.sim.do(http.MethodGet, "counters", nil)["typing_indicators"].(float64) }
	before := typing()
	for range 2 { // it can be repeated
		reply := mark(m.str("message_id"), `,"typing_indicator":{"type":"text"}`)
		expect(t, reply, http.StatusOK, "")
		want := object{"id": m["id"], "object": "message", "status": "read", "message_id": m["message_id"]}
		if diff := cmp.Diff(want, object(parseObject(t, []byte(reply.Body)).at("data").(map[string]any))); diff != "" {
			t.Errorf("the answer (-want +got):\n%s", diff)
		}
	}
	if n.message(m.str("id")).str("status") != "read" || n.conversation(person)["unread_count"] != 0.0 {
		t.Errorf("the message is %v in %v", n.message(m.str("id")), n.conversation(person))
	}
	if n.sim.do(http.MethodGet, "messages/"+m.str("message_id"), nil)["read_receipt"] != true || typing() < before+2 {
		t.Error("the provider knows nothing of it")
	}
	expect(t, mark("wamid.unknown", ""), http.StatusNotFound, "resource_not_found")
	if told := n.events(chat.EventMessageStatus); len(told) > 0 {
		t.Errorf("message.status of an inbound message: %s", told[0].Payload)
	}
}
