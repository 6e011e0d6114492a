package cli

import (
	"errors"
	"strings"

	"github.com/parleyhq/parley/client"
)

type webhookCommands struct {
	List    webhookListCommand    `cmd:"" help:"List the endpoints that events are delivered to."`
	Create  webhookCreateCommand  `cmd:"" help:"Subscribe an endpoint, and print its signing secret, once."`
	Update  webhookUpdateCommand  `cmd:"" help:"Pause an endpoint, bring back one that was paused or disabled, or change what it gets."`
	Test    webhookTestCommand    `cmd:"" help:"Send a sample event to an endpoint."`
	Delete  webhookDeleteCommand  `cmd:"" help:"Delete a subscription."`
	Secrets webhookSecretCommands `cmd:"" help:"Signing secrets of an endpoint."`
}

func webhookRecord(s client.WebhookSubscription) record {
	events := make([]string, len(s.Events))
	for i, e := range s.Events {
		events[i] = string(e)
	}
	return record{
		{"id", s.ID}, {"url", s.URL}, {"events", strings.Join(events, ",")}, {"status", string(s.Status)}, {"disabled_reason", textOrNil(s.DisabledReason)},
		{"consecutive_failures", s.ConsecutiveFailures}, {"created_at", instant(s.CreatedAt)},
	}
}

type webhookListCommand struct {
	serviceFlags `embed:""`
}

func (cmd *webhookListCommand) Run(c *console, api *client.Client) error {
	list, err := upTo(api.WebhookSubscriptions(c.ctx, client.PageOptions{Limit: 100}), -1)
	return showList(c, cmd, list, err, webhookRecord)
}

type webhookCreateCommand struct {
	Endpoint     string   `arg:"" name:"url" help:"Where to deliver events, like https://acme.example/webhooks."`
	Events       []string `type:"list" default:"*" placeholder:"TYPES" help:"The types, separated by commas. Without: all, also those yet to come."`
	Number       []string `type:"list" placeholder:"IDS" help:"Only events of these numbers (phone_number_id). Without: of all."`
	Description  string   `placeholder:"TEXT" help:"For colleagues."`
	serviceFlags `embed:""`
}

func (cmd *webhookCreateCommand) Run(c *console, api *client.Client) error {
	n := client.NewWebhookSubscription{URL: cmd.Endpoint, Events: eventTypes(cmd.Events), Description: cmd.Description, PhoneNumberIDs: cmd.Number}
	s, err := api.CreateWebhookSubscription(c.ctx, n)
	return showOne(c, cmd, s, err, func(s client.WebhookSubscription) record {
		return append(webhookRecord(s), field{"secret", s.InitialSecret})
	})
}

type webhookUpdateCommand struct {
	ID           string   `arg:"" help:"The subscription's id (wbs_…)."`
	Status       string   `enum:",active,paused" default:"" placeholder:"STATUS" help:"active or paused: deliveries wait while it is paused."`
	Endpoint     string   `placeholder:"URL" help:"Where to deliver events from now on."`
	Events       []string `type:"list" placeholder:"TYPES" help:"The types, separated by commas; * for all."`
	serviceFlags `embed:""`
}

// Validate is called by kong.
func (cmd *webhookUpdateCommand) Validate() error {
	if cmd.Status == "" && cmd.Endpoint == "" && len(cmd.Events) == 0 {
		return errors.New("nothing to change: give --status, --endpoint or --events")
	}
	return cmd.serviceFlags.Validate()
}

func (cmd *webhookUpdateCommand) Run(c *console, api *client.Client) error {
	var p client.WebhookSubscriptionPatch
	if cmd.Status != "" {
		p.Status = client.Set(client.WebhookSubscriptionStatus(cmd.Status))
	}
	if cmd.Endpoint != "" {
		p.URL = client.Set(cmd.Endpoint)
	}
	if len(cmd.Events) > 0 {
		p.Events = client.Set(eventTypes(cmd.Events))
	}
	s, err := api.UpdateWebhookSubscription(c.ctx, cmd.ID, p)
	return showOne(c, cmd, s, err, webhookRecord)
}

func eventTypes(names []string) (types []client.EventType) {
	for _, name := range names {
		types = append(types, client.EventType(name))
	}
	return types
}

type webhookTestCommand struct {
	ID           string `arg:"" help:"The subscription's id (wbs_…)."`
	Event        string `placeholder:"TYPE" help:"The event's type. Without: the first that the endpoint wants."`
	serviceFlags `embed:""`
}

func (cmd *webhookTestCommand) Run(c *console, api *client.Client) error {
	d, err := api.TestWebhookSubscription(c.ctx, cmd.ID, client.EventType(cmd.Event))
	return showOne(c, cmd, d, err, deliveryRecord)
}

type webhookDeleteCommand struct {
	ID           string `arg:"" help:"The subscription's id (wbs_…)."`
	serviceFlags `embed:""`
}

func (cmd *webhookDeleteCommand) Run(c *console, api *client.Client) error {
	gone, err := api.DeleteWebhookSubscription(c.ctx, cmd.ID)
	return showOne(c, cmd, gone, err, func(gone client.Deleted) record { return record{{"id", gone.ID}, {"deleted", gone.Deleted}} })
}

type webhookSecretCommands struct {
	List   secretListCommand   `cmd:"" help:"List the secrets that sign now."`
	Create secretCreateCommand `cmd:"" help:"Make another secret, and print it, once."`
	Revoke secretRevokeCommand `cmd:"" help:"Make a secret stop signing."`
}

type secretListCommand struct {
	ID           string `arg:"" help:"The subscription's id (wbs_…)."`
	serviceFlags `embed:""`
}

func (cmd *secretListCommand) Run(c *console, api *client.Client) error {
	s, err := api.GetWebhookSubscription(c.ctx, cmd.ID)
	if err != nil {
		return cmd.explain(err)
	}
	return showList(c, cmd, s.Secrets, nil, func(ref client.WebhookSecretRef) record {
		return record{{"id", ref.ID}, {"created_at", instant(ref.CreatedAt)}, {"expires_at", instantOrNil(ref.ExpiresAt)}}
	})
}

type secretCreateCommand struct {
	ID             string `arg:"" help:"The subscription's id (wbs_…)."`
	ExpireOthersIn *hours `placeholder:"TIME" help:"When the other secrets stop, like 24h or 7d; 0h for at once. Without: they go on."`
	ExpiresIn      *hours `placeholder:"TIME" help:"When the new one stops. Without: never."`
	serviceFlags   `embed:""`
}

func (cmd *secretCreateCommand) Run(c *console, api *client.Client) error {
	s, err := api.CreateWebhookSecret(c.ctx, cmd.ID, client.NewWebhookSecret{
		ExpiresInHours: (*int)(cmd.ExpiresIn), ExpireOthersInHours: (*int)(cmd.ExpireOthersIn),
	})
	return showOne(c, cmd, s, err, func(s client.WebhookSecret) record {
		return record{{"id", s.ID}, {"secret", s.Secret}, {"created_at", instant(s.CreatedAt)}, {"expires_at", instantOrNil(s.ExpiresAt)}}
	})
}

type secretRevokeCommand struct {
	ID           string `arg:"" help:"The subscription's id (wbs_…)."`
	Secret       string `arg:"" help:"The secret's id (whs_…)."`
	serviceFlags `embed:""`
}

func (cmd *secretRevokeCommand) Run(c *console, api *client.Client) error {
	gone, err := api.RevokeWebhookSecret(c.ctx, cmd.ID, cmd.Secret)
	return showOne(c, cmd, gone, err, func(gone client.Revoked) record { return record{{"id", gone.ID}, {"revoked", gone.Revoked}} })
}
