-- +goose Up

-- What is still to be delivered, by lane. The organization is not in it, because PostgreSQL takes any index that begins
-- with an organization for as good as another, as long as it does not know the organization.
DROP INDEX webhook_deliveries_open;
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (subscription_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL;
