//go:build browser

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// holdsSoon waits until a JavaScript condition holds.
func (s *Screen) holdsSoon(condition string) {
	s.t.Helper()
	if !eventually(func() bool { return s.holds(condition) }) {
		s.fail("this does not come true: %s", condition)
	}
}

// writes waits until the composer's field contains a text.
func (s *Screen) writes(text string) {
	s.t.Helper()
	s.holdsSoon(fmt.Sprintf("document.querySelector('[aria-label=Message]')?.value === %q", text))
}

// An answer and a note have separate drafts, which are there in this browser, after a reload, in another browser, and in
// another tab, until they are sent in one of them.
func TestDashboardDrafts(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s, other := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/inbox/all")
	s.PressIn("Conversations", "Dewi Pratiwi")
	s.Write("Message", "Dear Dewi")
	s.Press("tab", "Note")
	s.writes("")
	s.Write("Message", "She is a regular")
	s.Press("tab", "Reply")
	s.writes("Dear Dewi")
	s.Press("tab", "Note")
	s.writes("She is a regular")
	s.SaysIn("Conversations", "Draft")
	s.Reload()
	s.writes("She is a regular") // the last text written
	s.Press("tab", "Reply")
	s.writes("Dear Dewi")

	signIn(t, other, srv)
	other.Open(s.where())
	other.Has("log", "Messages")
	other.writes("She is a regular")
	other.Press("tab", "Reply")
	other.writes("Dear Dewi")

	tab := s.Tab()
	tab.Open(s.where())
	tab.Has("log", "Messages")
	tab.Press("tab", "Reply")
	tab.writes("Dear Dewi")

	s.Press("button", "Send")
	s.SaysIn("Messages", "Dear Dewi")
	s.writes("")
	s.Press("tab", "Note")
	s.writes("She is a regular")
	tab.writes("") // else it could be sent once more
	tab.Press("tab", "Note")
	tab.writes("She is a regular")
	s.Content()
}

// A long thread opens at an old message, can be read from there in both directions, and leads back to the newest one.
func TestDashboardJump(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	key := demoKey(t, srv)
	const total = 160
	var first struct {
		Data struct {
			ID             string
			ConversationID string `json:"conversation_id"`
		}
	}
	for i := 1; i <= total; i++ {
		reply := srv.Post(key, "/v1/100200300400500/messages",
			fmt.Sprintf(`{"messaging_product":"chat","to":"+12025550100","type":"text","text":{"body":"number %d."}}`, i))
		expect(t, reply, http.StatusOK, "")
		if i == 40 {
			if err := json.Unmarshal([]byte(reply.Body), &first); err != nil {
				t.Fatal(err)
			}
		}
	}
	says := func(n int) string { return fmt.Sprintf("%s.innerText.includes('number %d.')", inside("Messages"), n) }
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/inbox/all/" + first.Data.ConversationID + "?item=" + first.Data.ID)
	s.SaysIn("Messages", "number 40.")
	s.Holds("!" + says(total))
	row := fmt.Sprintf("document.querySelector('[data-key=%s]').getBoundingClientRect()", first.Data.ID)
	s.holdsSoon(row + ".top > 100 && " + row + ".bottom < 800")
	s.holdsSoon(inside("Messages") + ".scrollTop = 0, " + says(1))
	s.holdsSoon(inside("Messages") + ".scrollTop = 1e9, " + says(total))
	s.holdsSoon(inside("Messages") + ".scrollTop = 0, " + says(1))
	s.Press("button", "Jump to the newest")
	s.SaysIn("Messages", fmt.Sprintf("number %d.", total))
	s.Lacks("button", "Jump to the newest")
	s.Accessible()
	s.Content()
}

// TestDashboardDays: each day of a thread begins with its name, in the zone of the reader.
func TestDashboardDays(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	id := s.openConversation(srv, "Dewi Pratiwi")
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Until today"})
	s.SaysIn("Messages", "Until today")
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago"} { // a day apart
		s.RunScripts(zone)
		s.Reload()
		s.SaysIn("Messages", "Until today")
		right := eventually(func() bool {
			got, err := s.run("return " + fmt.Sprintf(dayNames, id))
			return err == nil && string(got) == "true"
		})
		if !right {
			s.fail("the days in %s are not named", zone)
		}
	}
	s.Content()
}

// dayNames asks whether the names of days in the thread are those of its items.
const dayNames = `(async () => {
	const items = (await (await fetch("/app/api/conversations/%s/timeline?limit=50")).json()).data.reverse();
	const name = at => {
		const midnight = d => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
		const days = Math.round((midnight(new Date()) - midnight(at)) / 864e5);
		if (days < 2) return days ? "Yesterday" : "Today";
		return new Intl.DateTimeFormat("en", {weekday: "long", day: "numeric", month: "long"}).format(at);
	};
	const wanted = [...new Set(items.map(i => name(new Date(i.created_at))))];
	const shown = document.querySelector("[role=log]").innerText.split("\n").filter(line => wanted.includes(line));
	return wanted.length > 1 && shown.join() === wanted.join();
})()`
