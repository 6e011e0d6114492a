-- +goose Up

CREATE TABLE webhook_subscriptions (
    org_id               TEXT   NOT NULL,
    id                   TEXT   NOT NULL,
    url                  TEXT   NOT NULL,
    description          TEXT,
    events               TEXT   NOT NULL, -- JSON: names, or * for all
    phone_number_ids     TEXT,            -- JSON; null is every number
    status               TEXT   NOT NULL,
    disabled_reason      TEXT,
    consecutive_failures BIGINT NOT NULL, -- failed attempts since the last success
    failing_since        BIGINT,          -- when the first of them was
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX webhook_subscriptions_by_age ON webhook_subscriptions (org_id, created_at DESC, id DESC);

-- Nodes learn by it what the others changed.
CREATE INDEX webhook_subscriptions_by_change ON webhook_subscriptions (updated_at);

CREATE TABLE webhook_secrets (
    org_id          TEXT   NOT NULL,
    subscription_id TEXT   NOT NULL,
    id              TEXT   NOT NULL,
    secret          TEXT   NOT NULL, -- sealed
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT,
    PRIMARY KEY (org_id, subscription_id, id)
);

-- One event for one subscription. The bytes to deliver are the event's and are stored once, with it.
-- Who works on a row is owner, and epoch tells one lease of it from the next: what a node that was
-- frozen past its lease has to say about it counts for nothing.
CREATE TABLE webhook_deliveries (
    org_id                TEXT   NOT NULL,
    id                    TEXT   NOT NULL,
    subscription_id       TEXT   NOT NULL,
    event_row             TEXT   NOT NULL, -- events.id
    event_id              TEXT   NOT NULL, -- what receivers tell repetitions by
    event_type            TEXT   NOT NULL,
    subject               TEXT   NOT NULL,
    status                TEXT   NOT NULL,
    attempt_count         BIGINT NOT NULL,
    attempts              TEXT,            -- JSON: earlier tries, oldest first; the last one is in the columns
    last_attempt_at       BIGINT,
    next_attempt_at       BIGINT,          -- null once it is over
    response_status       BIGINT,
    response_body_snippet TEXT,
    duration_ms           BIGINT,
    error_code            TEXT,
    error_message         TEXT,
    replayed_from         TEXT,
    replayed              BOOLEAN NOT NULL, -- a replay of it was made
    owner                 TEXT   NOT NULL,
    epoch                 BIGINT NOT NULL,
    created_at            BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX webhook_deliveries_by_subscription ON webhook_deliveries (org_id, subscription_id, id);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (org_id, event_id, id);
-- Nearly all succeed: lists of the others have an index, lists of those walk the table's own order.
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (org_id, status, id) WHERE status <> 'succeeded';
-- What went wrong with one subscription: to list it, and to replay it.
CREATE INDEX webhook_deliveries_troubled ON webhook_deliveries (org_id, subscription_id, status, id) WHERE status IN ('failed', 'dead');
-- What is still to be delivered, by lane.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (org_id, subscription_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL;
