package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v82/webhook"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
)

// The scheme is Stripe's. Its own library checks both sides: it accepts our signatures, and we accept its.
func TestStripeAgrees(t *testing.T) {
	t.Parallel()
	bodies := []string{`{}`, `{"id":"evt_1","type":"contact.created"}`, "{\"a\":\"\u00e9\\u0000\"}\n", "", strings.Repeat("x", 100_000)}
	for _, body := range bodies {
		now := time.Now()
		ours := chat.SignWebhook([]string{"whsec_old", "whsec_new"}, now, []byte(body))
		for _, secret := range []string{"whsec_old", "whsec_new"} {
			if err := webhook.ValidatePayload([]byte(body), ours, secret); err != nil {
				t.Errorf("Stripe's library refuses %s of %.40q: %v", secret, body, err)
			}
		}
		if err := webhook.ValidatePayload([]byte(body), ours, "whsec_other"); err == nil {
			t.Errorf("Stripe's library takes %.40q with another secret", body)
		}
		theirs := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte(body), Secret: "whsec_x", Timestamp: now})
		if err := client.VerifyWebhook([]string{"whsec_x"}, theirs.Header, []byte(body), now, 0); err != nil {
			t.Errorf("we refuse what Stripe's library signs of %.40q: %v", body, err)
		}
		if header := client.SignWebhook("whsec_x", now, []byte(body)); header != theirs.Header {
			t.Errorf("we sign %.40q as %s, Stripe's library as %s", body, header, theirs.Header)
		}
	}
}

func delivery(kind chat.EventType, source chat.EventSource, at time.Time, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header = chat.SignedDelivery{
		ID: "wbd_1", EventID: "evt_1", EventType: kind, Source: source, Attempt: 3,
		Signature: chat.SignWebhook([]string{"whsec_x"}, at, []byte(body)),
	}.Headers()
	return r
}

func TestReadWebhook(t *testing.T) {
	t.Parallel()
	now := time.Now()
	event, err := client.ReadWebhook(delivery(chat.EventContactCreated, chat.SourceService, now, `{"data":{"contact":{"id":"ctc_1"}}}`), "whsec_y", "whsec_x")
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ Contact struct{ ID string } }
	if err := event.Decode(&data); err != nil || data.Contact.ID != "ctc_1" || event.Type != client.EventContactCreated ||
		event.Source != "svc" || event.EventID != "evt_1" || event.DeliveryID != "wbd_1" || event.Attempt != 3 {
		t.Errorf("got %+v with %+v, %v", event, data, err)
	}
	event, err = client.ReadWebhook(delivery(chat.EventMessageReceived, chat.SourceProvider, now, `{"object":"chat_business_account"}`), "whsec_x")
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct{ Object string }
	if err := event.Decode(&envelope); err != nil || envelope.Object != "chat_business_account" {
		t.Errorf("got %+v, %v", envelope, err)
	}
}

func TestReadWebhookRefuses(t *testing.T) {
	t.Parallel()
	now := time.Now()
	without := func(header string) *http.Request {
		r := delivery(chat.EventMessageSent, chat.SourceService, now, `{}`)
		r.Header.Del(header)
		return r
	}
	if _, err := client.ReadWebhook(without("X-Svc-Signature"), "whsec_x"); !errors.Is(err, client.ErrSignature) {
		t.Errorf("unsigned: %v", err)
	}
	if _, err := client.ReadWebhook(without("X-Svc-Attempt"), "whsec_x"); err == nil {
		t.Error("a delivery without its attempt was taken")
	}
	if _, err := client.ReadWebhook(without("none")); !errors.Is(err, client.ErrSignature) {
		t.Errorf("no secret: %v", err)
	}
	if _, err := client.ReadWebhook(delivery(chat.EventMessageSent, chat.SourceService, now.Add(-time.Hour), `{}`), "whsec_x"); !errors.Is(err, client.ErrSignatureTime) {
		t.Errorf("old: %v", err)
	}
	if _, err := client.ReadWebhook(delivery(chat.EventMessageSent, chat.SourceService, now, strings.Repeat(" ", 17<<20)), "whsec_x"); err == nil {
		t.Error("a delivery without an end was taken")
	}
	event, err := client.ReadWebhook(delivery(chat.EventMessageSent, chat.SourceService, now, `{}`), "whsec_x")
	if err != nil {
		t.Fatal(err)
	}
	if err := event.Decode(new(any)); err == nil {
		t.Error("an event without data was decoded")
	}
}
