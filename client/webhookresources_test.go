package client_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/store"
)

func subscribe(t *testing.T, s *service) *client.WebhookSubscription {
	t.Helper()
	return must(s.CreateWebhookSubscription(t.Context(), client.NewWebhookSubscription{
		URL: "https://hooks.example/in", Events: []client.EventType{client.EventContactCreated, client.EventMessageSent}, Description: "mine", PhoneNumberIDs: []string{s.number},
	}))(t)
}

func TestWebhookSubscriptions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	made := subscribe(t, s)
	if made.Status != client.WebhookActive || made.URL != "https://hooks.example/in" || *made.Description != "mine" || len(made.Secrets) != 1 || made.InitialSecret == "" || len(made.Events) != 2 {
		t.Errorf("made %+v", made)
	}
	got := must(s.GetWebhookSubscription(t.Context(), made.ID))(t)
	shown := *made
	shown.InitialSecret = ""
	if diff := cmp.Diff(&shown, got); diff != "" {
		t.Error(diff)
	}
	changed := must(s.UpdateWebhookSubscription(t.Context(), made.ID, client.WebhookSubscriptionPatch{
		Status: client.Set(client.WebhookPaused), Description: client.Clear[string](), PhoneNumberIDs: client.Clear[[]string](), Events: client.Set([]client.EventType{client.AllEvents}),
	}))(t)
	if changed.Status != client.WebhookPaused || changed.Description != nil || len(changed.PhoneNumberIDs) != 0 || changed.Events[0] != client.AllEvents {
		t.Errorf("changed to %+v", changed)
	}
	second := subscribe(t, s)
	var ids []string
	for sub, err := range s.WebhookSubscriptions(t.Context(), client.PageOptions{Limit: 1}) {
		ids = append(ids, must(sub, err)(t).ID)
	}
	if diff := cmp.Diff([]string{second.ID, made.ID}, ids); diff != "" {
		t.Error(diff)
	}
	s.fail.coming(loseAnswer)
	if deleted := must(s.DeleteWebhookSubscription(t.Context(), made.ID))(t); *deleted != (client.Deleted{ID: made.ID, Object: "webhook_subscription", Deleted: true}) {
		t.Errorf("got %+v", deleted)
	}
	_, err := s.CreateWebhookSubscription(t.Context(), client.NewWebhookSubscription{URL: "x", Events: []client.EventType{client.AllEvents}})
	refused(t, err, client.CodeInvalidWebhookURL, "url")
	_, err = s.CreateWebhookSubscription(t.Context(), client.NewWebhookSubscription{URL: "https://hooks.example", Events: []client.EventType{"x"}})
	refused(t, err, client.CodeInvalidEventType, "events[0]")
}

func TestWebhookSecrets(t *testing.T) {
	t.Parallel()
	s := newService(t)
	made := subscribe(t, s)
	secret := must(s.CreateWebhookSecret(t.Context(), made.ID, client.NewWebhookSecret{ExpiresInHours: new(2), ExpireOthersInHours: new(1)}))(t)
	if secret.Secret == "" || secret.Secret == made.InitialSecret || secret.ExpiresAt.Sub(secret.CreatedAt) != 2*time.Hour {
		t.Errorf("made %+v", secret)
	}
	s.fail.coming(loseAnswer)
	if revoked := must(s.RevokeWebhookSecret(t.Context(), made.ID, made.Secrets[0].ID))(t); *revoked != (client.Revoked{ID: made.Secrets[0].ID, Object: "webhook_secret", Revoked: true}) {
		t.Errorf("got %+v", revoked)
	}
	_, err := s.RevokeWebhookSecret(t.Context(), made.ID, secret.ID)
	refused(t, err, client.CodeCannotRevokeLastSecret, "")
}

func TestWebhookDeliveries(t *testing.T) {
	t.Parallel()
	s := newService(t)
	made := subscribe(t, s)
	start := must(s.FollowEvents(t.Context(), client.EventFeedFilter{}))(t)
	must(s.CreateContact(t.Context(), s.number, client.NewContact{PhoneNumber: person}))(t)
	test := must(s.TestWebhookSubscription(t.Context(), made.ID, client.EventMessageSent))(t)
	if test.EventType != client.EventMessageSent || test.Status != client.DeliveryPending || test.Attempts == nil || len(test.Payload) == 0 {
		t.Errorf("the test is %+v", test)
	}
	feed := must(s.FollowEvents(t.Context(), client.EventFeedFilter{
		Types: []client.EventType{client.EventContactCreated}, Wait: time.Second, PageOptions: client.PageOptions{Cursor: start.Cursor},
	}))(t)
	if len(feed.Events) != 1 || feed.Events[0].Type != client.EventContactCreated {
		t.Fatalf("the feed is %+v", feed)
	}
	found := must(s.ListWebhookDeliveries(t.Context(), client.WebhookDeliveryFilter{SubscriptionID: made.ID, Status: client.DeliveryPending, EventID: feed.Events[0].EventID}))(t)
	if len(found.Data) != 1 {
		t.Fatalf("found %+v", found.Data)
	}
	got := must(s.GetWebhookDelivery(t.Context(), found.Data[0].ID))(t)
	if string(got.Payload) != string(feed.Events[0].Payload) || got.EventType != client.EventContactCreated || got.AttemptCount != 0 {
		t.Errorf("got %+v", got)
	}
	_, err := s.ReplayWebhookDelivery(t.Context(), got.ID)
	refused(t, err, client.CodeInvalidFieldValue, "id")
	s.rows.InTx(t, func(tx *store.Tx) error {
		_, err := tx.EndDeliveries(s.org.ID, made.ID, "gone", 10)
		return err
	})
	if replay := must(s.ReplayWebhookDelivery(t.Context(), got.ID))(t); *replay.ReplayedFrom != got.ID || replay.EventID != got.EventID {
		t.Errorf("replayed as %+v", replay)
	}
	bulk := must(s.BulkReplayWebhookDeliveries(t.Context(), client.BulkReplay{SubscriptionID: made.ID, Status: client.DeliveryDead, ErrorCode: "gone", CreatedAfter: time.Unix(0, 0)}))(t)
	if bulk.Enqueued != 1 || bulk.Capped {
		t.Errorf("in bulk %+v", bulk)
	}
	n := 0
	for d, err := range s.WebhookDeliveries(t.Context(), client.WebhookDeliveryFilter{PageOptions: client.PageOptions{Limit: 1}}) {
		must(d, err)(t)
		n++
	}
	if n != 4 {
		t.Errorf("%d deliveries", n)
	}
}
