package app_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/store"
)

// The webhook figures equal the list of deliveries: as they are written, after a restart, and when deliveries
// are cancelled together.
func TestWebhookFiguresAgreeWithTheList(t *testing.T) {
	each(t, newConsole, func(t *testing.T, k *console) {
		counter := figures.New(figures.Config{Store: k.Store, Log: slog.New(slog.DiscardHandler)})
		k.Store.HandTo(func(h *store.Hands) { h.Count = counter.Mark })
		endpoint, _, _ := k.endpoint(t)
		for _, status := range []chat.DeliveryStatus{chat.DeliverySucceeded, chat.DeliverySucceeded, chat.DeliveryFailed, chat.DeliveryDead} {
			k.deliver(t, endpoint, status, 200)
			k.Clock.Advance(20 * time.Minute)
		}
		requireWebhookFigures(t, k, counter.CountMarked)
		k.admin.Do(t, "DELETE", "/webhook_subscriptions/"+endpoint, "").RequireStatus(t, http.StatusOK)
		requireWebhookFigures(t, k, counter.CountMarked)
		again := figures.New(figures.Config{Store: k.Store, Log: slog.New(slog.DiscardHandler)})
		requireWebhookFigures(t, k, again.Sweep)
		k.admin.Get(t, "/figures/webhooks?zone=Mars/Olympus").RequireFailure(t, "invalid_field_value", "zone")
		k.as.Get(t, "/figures/webhooks").RequireFailure(t, "forbidden", "")
	})
}

func requireWebhookFigures(t *testing.T, k *console, count func(context.Context) error) {
	t.Helper()
	must(t, count(t.Context()))
	type numbers struct{ Total, Succeeded, Waiting, Dead int }
	var shown struct {
		Days []struct{ Deliveries numbers }
		Now  numbers
	}
	k.admin.Get(t, "/figures/webhooks?days=7&zone=Asia/Kathmandu").RequireStatus(t, http.StatusOK).Data(t, &shown)
	list := func(status string) int { return len(ids(t, k.admin, "/webhook_deliveries?limit=100"+status)) }
	want := numbers{list(""), list("&status=succeeded"), list("&status=failed") + list("&status=pending"), list("&status=dead")}
	if shown.Now != want || want.Total != 4 {
		t.Errorf("counted are %+v, listed %+v", shown.Now, want)
	}
	var sum numbers
	for _, d := range shown.Days {
		sum = numbers{sum.Total + d.Deliveries.Total, sum.Succeeded + d.Deliveries.Succeeded, sum.Waiting + d.Deliveries.Waiting, sum.Dead + d.Deliveries.Dead}
	}
	if sum != want || len(shown.Days) != 7 {
		t.Errorf("the days add up to %+v in %d days", sum, len(shown.Days))
	}
}
