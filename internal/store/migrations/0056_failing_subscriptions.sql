-- +goose Up

-- The subscriptions whose failures are counted: every node looks for them, because a success on any node ends a streak.
CREATE INDEX webhook_subscriptions_failing ON webhook_subscriptions (consecutive_failures) WHERE consecutive_failures > 0;
