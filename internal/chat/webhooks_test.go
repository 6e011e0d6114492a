package chat_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

func TestDeliveryHeaders(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"evt_1"}`)
	// By: printf '1772366400.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_a
	const signature = "t=1772366400,v1=6005e79df1cdc2ec147f9d6859980c5d24896517cea8da269983945dd2ee3eef,v1=74eaa63294d0b1ab2d31f80877441ded4ae412ad9f03edfb761a06ef15ff2f2d"
	got := chat.SignWebhook([]string{"whsec_a", "whsec_b"}, time.Unix(1_772_366_400, 999_000_000), body)
	if got != signature {
		t.Errorf("the signature is %s, want %s", got, signature)
	}
	for kind, source := range map[chat.EventType]chat.EventSource{chat.EventMessageReceived: chat.SourceProvider, chat.EventContactCreated: chat.SourceService, chat.EventSetupLinkConsumed: chat.SourceService} {
		want := http.Header{
			"Content-Type": {"application/json"}, "User-Agent": {"Svc-Webhook/1.0"}, "X-Svc-Source": {string(source)}, "X-Svc-Event": {string(kind)},
			"X-Svc-Event-Id": {"evt_1"}, "X-Svc-Delivery-Id": {"wbd_1"}, "X-Svc-Attempt": {"8"}, "X-Svc-Signature": {signature},
		}
		if kind == chat.EventSetupLinkConsumed {
			want["X-Svc-Signature-256"] = []string{signature}
		}
		got := chat.SignedDelivery{ID: "wbd_1", EventID: "evt_1", EventType: kind, Source: source, Attempt: 8, Signature: signature}.Headers()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", kind, d)
		}
	}
}

func TestActiveSecrets(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_000_000)
	at := func(d time.Duration) *time.Time { return new(now.Add(d)) }
	for name, test := range map[string]struct {
		expiries map[string]*time.Time
		want     string
	}{
		"none":                         {nil, ""},
		"one":                          {map[string]*time.Time{"a": nil}, "a"},
		"one that has expired":         {map[string]*time.Time{"a": at(-time.Hour)}, "a"},
		"both":                         {map[string]*time.Time{"b": nil, "a": at(time.Millisecond)}, "a b"},
		"at the end":                   {map[string]*time.Time{"a": at(0), "b": nil}, "b"},
		"all expired":                  {map[string]*time.Time{"a": at(-1 * time.Hour), "b": at(-3 * time.Hour)}, "a"},
		"all expired at the same time": {map[string]*time.Time{"a": at(-time.Hour), "b": at(-time.Hour)}, "b"},
	} {
		var secrets []chat.WebhookSecret
		for id, expiresAt := range test.expiries {
			secrets = append(secrets, chat.WebhookSecret{ID: id, ExpiresAt: expiresAt})
		}
		var got []string
		for _, s := range chat.ActiveSecrets(secrets, now) {
			got = append(got, s.ID)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v sign, want %s", name, got, test.want)
		}
	}
}

func TestDeliveryAttempts(t *testing.T) {
	t.Parallel()
	if got := (chat.WebhookDeliveryDetail{}).Attempts(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	d := chat.WebhookDeliveryDetail{Earlier: slices.Grow([]chat.DeliveryAttempt{{At: 1}}, 8)}
	d.LastAttemptAt = new(time.UnixMilli(5))
	first, again := d.Attempts(), d.Attempts()
	again[1].At = 7
	if len(first) != 2 || first[1].At != 5 {
		t.Errorf("got %v", first)
	}
	d.ErrorCode = new("timeout")
	if got := d.Attempts()[1].ErrorCode; got == nil || *got != "timeout" {
		t.Errorf("the last attempt ended with %v", got)
	}
	for _, reason := range []string{chat.DeliverySubscriptionDisabled, chat.DeliverySubscriptionDeleted, chat.DeliveryReplayed} {
		d.EndedBy = &reason
		if code, message := d.Failure(); *code != reason || *message == "" {
			t.Errorf("it failed for %s: %s", *code, *message)
		}
		if got := d.Attempts()[1].ErrorCode; got == nil || *got != "timeout" {
			t.Errorf("ended as %s, the last attempt ended with %v", reason, got)
		}
	}
}

func TestDisabledSubscriptionsSayWhy(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{chat.DisabledForFailures: "kept failing", chat.DisabledAsGone: "answered 410"} {
		err := chat.WebhookSubscription{Status: chat.WebhookDisabled, DisabledReason: &reason}.CheckUsable()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is told as %v", reason, err)
		}
	}
	if err := (chat.WebhookSubscription{Status: chat.WebhookPaused}).CheckUsable(); err != nil {
		t.Errorf("a paused one: %v", err)
	}
}
