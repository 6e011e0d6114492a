package api

import (
	"errors"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerWebhookSubscriptions(a *API) {
	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/webhook_subscriptions", ID: "listWebhookSubscriptions", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary:     "List webhook subscriptions, newest first",
		Description: "With their state and their count of failures in a row. Secrets are listed without their text.",
	}, listWebhookSubscriptions)

	rest.WriteAfter(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/webhook_subscriptions", ID: "createWebhookSubscription", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Subscribe an endpoint to events", Status: http.StatusCreated, Secret: true,
		Description: "The answer shows the secret that signs the deliveries, in initial_secret, once.",
		Errors:      []chat.Code{chat.CodeInvalidWebhookURL, chat.CodeInvalidEventType},
	}, func(c *rest.Call, in *rest.Sent[createWebhookBody]) error { return a.checkWebhookURL(c, &in.Body.URL) }, a.createWebhookSubscription)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/webhook_subscriptions/{id}", ID: "getWebhookSubscription", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary:     "Get a webhook subscription",
		Description: "With its state and its count of failures in a row. Secrets are listed without their text.",
	}, getWebhookSubscription)

	rest.WriteAfter(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: "/webhook_subscriptions/{id}", ID: "updateWebhookSubscription", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Change, pause or resume a webhook subscription",
		Description: "Fields that are left out stay as they are; at least one is needed. While a subscription is paused, its deliveries wait. " +
			"One that was disabled takes nothing but a patch that sets its status to active.",
		Errors: []chat.Code{chat.CodeInvalidWebhookURL, chat.CodeInvalidEventType, chat.CodeWebhookSubscriptionDisabled},
	}, func(c *rest.Call, in *rest.SentTo[rest.SubscriptionID, updateWebhookBody]) error {
		return a.checkWebhookURL(c, in.Body.URL)
	}, updateWebhookSubscription)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/webhook_subscriptions/{id}", ID: "deleteWebhookSubscription", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Delete a webhook subscription", Description: "What was still to be delivered to it is not delivered any more.",
	}, deleteWebhookSubscription)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/webhook_subscriptions/{id}/test", ID: "testWebhookSubscription", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Send a sample event to a webhook subscription",
		Description: "The event tells of things that do not exist. It is delivered, signed and retried like any other; " +
			"the answer is its delivery, which can be fetched to see how it went.",
		Errors: []chat.Code{chat.CodeInvalidEventType, chat.CodeWebhookSubscriptionDisabled}, InPath: findSubscription,
	}, testWebhookSubscription)
}

// findSubscription loads the subscription in the path of a POST.
func findSubscription(c *rest.Call, r store.Reader) error {
	_, err := core.WebhookSubscription(r, c.OrgID(), c.PathValue(0))
	return err
}

// checkWebhookURL checks where an address leads. The answer does not say what was found there, because that
// would map the network behind the service.
func (a *API) checkWebhookURL(c *rest.Call, url *string) error {
	if url == nil {
		return nil
	}
	if err := chat.CheckWebhookURL(*url); err != nil {
		return err
	}
	bad := func(message string) error {
		return &chat.Error{Code: chat.CodeInvalidWebhookURL, Param: "url", Message: message}
	}
	err := a.checkURL(c.Ctx, *url)
	switch {
	case errors.Is(err, netguard.ErrPlain):
		return bad("Must begin with https://. The operator can open a private network for http with --allow-network.")
	case errors.Is(err, netguard.ErrLookup): // the name may exist later, and each connection is checked
		return nil
	case errors.Is(err, netguard.ErrBlocked):
		return bad("The host is not on the public internet. The operator can open a private network with --allow-network; parley listen brings events to your own machine.")
	default:
		return err
	}
}

type webhookSubscriptionView struct {
	ID                  rest.SubscriptionID    `json:"id"`
	Object              string                 `json:"object" enum:"webhook_subscription"`
	URL                 string                 `json:"url" format:"uri"`
	Description         *string                `json:"description"`
	Events              []string               `json:"events" doc:"Types of events; * stands for all."`
	Status              string                 `json:"status" enum:"active,paused,disabled"`
	DisabledReason      *string                `json:"disabled_reason" doc:"Why the service disabled it: consecutive_failures, endpoint_gone. Null unless it is disabled."`
	ConsecutiveFailures int64                  `json:"consecutive_failures" minimum:"0" doc:"Failed attempts since the last one that succeeded."`
	Secrets             []webhookSecretRefView `json:"secrets" doc:"The secrets that sign its deliveries now, oldest first."`
	PhoneNumberIDs      []string               `json:"phone_number_ids" doc:"The numbers whose events it gets; empty for all. Events that concern no number are not filtered."`
	CreatedAt           rest.Instant           `json:"created_at"`
	UpdatedAt           rest.Instant           `json:"updated_at"`
	InitialSecret       string                 `json:"initial_secret,omitempty" doc:"The signing secret, in the answer to its creation only."`
}

func viewWebhookSubscription(s chat.WebhookSubscription, active []chat.WebhookSecret) webhookSubscriptionView {
	view := webhookSubscriptionView{
		ID: rest.SubscriptionID(s.ID), Object: "webhook_subscription", URL: s.URL, Description: s.Description, Events: s.Events, Status: string(s.Status),
		DisabledReason: s.DisabledReason, ConsecutiveFailures: s.ConsecutiveFailures, Secrets: make([]webhookSecretRefView, len(active)),
		PhoneNumberIDs: s.PhoneNumberIDs, CreatedAt: rest.Instant(s.CreatedAt), UpdatedAt: rest.Instant(s.UpdatedAt),
	}
	for i, secret := range active {
		view.Secrets[i] = webhookSecretRefView{rest.SecretID(secret.ID), rest.Instant(secret.CreatedAt), rest.InstantPtr(secret.ExpiresAt)}
	}
	if view.PhoneNumberIDs == nil {
		view.PhoneNumberIDs = []string{}
	}
	return view
}

// showWebhookSubscription adds the active secrets to the view.
func showWebhookSubscription(c *rest.Call, r store.Reader, s chat.WebhookSubscription) (webhookSubscriptionView, error) {
	secrets, err := r.WebhookSecrets(s.OrgID, s.ID)
	return viewWebhookSubscription(s, chat.ActiveSecrets(secrets[s.ID], c.Now())), err
}

type listWebhooksInput struct{}

func listWebhookSubscriptions(c *rest.Call, _ *listWebhooksInput, p store.Page) (store.Slice[webhookSubscriptionView], error) {
	r, orgID := c.Read(), c.OrgID()
	found, err := r.WebhookSubscriptions(orgID, p)
	if err != nil {
		return store.Slice[webhookSubscriptionView]{}, err
	}
	secrets, err := r.WebhookSecrets(orgID, rest.IDsOf(found.Rows, func(s chat.WebhookSubscription) string { return s.ID })...)
	now := c.Now()
	return rest.ViewEach(found, func(s chat.WebhookSubscription) webhookSubscriptionView {
		return viewWebhookSubscription(s, chat.ActiveSecrets(secrets[s.ID], now))
	}), err
}

type createWebhookBody struct {
	URL            string   `json:"url" doc:"Where events are sent by POST: https, at most 2048 characters, without user, password or fragment, on the public internet."`
	Events         []string `json:"events" minItems:"1" doc:"Types of events, each once; * stands for all."`
	Description    *string  `json:"description,omitempty" nullable:"true" maxLength:"500"`
	PhoneNumberIDs []string `json:"phone_number_ids,omitempty" nullable:"true" maxItems:"1000" pattern:"^[0-9]{6,20}$" doc:"Only events of these numbers of the organization. None, or null, for all. Events that concern no number are not filtered."`
}

func (a *API) createWebhookSubscription(tx *store.Tx, c *rest.Call, in *rest.Sent[createWebhookBody]) (webhookSubscriptionView, error) {
	s, secret, err := core.CreateWebhookSubscription(tx, a.vault, c.OrgID(), chat.NewWebhookSubscription(in.Body))
	view := viewWebhookSubscription(s, []chat.WebhookSecret{secret.WebhookSecret})
	view.InitialSecret = secret.Plaintext
	return view, err
}

func getWebhookSubscription(c *rest.Call, in *rest.ByID[rest.SubscriptionID]) (webhookSubscriptionView, error) {
	r := c.Read()
	s, err := core.WebhookSubscription(r, c.OrgID(), string(in.ID))
	if err != nil {
		return webhookSubscriptionView{}, err
	}
	return showWebhookSubscription(c, r, s)
}

type updateWebhookBody struct {
	URL            *string              `json:"url,omitempty" doc:"As in the creation."`
	Events         *[]string            `json:"events,omitempty" minItems:"1" doc:"Types of events, each once; * stands for all."`
	Description    chat.Patch[string]   `json:"description,omitzero" maxLength:"500" doc:"Null clears it."`
	PhoneNumberIDs chat.Patch[[]string] `json:"phone_number_ids,omitzero" nullable:"true" maxItems:"1000" pattern:"^[0-9]{6,20}$" doc:"None, or null, for all numbers."`
	Status         *chat.WebhookStatus  `json:"status,omitempty" enum:"active,paused"`
}

func updateWebhookSubscription(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.SubscriptionID, updateWebhookBody]) (webhookSubscriptionView, error) {
	s, err := core.UpdateWebhookSubscription(tx, c.OrgID(), string(in.ID), chat.WebhookSubscriptionPatch(in.Body))
	if err != nil {
		return webhookSubscriptionView{}, err
	}
	return showWebhookSubscription(c, tx.Reader, s)
}

func deleteWebhookSubscription(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.SubscriptionID]) (rest.DeletedView, error) {
	err := core.DeleteWebhookSubscription(tx, c.OrgID(), string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "webhook_subscription", Deleted: true}, err
}

type testWebhookBody struct {
	EventType *string `json:"event_type,omitempty" doc:"The type of the sample; without it, the first that the subscription wants."`
}

func testWebhookSubscription(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.SubscriptionID, testWebhookBody]) (webhookDeliveryView, error) {
	kind, err := eventTypeOf(in.Body.EventType)
	if err != nil {
		return webhookDeliveryView{}, err
	}
	d, err := core.TestWebhookSubscription(tx, c.OrgID(), string(in.ID), kind)
	return viewWebhookDeliveryDetail(d), err
}
