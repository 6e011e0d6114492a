package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// console is an office with an admin, beside another organization's admin.
type console struct {
	*office
	admin, stranger *apptest.Browser
}

func newConsole(t testing.TB, w *apptest.World) *console {
	t.Helper()
	o := newOffice(t, w)
	stranger, _ := newAdmin(t, w)
	return &console{o, w.As(t, w.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID)), stranger}
}

// log writes a call, and returns its id.
func (k *console) log(t testing.TB, c store.APICall) string {
	t.Helper()
	c.OrgID, c.RequestID = k.org.ID, k.Store.NewID(chat.KindRequest)
	if c.KeyID == "" {
		c.KeyID = k.Store.NewID(chat.KindKey)
	}
	storetest.InTx(t, k.Store, func(tx *store.Tx) error { return tx.AppendAPILog([]store.APICall{c}) })
	k.Clock.Advance(time.Second)
	return c.RequestID
}

// ids are those of a list.
func ids(t testing.TB, b *apptest.Browser, path string) (all []string) {
	t.Helper()
	var rows []struct{ ID string }
	b.Get(t, path).RequireStatus(t, http.StatusOK).Data(t, &rows)
	for _, r := range rows {
		all = append(all, r.ID)
	}
	return all
}

func TestAPILogFilters(t *testing.T) {
	each(t, newConsole, func(t *testing.T, k *console) {
		key := k.Store.NewID(chat.KindKey)
		begin := k.Clock.Now()
		sent := k.log(t, store.APICall{KeyID: key, Method: "POST", Path: "/v1/123456/messages", Route: "/{phone_number_id}/messages", Status: 200, Made: "msg_x"})
		refused := k.log(t, store.APICall{Method: "POST", Path: "/v1/123456/messages", Route: "/{phone_number_id}/messages", Status: 422, Code: "consent_required", Message: "No."})
		middle := k.Clock.Now()
		missing := k.log(t, store.APICall{KeyID: key, Method: "GET", Path: "/v1/a_c%25", Status: 404, Code: "resource_not_found"})
		broken := k.log(t, store.APICall{Method: "POST", Path: "/v1/999999/messages", Route: "/{phone_number_id}/messages", Status: 422, Code: "consent_required"})
		at := func(t time.Time) string { return url.QueryEscape(t.UTC().Format(time.RFC3339Nano)) }
		for query, want := range map[string][]string{
			"":                                 {broken, missing, refused, sent},
			"method=GET":                       {missing},
			"status=2xx":                       {sent},
			"status=failed":                    {broken, missing, refused},
			"status=404":                       {missing},
			"code=consent_required":            {broken, refused},
			"code=consent_required&path=9999":  {broken},
			"path=a_c%2525":                    {missing},
			"path=a.c":                         nil,
			"key_id=" + key:                    {missing, sent},
			"key_id=" + key + "&status=2xx":    {sent},
			"from=" + at(middle):               {broken, missing},
			"until=" + at(middle):              {refused, sent},
			"from=" + at(begin.Add(time.Hour)): nil,
			"route=%2F%7Bphone_number_id%7D%2Fmessages&method=POST&code=consent_required": {broken, refused},
		} {
			if got := ids(t, k.admin, "/api_log?"+query); !slices.Equal(got, want) {
				t.Errorf("%s finds %v, want %v", query, got, want)
			}
		}
		var detail struct{ Code, Message, Method string }
		k.admin.Get(t, "/api_log/"+refused).RequireStatus(t, http.StatusOK).Data(t, &detail)
		if detail.Code != "consent_required" || detail.Message != "No." {
			t.Errorf("the call is %+v", detail)
		}
		k.stranger.Get(t, "/api_log/"+refused).RequireFailure(t, "resource_not_found", "")
		if got := ids(t, k.stranger, "/api_log"); got != nil {
			t.Errorf("a stranger sees %v", got)
		}
		requireGroups(t, k)
	})
}

// Each group counts the rows that the list shows with its filters.
func requireGroups(t *testing.T, k *console) {
	t.Helper()
	var failures struct {
		Groups []struct {
			Code, Method string
			Route        *string
			Count        int
		}
		Whole bool
	}
	k.admin.Get(t, "/api_log/failures").RequireStatus(t, http.StatusOK).Data(t, &failures)
	if len(failures.Groups) != 2 || failures.Groups[0].Count != 2 || !failures.Whole {
		t.Fatalf("the groups are %+v", failures)
	}
	for _, g := range failures.Groups {
		query := url.Values{"code": {g.Code}, "method": {g.Method}}
		if g.Route != nil {
			query.Set("route", *g.Route)
		}
		if rows := ids(t, k.admin, "/api_log?"+query.Encode()); len(rows) != g.Count {
			t.Errorf("%+v counts %d, and the list has %d", g, g.Count, len(rows))
		}
	}
}

// endpoint makes a subscription.
func (k *console) endpoint(t testing.TB) (id, secret, secretID string) {
	t.Helper()
	var made struct {
		ID            string
		InitialSecret string `json:"initial_secret"`
		Secrets       []struct{ ID string }
	}
	k.admin.Do(t, "POST", "/webhook_subscriptions", `{"url":"https://example.com/hook","events":["*"]}`).RequireStatus(t, http.StatusCreated).Data(t, &made)
	return made.ID, made.InitialSecret, made.Secrets[0].ID
}

// deliver sends a sample to an endpoint, and records how an attempt ended.
func (k *console) deliver(t testing.TB, endpoint string, status chat.DeliveryStatus, answer int64) (deliveryID string) {
	t.Helper()
	var made struct{ ID string }
	k.admin.Do(t, "POST", "/webhook_subscriptions/"+endpoint+"/test", `{"event_type":"message.sent"}`).RequireStatus(t, http.StatusOK).Data(t, &made)
	storetest.InTx(t, k.Store, func(tx *store.Tx) error {
		return tx.CompleteDeliveries("", []store.DeliveryDone{{
			OrgID: k.org.ID, ID: made.ID, Epoch: 1, Status: status, Attempts: 1,
			Last: chat.DeliveryAttempt{At: k.Clock.Now().UnixMilli(), ResponseStatus: &answer, DurationMS: new(int64(84))},
		}})
	})
	return made.ID
}

// The console computes the signature that a receiver checks, from the secret and the bytes.
func TestSignatureAgain(t *testing.T) {
	each(t, newConsole, func(t *testing.T, k *console) {
		endpoint, secret, secretID := k.endpoint(t)
		k.Clock.Advance(time.Second)
		delivery := k.deliver(t, endpoint, chat.DeliveryDead, 500)
		k.Clock.Advance(time.Hour)
		k.admin.Do(t, "POST", "/webhook_subscriptions/"+endpoint+"/secrets", `{}`).RequireStatus(t, http.StatusCreated) // was not active then
		var shown struct {
			Attempt   int
			Timestamp int64
			Body      string
			Headers   []struct{ Name, Value string }
			Secrets   []struct{ ID, Hint, Signature string }
		}
		k.admin.Get(t, "/webhook_deliveries/"+delivery+"/signature").RequireStatus(t, http.StatusOK).Data(t, &shown)
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.%s", shown.Timestamp, shown.Body)
		want := hex.EncodeToString(mac.Sum(nil))
		if len(shown.Secrets) != 1 || shown.Secrets[0].ID != secretID || shown.Secrets[0].Signature != want || !strings.HasSuffix(secret, shown.Secrets[0].Hint[len(shown.Secrets[0].Hint)-4:]) {
			t.Errorf("it is signed by %+v, want %s", shown.Secrets, want)
		}
		header := fmt.Sprintf("t=%d,v1=%s", shown.Timestamp, want)
		if !slices.ContainsFunc(shown.Headers, func(h struct{ Name, Value string }) bool { return h.Name == "X-Svc-Signature" && h.Value == header }) {
			t.Errorf("no header %s among %v", header, shown.Headers)
		}
		k.admin.Get(t, "/webhook_deliveries/"+delivery+"/signature?attempt=2").RequireFailure(t, "invalid_field_value", "attempt")
		var revealed struct{ Secret string }
		at := "/webhook_subscriptions/" + endpoint + "/secrets/" + secretID + "/reveal"
		if k.admin.Do(t, "POST", at, "").RequireStatus(t, http.StatusOK).Data(t, &revealed); revealed.Secret != secret {
			t.Errorf("the secret is %q", revealed.Secret)
		}
		k.admin.Do(t, "POST", strings.Replace(at, secretID, "sec_00000000000000000000000000", 1), "").RequireFailure(t, "resource_not_found", "")
		k.stranger.Do(t, "POST", at, "").RequireFailure(t, "resource_not_found", "")
		k.stranger.Get(t, "/webhook_deliveries/"+delivery+"/signature").RequireFailure(t, "resource_not_found", "")
	})
}

// The count before a replay equals the replayed deliveries, and the bars add up to the list.
func TestEndpointHealth(t *testing.T) {
	each(t, newConsole, func(t *testing.T, k *console) {
		endpoint, _, _ := k.endpoint(t)
		k.deliver(t, endpoint, chat.DeliveryDead, 500)
		k.Clock.Advance(2 * time.Hour)
		later := k.Clock.Now()
		k.deliver(t, endpoint, chat.DeliverySucceeded, 200)
		k.deliver(t, endpoint, chat.DeliveryDead, 500)
		k.admin.Do(t, "POST", "/webhook_subscriptions/"+endpoint+"/test", `{"event_type":"message.sent"}`).RequireStatus(t, http.StatusOK) // waits
		var health struct {
			Buckets []struct{ Deliveries, Waiting, Failed int }
			Recent  struct {
				Deliveries, Failed int
				MedianMS           *int64 `json:"median_ms"`
			}
		}
		for span, bars := range map[string]int{"day": 24, "week": 28, "month": 30} {
			k.admin.Get(t, "/webhook_subscriptions/"+endpoint+"/health?range="+span).RequireStatus(t, http.StatusOK).Data(t, &health)
			deliveries, waiting, failed := 0, 0, 0
			for _, b := range health.Buckets {
				deliveries, waiting, failed = deliveries+b.Deliveries, waiting+b.Waiting, failed+b.Failed
			}
			if len(health.Buckets) != bars || deliveries != 4 || waiting != 1 || failed != 2 {
				t.Errorf("%d bars of a %s have %d deliveries, %d waiting, %d failed", len(health.Buckets), span, deliveries, waiting, failed)
			}
		}
		if r := health.Recent; r.Deliveries != 4 || r.Failed != 2 || r.MedianMS == nil || *r.MedianMS != 84 {
			t.Errorf("of late: %+v", r)
		}
		var n struct{ Count int }
		of := "/webhook_deliveries/replayable?subscription_id=" + endpoint
		if k.admin.Get(t, of).Data(t, &n); n.Count != 2 {
			t.Errorf("%d can be replayed", n.Count)
		}
		since := `"created_after":"` + later.Add(-time.Millisecond).UTC().Format(time.RFC3339Nano) + `"`
		if k.admin.Get(t, of+"&created_after="+url.QueryEscape(later.Add(-time.Millisecond).UTC().Format(time.RFC3339Nano))).Data(t, &n); n.Count != 1 {
			t.Errorf("%d can be replayed since then", n.Count)
		}
		var replayed struct{ Enqueued int }
		k.admin.Do(t, "POST", "/webhook_deliveries/bulk_replay", `{"subscription_id":"`+endpoint+`",`+since+`}`).RequireStatus(t, http.StatusOK).Data(t, &replayed)
		if replayed.Enqueued != n.Count {
			t.Errorf("%d were replayed of %d", replayed.Enqueued, n.Count)
		}
		k.admin.Get(t, "/webhook_deliveries/replayable").RequireFailure(t, "missing_required_field", "subscription_id")
		k.stranger.Get(t, of).RequireFailure(t, "resource_not_found", "")
		k.stranger.Get(t, "/webhook_subscriptions/"+endpoint+"/health").RequireFailure(t, "resource_not_found", "")
	})
}

func TestEventBrowser(t *testing.T) {
	each(t, newConsole, func(t *testing.T, k *console) {
		endpoint, _, _ := k.endpoint(t)
		delivery := k.deliver(t, endpoint, chat.DeliverySucceeded, 200)
		k.receive(t, k.account, "+12025550123", "wamid.in", "hello")
		sample := ids(t, k.admin, "/events?type=message.sent")
		if len(sample) != 1 || len(ids(t, k.admin, "/events?type=message.received")) != 1 || ids(t, k.admin, "/events?type=customer.created") != nil {
			t.Fatalf("the events are %v", ids(t, k.admin, "/events"))
		}
		if got := ids(t, k.admin, "/events?type=message.received&number="+*k.account.PhoneNumberID); len(got) != 1 {
			t.Errorf("of the number there are %v", got)
		}
		var e struct {
			Sample     bool
			Payload    map[string]any
			Deliveries []struct{ ID, Status string }
		}
		k.admin.Get(t, "/events/"+sample[0]).RequireStatus(t, http.StatusOK).Data(t, &e)
		if !e.Sample || e.Payload["type"] != "message.sent" || len(e.Deliveries) != 1 || e.Deliveries[0].ID != delivery {
			t.Errorf("the event is %+v", e)
		}
		k.stranger.Get(t, "/events/"+sample[0]).RequireFailure(t, "resource_not_found", "")
		if got := ids(t, k.stranger, "/events"); got != nil {
			t.Errorf("a stranger sees %v", got)
		}
		var types []struct{ Type string }
		if k.admin.Get(t, "/event_types").Data(t, &types); len(types) != len(chat.EventTypes) {
			t.Errorf("there are %d types", len(types))
		}
	})
}

// Lists of events and deliveries say whom they are about, and only to their organization.
func TestEventSubjects(t *testing.T) {
	each(t, newConsole, func(t *testing.T, k *console) {
		endpoint, _, _ := k.endpoint(t)
		delivery := k.deliver(t, endpoint, chat.DeliverySucceeded, 200)
		var events []struct{ ID string }
		k.admin.Get(t, "/events").RequireStatus(t, http.StatusOK).Data(t, &events)
		type subject struct{ ID, Who, What string }
		var about []subject
		of := "/event_subjects?ids=" + delivery + "," + events[0].ID + ",wbd_00000000000000000000000000"
		k.admin.Get(t, of).RequireStatus(t, http.StatusOK).Data(t, &about)
		want := []subject{{delivery, "Sample Person", "This is a test."}, {events[0].ID, "Sample Person", "This is a test."}}
		if !slices.Equal(about, want) {
			t.Errorf("they are about %+v", about)
		}
		if k.stranger.Get(t, of).RequireStatus(t, http.StatusOK).Data(t, &about); len(about) != 0 {
			t.Errorf("strangers read %+v", about)
		}
		k.admin.Get(t, "/event_subjects?ids=msg_1").RequireFailure(t, "invalid_field_value", "ids")
	})
}
