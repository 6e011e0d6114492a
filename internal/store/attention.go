package store

import "github.com/parleyhq/parley/internal/chat"

// FailingSubscriptions returns subscriptions that fail, or were disabled for their failures, newest first.
func (r Reader) FailingSubscriptions(orgID string, limit int) ([]chat.WebhookSubscription, error) {
	return many(r, scanWebhook, "SELECT "+webhookColumns+" FROM webhook_subscriptions WHERE org_id = $1"+notDeleted+
		" AND (failing_since IS NOT NULL OR disabled_reason IS NOT NULL) ORDER BY updated_at DESC, id LIMIT $2", orgID, limit)
}

// RefusedTemplates returns the templates that the provider has rejected or paused, latest first.
func (r Reader) RefusedTemplates(orgID string, limit int) ([]chat.Template, error) {
	return many(r, scanTemplate, "SELECT "+templateColumns+" FROM templates WHERE org_id = $1 AND (status = 'rejected' OR provider_status = 'PAUSED')"+
		" ORDER BY updated_at DESC, id LIMIT $2", orgID, limit)
}
