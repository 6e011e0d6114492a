//go:build browser

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// conversation waits until a conversation meets a condition.
func (s *Screen) conversation(id string, holds func(storedConversation) bool) storedConversation {
	s.t.Helper()
	return becomes(s, "/conversations/"+id, holds)
}

func hasLabel(name string) func(storedConversation) bool {
	return func(c storedConversation) bool {
		return slices.ContainsFunc(c.Labels, func(l storedName) bool { return l.Name == name })
	}
}

// TestDashboardManyLabels: a menu of more labels than a small screen has room for can be scrolled to the last of them.
func TestDashboardManyLabels(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 600)
	signIn(t, s, srv)
	type number struct {
		ID     string `json:"phone_number_id"`
		TeamID string `json:"team_id"`
	}
	numbers := stored[struct{ Numbers []number }](s, "/me").Numbers
	team := numbers[slices.IndexFunc(numbers, func(n number) bool { return n.ID == demoNumber })].TeamID
	for i := range 30 {
		if a := s.ask("POST", "/labels", map[string]any{"name": fmt.Sprintf("Label %02d", i), "color": "red", "team_id": team}); a.Status != http.StatusCreated {
			t.Fatalf("making a label answers %d", a.Status)
		}
	}
	id := s.openConversation(srv, "Dewi Pratiwi")
	s.Press("button", "Labels")
	s.Has("menuitemcheckbox", "Label 00")
	s.holdsSoon(`document.querySelector("[role=menu]").getBoundingClientRect().bottom <= innerHeight`)
	s.Press("menuitemcheckbox", "Label 00")
	s.conversation(id, hasLabel("Label 00"))
	s.Press("menuitemcheckbox", "Label 29")
	s.conversation(id, hasLabel("Label 29"))
	s.Content()
}

// TestDashboardSorting: assign, label, snooze, wake, resolve, reopen and mark as unread, in the thread.
func TestDashboardSorting(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	id := s.openConversation(srv, "Dewi Pratiwi")
	s.Press("button", "Assign")
	s.Press("menuitem", "Ana Wijaya")
	s.conversation(id, func(c storedConversation) bool { return c.Assignee != nil && c.Assignee.Name == "Ana Wijaya" })
	s.SaysIn("Messages", "assigned it to Ana Wijaya")
	s.Lacks("menuitem", "Ana Wijaya")
	s.Press("button", "Labels")
	s.Lacks("menuitemcheckbox", "New lead") // it belongs to another team than the number
	s.Press("menuitemcheckbox", "Refund")
	s.conversation(id, hasLabel("Refund"))
	s.Press("menuitemcheckbox", "Refund")
	s.conversation(id, func(c storedConversation) bool { return !hasLabel("Refund")(c) })
	s.Press("button", "Labels") // this closes the menu

	s.Press("button", "Snooze")
	s.pressStarting("In an hour") // the time follows it
	c := s.conversation(id, func(c storedConversation) bool { return c.Status == "pending" && c.SnoozedUntil != nil })
	if until, err := time.Parse(time.RFC3339, *c.SnoozedUntil); err != nil || time.Until(until) > 61*time.Minute || time.Until(until) < 50*time.Minute {
		t.Errorf("an hour is until %s: %v", *c.SnoozedUntil, err)
	}
	s.does(`document.activeElement?.blur()`)
	s.Press("button", "Resolve")
	s.conversation(id, func(c storedConversation) bool { return c.Status == "resolved" })
	s.Browser.Press("z")
	s.conversation(id, func(now storedConversation) bool {
		return now.SnoozedUntil != nil && *now.SnoozedUntil == *c.SnoozedUntil
	})
	s.Press("button", "Snooze")
	s.Press("menuitem", "Unsnooze")
	s.conversation(id, func(c storedConversation) bool { return c.Status == "open" && c.SnoozedUntil == nil })
	s.Press("button", "Snooze")
	s.Press("menuitem", "Until they reply")
	s.conversation(id, func(c storedConversation) bool { return c.Status == "pending" })
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Masih ada?"})
	s.conversation(id, func(c storedConversation) bool { return c.Status == "open" && c.SnoozedUntil == nil })
	s.SaysIn("Messages", "Unsnoozed")

	soon := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339)
	if a := s.ask("PATCH", "/conversations/"+id, map[string]any{"snoozed_until": soon}); a.Status != http.StatusOK {
		t.Fatalf("snooze: %+v", a)
	}
	s.conversation(id, func(c storedConversation) bool { return c.Status == "open" })
	s.Until(inside("Messages") + `.innerText.split("Unsnoozed").length === 3`)

	s.Press("button", "Resolve")
	s.conversation(id, func(c storedConversation) bool { return c.Status == "resolved" })
	s.Press("button", "Reopen")
	s.conversation(id, func(c storedConversation) bool { return c.Status == "open" })
	s.conversation(id, func(c storedConversation) bool { return c.UnreadCount == 0 })
	s.does(`document.activeElement?.blur()`)
	s.Browser.Press("u")
	s.conversation(id, func(c storedConversation) bool { return c.UnreadCount > 0 })
	s.Content()
}

// TestDashboardViews: labels of a contact are shown and filtered like those of a conversation. A filter becomes a
// private or a shared view, and an address.
func TestDashboardViews(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s, ana := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	signInAs(t, ana, srv, "ana@example.com")
	vip, id := s.idOf("/labels", "Refund"), s.conversationOf("Wei Zhang")
	contact := stored[storedConversation](s, "/conversations/"+id).Contact.ID
	expect(t, srv.Post(demoKey(t, srv), "/v1/"+demoNumber+"/contacts/"+contact+"/labels", `{"label_id":"`+vip+`"}`), http.StatusOK, "")
	s.openConversation(srv, "Wei Zhang")
	s.Until(`document.querySelector('aside')?.innerText.includes("Refund")`)

	s.Open(srv.URL() + "/inbox/all?status=any&label_id=" + vip)
	s.SaysIn("Conversations", "Wei Zhang")
	s.SaysIn("Conversations", "Priya Shah")
	s.Holds(`!` + inside("Conversations") + `.innerText.includes("Dewi Pratiwi")`)
	for name, shared := range map[string]bool{"Refunds of all": true, "My refunds": false} {
		s.Press("button", "Saved views")
		s.Press("menuitem", "Save this view")
		s.Write("Name", name)
		if shared {
			s.Press("checkbox", "Share with everyone")
		}
		s.Press("button", "Save")
		s.Lacks("dialog", "Save this view")
	}
	ana.Open(srv.URL() + "/inbox/mine")
	ana.Press("button", "Saved views")
	ana.Has("menuitem", "Refunds of all")
	ana.Lacks("menuitem", "My refunds")
	ana.Lacks("button", "Delete the view Refunds of all")
	ana.Press("menuitem", "Refunds of all")
	ana.SaysIn("Conversations", "Wei Zhang")
	ana.SaysIn("Conversations", "Priya Shah")
	ana.Until(`location.pathname === "/inbox/all" && location.search.includes("label_id=` + vip + `")`)
	if views := stored[[]struct{ Name string }](ana, "/views"); len(views) != 1 {
		t.Errorf("Ana has the views %+v", views)
	}
	shared := ana.where()
	s.Open(shared)
	s.SaysIn("Conversations", "Wei Zhang")
	s.Accessible()
	s.Content()
	ana.Content()
}

// choose clicks the checkbox of a row, with shift for all rows up to it.
func (s *Screen) choose(name string, shift bool) {
	s.t.Helper()
	s.on(s.await("checkbox", "Choose "+name), fmt.Sprintf(
		"function () { this.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: %t})) }", shift))
}

// listed are the names of a list's rows, as the server orders them.
func (s *Screen) listed(query string) (names []string) {
	s.t.Helper()
	for _, c := range stored[[]storedConversation](s, "/conversations?limit=100&"+query) {
		names = append(names, c.Contact.Name)
	}
	return names
}

// TestDashboardBulk: an action on a range, and on everything that matches; both can be undone.
func TestDashboardBulk(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/inbox/all")
	s.Has("list", "Conversations")
	open := s.listed("view=all")
	s.choose(open[0], false)
	s.choose(open[3], true)
	s.Says("4 selected")
	s.Press("button", "Resolve")
	s.Says("4 conversations changed")
	if now := s.listed("view=all"); slices.ContainsFunc(open[:4], func(name string) bool { return slices.Contains(now, name) }) {
		t.Errorf("still open: %v", now)
	}
	s.Press("button", "Undo")
	becomes(s, "/conversations?limit=100&view=all", func(list []storedConversation) bool { return len(list) == len(open) })
	s.SaysIn("Conversations", open[0])

	label := s.idOf("/labels", "VIP")
	matching := "status=any&number=" + demoNumber // those of the label's team
	s.Open(srv.URL() + "/inbox/all?" + matching)
	all := s.listed(matching)
	s.choose(all[0], false)
	s.pressStarting("All ")
	s.Press("button", "More actions")
	s.Press("menuitem", "VIP")
	labelled := func(list []storedConversation) (n int) {
		for _, c := range list {
			if hasLabel("VIP")(c) {
				n++
			}
		}
		return n
	}
	before := labelled(stored[[]storedConversation](s, "/conversations?limit=100&"+matching+"&label_id="+label))
	becomes(s, "/conversations?limit=100&"+matching, func(list []storedConversation) bool { return labelled(list) == len(all) })
	s.Says("conversations changed")
	s.Press("button", "Undo")
	after := becomes(s, "/conversations?limit=100&"+matching, func(list []storedConversation) bool { return labelled(list) < len(all) })
	if labelled(after) == 0 || labelled(after) > before {
		t.Errorf("%d had the label, %d have it after the undo", before, labelled(after))
	}
	s.Accessible()

	// What is chosen belongs to the list that is shown.
	s.choose(all[0], false)
	s.pressStarting("All ")
	s.Until(`document.querySelectorAll('[role=checkbox][aria-checked=true]').length > 1`)
	s.Press("button", "Saved views")
	s.Press("menuitem", "Snoozed")
	s.Lacks("button", "Clear selection")
	s.Until(`document.querySelectorAll('[role=checkbox][aria-checked=true]').length === 0`)
	s.Content()
}

// pressStarting presses the button whose text begins with the given one.
func (s *Screen) pressStarting(text string) {
	s.t.Helper()
	s.Until(`(() => { const b = [...document.querySelectorAll('button')].find(b => b.innerText.startsWith(` + quote(text) + `)); b?.click(); return !!b })()`)
}
