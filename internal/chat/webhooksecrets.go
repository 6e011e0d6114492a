package chat

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxActiveSecrets is the greatest number of secrets that sign at the same time.
const MaxActiveSecrets = 5

// WebhookSecret signs a subscription's deliveries.
type WebhookSecret struct {
	ID             string
	OrgID          string
	SubscriptionID string
	Sealed         string
	CreatedAt      time.Time
	ExpiresAt      *time.Time
}

// SecretOverlap is how long an expired secret goes on signing after a new one was added.
const SecretOverlap = 24 * time.Hour

// ActiveSecrets returns the secrets that sign at an instant, oldest first. A subscription always has one: where
// all have expired, the last to expire goes on signing.
func ActiveSecrets(secrets []WebhookSecret, now time.Time) []WebhookSecret {
	var active []WebhookSecret
	for _, s := range secrets {
		if s.ExpiresAt == nil || now.Before(*s.ExpiresAt) {
			active = append(active, s)
		}
	}
	if len(active) == 0 && len(secrets) > 0 {
		last := slices.MaxFunc(secrets, expiresLater)
		last.ExpiresAt = nil
		active = append(active, last)
	}
	slices.SortFunc(active, func(a, b WebhookSecret) int { return cmp.Compare(a.ID, b.ID) })
	return active
}

func expiresLater(a, b WebhookSecret) int {
	return cmp.Or(a.ExpiresAt.Compare(*b.ExpiresAt), cmp.Compare(a.ID, b.ID))
}

// SignWebhook is the value of the signature header: the instant, and an HMAC of it and the body
// for each secret.
func SignWebhook(secrets []string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	var header strings.Builder
	header.WriteString("t=" + t)
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(t + "."))
		mac.Write(body)
		header.WriteString(",v1=" + hex.EncodeToString(mac.Sum(nil)))
	}
	return header.String()
}

// SignedDelivery holds the values of a delivery's headers.
type SignedDelivery struct {
	ID        string // wbd_
	EventID   string
	EventType EventType
	Source    EventSource
	Attempt   int // from 1
	Signature string
	Test      bool // a sample, sent to test the subscription
}

// Headers are the headers of a delivery. The signature comes under two names, because receivers of customer
// events were told of the second one.
func (d SignedDelivery) Headers() http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "Svc-Webhook/1.0")
	h.Set("X-Svc-Source", string(d.Source))
	h.Set("X-Svc-Event", string(d.EventType))
	h.Set("X-Svc-Event-Id", d.EventID)
	h.Set("X-Svc-Delivery-Id", d.ID)
	h.Set("X-Svc-Attempt", strconv.Itoa(d.Attempt))
	h.Set("X-Svc-Signature", d.Signature)
	if d.EventType.AboutCustomers() {
		h.Set("X-Svc-Signature-256", d.Signature)
	}
	if d.Test {
		h.Set("X-Svc-Test", "true")
	}
	return h
}
