//go:build browser

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// People whose messages are accepted and fail later: permanently, and for a temporary reason.
const (
	unreachable = "+99920131026"
	unlucky     = "+99920131000"
)

// writesAs makes a person write to the demo's number anything that the provider can deliver, and returns the message's
// id.
func writesAs(t *testing.T, srv *Server, from map[string]any, fields map[string]any) string {
	t.Helper()
	body := maps.Clone(fields)
	body["phone_number_id"], body["from"] = demoNumber, from
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(srv.Ops()+"/simulator/_sim/inbound", "application/json", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var made struct{ Messages []struct{ ID string } }
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusOK || len(made.Messages) == 0 {
		t.Fatalf("write %s: %d %+v %v", text, response.StatusCode, made, err)
	}
	return made.Messages[0].ID
}

// TestDashboardEveryType: every type of message is shown as people know it from their phone.
func TestDashboardEveryType(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	mira := map[string]any{"phone": "+4915155500188", "name": "Mira Vogel"}
	says := func(fields map[string]any) string { return writesAs(t, srv, mira, fields) }
	text := func(body string) map[string]any { return map[string]any{"text": body} }

	says(map[string]any{"text": "From your ad", "referral": map[string]any{"source_url": "https://example.com/ad", "source_id": "1",
		"source_type": "ad", "headline": "Half price", "body": "Only today", "ctwa_clid": "x"}})
	first := says(text("A *bold* word, an _italic_ one, a ~wrong~ one and ```code``` at https://example.com/shop"))
	id := s.openConversation(srv, "Mira Vogel")
	thread := inside("Messages")
	s.SaysIn("Messages", "Half price")
	for tag, word := range map[string]string{"strong, b": "bold", "em, i": "italic", "s, del": "wrong", "code": "code"} {
		s.Until(fmt.Sprintf(`[...%s.querySelectorAll(%q)].some(e => e.innerText === %q)`, thread, tag, word))
	}
	s.Until(thread + `.querySelector('a[href="https://example.com/shop"]')?.rel.includes("noopener")`)

	says(map[string]any{"type": "image", "image": map[string]any{"caption": "A photo"}})
	s.Until(thread + `.querySelector('img[alt="A photo"]')?.naturalWidth > 0`)
	says(map[string]any{"type": "sticker"})
	s.Until(thread + `.querySelector('img[alt="Sticker"]')?.naturalWidth > 0`)
	says(map[string]any{"type": "video", "video": map[string]any{"caption": "A film"}})
	s.Until(`!!` + thread + `.querySelector("video[controls]")`)
	says(map[string]any{"type": "audio", "audio": map[string]any{"voice": true}})
	s.Has("button", "Play")
	says(map[string]any{"type": "document", "file": map[string]any{"mime_type": "text/plain", "filename": "order.txt", "text": "one lamp"}})
	s.SaysIn("Messages", "order.txt")
	says(map[string]any{"type": "location", "location": map[string]any{"latitude": -6.2, "longitude": 106.8, "name": "The shop", "address": "Jalan 1"}})
	s.SaysIn("Messages", "Jalan 1")
	says(map[string]any{"type": "contacts", "contacts": []any{map[string]any{"name": map[string]any{"formatted_name": "Otto Card"},
		"phones": []any{map[string]any{"phone": "+49 30 555"}}}}})
	s.SaysIn("Messages", "Otto Card")
	says(map[string]any{"type": "order", "order": map[string]any{"catalog_id": "1", "text": "Please wrap it",
		"product_items": []any{map[string]any{"product_retailer_id": "LAMP-1", "quantity": 2, "item_price": 10.5, "currency": "EUR"}}}})
	s.SaysIn("Messages", "€21.00")
	s.SaysIn("Messages", "Please wrap it")
	says(map[string]any{"type": "unsupported", "errors": []any{map[string]any{"code": 131051, "title": "Message type unknown"}},
		"unsupported": map[string]any{"type": "poll_creation"}})
	s.SaysIn("Messages", "This kind of message (poll creation) can only be seen on the phone.")

	// Messages that answer, change or revoke another.
	says(map[string]any{"type": "reaction", "reaction": map[string]any{"message_id": first, "emoji": "🙏"}})
	s.SaysIn("Messages", "🙏")
	says(map[string]any{"text": "About that one", "context": map[string]any{"id": first}})
	s.Until(thread + `.querySelector('button[title="Go to the quoted message"]')?.innerText.startsWith("A bold word")`)
	wrong := says(text("Seven lmps"))
	says(map[string]any{"type": "edit", "edit": map[string]any{"original_message_id": wrong, "message": map[string]any{"type": "text", "text": map[string]any{"body": "Seven lamps"}}}})
	s.SaysIn("Messages", "Seven lamps")
	s.SaysIn("Messages", "edited")
	gone := says(text("My password is"))
	s.SaysIn("Messages", "My password is")
	says(map[string]any{"type": "revoke", "revoke": map[string]any{"original_message_id": gone}})
	s.SaysIn("Messages", "This message was deleted")
	s.Until(`!` + thread + `.innerText.includes("My password is")`)
	s.conversation(id, func(c storedConversation) bool { return c.Status == "open" })
	s.Picture("every-type")
	s.Accessible()
	s.Content()
}

// TestDashboardFailure: a message that was not delivered says why and what to do, and can be sent again only if that
// can help.
func TestDashboardFailure(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	failed := func(name, person, remedy string) (id string) {
		writesAs(t, srv, map[string]any{"phone": person, "name": name}, map[string]any{"text": "Hello?"})
		id = s.openConversation(srv, name)
		s.Write("Message", "Hello, "+name)
		s.Press("button", "Send")
		s.SaysIn("Messages", remedy)
		return id
	}
	failed("Nobody There", unreachable, "Try to reach them in another way.")
	s.Lacks("button", "Try again")
	id := failed("Bad Luck", unlucky, "Try again")
	s.Press("button", "Try again")
	becomes(s, "/conversations/"+id+"/timeline?limit=100", func(items []storedItem) bool {
		sent := 0
		for _, i := range items {
			if i.Message != nil && i.Message.Direction == "outbound" && i.Message.Status == "failed" {
				sent++
			}
		}
		return sent == 2
	})
	s.Accessible()
	s.Content()
}
