package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/demo"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/store"
)

// desk is the dashboard as the demo's owner uses it.
type desk struct {
	t     *testing.T
	s     *Server
	token string
}

func sitDown(t *testing.T, s *Server, org demo.Organization) desk {
	t.Helper()
	d := desk{t: t, s: s}
	err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
		u, err := tx.UserByEmail(org.Email)
		if err == nil {
			d.token, err = core.OpenSession(tx, u, core.Browser{})
		}
		return err
	})
	must(t, err)
	return d
}

// do performs an operation, and reads the answer's data.
func (d desk) do(method, path, body string, data any) {
	d.t.Helper()
	r := httptest.NewRequestWithContext(d.t.Context(), method, app.Base+path, bytes.NewReader([]byte(body)))
	r.Header.Set("Content-Type", "application/json")
	d.s.dashboard.Sign(r, d.token)
	answer := httptest.NewRecorder()
	d.s.dashboard.ServeHTTP(answer, r)
	if answer.Code >= 300 {
		d.t.Fatalf("%s %s: %d %s", method, path, answer.Code, answer.Body)
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &struct{ Data any }{data}); err != nil {
		d.t.Fatal(err)
	}
}

type demoConversation struct {
	ID, Status   string
	SnoozedUntil *string `json:"snoozed_until"`
	Contact      struct{ Name string }
	Assignee     *struct{ Name string }
	Labels       []struct{ Name string }
	UnreadCount  int     `json:"unread_count"`
	Window       *string `json:"window_expires_at"`
	LastMessage  struct {
		Type, Status, Preview string
		ErrorCode             *string `json:"error_code"`
	} `json:"last_message"`
}

// TestDemoWeek: the first start makes conversations of every kind, the second adds none.
func TestDemoWeek(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	cfg.MessagesPerSecond = 80
	s, lines := open(t, cfg)
	demo, err := s.Demo(t.Context())
	must(t, err)
	stop := start(t, s)
	var all []demoConversation
	sitDown(t, s, demo).do("GET", "/conversations?status=any&limit=100", "", &all)
	seen := map[string]int{}
	for _, c := range all {
		seen[c.Status]++
		seen["a "+c.LastMessage.Type]++
		seen[fmt.Sprintf("unread %t", c.UnreadCount > 0)]++
		seen[fmt.Sprintf("window %t", c.Window != nil)]++
		seen[fmt.Sprintf("assigned %t", c.Assignee != nil)]++
		seen[fmt.Sprintf("labelled %t", len(c.Labels) > 0)]++
		seen[fmt.Sprintf("snoozed %t", c.SnoozedUntil != nil)]++
		if c.LastMessage.ErrorCode != nil {
			seen[*c.LastMessage.ErrorCode]++
		}
	}
	for _, what := range []string{
		"open", "pending", "resolved", "a text", "a image", "a audio", "a template", "a interactive", "unread true", "unread false", "window true",
		"window false", "assigned true", "assigned false", "labelled true", "snoozed true", "outside_24h_window", "recipient_unavailable", "marketing_opted_out",
	} {
		if seen[what] == 0 {
			t.Errorf("no conversation is %s: %v\n%s", what, seen, lines)
		}
	}
	if len(all) != 22 {
		t.Errorf("%d conversations\n%s", len(all), lines)
	}
	must(t, stop())
	again, _ := open(t, cfg)
	defer again.Close()
	if _, err := again.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	var after []demoConversation
	sitDown(t, again, demo).do("GET", "/conversations?status=any&limit=100", "", &after)
	if len(after) != len(all) {
		t.Errorf("%d conversations after another start", len(after))
	}
}

func TestEmptyDemo(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	cfg.DemoEmpty = true
	s, _ := open(t, cfg)
	defer s.Close()
	demo, err := s.Demo(t.Context())
	must(t, err)
	var all []demoConversation
	if sitDown(t, s, demo).do("GET", "/conversations?status=any", "", &all); len(all) != 0 {
		t.Errorf("%d conversations", len(all))
	}
}

// TestPhoneAndInbox: a handset's message is in the inbox, the inbox's message is on the handset, and open dashboards
// are notified of both.
func TestPhoneAndInbox(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	cfg.DemoEmpty, cfg.MessagesPerSecond = true, 80
	s, _ := open(t, cfg)
	demo, err := s.Demo(t.Context())
	must(t, err)
	start(t, s)
	d := sitDown(t, s, demo)
	session, err := core.Session(t.Context(), s.store, d.token)
	must(t, err)
	l := s.live.Listen(session)
	defer l.Leave()
	d.do("POST", "/phone/handsets/6281255500142/messages", `{"number":"`+demo.PhoneNumberID+`","type":"text","text":"Halo"}`, nil)
	var all []demoConversation
	awaitHints(t, l, func(hint live.Hint) bool {
		d.do("GET", "/conversations", "", &all)
		return len(all) == 1 && hint.Kind == "conversation" && hint.ID == all[0].ID
	})
	if all[0].Contact.Name != "Dewi Pratiwi" || all[0].LastMessage.Preview != "Halo" {
		t.Errorf("the inbox: %+v", all)
	}
	d.do("POST", "/"+demo.PhoneNumberID+"/messages", `{"messaging_product":"chat","to":"+6281255500142","type":"text","text":{"body":"Halo juga"}}`, nil)
	var chat []struct{ From, Text string }
	awaitHints(t, l, func(hint live.Hint) bool {
		d.do("GET", "/phone/handsets/6281255500142/messages?number="+demo.PhoneNumberID, "", &chat)
		return hint.Kind == live.KindPhone && len(chat) == 2 && chat[1].From == "business" && chat[1].Text == "Halo juga"
	})
	d.do("POST", "/phone/handsets/6281255500142/read", `{"number":"`+demo.PhoneNumberID+`"}`, nil)
	awaitHints(t, l, func(live.Hint) bool {
		d.do("GET", "/conversations", "", &all)
		return all[0].LastMessage.Status == "read"
	})
}

// awaitHints waits for a matching hint.
func awaitHints(t *testing.T, l *live.Listener, so func(live.Hint) bool) {
	t.Helper()
	for {
		select {
		case <-l.Ready:
			if slices.ContainsFunc(l.Take(), so) {
				return
			}
		case <-l.Ended:
			t.Fatal("the listening ended")
		}
	}
}
