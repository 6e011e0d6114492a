package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
)

const noDelivery = "wbd_00000000000000000000000000"

// deliveryWith is a delivery with fields behind the common ones given as JSON.
func deliveryWith(fields string) string {
	return `{"object":"webhook_delivery","subscription_id":"${webhook}","event_type":"contact.created",` + fields + `}`
}

const untried = `"attempt_count":0,"last_attempt_at":null,"response_status":null,"response_body_snippet":null,"duration_ms":null`

// delivered makes a contact, whose event goes to the subscription ${webhook}: ${delivery}, ${event}.
func delivered(number string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		c.Make(t, "contact", "/v1/${number}/contacts", `{"phone_number":"`+number+`"}`)
		var page struct {
			Data []struct {
				ID      string
				EventID string `json:"event_id"`
			}
		}
		c.Call(t, apitest.Request{Path: "/v1/webhook_deliveries?limit=1"}).RequireStatus(t, http.StatusOK).Decode(t, &page)
		c.Set("delivery", page.Data[0].ID)
		c.Set("event", page.Data[0].EventID)
	}
}

// became sets the state of ${delivery}, as attempts do.
func became(status string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		next := "NULL"
		if status == "failed" {
			next = "5000"
		}
		c.Exec(t, `UPDATE webhook_deliveries SET status = $3, attempt_count = 2, last_attempt_at = 3000, next_attempt_at = `+next+`,
			response_status = 503, response_body_snippet = 'later', duration_ms = 12, error_code = 'http_error', error_message = 'The endpoint answered 503.',
			attempts = '[{"at":1000,"error_code":"timeout","error_message":"No answer.","duration_ms":10000}]'
			WHERE org_id = $1 AND id = $2`, c.Org.ID, c.Get("delivery"), status)
	}
}

// spared keeps the deliveries of ${webhook} back, until so many milliseconds of the year 2100.
func spared(column string, ms int64) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		c.Exec(t, `UPDATE webhook_subscriptions SET `+column+` = $3 WHERE org_id = $1 AND id = $2`, c.Org.ID, c.Get("webhook"),
			time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()+ms)
	}
}

var hasDelivery = all(connected, hasWebhook(anyWebhook), delivered("+15550001111"))

func TestWebhookDeliveries(t *testing.T) {
	const payload = `{"id":"${event}","type":"contact.created","created_at":"<now>","data":{"contact":{"id":"${contact}","object":"contact","phone_number":"+15550001111",
		"name":null,"email":null,"metadata":null,"phone_number_id":"${number}","created_at":"<now>","updated_at":"<now>"}}}`
	pending := `"id":"${delivery}","event_id":"${event}","status":"pending",` + untried + `,"next_attempt_at":"<now>","replayed_from":null,"replayed":false,"error_code":null,"error_message":null,"created_at":"<now>"`
	dead := `"id":"${delivery}","event_id":"${event}","status":"dead","attempt_count":2,"last_attempt_at":"1970-01-01T00:00:03.000Z","next_attempt_at":null,
		"response_status":503,"response_body_snippet":"later","duration_ms":12,"error_code":"http_error","error_message":"The endpoint answered 503.","replayed_from":null,"replayed":false,"created_at":"<now>"`
	calledOff := strings.NewReplacer(`"replayed":false`, `"replayed":true`, "http_error", "replayed", "The endpoint answered 503.", "The delivery was replayed. A new one is attempted in its place.").Replace(dead)
	attempts := `[{"attempt":1,"at":"1970-01-01T00:00:01.000Z","response_status":null,"response_body_snippet":null,"duration_ms":10000,"error_code":"timeout","error_message":"No answer."},
		{"attempt":2,"at":"1970-01-01T00:00:03.000Z","response_status":503,"response_body_snippet":"later","duration_ms":12,"error_code":"http_error","error_message":"The endpoint answered 503."}]`
	envelope := func(delivery string) string { return `{"data":` + delivery + `,"request_id":"<req>"}` }
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "the list", Given: hasDelivery, Request: apitest.Request{Path: "/v1/webhook_deliveries"}, Status: http.StatusOK,
			Want: `{"data":[` + deliveryWith(pending) + `],"has_more":false,"next_cursor":null,"request_id":"<req>"}`},
		{Name: "one", Given: hasDelivery, Request: apitest.Request{Path: "/v1/webhook_deliveries/${delivery}"}, Status: http.StatusOK,
			Want: envelope(deliveryWith(pending + `,"payload":` + payload + `,"attempts":[]`))},
		{Name: "one that was tried", Given: all(hasDelivery, became("dead")), Request: apitest.Request{Path: "/v1/webhook_deliveries/${delivery}"}, Status: http.StatusOK,
			Want: envelope(deliveryWith(dead + `,"payload":` + payload + `,"attempts":` + attempts))},
		{Name: "one that was replayed before its next attempt", Given: all(hasDelivery, became("failed"), func(t *testing.T, c *apitest.Case) {
			c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_deliveries/${delivery}/replay"}).RequireStatus(t, http.StatusOK)
		}), Request: apitest.Request{Path: "/v1/webhook_deliveries/${delivery}"}, Status: http.StatusOK,
			Want: envelope(deliveryWith(calledOff + `,"payload":` + payload + `,"attempts":` + attempts))},
		{Name: "one that is dead and was replayed", Given: all(hasDelivery, became("dead"), func(t *testing.T, c *apitest.Case) {
			c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_deliveries/${delivery}/replay"}).RequireStatus(t, http.StatusOK)
		}), Request: apitest.Request{Path: "/v1/webhook_deliveries?status=dead"}, Status: http.StatusOK,
			Want: `{"data":[` + deliveryWith(strings.Replace(dead, `"replayed":false`, `"replayed":true`, 1)) + `],"has_more":false,"next_cursor":null,"request_id":"<req>"}`},
		{Name: "one that waits for an endpoint in trouble", Given: all(hasDelivery, spared("next_probe_at", 7000)), Request: apitest.Request{Path: "/v1/webhook_deliveries"}, Status: http.StatusOK,
			Want: `{"data":[` + deliveryWith(strings.Replace(pending, `"next_attempt_at":"<now>"`, `"next_attempt_at":"2100-01-01T00:00:07.000Z"`, 1)) + `],"has_more":false,"next_cursor":null,"request_id":"<req>"}`},
		{Name: "one that waits as the endpoint asked", Given: all(hasDelivery, spared("held_until", 8000)), Request: apitest.Request{Path: "/v1/webhook_deliveries/${delivery}"}, Status: http.StatusOK,
			Want: envelope(deliveryWith(strings.Replace(pending, `"next_attempt_at":"<now>"`, `"next_attempt_at":"2100-01-01T00:00:08.000Z"`, 1) + `,"payload":` + payload + `,"attempts":[]`))},
		{Name: "one that waits for its subscription", Given: all(hasDelivery, patched(`{"status":"paused"}`)), Request: apitest.Request{Path: "/v1/webhook_deliveries"}, Status: http.StatusOK,
			Want: `{"data":[` + deliveryWith(strings.Replace(pending, `"next_attempt_at":"<now>"`, `"next_attempt_at":null`, 1)) + `],"has_more":false,"next_cursor":null,"request_id":"<req>"}`},
		{Name: "one whose event is gone", Given: all(hasDelivery, func(t *testing.T, c *apitest.Case) { c.Exec(t, `DELETE FROM events WHERE org_id = $1`, c.Org.ID) }),
			Request: apitest.Request{Path: "/v1/webhook_deliveries/${delivery}"}, Status: http.StatusOK, Want: envelope(deliveryWith(pending + `,"payload":null,"attempts":[]`))},
		{Name: "unknown", Request: apitest.Request{Path: "/v1/webhook_deliveries/" + noDelivery}, Code: "resource_not_found"},
		{Name: "malformed", Request: apitest.Request{Path: "/v1/webhook_deliveries/1"}, Code: "invalid_field_value", Param: "id"},
		{Name: "foreign", Given: foreignDelivery, Request: apitest.Request{Path: "/v1/webhook_deliveries/${delivery}"}, Code: "resource_not_found"},
		{Name: "the list of another", Given: foreignDelivery, Request: apitest.Request{Path: "/v1/webhook_deliveries?subscription_id=${webhook}"}, Status: http.StatusOK, Want: emptyPage},
		{Name: "bad subscription", Request: apitest.Request{Path: "/v1/webhook_deliveries?subscription_id=x"}, Code: "invalid_field_value", Param: "subscription_id"},
		{Name: "bad status", Request: apitest.Request{Path: "/v1/webhook_deliveries?status=lost"}, Code: "invalid_field_value", Param: "status"},
		{Name: "bad type", Request: apitest.Request{Path: "/v1/webhook_deliveries?event_type=x"}, Code: "invalid_event_type", Param: "event_type"},
		{Name: "empty type", Request: apitest.Request{Path: "/v1/webhook_deliveries?event_type="}, Code: "invalid_event_type", Param: "event_type"},
		{Name: "empty event", Request: apitest.Request{Path: "/v1/webhook_deliveries?event_id="}, Code: "invalid_field_value", Param: "event_id"},
		{Name: "bad time", Request: apitest.Request{Path: "/v1/webhook_deliveries?created_after=now"}, Code: "invalid_field_value", Param: "created_after"},
		{Name: "bad other time", Request: apitest.Request{Path: "/v1/webhook_deliveries?created_before=2020-01-01"}, Code: "invalid_field_value", Param: "created_before"},
		{Name: "bad limit", Request: apitest.Request{Path: "/v1/webhook_deliveries?limit=101"}, Code: "invalid_limit", Param: "limit"},
		{Name: "bad cursor", Request: apitest.Request{Path: "/v1/webhook_deliveries?cursor=x"}, Code: "invalid_cursor", Param: "cursor"},
	})
}

// foreignDelivery makes a delivery in another organization.
func foreignDelivery(t *testing.T, c *apitest.Case) {
	own := c.Org
	c.Org = c.Stranger(t)
	hasDelivery(t, c)
	c.Org = own
}

func TestWebhookDeliveriesAreFiltered(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasWebhook(`{"url":"https://hooks.example","events":["contact.updated"]}`)(t, c)
		c.Set("second", c.Get("webhook"))
		hasWebhook(anyWebhook)(t, c)
		var made []string
		for i, status := range []string{"", "dead", "failed", "succeeded"} {
			c.Clock.Advance(time.Second)
			delivered(fmt.Sprint("+1555000111", i))(t, c)
			if status != "" {
				became(status)(t, c)
			}
			made = append([]string{c.Get("delivery")}, made...)
			if i == 1 {
				c.Set("instant", c.Clock.Now().Format(time.RFC3339Nano))
				c.Set("dead_event", c.Get("event"))
			}
		}
		c.Clock.Advance(time.Second)
		c.Call(t, apitest.Request{Method: http.MethodPatch, Path: "/v1/${number}/contacts/${contact}", Body: `{"name":"x"}`}).RequireStatus(t, http.StatusOK)
		var updates []string
		for _, d := range listOf(t, c, "/v1/webhook_deliveries?event_type=contact.updated") {
			updates = append(updates, d.ID)
		}
		if len(updates) != 2 {
			t.Fatalf("%d deliveries of the update", len(updates))
		}
		byFirst := updates
		if listOf(t, c, "/v1/webhook_deliveries?event_type=contact.updated")[0].SubscriptionID != c.Get("webhook") {
			byFirst = updates[1:]
		}
		succeeded, failed, dead, pending := made[0:1], made[1:2], made[2:3], made[3:4]
		for query, want := range map[string][]string{
			"":                            slices.Concat(updates, made),
			"&status=succeeded":           succeeded,
			"&status=failed":              failed,
			"&status=dead":                dead,
			"&status=pending":             slices.Concat(updates, pending),
			"&event_type=contact.created": made,
			"&event_type=contact.created&status=dead":   dead,
			"&event_type=message.sent":                  nil,
			"&subscription_id=${webhook}&status=dead":   dead,
			"&subscription_id=${webhook}&status=failed": failed,
			"&subscription_id=${second}&status=dead":    nil,
			"&subscription_id=${webhook}":               slices.Concat(byFirst[:1], made),
			"&event_id=${dead_event}":                   dead,
			"&event_id=evt_x":                           nil,
			"&created_after=${instant}":                 slices.Concat(updates, made[:2]),
			"&created_before=${instant}":                pending,
			"&created_after=2020-01-01T00:00:00%2B02:00&created_before=${instant}&status=dead": nil,
		} {
			requirePages(t, c, "/v1/webhook_deliveries?limit=2"+query, want)
		}
	})
}

type listedDelivery struct {
	ID             string
	SubscriptionID string  `json:"subscription_id"`
	EventID        string  `json:"event_id"`
	Status         string  `json:"status"`
	ReplayedFrom   *string `json:"replayed_from"`
	ErrorCode      *string `json:"error_code"`
}

func listOf(t *testing.T, c *apitest.Case, path string) []listedDelivery {
	t.Helper()
	var page struct{ Data []listedDelivery }
	c.Call(t, apitest.Request{Path: path}).RequireStatus(t, http.StatusOK).Decode(t, &page)
	return page.Data
}

func TestReplayWebhookDelivery(t *testing.T) {
	replay := apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_deliveries/${delivery}/replay"}
	want := `{"data":` + deliveryWith(`"id":"<wbd>","event_id":"${event}","status":"pending",`+untried+`,"next_attempt_at":"<now>","replayed_from":"${delivery}",
		"replayed":false,"error_code":null,"error_message":null,"created_at":"<now>","attempts":[],"payload":{"id":"${event}","type":"contact.created","created_at":"<now>","data":{"contact":{"id":"${contact}",
		"object":"contact","phone_number":"+15550001111","name":null,"email":null,"metadata":null,"phone_number_id":"${number}","created_at":"<now>","updated_at":"<now>"}}}`) + `,"request_id":"<req>"}`
	made := apitest.Changes{"webhook_deliveries": "+1 ~1"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "dead", Given: all(hasDelivery, became("dead")), Request: replay, Status: http.StatusOK, Want: want, Change: made},
		{Name: "succeeded", Given: all(hasDelivery, became("succeeded")), Request: replay, Status: http.StatusOK, Want: want, Change: made},
		{Name: "failed", Given: all(hasDelivery, became("failed")), Request: replay, Status: http.StatusOK, Want: want, Change: made,
			Then: func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
				if all := listOf(t, c, "/v1/webhook_deliveries"); all[1].Status != "dead" || *all[1].ErrorCode != "replayed" {
					t.Errorf("what it replays is %+v", all[1])
				}
			}},
		{Name: "again", Given: all(hasDelivery, became("dead"), func(t *testing.T, c *apitest.Case) { c.Call(t, replay).RequireStatus(t, http.StatusOK) }), Request: replay,
			Status: http.StatusOK, Want: want, Change: apitest.Changes{"webhook_deliveries": "+1"}},
		{Name: "to a paused subscription", Given: all(hasDelivery, became("dead"), patched(`{"status":"paused"}`)), Request: replay, Status: http.StatusOK, Change: made,
			Want: strings.Replace(want, `"next_attempt_at":"<now>"`, `"next_attempt_at":null`, 1)},
		{Name: "still on its way", Given: hasDelivery, Request: replay, Code: "invalid_field_value", Param: "id"},
		{Name: "of what was removed", Given: all(hasDelivery, became("dead"), func(t *testing.T, c *apitest.Case) {
			c.Exec(t, `UPDATE events SET payload = '' WHERE org_id = $1`, c.Org.ID)
		}), Request: replay, Code: "invalid_field_value", Param: "id"},
		{Name: "to a disabled subscription", Given: all(hasDelivery, became("dead"), disabled), Request: replay, Code: "webhook_subscription_disabled"},
		{Name: "to a deleted subscription", Given: all(hasDelivery, became("dead"), func(t *testing.T, c *apitest.Case) {
			c.Call(t, apitest.Request{Method: http.MethodDelete, Path: "/v1/webhook_subscriptions/${webhook}"}).RequireStatus(t, http.StatusOK)
		}), Request: replay, Code: "resource_not_found"},
		{Name: "unknown", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_deliveries/" + noDelivery + "/replay"}, Code: "resource_not_found"},
		{Name: "malformed", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_deliveries/x/replay"}, Code: "invalid_field_value", Param: "id"},
		{Name: "foreign", Given: all(foreignDelivery), Request: replay, Code: "resource_not_found"},
	})
}

func bulk(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_deliveries/bulk_replay", Body: body}
}

func TestBulkReplayRefused(t *testing.T) {
	refused := func(name, body, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: all(hasDelivery, became("dead")), Request: bulk(body), Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		refused("no subscription", `{}`, "missing_required_field", "subscription_id"),
		refused("malformed subscription", `{"subscription_id":"x"}`, "invalid_field_value", "subscription_id"),
		refused("unknown subscription", `{"subscription_id":"`+noWebhook+`"}`, "resource_not_found", ""),
		refused("status pending", `{"subscription_id":"${webhook}","status":"pending"}`, "invalid_field_value", "status"),
		refused("status succeeded", `{"subscription_id":"${webhook}","status":"succeeded"}`, "invalid_field_value", "status"),
		refused("unknown type", `{"subscription_id":"${webhook}","event_type":"x"}`, "invalid_event_type", "event_type"),
		refused("empty type", `{"subscription_id":"${webhook}","event_type":""}`, "invalid_event_type", "event_type"),
		refused("bad time", `{"subscription_id":"${webhook}","created_after":"yesterday"}`, "invalid_field_value", "created_after"),
		refused("time with a comma", `{"subscription_id":"${webhook}","created_after":"2026-01-02T03:04:05,5Z"}`, "invalid_field_value", "created_after"),
		refused("bad other time", `{"subscription_id":"${webhook}","created_before":1}`, "invalid_field_value", "created_before"),
		refused("bad answer", `{"subscription_id":"${webhook}","response_status":99}`, "invalid_field_value", "response_status"),
		refused("bad error", `{"subscription_id":"${webhook}","error_code":""}`, "invalid_field_value", "error_code"),
		{Name: "foreign", Given: foreignDelivery, Request: bulk(`{"subscription_id":"${webhook}"}`), Code: "resource_not_found"},
	})
}

func TestBulkReplayPicks(t *testing.T) {
	given := all(hasDelivery, became("dead"), delivered("+15550002222"), became("failed"), delivered("+15550003333"), became("succeeded"), delivered("+15550004444"))
	var scenarios []apitest.Scenario
	for body, enqueued := range map[string]int{
		``: 1, `,"status":"dead"`: 1, `,"status":"failed"`: 1, `,"event_type":"contact.created"`: 1, `,"event_type":"message.sent"`: 0, `,"error_code":"http_error"`: 1, `,"error_code":"timeout"`: 0,
		`,"response_status":503`: 1, `,"response_status":500`: 0, `,"created_after":"2000-01-01T00:00:00Z"`: 1, `,"created_before":"2000-01-01T00:00:00Z"`: 0, `,"created_after":"2999-01-01T00:00:00Z"`: 0,
	} {
		change := apitest.Changes{}
		if enqueued > 0 {
			change = apitest.Changes{"webhook_deliveries": "+1 ~1"}
		}
		scenarios = append(scenarios, apitest.Scenario{Name: "all " + body, Given: given, Request: bulk(`{"subscription_id":"${webhook}"` + body + `}`), Status: http.StatusOK,
			Want: fmt.Sprintf(`{"data":{"object":"bulk_replay","enqueued":%d,"capped":false},"request_id":"<req>"}`, enqueued), Change: change})
	}
	apitest.RunEach(t, scenarios)
}

// Repeated until nothing is left, a bulk replay has replayed each delivery once, oldest first.
func TestBulkReplayIsResumed(t *testing.T) {
	apitest.EachCase(t, hasDelivery, func(t *testing.T, c *apitest.Case) {
		became("dead")(t, c)
		const more = 1500
		c.Exec(t, `INSERT INTO webhook_deliveries (org_id, id, subscription_id, event_row, event_id, event_type, subject, status, attempt_count, replayed, owner, epoch, created_at)
			SELECT org_id, 'wbd_' || (10000 + n) || substr(id, 10), subscription_id, event_row, event_id, event_type, subject, status, 1, FALSE, '', 1, created_at
			FROM webhook_deliveries, (WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1500) SELECT n FROM n) AS numbers WHERE org_id = $1`, c.Org.ID)
		var first, second, third struct {
			Enqueued int
			Capped   bool
		}
		request := bulk(`{"subscription_id":"${webhook}"}`)
		c.Call(t, request).RequireStatus(t, http.StatusOK).Data(t, &first)
		c.Call(t, request).RequireStatus(t, http.StatusOK).Data(t, &second)
		c.Call(t, request).RequireStatus(t, http.StatusOK).Data(t, &third)
		if got := fmt.Sprint(first, second, third); got != "{1000 true} {501 false} {0 false}" {
			t.Errorf("got %s", got)
		}
		from := map[string]int{}
		for cursor := ""; ; {
			var page struct {
				Data       []listedDelivery
				NextCursor *string `json:"next_cursor"`
			}
			c.Call(t, apitest.Request{Path: "/v1/webhook_deliveries?limit=100&status=pending" + cursor}).RequireStatus(t, http.StatusOK).Decode(t, &page)
			for _, d := range page.Data {
				from[*d.ReplayedFrom]++
			}
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *page.NextCursor
		}
		if len(from) != more+1 {
			t.Errorf("%d deliveries were replayed, want %d", len(from), more+1)
		}
	})
}

// Bulk replays that run at the same time take each delivery once.
func TestBulkReplaysRace(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasWebhook(anyWebhook)(t, c)
		const deliveries, callers = 20, 8
		for i := range deliveries {
			delivered(fmt.Sprint("+155500010", 10+i))(t, c)
			became("dead")(t, c)
		}
		enqueued := make(chan int, callers)
		for range callers {
			go func() {
				var done struct{ Enqueued int }
				c.Call(t, bulk(`{"subscription_id":"${webhook}"}`)).Data(t, &done)
				enqueued <- done.Enqueued
			}()
		}
		total := 0
		for range callers {
			total += <-enqueued
		}
		if n := len(listOf(t, c, "/v1/webhook_deliveries?status=pending&limit=100")); total != deliveries || n != deliveries {
			t.Errorf("%d replays were told of and %d made of %d deliveries", total, n, deliveries)
		}
	})
}

func TestWebhookTestEvents(t *testing.T) {
	test := func(body string) apitest.Request {
		return apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_subscriptions/${webhook}/test", Body: body}
	}
	made := apitest.Changes{"events": "+1", "webhook_deliveries": "+1"}
	// Another subscription to all events gets none of it.
	given := all(hasWebhook(anyWebhook), hasWebhook(`{"url":"https://hooks.example","events":["contact.updated","message.sent"]}`))
	sends := func(kind string) func(*testing.T, *apitest.Case, *apitest.Response) {
		return func(t *testing.T, c *apitest.Case, r *apitest.Response) {
			var d struct {
				SubscriptionID string `json:"subscription_id"`
				EventType      string `json:"event_type"`
				EventID        string `json:"event_id"`
				Status         string
				Payload        map[string]any
			}
			r.Data(t, &d)
			if d.SubscriptionID != c.Get("webhook") || d.EventType != kind || d.Status != "pending" || d.EventID == "" {
				t.Errorf("got %+v", d)
			}
			if native := d.Payload["data"] != nil; native && (d.Payload["id"] != d.EventID || d.Payload["type"] != kind || len(d.Payload) != 4) {
				t.Errorf("the envelope is %v", d.Payload)
			}
		}
	}
	scenarios := []apitest.Scenario{
		{Name: "the first that it wants", Given: given, Request: test(``), Status: http.StatusOK, Change: made, Then: sends("contact.updated")},
		{Name: "of all, a message", Given: hasWebhook(anyWebhook), Request: test(`{}`), Status: http.StatusOK, Change: made, Then: sends("message.received")},
		{Name: "while paused", Given: all(given, patched(`{"status":"paused"}`)), Request: test(``), Status: http.StatusOK, Change: made, Then: sends("contact.updated")},
		{Name: "unknown type", Given: given, Request: test(`{"event_type":"x"}`), Code: "invalid_event_type", Param: "event_type"},
		{Name: "all types", Given: given, Request: test(`{"event_type":"*"}`), Code: "invalid_event_type", Param: "event_type"},
		{Name: "no text", Given: given, Request: test(`{"event_type":1}`), Code: "invalid_field_value", Param: "event_type"},
		{Name: "unknown subscription", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_subscriptions/" + noWebhook + "/test"}, Code: "resource_not_found"},
		{Name: "foreign subscription", Given: foreignWebhook, Request: test(``), Code: "resource_not_found"},
	}
	for _, kind := range chat.EventTypes {
		scenarios = append(scenarios, apitest.Scenario{Name: string(kind), Given: given, Request: test(`{"event_type":"` + string(kind) + `"}`), Status: http.StatusOK, Change: made, Then: sends(string(kind))})
	}
	apitest.RunEach(t, scenarios)
}

// A subscription's status decides about the deliveries of new events.
func TestEventsFollowTheSubscriptionsStatus(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasWebhook(anyWebhook)(t, c)
		var got []string
		note := func(number string) {
			delivered(number)(t, c)
			d := listOf(t, c, "/v1/webhook_deliveries?limit=1")[0]
			code := "none"
			if d.ErrorCode != nil {
				code = *d.ErrorCode
			}
			got = append(got, d.Status+" "+code)
		}
		note("+15550001111")
		patched(`{"status":"paused"}`)(t, c)
		note("+15550002222")
		disabled(t, c)
		note("+15550003333")
		patched(`{"status":"active"}`)(t, c)
		note("+15550004444")
		if want := "pending none, pending none, dead subscription_disabled, pending none"; strings.Join(got, ", ") != want {
			t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
		}
		var done struct{ Enqueued int }
		c.Call(t, bulk(`{"subscription_id":"${webhook}","error_code":"subscription_disabled"}`)).RequireStatus(t, http.StatusOK).Data(t, &done)
		if done.Enqueued != 1 {
			t.Errorf("%d came back", done.Enqueued)
		}
	})
}
