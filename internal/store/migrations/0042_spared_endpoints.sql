-- +goose Up

-- Until when the deliveries of a subscription are kept back from its endpoint, so that they can be shown with the
-- instant of their next attempt. next_probe_at is when one of them tries an endpoint that failed too often in a row;
-- held_until is the wait that the endpoint itself asked for.
ALTER TABLE webhook_subscriptions ADD COLUMN next_probe_at BIGINT;
ALTER TABLE webhook_subscriptions ADD COLUMN held_until BIGINT;
