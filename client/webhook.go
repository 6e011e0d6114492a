package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Headers of a webhook delivery.
const (
	HeaderWebhookSource     = "X-Svc-Source"      // provider or svc
	HeaderWebhookEvent      = "X-Svc-Event"       // the event's type
	HeaderWebhookEventID    = "X-Svc-Event-Id"    // the same for every repetition of an event
	HeaderWebhookDeliveryID = "X-Svc-Delivery-Id" // wbd_…
	HeaderWebhookAttempt    = "X-Svc-Attempt"     // from 1
	HeaderWebhookSignature  = "X-Svc-Signature"   // checked by VerifyWebhook
	HeaderWebhookTest       = "X-Svc-Test"        // true on the samples that test a subscription, else absent
)

// DefaultTolerance is how far the time of a signature may be from now.
const DefaultTolerance = 300 * time.Second

var (
	// ErrSignature means that the body was not signed with any of the secrets.
	ErrSignature = errors.New("client: the webhook's signature is not valid")
	// ErrSignatureTime means that the signature is valid but too old, or from the future. Somebody may have
	// repeated an earlier delivery, or a clock is wrong.
	ErrSignatureTime = errors.New("client: the webhook's signature is of another time")
)

// VerifyWebhook checks that a delivery comes from the service: header, the value of X-Svc-Signature, must sign
// exactly the body's bytes with one of the secrets, within tolerance of now. While you replace a secret, pass
// both the old and the new one. A tolerance of 0 means DefaultTolerance; keep it below ten minutes.
func VerifyWebhook(secrets []string, header string, body []byte, now time.Time, tolerance time.Duration) error {
	at, macs, ok := parseSignature(header)
	if !ok {
		return ErrSignature
	}
	genuine := false
	for _, secret := range secrets {
		if secret == "" { // an empty secret proves nothing
			continue
		}
		want := webhookMAC(secret, at, body)
		for _, mac := range macs {
			// Each is compared, so that the time taken does not tell which one matched.
			genuine = hmac.Equal(mac, want) || genuine
		}
	}
	if !genuine {
		return ErrSignature
	}
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return ErrSignature
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrSignatureTime
	}
	return nil
}

func webhookMAC(secret, at string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// parseSignature parses t=…,v1=…,v1=…. It ignores other parts, which are for future schemes.
func parseSignature(header string) (at string, macs [][]byte, ok bool) {
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			if at != "" {
				return "", nil, false
			}
			at = value
		case "v1":
			mac, err := hex.DecodeString(value)
			if err != nil || len(mac) != sha256.Size {
				return "", nil, false
			}
			macs = append(macs, mac)
		}
	}
	return at, macs, at != "" && len(macs) > 0
}
