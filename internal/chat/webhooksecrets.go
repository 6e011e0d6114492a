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

// MaxActiveSecrets is how many secrets of a subscription sign at the same time.
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

// SecretOverlap is how long a secret that signs beyond its time goes on beside a new one.
const SecretOverlap = 24 * time.Hour

// ActiveSecrets are the secrets that sign at an instant, oldest first. A subscription is never
// without: where all have expired, the one that expired last goes on, and without an end.
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

// SignedDelivery is what the headers of a delivery are made of.
type SignedDelivery struct {
	ID        string // wbd_
	EventID   string
	EventType EventType
	Source    EventSource
	Attempt   int // from 1
	Signature string
}

// Headers are those that every delivery carries. Receivers of customer events have been told of
// the signature under a second name.
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
	return h
}
