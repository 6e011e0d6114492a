package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

const fileLink = "https://files.example.com/file"

// sendable is a message of each type that needs nothing else, and where the provider finds its content.
var sendable = []struct {
	name, kind string
	content    any
	path       []any // in the request that the provider gets
	want       any
	body       any // the content in message.sent
}{
	{"text", "text", map[string]any{"body": "Grüße 👋", "preview_url": true}, []any{"text", "body"}, "Grüße 👋", "Grüße 👋"},
	{"image", "image", map[string]any{"link": fileLink, "caption": "See"}, []any{"image", "link"}, fileLink, "See"},
	{"document", "document", map[string]any{"link": fileLink, "filename": "a.pdf"}, []any{"document", "filename"}, "a.pdf", nil},
	{"video", "video", map[string]any{"link": fileLink}, []any{"video", "link"}, fileLink, nil},
	{"audio", "audio", map[string]any{"link": fileLink}, []any{"audio", "link"}, fileLink, nil},
	{"template", "template", map[string]any{"name": " hello_world ", "language": "en_US"}, []any{"template", "name"}, "hello_world",
		"Welcome! This message shows that your number can send. Thank you for trying it."},
	{"template language", "template", map[string]any{
		"name": "order_update", "language": map[string]any{"code": "de", "policy": "deterministic"},
		"components": []any{map[string]any{"type": "body", "parameters": []any{
			map[string]any{"type": "text", "text": "Ada"}, map[string]any{"type": "text", "text": "A-17"},
		}}},
	}, []any{"template", "language", "code"}, "de", "Hallo Ada, deine Bestellung A-17 ist unterwegs."},
	{"reply buttons", "interactive", map[string]any{
		"type": "reply_buttons", "body": map[string]any{"text": "Well?"},
		"action": map[string]any{"buttons": []any{
			map[string]any{"type": "reply", "reply": map[string]any{"id": "yes", "title": "Yes"}},
			map[string]any{"type": "reply", "reply": map[string]any{"id": "no", "title": "No"}},
		}},
	}, []any{"interactive", "type"}, "button", "Well?"},
	{"cta url", "interactive", map[string]any{
		"type": "cta_url", "header": map[string]any{"type": "text", "text": "News"}, "body": map[string]any{"text": "Look"},
		"footer": map[string]any{"text": "Bye"},
		"action": map[string]any{"name": "cta_url", "parameters": map[string]any{"display_text": "Open", "url": "https://shop.example.com/"}},
	}, []any{"interactive", "action", "parameters", "url"}, "https://shop.example.com/", "Look"},
	{"list", "interactive", map[string]any{
		"type": "list", "body": map[string]any{"text": "Choose"},
		"action": map[string]any{"button": "Sizes", "sections": []any{map[string]any{"rows": []any{
			map[string]any{"id": "s", "title": "Small", "description": "36"}, map[string]any{"id": "l", "title": "Large"},
		}}}},
	}, []any{"interactive", "action", "sections", 0, "rows", 1, "id"}, "l", "Choose"},
}

func testSendEachType(t *testing.T, w world) {
	n := connect(t, w.srv, w.sim, w.srv.NewOrg(), w.log)
	ids := make([]string, len(sendable))
	people := make([]string, len(sendable))
	for i, s := range sendable {
		people[i] = newPerson()
		n.open(people[i])
		ids[i] = n.send(people[i], s.kind, s.content)
	}
	for i, s := range sendable {
		m := n.awaitStatus(ids[i], "read")
		if m.str("type") != s.kind || m.str("to") != people[i] || m.str("from") != n.Phone || m.str("direction") != "outbound" ||
			m.str("source") != "api" || m.str("message_id") == "" || m["error"] != nil || m["played_at"] != nil {
			t.Errorf("%s: the message is %v", s.name, m)
		}
		got := n.sim.accepted("biz_opaque_callback_data=" + ids[i])
		if len(got) != 1 {
			t.Fatalf("%s: the provider has %v", s.name, got)
		}
		if body := object(got[0].at("body").(map[string]any)); !cmp.Equal(body.at(s.path...), s.want) || body.str("to") != people[i] {
			t.Errorf("%s: the provider got %v", s.name, body)
		}
		if told := n.statuses(m.str("message_id")); !slices.Equal(told, []string{"sent", "delivered", "read"}) {
			t.Errorf("%s: message.status told %v", s.name, told)
		}
		checkSentEvent(t, n, m, s.body)
	}
	if got, want := len(n.events()), 5*len(sendable); got != want { // contact.created, message.sent, 3 message.status
		t.Errorf("%d events, want %d", got, want)
	}
}

// checkSentEvent checks the whole payload of a message.sent.
func checkSentEvent(t *testing.T, n *Number, m object, body any) {
	t.Helper()
	e := n.onlyEvent(chat.EventMessageSent, m.str("id"))
	contact := n.contact(m.str("to"))
	message := map[string]any{
		"id": m["id"], "provider_id": m["message_id"], "type": m["type"], "body": body, "from": n.Phone, "to": m["to"],
		"status": "sent", "source": "api", "reply_to_provider_id": m.at("context", "message_id"),
	}
	kind := m.str("type")
	if link := m.str(kind, "link"); link != "" {
		message["media_url"], message["media_status"] = link, "ready"
		message[kind] = map[string]any{"link": link, "caption": m.at(kind, "caption")}
	}
	want := object{
		"id": m.str("id") + ":sent", "type": "message.sent", "created_at": e["created_at"],
		"data": map[string]any{
			"session": n.ID, "direction": "outbound", "from_me": true, "timestamp": m["created_at"], "message": message,
			"conversation":  map[string]any{"id": m["conversation_id"], "status": "open"},
			"contact":       map[string]any{"id": contact["id"], "phone_number": m["to"], "name": contact["name"]},
			"provider_meta": map[string]any{"phone_number_id": n.ID, "display_phone_number": n.Phone, "provider": "chat"},
		},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("message.sent of a %s (-want +got):\n%s", kind, diff)
	}
}

// upload puts a file into the library.
func (n *Number) upload(name, mimeType string, content []byte) object {
	n.t.Helper()
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename=%q`, name))
	header.Set("Content-Type", mimeType)
	part, err := parts.CreatePart(header)
	must(n.t, err)
	part.Write(content)
	parts.Close()
	request, err := http.NewRequest(http.MethodPost, n.srv.URL()+n.path("/media"), &form)
	must(n.t, err)
	request.Header.Set("Content-Type", parts.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+n.org.Key)
	response, err := client.Do(request)
	must(n.t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated {
		n.t.Fatalf("the upload got %s %s, %v", response.Status, answer, err)
	}
	return parseObject(n.t, answer).at("data").(map[string]any)
}

// libraryFiles are files that can be sent, by the type of message.
var libraryFiles = []struct{ kind, name, mimeType string }{
	{"image", "a.png", "image/png"}, {"document", "a.pdf", "application/pdf"},
	{"video", "a.mp4", "video/mp4"}, {"audio", "a.mp3", "audio/mpeg"},
}

func testSendLibraryFiles(t *testing.T, w world) {
	n := w.number(t)
	for _, f := range libraryFiles {
		content := []byte("the bytes of a " + f.kind)
		sum := sha256.Sum256(content)
		file := n.upload(f.name, f.mimeType, content)
		if file.str("sha256") != hex.EncodeToString(sum[:]) || file["size"] != float64(len(content)) {
			t.Errorf("%s: the library has %v", f.kind, file)
		}
		first, second := newPerson(), newPerson()
		n.open(first, second)
		ids := []string{n.send(first, f.kind, map[string]any{"id": file["id"]}), n.send(second, f.kind, map[string]any{"id": file["id"]})}
		handed := map[string]bool{}
		for _, id := range ids {
			n.awaitStatus(id, "read")
			got := n.sim.accepted("biz_opaque_callback_data=" + id)
			handed[got[0].str("body", f.kind, "id")] = true
			sent := n.onlyEvent(chat.EventMessageSent, id)
			if sent.at("data", "message", "media_url") != file["url"] || sent.str("data", "message", "media_status") != "ready" {
				t.Errorf("%s: message.sent is %v", f.kind, sent)
			}
			checkFile(t, n, id, f.mimeType, content)
		}
		if handed[file.str("id")] || handed[""] || len(handed) > 2 {
			t.Errorf("%s: the provider was handed %v", f.kind, handed)
		}
	}
	third := newPerson()
	n.open(third)
	file := n.upload("b.png", "image/png", []byte("gone"))
	reply := n.srv.Do(Call{Method: http.MethodDelete, Path: n.path("/media/" + file.str("id")), Key: n.org.Key})
	expect(t, reply, http.StatusOK, "")
	expect(t, n.trySend(third, "image", map[string]any{"id": file["id"]}), http.StatusUnprocessableEntity, "media_not_found")
}

// noRedirect shows redirects instead of following them.
var noRedirect = &http.Client{
	Timeout:       patience,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// checkFile follows a message to its file without a key, and compares the bytes.
func checkFile(t *testing.T, n *Number, id, mimeType string, want []byte) (address string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, n.srv.URL()+n.path("/messages/"+id+"/media"), nil)
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+n.org.Key)
	response, err := noRedirect.Do(request)
	must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusFound {
		t.Fatalf("the message's media is %s", response.Status)
	}
	address = response.Header.Get("Location")
	file := fetch(t, address)
	if file.Status != http.StatusOK || file.Header.Get("Content-Type") != mimeType || file.Body != string(want) {
		t.Errorf("%s is %d, %s, %q", address, file.Status, file.Header.Get("Content-Type"), file.Body)
	}
	return address
}

func testVoiceNote(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	n.open(person)
	file := n.upload("voice.ogg", "audio/ogg", []byte("OggS"))
	id := n.send(person, "audio", map[string]any{"id": file["id"], "voice": true})
	m := n.await(id, "played", func(m object) bool { return m["played_at"] != nil })
	if m.str("status") != "read" || m.at("audio", "voice") != true {
		t.Errorf("the voice note is %v", m)
	}
	n.settle(person)
	if told := n.statuses(m.str("message_id")); !slices.Equal(told, []string{"sent", "delivered", "read", "played"}) {
		t.Errorf("message.status told %v", told)
	}
	again := n.message(id)["played_at"]
	n.sim.do(http.MethodPost, "statuses", map[string]any{"biz_opaque_callback_data": id, "status": "played", "timestamp": 1_900_000_000})
	n.settle(person)
	if n.message(id)["played_at"] != again {
		t.Errorf("played_at moved from %v to %v", again, n.message(id)["played_at"])
	}
}

// testOddStatuses: repeated, reversed and missing statuses end at the highest of them.
func testOddStatuses(t *testing.T, w world) {
	n := w.number(t)
	for _, odd := range []struct {
		number, status string
		told           []string
	}{
		{"+99970000001", "read", []string{"sent", "delivered", "read"}}, // each twice
		{"+99970000002", "read", []string{"read", "delivered", "sent"}}, // backwards
		{"+99970000003", "sent", []string{"sent"}},
		{"+99970000006", "read", []string{"sent", "read"}},
		{"+99970000008", "failed", []string{"sent", "delivered", "failed"}},
		{"+99970000009", "failed", []string{"sent", "failed"}},
		{"+99970000011", "read", []string{"delivered", "read", "sent"}},
	} {
		n.open(odd.number)
		id := n.send(odd.number, "text", text("hello"))
		want := len(odd.told)
		m := n.awaitStatus(id, odd.status)
		if !eventually(func() bool { return len(n.statuses(m.str("message_id"))) >= want }) {
			t.Errorf("%s: message.status told %v", odd.number, n.statuses(m.str("message_id")))
		}
		n.sim.awaitState(n.t, m.str("message_id"), odd.number)
		n.settle(odd.number)
		if told := n.statuses(m.str("message_id")); !slices.Equal(told, odd.told) || n.message(id).str("status") != odd.status {
			t.Errorf("%s: %s, message.status told %v", odd.number, n.message(id).str("status"), told)
		}
	}
}

// lastOf is the last status that a simulated person's messages get.
var lastOf = map[string]string{
	"+99970000001": "read", "+99970000002": "sent", "+99970000003": "sent", "+99970000006": "read",
	"+99970000008": "failed", "+99970000009": "failed", "+99970000011": "sent",
}

// awaitState waits until the provider has nothing more to report about a message.
func (s Sim) awaitState(t *testing.T, providerID, person string) {
	t.Helper()
	if !eventually(func() bool { return s.do(http.MethodGet, "messages/"+providerID, nil).str("state") == lastOf[person] }) {
		t.Fatalf("the provider never got to %s with %s", lastOf[person], providerID)
	}
}
