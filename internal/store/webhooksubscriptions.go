package store

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const webhookColumns = "org_id, id, url, description, events, phone_number_ids, status, disabled_reason, consecutive_failures, failing_since, next_probe_at, held_until, created_at, updated_at"

// notDeleted hides subscriptions that only wait for the end of their deliveries.
const notDeleted = " AND status <> 'deleted'"

func scanWebhook(row scanner) (s chat.WebhookSubscription, err error) {
	var (
		events               string
		numbers              *string
		failingSince         *int64
		probeAt, heldUntil   *int64
		createdAt, updatedAt int64
	)
	err = row.Scan(&s.OrgID, &s.ID, &s.URL, &s.Description, &events, &numbers, &s.Status, &s.DisabledReason,
		&s.ConsecutiveFailures, &failingSince, &probeAt, &heldUntil, &createdAt, &updatedAt)
	if err != nil {
		return s, err
	}
	s.FailingSince, s.CreatedAt, s.UpdatedAt = toTimePtr(failingSince), toTime(createdAt), toTime(updatedAt)
	s.Spared = chat.Spared{ProbeAt: toTimePtr(probeAt), HeldUntil: toTimePtr(heldUntil)}
	if err := json.Unmarshal([]byte(events), &s.Events); err != nil || numbers == nil {
		return s, err
	}
	return s, json.Unmarshal([]byte(*numbers), &s.PhoneNumberIDs)
}

var webhooksByAge = order[chat.WebhookSubscription]{alias: "", column: "created_at", position: func(s chat.WebhookSubscription) Position { return Position{s.CreatedAt, s.ID} }}

// WebhookSubscription returns a subscription of the organization, or ErrNotFound.
func (r Reader) WebhookSubscription(orgID, id string) (chat.WebhookSubscription, error) {
	return one(r, scanWebhook, "SELECT "+webhookColumns+" FROM webhook_subscriptions WHERE org_id = $1 AND id = $2"+notDeleted+r.forUpdate(), orgID, id)
}

// WebhookSubscriptionsByID returns those of the organization's subscriptions that still exist.
func (r Reader) WebhookSubscriptionsByID(orgID string, ids []string) ([]chat.WebhookSubscription, error) {
	return many(r, scanWebhook, "SELECT "+webhookColumns+" FROM webhook_subscriptions WHERE org_id = $1 AND "+r.dialect.oneOf("id", "$2")+notDeleted,
		orgID, r.dialect.list(ids))
}

// WebhookSubscriptions returns one page of the organization's subscriptions.
func (r Reader) WebhookSubscriptions(orgID string, p Page) (Slice[chat.WebhookSubscription], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.add("status <> 'deleted'")
	return newestFirst(r, scanWebhook, "SELECT "+webhookColumns+" FROM webhook_subscriptions", c, webhooksByAge, p)
}

// EventReceivers returns the organization's subscriptions for recording events. They are read once in a
// transaction, however many events it records. They are not locked: whoever changes one at the same time cannot
// tell which came first.
func (tx *Tx) EventReceivers(orgID string) ([]chat.WebhookSubscription, error) {
	if known, ok := tx.receivers[orgID]; ok {
		return known, nil
	}
	found, err := recallInTx(tx, "receivers", orgID, func() ([]chat.WebhookSubscription, error) {
		return many(tx.Reader, scanWebhook, "SELECT "+webhookColumns+" FROM webhook_subscriptions WHERE org_id = $1"+notDeleted+" ORDER BY id", orgID)
	})
	if err != nil {
		return nil, err
	}
	if tx.receivers == nil {
		tx.receivers = map[string][]chat.WebhookSubscription{}
	}
	tx.receivers[orgID] = found
	return found, nil
}

// CountWebhookSubscriptions is the number of the organization's subscriptions.
func (r Reader) CountWebhookSubscriptions(orgID string) (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM webhook_subscriptions WHERE org_id = $1"+notDeleted, orgID)
}

// DeletedWebhookSubscriptions returns deleted subscriptions with open deliveries.
func (r Reader) DeletedWebhookSubscriptions(orgID string) ([]string, error) {
	return many(r, scanText, "SELECT id FROM webhook_subscriptions WHERE org_id = $1 AND status = 'deleted' ORDER BY id", orgID)
}

// InsertWebhookSubscription stores a new subscription.
func (tx *Tx) InsertWebhookSubscription(s chat.WebhookSubscription) error {
	tx.forgetReceivers(s.OrgID)
	tx.noteChange(ChangedWebhooks, s.OrgID, "")
	_, err := tx.exec("INSERT INTO webhook_subscriptions ("+webhookColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
		s.OrgID, s.ID, s.URL, s.Description, jsonList(s.Events), jsonListOrNull(s.PhoneNumberIDs), string(s.Status), s.DisabledReason,
		s.ConsecutiveFailures, msPtr(s.FailingSince), msPtr(s.Spared.ProbeAt), msPtr(s.Spared.HeldUntil), s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli())
	return err
}

// UpdateWebhookSubscription stores the changeable fields of a subscription, and tells this node's deliverer.
func (tx *Tx) UpdateWebhookSubscription(s chat.WebhookSubscription) error {
	tx.SubscriptionChanged(s.OrgID, s.ID)
	return tx.execOne(`UPDATE webhook_subscriptions SET url = $3, description = $4, events = $5, phone_number_ids = $6, status = $7,
			disabled_reason = $8, consecutive_failures = $9, failing_since = $10, next_probe_at = $11,
			held_until = $12, updated_at = $13 WHERE org_id = $1 AND id = $2`,
		s.OrgID, s.ID, s.URL, s.Description, jsonList(s.Events), jsonListOrNull(s.PhoneNumberIDs), string(s.Status),
		s.DisabledReason, s.ConsecutiveFailures, msPtr(s.FailingSince), msPtr(s.Spared.ProbeAt), msPtr(s.Spared.HeldUntil), s.UpdatedAt.UnixMilli())
}

// TouchWebhookSubscription records a change of a subscription's data, its secrets for example. This node is
// told at once; other nodes read updated_at.
func (tx *Tx) TouchWebhookSubscription(orgID, id string) error {
	tx.SubscriptionChanged(orgID, id)
	return tx.later("UPDATE webhook_subscriptions SET updated_at = $3 WHERE org_id = $1 AND id = $2", orgID, id, tx.now.UnixMilli())
}

// DeleteWebhookSubscription deletes a subscription with its secrets, or returns ErrNotFound. The row stays
// hidden until EndDeliveries has ended all open deliveries.
func (tx *Tx) DeleteWebhookSubscription(orgID, id string) error {
	tx.SubscriptionChanged(orgID, id)
	err := tx.execOne("UPDATE webhook_subscriptions SET status = 'deleted', updated_at = $3 WHERE org_id = $1 AND id = $2"+notDeleted,
		orgID, id, tx.now.UnixMilli())
	if err != nil {
		return err
	}
	return tx.later("DELETE FROM webhook_secrets WHERE org_id = $1 AND subscription_id = $2", orgID, id)
}

// forgetAfter is how long a deleted subscription's row stays at least, because events that were being recorded
// at its deletion may still add deliveries.
const forgetAfter = 10 * time.Minute

// ForgetWebhookSubscription deletes the row of a subscription that was deleted a while ago.
func (tx *Tx) ForgetWebhookSubscription(orgID, id string) error {
	return tx.later("DELETE FROM webhook_subscriptions WHERE org_id = $1 AND id = $2 AND status = 'deleted' AND updated_at < $3",
		orgID, id, tx.now.Add(-forgetAfter).UnixMilli())
}

func (tx *Tx) forgetReceivers(orgID string) { delete(tx.receivers, orgID) }

func jsonList(texts []string) string {
	list, _ := json.Marshal(texts) // strings never fail
	return string(list)
}

func jsonListOrNull(texts []string) *string {
	if len(texts) == 0 {
		return nil
	}
	return new(jsonList(texts))
}
