//go:build browser

package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A report leads to those whom a number or a reason stands for, and to their table. A refused retry leaves the focus on
// its button. The way back leads to the list as it was.
func TestBroadcastReportNarrows(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	sim, key := srv.Sim(), demoKey(t, srv)
	template := parseObject(t, []byte(srv.Get(key, "/v1/"+demoNumber+"/templates/hello_world").Body)).str("data", "provider_template_id")
	id := newBroadcast(t, srv, key, `{"name":"Grüße: 50%","template":{"name":"hello_world","language":"en_US"},"audience":{"recipients":[
		{"to":"+6281255500142"},{"to":"+999201310260001"},{"to":"+999201310490002"},{"to":"+385915550109"},{"to":"nonsense"}]}}`)
	expect(t, srv.Post(key, "/v1/"+demoNumber+"/broadcasts/"+id+"/start", ""), http.StatusOK, "")
	s := OpenScreen(t, 390, 800)
	signIn(t, s, srv)
	becomes(s, "/broadcasts/"+id, func(b storedBroadcast) bool { return b.Status == "completed" && b.Counts.Failed == 2 })
	s.Open(srv.URL() + "/broadcasts?status=completed")
	s.Has("list", "Broadcasts")
	s.does(`document.querySelector("#content li a").focus()`)
	s.enter()
	s.SaysIn("Why messages failed", "Could not be delivered")
	s.PressIn("Why messages failed", "Could not be delivered")
	s.at("?show=failed&reason=undeliverable")
	s.Until(focused("Recipients"))
	s.Until(`document.querySelectorAll('ul[aria-label=Recipients] li').length === 1`)
	s.Until(`(r => r.top >= 0 && r.bottom <= innerHeight)(` + inside("Recipients") + `.getBoundingClientRect())`) // it is far below on a phone
	s.Accessible()
	if rows := s.export(); len(rows) != 2 || !strings.Contains(rows[1], "+999201310490002,,failed,failed,undeliverable") {
		t.Errorf("the table of the failed is %q", rows)
	}
	s.Press("button", "Only: Could not be delivered. Clear filters")
	s.at("?show=failed")
	s.Until(`document.querySelectorAll('ul[aria-label=Recipients] li').length === 2`)
	s.pick("Show", "Opted out")
	s.Says("No recipients match")
	s.Press("button", "Clear filters")
	s.SaysIn("Recipients", "Marta")
	if rows := s.export(); len(rows) != 6 || !strings.HasPrefix(rows[0], "\ufeffid,to,name,") || !strings.Contains(rows[4], "+385915550109,Marta Kovač,sent") {
		t.Errorf("the table is %q", rows)
	}

	sim.do(http.MethodPatch, "templates/"+template, map[string]any{"status": "PAUSED"})
	becomes(s, "/"+demoNumber+"/templates/hello_world", func(x struct{ Status string }) bool { return x.Status != "approved" })
	s.does(`document.querySelector("h1").focus()`)
	s.keyOn("Retry failed")
	s.Says("Go on when it is approved again")
	s.Until(focused("Retry failed"))
	s.Press("link", "All broadcasts")
	s.at("/broadcasts?status=completed")
	s.Content()
}

// export is what the page's export has, by lines. Its name must be the broadcast's.
func (s *Screen) export() (lines []string) {
	s.t.Helper()
	text, err := s.run(`const answer = await fetch(document.querySelector("a[download]").href);
		const text = new TextDecoder("utf-8", {ignoreBOM: true}).decode(await answer.arrayBuffer());
		return [answer.headers.get("Content-Disposition"), ...text.trimEnd().split("\n")]`)
	if err != nil || json.Unmarshal(text, &lines) != nil {
		s.fail("no export: %v", err)
	}
	if want := "attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe-%2050%25%20recipients.csv"; lines[0] != want {
		s.t.Errorf("the export is named %s, want %s", lines[0], want)
	}
	return lines[1:]
}

// A scheduled broadcast says when it starts for its zone and for who looks at it, and keeps its time where it may not
// start at once. Its steps are no places to come back to once it is scheduled again.
func TestBroadcastKeepsItsTime(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	sim, key := srv.Sim(), demoKey(t, srv)
	template := parseObject(t, []byte(srv.Get(key, "/v1/"+demoNumber+"/templates/hello_world").Body)).str("data", "provider_template_id")
	id := newBroadcast(t, srv, key, `{"name":"Next year","template":{"name":"hello_world","language":"en_US"},"audience":{"filter":{}},
		"scheduled_at":"2099-01-01T02:00:00Z","time_zone":"America/New_York"}`)
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/broadcasts")
	s.Has("list", "Broadcasts")
	s.does(`document.querySelector("#content li a").focus()`)
	s.enter()
	s.Says("December 31, 2098 at 21:00")
	s.Says("America/New York · for you Thursday, January 1, 2099 at 09:00")
	s.Says("Contacts are looked up when it starts")
	s.keyOn("Stop")
	s.Says("It will not start, and cannot be scheduled again.")
	s.Browser.Press(kb.Escape)
	s.Until(focused("Stop"))
	s.Press("button", "Edit")
	s.at("?step=1")
	s.Press("button", "Send")
	s.at("?step=4")
	sim.do(http.MethodPatch, "templates/"+template, map[string]any{"status": "PAUSED"})
	becomes(s, "/"+demoNumber+"/templates/hello_world", func(x struct{ Status string }) bool { return x.Status != "approved" })
	s.Press("radio", "As soon as I press Start")
	s.Press("button", "Start")
	s.Says("Go on when it is approved again")
	if b := stored[storedBroadcast](s, "/broadcasts/"+id); b.Status != "scheduled" {
		t.Errorf("after a refused start it is %s", b.Status)
	}
	s.Press("radio", "At a set time")
	s.writeInto("combobox", "Time zone", "new york")
	s.Has("option", "America/New York")
	s.Press("option", "America/New York")
	s.Press("button", "Schedule")
	s.Says("The broadcast is scheduled")
	s.at("/broadcasts/" + id)
	s.Until(focused("Next year"))
	s.does("history.back()")
	s.at("/broadcasts")
	s.Content()
}
