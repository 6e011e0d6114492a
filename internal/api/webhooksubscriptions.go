package api

import (
	"errors"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/store"
)

func registerWebhookSubscriptions(a *API) {
	list(a, operation{
		method: http.MethodGet, path: "/webhook_subscriptions", id: "listWebhookSubscriptions", tag: "Webhooks",
		summary:     "List webhook subscriptions, newest first",
		description: "With their state and their count of failures in a row. Secrets are listed without their text.",
	}, listWebhookSubscriptions)

	writeAfter(a, operation{
		method: http.MethodPost, path: "/webhook_subscriptions", id: "createWebhookSubscription", tag: "Webhooks",
		summary: "Subscribe an endpoint to events", status: http.StatusCreated, secret: true,
		description: "The answer shows the secret that signs the deliveries, in initial_secret, once.",
		errors:      []chat.Code{chat.CodeInvalidWebhookURL, chat.CodeInvalidEventType},
	}, func(c *call, in *createWebhookInput) error { return c.checkWebhookURL(&in.Body.URL) }, createWebhookSubscription)

	read(a, operation{
		method: http.MethodGet, path: "/webhook_subscriptions/{id}", id: "getWebhookSubscription", tag: "Webhooks",
		summary:     "Get a webhook subscription",
		description: "With its state and its count of failures in a row. Secrets are listed without their text.",
	}, getWebhookSubscription)

	writeAfter(a, operation{
		method: http.MethodPatch, path: "/webhook_subscriptions/{id}", id: "updateWebhookSubscription", tag: "Webhooks",
		summary: "Change, pause or resume a webhook subscription",
		description: "Fields that are left out stay as they are; at least one is needed. While a subscription is paused, its deliveries wait. " +
			"One that was disabled takes nothing but a patch that sets its status to active.",
		errors: []chat.Code{chat.CodeInvalidWebhookURL, chat.CodeInvalidEventType, chat.CodeWebhookSubscriptionDisabled},
	}, func(c *call, in *updateWebhookInput) error { return c.checkWebhookURL(in.Body.URL) }, updateWebhookSubscription)

	write(a, operation{
		method: http.MethodDelete, path: "/webhook_subscriptions/{id}", id: "deleteWebhookSubscription", tag: "Webhooks",
		summary: "Delete a webhook subscription", description: "What was still to be delivered to it is not delivered any more.",
	}, deleteWebhookSubscription)

	write(a, operation{
		method: http.MethodPost, path: "/webhook_subscriptions/{id}/test", id: "testWebhookSubscription", tag: "Webhooks",
		summary: "Send a sample event to a webhook subscription",
		description: "The event tells of things that do not exist. It is delivered, signed and retried like any other; " +
			"the answer is its delivery, which can be fetched to see how it went.",
		errors: []chat.Code{chat.CodeInvalidEventType, chat.CodeWebhookSubscriptionDisabled}, inPath: findSubscription,
	}, testWebhookSubscription)
}

// findSubscription finds the subscription in the path of a POST.
func findSubscription(c *call, r store.Reader, _ chat.Account) error {
	_, err := core.WebhookSubscription(r, c.key.Key.OrgID, c.path[0])
	return err
}

// checkWebhookURL asks where an address leads. What it was found to be is not told: that would be a
// map of the network behind the service.
func (c *call) checkWebhookURL(url *string) error {
	if url == nil {
		return nil
	}
	if err := chat.CheckWebhookURL(*url); err != nil {
		return err
	}
	bad := func(message string) error {
		return &chat.Error{Code: chat.CodeInvalidWebhookURL, Param: "url", Message: message}
	}
	err := c.api.checkURL(c.ctx, *url)
	switch {
	case errors.Is(err, netguard.ErrPlain):
		return bad("Must begin with https://.")
	case errors.Is(err, netguard.ErrLookup): // the name may come to be known later, and each connection is checked
		return nil
	case errors.Is(err, netguard.ErrBlocked):
		return bad("The host is not on the public internet.")
	default:
		return err
	}
}

type webhookSubscriptionView struct {
	ID                  string                 `json:"id" pattern:"^wbs_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object              string                 `json:"object" enum:"webhook_subscription"`
	URL                 string                 `json:"url" format:"uri"`
	Description         *string                `json:"description"`
	Events              []string               `json:"events" doc:"Types of events; * stands for all."`
	Status              string                 `json:"status" enum:"active,paused,disabled"`
	DisabledReason      *string                `json:"disabled_reason" doc:"Why the service disabled it: consecutive_failures, endpoint_gone. Null unless it is disabled."`
	ConsecutiveFailures int64                  `json:"consecutive_failures" minimum:"0" doc:"Failed attempts since the last one that succeeded."`
	Secrets             []webhookSecretRefView `json:"secrets" doc:"The secrets that sign its deliveries now, oldest first."`
	PhoneNumberIDs      []string               `json:"phone_number_ids" doc:"The numbers whose events it gets; empty for all. Events that concern no number are not filtered."`
	CreatedAt           instant                `json:"created_at"`
	UpdatedAt           instant                `json:"updated_at"`
	InitialSecret       string                 `json:"initial_secret,omitempty" doc:"The signing secret, in the answer to its creation only."`
}

func viewWebhookSubscription(s chat.WebhookSubscription, active []chat.WebhookSecret) webhookSubscriptionView {
	view := webhookSubscriptionView{
		ID: s.ID, Object: "webhook_subscription", URL: s.URL, Description: s.Description, Events: s.Events, Status: string(s.Status),
		DisabledReason: s.DisabledReason, ConsecutiveFailures: s.ConsecutiveFailures, Secrets: make([]webhookSecretRefView, len(active)),
		PhoneNumberIDs: s.PhoneNumberIDs, CreatedAt: instant(s.CreatedAt), UpdatedAt: instant(s.UpdatedAt),
	}
	for i, secret := range active {
		view.Secrets[i] = webhookSecretRefView{secret.ID, instant(secret.CreatedAt), instantPtr(secret.ExpiresAt)}
	}
	if view.PhoneNumberIDs == nil {
		view.PhoneNumberIDs = []string{}
	}
	return view
}

// showWebhookSubscription adds the secrets that sign now.
func (c *call) showWebhookSubscription(r store.Reader, s chat.WebhookSubscription) (webhookSubscriptionView, error) {
	secrets, err := r.WebhookSecrets(s.OrgID, s.ID)
	return viewWebhookSubscription(s, chat.ActiveSecrets(secrets[s.ID], c.api.store.Now())), err
}

type listWebhooksInput struct{}

func listWebhookSubscriptions(c *call, _ *listWebhooksInput, p store.Page) (store.Slice[webhookSubscriptionView], error) {
	r, orgID := c.api.store.Read(c.ctx), c.key.Key.OrgID
	found, err := r.WebhookSubscriptions(orgID, p)
	if err != nil {
		return store.Slice[webhookSubscriptionView]{}, err
	}
	secrets, err := r.WebhookSecrets(orgID, idsOf(found.Rows, func(s chat.WebhookSubscription) string { return s.ID })...)
	now := c.api.store.Now()
	return viewEach(found, func(s chat.WebhookSubscription) webhookSubscriptionView {
		return viewWebhookSubscription(s, chat.ActiveSecrets(secrets[s.ID], now))
	}), err
}

type createWebhookInput struct{ Body createWebhookBody }

type createWebhookBody struct {
	URL            string   `json:"url" doc:"Where events are sent by POST: https, at most 2048 characters, without user, password or fragment, on the public internet."`
	Events         []string `json:"events" minItems:"1" doc:"Types of events, each once; * stands for all."`
	Description    *string  `json:"description,omitempty" nullable:"true" maxLength:"500"`
	PhoneNumberIDs []string `json:"phone_number_ids,omitempty" nullable:"true" maxItems:"1000" pattern:"^[0-9]{6,20}$" doc:"Only events of these numbers of the organization. None, or null, for all. Events that concern no number are not filtered."`
}

func createWebhookSubscription(tx *store.Tx, c *call, in *createWebhookInput) (webhookSubscriptionView, error) {
	s, secret, err := core.CreateWebhookSubscription(tx, c.api.vault, c.key.Key.OrgID, chat.NewWebhookSubscription(in.Body))
	view := viewWebhookSubscription(s, []chat.WebhookSecret{secret.WebhookSecret})
	view.InitialSecret = secret.Plaintext
	return view, err
}

type webhookInput struct {
	ID string `path:"id" pattern:"^wbs_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func getWebhookSubscription(c *call, in *webhookInput) (webhookSubscriptionView, error) {
	r := c.api.store.Read(c.ctx)
	s, err := core.WebhookSubscription(r, c.key.Key.OrgID, in.ID)
	if err != nil {
		return webhookSubscriptionView{}, err
	}
	return c.showWebhookSubscription(r, s)
}

type updateWebhookInput struct {
	ID   string `path:"id" pattern:"^wbs_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body updateWebhookBody
}

type updateWebhookBody struct {
	URL            *string              `json:"url,omitempty" doc:"As in the creation."`
	Events         *[]string            `json:"events,omitempty" minItems:"1" doc:"Types of events, each once; * stands for all."`
	Description    chat.Patch[string]   `json:"description,omitzero" maxLength:"500" doc:"Null clears it."`
	PhoneNumberIDs chat.Patch[[]string] `json:"phone_number_ids,omitzero" nullable:"true" maxItems:"1000" pattern:"^[0-9]{6,20}$" doc:"None, or null, for all numbers."`
	Status         *chat.WebhookStatus  `json:"status,omitempty" enum:"active,paused"`
}

func updateWebhookSubscription(tx *store.Tx, c *call, in *updateWebhookInput) (webhookSubscriptionView, error) {
	s, err := core.UpdateWebhookSubscription(tx, c.key.Key.OrgID, in.ID, chat.WebhookSubscriptionPatch(in.Body))
	if err != nil {
		return webhookSubscriptionView{}, err
	}
	return c.showWebhookSubscription(tx.Reader, s)
}

func deleteWebhookSubscription(tx *store.Tx, c *call, in *webhookInput) (deletedView, error) {
	err := core.DeleteWebhookSubscription(tx, c.key.Key.OrgID, in.ID)
	return deletedView{ID: in.ID, Object: "webhook_subscription", Deleted: true}, err
}

type testWebhookInput struct {
	ID   string `path:"id" pattern:"^wbs_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body testWebhookBody
}

type testWebhookBody struct {
	EventType *string `json:"event_type,omitempty" doc:"The type of the sample; without it, the first that the subscription wants."`
}

func testWebhookSubscription(tx *store.Tx, c *call, in *testWebhookInput) (webhookDeliveryView, error) {
	kind, err := eventTypeOf(in.Body.EventType)
	if err != nil {
		return webhookDeliveryView{}, err
	}
	d, err := core.TestWebhookSubscription(tx, c.key.Key.OrgID, in.ID, kind)
	return viewWebhookDeliveryDetail(d), err
}
