package api_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/cloud"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// upstreamMessages are messages as the provider sends them, with parts beside their content.
var upstreamMessages = map[string]string{
	"plain":                `"type":"text","text":{"body":"x"}`,
	"a reply":              `"context":{"from":"4930555000","id":"wamid.Q"},"type":"text","text":{"body":"x"}`,
	"forwarded":            `"context":{"forwarded":true},"type":"text","text":{"body":"x"}`,
	"frequently forwarded": `"context":{"frequently_forwarded":true},"type":"text","text":{"body":"x"}`,
	"about a product":      `"context":{"from":"4930555000","id":"wamid.Q","referred_product":{"catalog_id":"77","product_retailer_id":"sku"}},"type":"text","text":{"body":"x"}`,
	"from an advertisement": `"referral":{"source_url":"https://fb.test/1","source_id":"5","source_type":"ad","headline":"Ü","body":"b","media_type":"image","image_url":"https://fb.test/i",
		"ctwa_clid":"c","welcome_message":{"text":"hi"}},"type":"text","text":{"body":"x"}`,
	"an order": `"type":"order","order":{"catalog_id":"77","text":"please","product_items":[{"product_retailer_id":"sku","quantity":2,"item_price":30.5,"currency":"EUR"}]}`,
	"unsupported": `"type":"unsupported","errors":[{"code":131051,"title":"Message type unknown","message":"Message type unknown",
		"error_data":{"messaging_product":"whatsapp","details":"Message type is currently not supported."}}],"unsupported":{"type":"poll_creation"}`,
	"unsupported of old":         `"type":"unknown","errors":[{"code":131060,"title":"Unavailable"}]`,
	"an image that is not there": `"type":"image","image":{"caption":"c"},"errors":[{"code":131052,"title":"too large"}]`,
	"all of it": `"context":{"id":"wamid.Q","forwarded":true,"frequently_forwarded":true,"referred_product":{"catalog_id":"77"}},"referral":{"source_type":"post"},
		"errors":[{"code":1}],"type":"button","button":{"text":"Yes","payload":"p"}`,
}

// A message shows the same parts as its event, in every operation.
func TestMessagesCarryWhatTheirEventsHave(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		deliver := callbacks(t, c)
		for name, message := range upstreamMessages {
			id := "wamid." + name
			last := lastID(c, t)
			deliver(fmt.Sprintf(`{"from":"15550001111","id":%q,"timestamp":"1767225600",%s}`, id, message))
			event := receivedEvent(t, c, last)
			var list []map[string]any
			c.Call(t, apitest.Request{Path: "/v1/${number}/messages?message_id=" + url.QueryEscape(id)}).RequireStatus(t, http.StatusOK).Data(t, &list)
			if len(list) != 1 {
				t.Fatalf("%s: %d messages", name, len(list))
			}
			var one map[string]any
			c.Call(t, apitest.Request{Path: "/v1/${number}/messages/" + list[0]["id"].(string)}).Data(t, &one)
			if d := gocmp.Diff(list[0], one); d != "" {
				t.Errorf("%s: the list shows it otherwise:\n%s", name, d)
			}
			if d := gocmp.Diff(besideContent(event), besideContent(one)); d != "" {
				t.Errorf("%s: event and message differ (-event +message):\n%s", name, d)
			}
			if kind := one["type"].(string); kind != event["type"] || !gocmp.Equal(event[kind], one[kind]) {
				t.Errorf("%s: the event is %v, the message %v", name, event, one)
			}
		}
	})
}

// A message with odd parts is shown without them, and does not break the list.
func TestMessagesWithOddExtras(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		for i, extra := range []string{`{"referral":{"a":1,"a":2}}`, `{"context":5}`, `[]`, `{`} {
			received(t, c, provider.Message{ProviderID: fmt.Sprint("wamid.", i), Context: "wamid.Q", Extra: json.RawMessage(extra)})
		}
		var list []map[string]any
		c.Call(t, apitest.Request{Path: "/v1/${number}/messages"}).RequireStatus(t, http.StatusOK).Data(t, &list)
		for _, m := range list {
			if d := gocmp.Diff(map[string]any{"context.message_id": any("wamid.Q")}, besideContent(m)); d != "" {
				t.Error(d)
			}
		}
		if len(list) != 4 {
			t.Errorf("%d messages", len(list))
		}
	})
}

// besideContent returns the parts beside the content. Only the event says whom a reply is to, and it has
// another name for the replied message.
func besideContent(m map[string]any) map[string]any {
	beside := map[string]any{}
	for _, field := range []string{"referral", "order", "errors"} {
		if m[field] != nil {
			beside[field] = m[field]
		}
	}
	context, _ := m["context"].(map[string]any)
	for field, value := range context {
		switch field {
		case "from":
		case "id":
			beside["context.message_id"] = value
		default:
			beside["context."+field] = value
		}
	}
	return beside
}

// callbacks returns a function that delivers messages to the node as the provider does: signed, to its address.
func callbacks(t *testing.T, c *apitest.Case) func(message string) {
	t.Helper()
	const secret = "app secret"
	storetest.Alive(t, c.Store, "here")
	receiver := parttest.Start(t, inbound.New(inbound.Config{
		Store: c.Store, Lease: func() store.Lease { return store.LeaseForGood("here") },
		CanSign: cloud.CanSign, Decode: cloud.Decode, Log: slog.New(slog.DiscardHandler),
		Verify: func(signature string, body []byte) bool { return cloud.Verify(secret, signature, body) },
	}))
	return func(message string) {
		body := fmt.Appendf(nil, `{"object":"whatsapp_business_account","entry":[{"id":"200000000000","changes":[{"field":"messages","value":{"messaging_product":"whatsapp",
			"metadata":{"display_phone_number":"4930555000","phone_number_id":%q},"contacts":[{"profile":{"name":"Ada"},"wa_id":"15550001111"}],"messages":[%s]}}]}]}`, c.Get("number"), message)
		request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, request)
		if answer.Code != http.StatusOK {
			t.Fatalf("the callback got %d %s", answer.Code, answer.Body)
		}
	}
}

func lastID(c *apitest.Case, t *testing.T) string {
	if events := c.Events(t, ""); len(events) > 0 {
		return events[len(events)-1].ID
	}
	return ""
}

// receivedEvent is the message inside the first message.received after an event. It may appear a moment after
// the callback was answered.
func receivedEvent(t *testing.T, c *apitest.Case, after string) map[string]any {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		for _, e := range c.Events(t, after) {
			if e.Type != chat.EventMessageReceived {
				continue
			}
			for _, problem := range c.Document().EventProblems(string(e.Type), e.Payload) {
				t.Errorf("the event %s: %s", e.Payload, problem)
			}
			var payload struct {
				Entry []struct {
					Changes []struct {
						Value struct{ Messages []map[string]any }
					}
				}
			}
			must(t, json.Unmarshal(e.Payload, &payload))
			return payload.Entry[0].Changes[0].Value.Messages[0]
		}
	}
	t.Fatal("no message was told of")
	return nil
}
