package core

import (
	"fmt"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateWebhookSubscription subscribes an endpoint, and returns its signing secret. The caller has checked where the
// address leads, because that takes the network.
func CreateWebhookSubscription(tx *store.Tx, seal Sealer, orgID string, in chat.NewWebhookSubscription) (chat.WebhookSubscription, NewSecret, error) {
	if err := in.Clean(); err != nil {
		return chat.WebhookSubscription{}, NewSecret{}, err
	}
	if err := checkNumberFilter(tx.Reader, orgID, in.PhoneNumberIDs, nil); err != nil {
		return chat.WebhookSubscription{}, NewSecret{}, err
	}
	if err := checkSubscriptionRoom(tx, orgID); err != nil {
		return chat.WebhookSubscription{}, NewSecret{}, err
	}
	s := chat.WebhookSubscription{
		ID: tx.NewID(chat.KindSubscription), OrgID: orgID, URL: in.URL, Description: in.Description, Events: in.Events,
		PhoneNumberIDs: in.PhoneNumberIDs, Status: chat.WebhookActive, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	if err := tx.InsertWebhookSubscription(s); err != nil {
		return chat.WebhookSubscription{}, NewSecret{}, err
	}
	secret, err := mintSecret(tx, seal, s, nil)
	if err != nil {
		return s, secret, err
	}
	return s, secret, audit(tx, orgID, chat.AuditWebhookCreated, ofWebhook(s))
}

func checkSubscriptionRoom(tx *store.Tx, orgID string) error {
	count := func() (int, error) { return tx.CountWebhookSubscriptions(orgID) }
	return checkRoom(tx, orgID, chat.MaxWebhookSubscriptions, count, chat.Invalid("webhook_subscriptions",
		"An organization can have %d webhook subscriptions. Delete one that is not needed any more.", chat.MaxWebhookSubscriptions))
}

// checkNumberFilter checks that the numbers belong to the organization. Those of before may stay, also if one has been
// disconnected since: a client must be able to write what it has read.
func checkNumberFilter(r store.Reader, orgID string, numbers, before []string) error {
	if len(numbers) == 0 {
		return nil
	}
	known, err := r.KnownNumbers(orgID, numbers)
	if err != nil {
		return err
	}
	for i, n := range numbers {
		if !slices.Contains(known, n) && !slices.Contains(before, n) {
			return chat.Invalid(fmt.Sprintf("phone_number_ids[%d]", i), "The organization has no number %s.", n)
		}
	}
	return nil
}

// WebhookSubscription returns one subscription.
func WebhookSubscription(r store.Reader, orgID, id string) (chat.WebhookSubscription, error) {
	s, err := r.WebhookSubscription(orgID, id)
	return s, orNotFound(err, "webhook subscription")
}

// usableSubscription locks and returns a subscription that is not disabled.
func usableSubscription(tx *store.Tx, orgID, id string) (chat.WebhookSubscription, error) {
	s, err := WebhookSubscription(tx.Reader, orgID, id)
	if err != nil {
		return chat.WebhookSubscription{}, err
	}
	return s, s.CheckUsable()
}

// UpdateWebhookSubscription changes a subscription. A patch that changes nothing leaves updated_at alone.
func UpdateWebhookSubscription(tx *store.Tx, orgID, id string, patch chat.WebhookSubscriptionPatch) (chat.WebhookSubscription, error) {
	before, err := WebhookSubscription(tx.Reader, orgID, id)
	if err != nil {
		return chat.WebhookSubscription{}, err
	}
	after, changed, err := patch.Apply(before)
	if err != nil {
		return chat.WebhookSubscription{}, err
	}
	if patch.PhoneNumberIDs.Given {
		if err := checkNumberFilter(tx.Reader, orgID, after.PhoneNumberIDs, before.PhoneNumberIDs); err != nil {
			return chat.WebhookSubscription{}, err
		}
	}
	if !changed {
		return after, nil
	}
	after.UpdatedAt = tx.Now()
	if err := tx.UpdateWebhookSubscription(after); err != nil {
		return after, err
	}
	return after, audit(tx, orgID, chat.AuditWebhookUpdated, ofWebhook(after), "url", fromTo(before.URL, after.URL), "status", fromTo(before.Status, after.Status))
}

// endAtOnce is how many open deliveries a deletion ends itself. Housekeeping ends the rest.
const endAtOnce = 500

// DeleteWebhookSubscription ends a subscription and its open deliveries.
func DeleteWebhookSubscription(tx *store.Tx, orgID, id string) error {
	s, err := WebhookSubscription(tx.Reader, orgID, id)
	if err != nil {
		return err
	}
	if err := tx.DeleteWebhookSubscription(orgID, id); err != nil {
		return orNotFound(err, "webhook subscription")
	}
	if _, err := tx.EndDeliveries(orgID, id, chat.DeliverySubscriptionDeleted, endAtOnce); err != nil {
		return err
	}
	return audit(tx, orgID, chat.AuditWebhookDeleted, ofWebhook(s))
}
