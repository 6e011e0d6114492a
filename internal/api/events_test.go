package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// feed is an answer to someone who follows events.
type feed struct {
	Object string
	Events []struct {
		ID            string
		Type          string
		Source        string
		EventID       string  `json:"event_id"`
		PhoneNumberID *string `json:"phone_number_id"`
		Payload       json.RawMessage
	}
	Cursor  string
	HasMore bool `json:"has_more"`
}

// follow asks for events; the query begins with &.
func follow(t *testing.T, c *apitest.Case, cursor, query string) (f feed) {
	t.Helper()
	c.Call(t, apitest.Request{Path: "/v1/events?cursor=" + cursor + query}).RequireStatus(t, http.StatusOK).Data(t, &f)
	return f
}

// fromNow is the cursor after all past events.
func fromNow(t *testing.T, c *apitest.Case) string {
	t.Helper()
	var f feed
	c.Call(t, apitest.Request{Path: "/v1/events"}).RequireStatus(t, http.StatusOK).Data(t, &f)
	if len(f.Events) > 0 || f.Object != "event_feed" || f.HasMore {
		t.Errorf("without a cursor it answers %+v", f)
	}
	return f.Cursor
}

// payload is the content of a recorded event, with a place for its subject.
const payload = `{"id":"evt_1","type":"customer.onboarded","created_at":"2026-03-01T12:00:00.000Z",` +
	`"data":{"account_id":"1","phone_number_id":"2","phone_number":"3","customer_id":"%s"}}`

// record writes events to the store, as if made at the instant.
func record(t *testing.T, c *apitest.Case, at time.Time, subjects ...string) {
	t.Helper()
	c.InTx(t, func(tx *store.Tx) error {
		for _, subject := range subjects {
			id := tx.NewIDAt(chat.KindEvent, at)
			err := tx.InsertEvent(chat.Event{
				ID: id, OrgID: c.Org.ID, EventID: id, Type: chat.EventContactCreated, Source: chat.SourceService,
				Subject: subject, Payload: fmt.Appendf(nil, payload, subject), CreatedAt: at,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// told are the subjects of the events in an answer.
func (f feed) told() string {
	var names []string
	for _, e := range f.Events {
		_, name, _ := strings.Cut(string(e.Payload), `"customer_id":"`)
		names = append(names, strings.TrimRight(name, `"}`))
	}
	return strings.Join(names, " ")
}

func requireTold(t *testing.T, f feed, want string) {
	t.Helper()
	if got := f.told(); got != want {
		t.Errorf("it tells of %q, want %q", got, want)
	}
}

func TestFollowEventsRefused(t *testing.T) {
	get := func(query string) apitest.Request { return apitest.Request{Path: "/v1/events" + query} }
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "now", Request: get(""), Status: http.StatusOK, Want: `{"data":{"object":"event_feed","events":[],"cursor":"<cursor>","has_more":false},"request_id":"<req>"}`},
		{Name: "an unknown type", Request: get("?types=contact.created,x"), Code: "invalid_event_type", Param: "types"},
		{Name: "no type", Request: get("?types="), Code: "invalid_event_type", Param: "types"},
		{Name: "a long wait", Request: get("?wait=21"), Code: "invalid_field_value", Param: "wait"},
		{Name: "a negative wait", Request: get("?wait=-1"), Code: "invalid_field_value", Param: "wait"},
		{Name: "no wait", Request: get("?wait="), Code: "invalid_field_value", Param: "wait"},
		{Name: "a bad limit", Request: get("?limit=0"), Code: "invalid_limit", Param: "limit"},
		{Name: "a bad cursor", Request: get("?cursor=x"), Code: "invalid_cursor", Param: "cursor"},
		{Name: "a foreign cursor", Given: func(t *testing.T, c *apitest.Case) {
			own := c.Org
			c.Org = c.Stranger(t)
			c.Set("cursor", fromNow(t, c))
			c.Org = own
		}, Request: get("?cursor=${cursor}"), Code: "invalid_cursor", Param: "cursor"},
	})
}

func TestFollowEvents(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasWebhook(anyWebhook)(t, c)
		delivered("+15550001111")(t, c) // from before
		cursor := fromNow(t, c)
		if f := follow(t, c, cursor, ""); len(f.Events) != 0 {
			t.Errorf("what was before is told: %+v", f)
		}
		delivered("+15550002222")(t, c)
		c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_subscriptions/${webhook}/test"}).RequireStatus(t, http.StatusOK) // creates no event
		c.Call(t, apitest.Request{Method: http.MethodPatch, Path: "/v1/${number}/contacts/${contact}", Body: `{"name":"é <b>"}`}).RequireStatus(t, http.StatusOK)
		f := follow(t, c, cursor, "")
		if len(f.Events) != 2 || f.Events[0].Type != "contact.created" || f.Events[1].Type != "contact.updated" || f.Events[0].Source != "svc" ||
			f.Events[0].EventID != c.Get("event") || *f.Events[0].PhoneNumberID != c.Get("number") || f.HasMore {
			t.Fatalf("got %+v", f)
		}
		for i, e := range c.Events(t, "")[len(c.Events(t, ""))-3:] { // the bytes that are signed
			if shown := map[int]int{0: 0, 2: 1}; i != 1 && string(e.Payload) != string(f.Events[shown[i]].Payload) {
				t.Errorf("the payload is %s, want %s", f.Events[shown[i]].Payload, e.Payload)
			}
		}
		if again := follow(t, c, cursor, ""); len(again.Events) != 2 {
			t.Errorf("a cursor that is used again gives %+v", again)
		}
		if next := follow(t, c, f.Cursor, ""); len(next.Events) != 0 {
			t.Errorf("events are told twice: %+v", next)
		}
		if some := follow(t, c, cursor, "&types=contact.updated,message.sent"); len(some.Events) != 1 || some.Events[0].Type != "contact.updated" {
			t.Errorf("by type it tells of %+v", some)
		}
	})
}

// An event can appear after younger ones, because its id is made before its transaction commits. A follower
// gets every event, and none twice.
func TestFollowEventsThatAppearLate(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		at := c.Clock.Now()
		cursor := fromNow(t, c)
		record(t, c, at.Add(5*time.Second), "young")
		c.Clock.Advance(6 * time.Second)
		f := follow(t, c, cursor, "")
		requireTold(t, f, "young")
		record(t, c, at.Add(time.Second), "late")
		f = follow(t, c, f.Cursor, "")
		requireTold(t, f, "late")
		c.Clock.Advance(time.Minute)
		f = follow(t, c, f.Cursor, "")
		requireTold(t, f, "")
		record(t, c, at.Add(2*time.Second), "too late")
		record(t, c, c.Clock.Now(), "new")
		requireTold(t, follow(t, c, f.Cursor, ""), "new")
	})
}

// Any number of events is told once and in order, in pages. Events whose content was removed are skipped.
func TestFollowEventsWithoutContent(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		cursor := fromNow(t, c)
		record(t, c, c.Clock.Now(), "a", "b", "c")
		c.Exec(t, `UPDATE events SET payload = '' WHERE org_id = $1 AND payload LIKE '%"b"%'`, c.Org.ID)
		requireTold(t, follow(t, c, cursor, ""), "a c")
	})
}

func TestFollowManyEvents(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		cursor := fromNow(t, c)
		var all []string
		for i := range 1300 { // more than a cursor remembers
			all = append(all, fmt.Sprint(i))
		}
		record(t, c, c.Clock.Now(), all...)
		var told []string
		for more := true; more; {
			f := follow(t, c, cursor, "&limit=100")
			if len(f.Cursor) > 6000 {
				t.Fatalf("the cursor has %d characters", len(f.Cursor))
			}
			told, cursor, more = append(told, strings.Fields(f.told())...), f.Cursor, f.HasMore
		}
		if strings.Join(told, " ") != strings.Join(all, " ") {
			t.Errorf("%d events were told of %d", len(told), len(all))
		}
		requireTold(t, follow(t, c, cursor, ""), "")
		requireTold(t, follow(t, c, fromNow(t, c), ""), "")
		record(t, c, c.Clock.Now(), "one")
		requireTold(t, follow(t, c, cursor, "&wait=5"), "one")
		requireTold(t, follow(t, c, cursor, "&types=message.sent"), "")
	})
}

func TestFollowEventsWaits(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		cursor := fromNow(t, c)
		answered := make(chan feed, 1)
		go func() { answered <- follow(t, c, cursor, "&wait=20") }()
		record(t, c, c.Clock.Now(), "awaited")
		requireTold(t, <-answered, "awaited")
		begin := time.Now()
		requireTold(t, follow(t, c, cursor, "&wait=20&types=contact.created"), "awaited")
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("what was there already took %v", took)
		}
		leave := c.API.CrowdFeed(c.Org.ID)
		begin = time.Now()
		requireTold(t, follow(t, c, fromNow(t, c), "&wait=20"), "")
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("one too many waited for %v", took)
		}
		leave()
		go func() { answered <- follow(t, c, fromNow(t, c), "&wait=20") }()
		c.API.Drain()
		requireTold(t, <-answered, "")
	})
}
