package app

import (
	"net/http"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerWebhooks(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/webhook_subscriptions/{id}/health", ID: "getWebhookHealth", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "See how an endpoint does", Description: "Its deliveries over time, and the latest fifty of them. Counts stop at 10,000.",
	}, getWebhookHealth)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/webhook_deliveries/replayable", ID: "countReplayable", Tag: "Developers", Role: chat.RoleAdmin,
		Summary:     "Count what a bulk replay would take",
		Description: "With the filters of the bulk replay. It stops at 10,000.",
		Errors:      []chat.Code{chat.CodeInvalidEventType, chat.CodeResourceNotFound, chat.CodeMissingRequiredField},
	}, countReplayable)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/webhook_deliveries/{id}/signature", ID: "getDeliverySignature", Tag: "Developers", Role: chat.RoleAdmin,
		Summary:     "Compute the signature of an attempt again",
		Description: "With the secrets that signed then and are still there. The body is the text that was signed, byte for byte.",
	}, a.getDeliverySignature)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/webhook_subscriptions/{id}/secrets/{secret_id}/reveal", ID: "revealWebhookSecret", Tag: "Developers",
		Role: chat.RoleAdmin, Secret: true,
		Summary: "Show a signing secret again", Description: "Who did it is in the audit log.",
	}, a.revealWebhookSecret)
}

type healthInput struct {
	ID    rest.SubscriptionID `path:"id"`
	Range string              `query:"range" enum:"day,week,month" default:"day"`
}

type healthView struct {
	Buckets []healthBucketView `json:"buckets" doc:"Oldest first."`
	Recent  recentView         `json:"recent"`
}

type healthBucketView struct {
	At         rest.Instant `json:"at" doc:"When it begins."`
	Deliveries int          `json:"deliveries"`
	Waiting    int          `json:"waiting" doc:"Those that have not been tried yet."`
	Failed     int          `json:"failed" doc:"Those that are failed or dead now."`
}

type recentView struct {
	Deliveries int    `json:"deliveries" doc:"At most 50."`
	Failed     int    `json:"failed"`
	MedianMS   *int64 `json:"median_ms" nullable:"true" doc:"How long the endpoint takes to answer."`
}

// healthRanges are the length and number of the bars for each range.
var healthRanges = map[string]struct {
	length time.Duration
	bars   int
}{"day": {time.Hour, 24}, "week": {6 * time.Hour, 28}, "month": {24 * time.Hour, 30}}

const recentDeliveries = 50

func getWebhookHealth(c *rest.Call, in *healthInput) (view healthView, err error) {
	r := c.Read()
	if _, err := core.WebhookSubscription(r, c.OrgID(), string(in.ID)); err != nil {
		return view, err
	}
	over, ok := healthRanges[in.Range]
	if !ok {
		over = healthRanges["day"]
	}
	end := c.Now().Truncate(over.length).Add(over.length)
	buckets, err := r.DeliveryBuckets(c.OrgID(), string(in.ID), end.Add(-time.Duration(over.bars)*over.length), over.length, over.bars)
	if err != nil {
		return view, err
	}
	for _, b := range buckets {
		view.Buckets = append(view.Buckets, healthBucketView{rest.Instant(b.At), b.Deliveries, b.Waiting, b.Failed})
	}
	recent, err := r.WebhookDeliveries(c.OrgID(), store.DeliveryFilter{SubscriptionID: string(in.ID)}, store.Page{Limit: recentDeliveries})
	view.Recent = summarize(recent.Rows)
	return view, err
}

// summarize counts deliveries, and finds the median response time.
func summarize(deliveries []chat.WebhookDelivery) recentView {
	view := recentView{Deliveries: len(deliveries)}
	var took []int64
	for _, d := range deliveries {
		if d.Status == chat.DeliveryFailed || d.Status == chat.DeliveryDead {
			view.Failed++
		}
		if d.DurationMS != nil {
			took = append(took, *d.DurationMS)
		}
	}
	if len(took) > 0 {
		slices.Sort(took)
		view.MedianMS = &took[len(took)/2]
	}
	return view
}

type replayableInput struct {
	SubscriptionID rest.SubscriptionID `query:"subscription_id"`
	Status         string              `query:"status" enum:"failed,dead" default:"dead"`
	EventType      string              `query:"event_type" format:"event-type"`
	CreatedAfter   *time.Time          `query:"created_after" doc:"Exclusive."`
	CreatedBefore  *time.Time          `query:"created_before" doc:"Exclusive."`
	ErrorCode      string              `query:"error_code" minLength:"1" maxLength:"100"`
}

type replayableView struct {
	Count  int  `json:"count"`
	Capped bool `json:"capped" doc:"There are more."`
}

func countReplayable(c *rest.Call, in *replayableInput) (replayableView, error) {
	if in.SubscriptionID == "" {
		return replayableView{}, &chat.Error{Code: chat.CodeMissingRequiredField, Param: "subscription_id", Message: "Say of which subscription."}
	}
	r := c.Read()
	if _, err := core.WebhookSubscription(r, c.OrgID(), string(in.SubscriptionID)); err != nil {
		return replayableView{}, err
	}
	status := chat.DeliveryStatus(in.Status)
	if status == "" {
		status = chat.DeliveryDead
	}
	n, err := r.CountReplayable(c.OrgID(), store.ReplayFilter{ErrorCode: in.ErrorCode, DeliveryFilter: store.DeliveryFilter{
		SubscriptionID: string(in.SubscriptionID), Status: status, EventType: chat.EventType(in.EventType), CreatedAfter: in.CreatedAfter, CreatedBefore: in.CreatedBefore,
	}})
	return replayableView{n, n >= store.MaxCounted}, err
}

type revealInput struct {
	ID       rest.SubscriptionID `path:"id"`
	SecretID rest.SecretID       `path:"secret_id"`
}

type revealedView struct {
	Secret string `json:"secret" pattern:"^whsec_"`
}

func (a *App) revealWebhookSecret(tx *store.Tx, c *rest.Call, in *revealInput) (revealedView, error) {
	subscription, err := core.WebhookSubscription(tx.Reader, c.OrgID(), string(in.ID))
	if err != nil {
		return revealedView{}, err
	}
	secrets, err := tx.WebhookSecrets(c.OrgID(), string(in.ID))
	if err != nil {
		return revealedView{}, err
	}
	for _, s := range secrets[string(in.ID)] {
		if s.ID == string(in.SecretID) {
			text, err := a.secretText(s)
			if err != nil {
				return revealedView{}, err
			}
			a.cfg.Log.Info("a webhook secret was shown", "organization", c.OrgID(), "user", c.Caller.User.ID, "subscription", in.ID, "secret", s.ID)
			return revealedView{text}, core.AuditReveal(tx, subscription, s.ID)
		}
	}
	return revealedView{}, chat.NotFound("secret")
}

func (a *App) secretText(s chat.WebhookSecret) (string, error) {
	return a.cfg.Vault.Open(s.Sealed, core.WebhookSecretContext(s.ID))
}
