package client

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// maxWebhookBody is far more than the largest event.
const maxWebhookBody = 16 << 20

// WebhookEvent is a verified delivery.
type WebhookEvent struct {
	Type       EventType
	Source     string // provider, or svc for the service's own
	EventID    string // the same for every repetition: handle each once
	DeliveryID string
	Attempt    int             // from 1
	Test       bool            // a sample that tests the subscription: its message and its person do not exist
	Body       json.RawMessage // the whole body
}

// Decode decodes the event into v: the data of the service's own events, and the whole envelope of those that
// pass on the provider's reports.
func (e WebhookEvent) Decode(v any) error {
	if e.Source == "provider" {
		return json.Unmarshal(e.Body, v)
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(e.Body, &envelope); err != nil {
		return err
	}
	if envelope.Data == nil {
		return errors.New("client: the event has no data")
	}
	return json.Unmarshal(envelope.Data, v)
}

// ReadWebhook reads and verifies a delivery that an HTTP server has received. Answer with 2xx once you have
// stored the event, and with 400 if this fails.
func ReadWebhook(r *http.Request, secrets ...string) (*WebhookEvent, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxWebhookBody+1))
	if err != nil {
		return nil, fmt.Errorf("client: the webhook broke off: %w", err)
	}
	if len(body) > maxWebhookBody {
		return nil, errors.New("client: the webhook is too large")
	}
	return ParseWebhook(r.Header, body, time.Now(), secrets...)
}

// ParseWebhook is ReadWebhook for a body that was read already. It needs exactly the received bytes.
func ParseWebhook(header http.Header, body []byte, now time.Time, secrets ...string) (*WebhookEvent, error) {
	if err := VerifyWebhook(secrets, header.Get(HeaderWebhookSignature), body, now, DefaultTolerance); err != nil {
		return nil, err
	}
	attempt, err := strconv.Atoi(header.Get(HeaderWebhookAttempt))
	if err != nil {
		return nil, fmt.Errorf("client: the header %s is no number", HeaderWebhookAttempt)
	}
	return &WebhookEvent{
		Type: EventType(header.Get(HeaderWebhookEvent)), Source: header.Get(HeaderWebhookSource),
		EventID: header.Get(HeaderWebhookEventID), DeliveryID: header.Get(HeaderWebhookDeliveryID), Attempt: attempt, Body: body,
		Test: header.Get(HeaderWebhookTest) == "true",
	}, nil
}

// SignWebhook is the signature header that the service would send with a body, for tests of receivers.
func SignWebhook(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(webhookMAC(secret, t, body))
}
