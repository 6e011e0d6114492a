package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/parleyhq/parley/client"
)

type deliveryCommands struct {
	List   deliveryListCommand   `cmd:"" help:"List deliveries of events to your endpoints, newest first."`
	Show   deliveryShowCommand   `cmd:"" help:"Show a delivery with its attempts, and what was delivered."`
	Replay deliveryReplayCommand `cmd:"" help:"Deliver an event once more, or all that an endpoint missed."`
}

func deliveryRecord(d client.WebhookDelivery) record {
	return record{
		{"id", d.ID}, {"created_at", instant(d.CreatedAt)}, {"event_type", string(d.EventType)}, {"status", string(d.Status)},
		{"attempts", d.AttemptCount}, {"answer", numberOrNil(d.ResponseStatus)}, {"error_code", textOrNil(d.ErrorCode)},
		{"next_attempt_at", instantOrNil(d.NextAttemptAt)}, {"subscription_id", d.SubscriptionID}, {"event_id", d.EventID},
		{"replayed_from", textOrNil(d.ReplayedFrom)}, {"replayed", d.Replayed},
	}
}

// deliveryRow is a delivery in a list: as much as fits on a terminal. The answer is a status, or why there was none.
func deliveryRow(d client.WebhookDelivery) record {
	status, answer := string(d.Status), numberOrNil(d.ResponseStatus)
	if answer == nil {
		answer = textOrNil(d.ErrorCode)
	}
	if d.Replayed {
		status += ", replayed"
	}
	return record{
		{"id", d.ID}, {"created_at", instant(d.CreatedAt)}, {"event_type", string(d.EventType)}, {"status", status}, {"answer", answer},
	}
}

type deliveryListCommand struct {
	Subscription string     `placeholder:"ID" help:"Only to this endpoint (wbs_…)."`
	Status       string     `placeholder:"STATUS" help:"Only pending, failed, succeeded or dead."`
	Event        string     `placeholder:"TYPE" help:"Only events of this type."`
	EventID      string     `placeholder:"ID" help:"Only this event, by the id in X-Svc-Event-Id."`
	After        *time.Time `placeholder:"TIME" help:"Only later than this, like 2026-01-31T12:00:00Z."`
	Before       *time.Time `placeholder:"TIME" help:"Only earlier than this."`
	listFlags    `embed:""`
	serviceFlags `embed:""`
}

func (cmd *deliveryListCommand) Run(c *console, api *client.Client) error {
	list, err := upTo(api.WebhookDeliveries(c.ctx, client.WebhookDeliveryFilter{
		SubscriptionID: cmd.Subscription, Status: client.WebhookDeliveryStatus(cmd.Status), EventType: client.EventType(cmd.Event), EventID: cmd.EventID,
		CreatedAfter: timeOf(cmd.After), CreatedBefore: timeOf(cmd.Before), PageOptions: cmd.pageOf(),
	}), cmd.Limit)
	return showList(c, cmd, list, err, deliveryRow)
}

type deliveryShowCommand struct {
	ID           string `arg:"" help:"The delivery's id (wbd_…), as in X-Svc-Delivery-Id."`
	serviceFlags `embed:""`
}

func (cmd *deliveryShowCommand) Run(c *console, api *client.Client) error {
	d, err := api.GetWebhookDelivery(c.ctx, cmd.ID)
	return showOne(c, cmd, d, err, deliveryStory)
}

// deliveryStory is a delivery with its attempts.
func deliveryStory(d client.WebhookDelivery) record {
	lines := append(deliveryRecord(d), field{"response_body_snippet", textOrNil(d.ResponseBodySnippet)})
	for _, a := range d.Attempts {
		outcome := text(numberOrNil(a.ResponseStatus))
		if a.ErrorCode != nil {
			outcome = *a.ErrorCode + ": " + text(textOrNil(a.ErrorMessage))
		}
		lines = append(lines, field{fmt.Sprintf("attempt %d", a.Attempt), fmt.Sprintf("%s  %s", instant(a.At), outcome)})
	}
	return append(lines, field{"payload", string(d.Payload)})
}

type deliveryReplayCommand struct {
	ID           string     `arg:"" optional:"" help:"The delivery's id (wbd_…)."`
	Subscription string     `placeholder:"ID" help:"Instead of one delivery: all dead ones of this endpoint (wbs_…), oldest first."`
	Event        string     `placeholder:"TYPE" help:"With --subscription: only events of this type."`
	ErrorCode    string     `placeholder:"CODE" help:"With --subscription: only those that ended like this, as timeout."`
	After        *time.Time `placeholder:"TIME" help:"With --subscription: only later than this."`
	Before       *time.Time `placeholder:"TIME" help:"With --subscription: only earlier than this."`
	serviceFlags `embed:""`
}

// Validate is called by kong.
func (cmd *deliveryReplayCommand) Validate() error {
	if (cmd.ID == "") == (cmd.Subscription == "") {
		return errors.New("give the id of a delivery, or --subscription for all that an endpoint missed")
	}
	return cmd.serviceFlags.Validate()
}

func (cmd *deliveryReplayCommand) Run(c *console, api *client.Client) error {
	if cmd.Subscription != "" {
		return cmd.replayAll(c, api)
	}
	d, err := api.ReplayWebhookDelivery(c.ctx, cmd.ID)
	return showOne(c, cmd, d, err, deliveryRecord)
}

// replayAll repeats the replay until the service has no more deliveries.
func (cmd *deliveryReplayCommand) replayAll(c *console, api *client.Client) error {
	total := 0
	for {
		done, err := api.BulkReplayWebhookDeliveries(c.ctx, client.BulkReplay{
			SubscriptionID: cmd.Subscription, EventType: client.EventType(cmd.Event), ErrorCode: cmd.ErrorCode,
			CreatedAfter: timeOf(cmd.After), CreatedBefore: timeOf(cmd.Before),
		})
		if err != nil {
			return cmd.explain(err)
		}
		total += done.Enqueued
		if !done.Capped {
			return cmd.output().printOne(c.stdout, record{{"replayed", total}})
		}
	}
}
