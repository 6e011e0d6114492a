-- +goose Up

-- What the provider has made of a number, from each change on. The newest row is how the number is now.
CREATE TABLE account_history (
    org_id           TEXT   NOT NULL,
    account_id       TEXT   NOT NULL,
    at               BIGINT NOT NULL,
    status           TEXT   NOT NULL,
    provider_status  TEXT,
    quality          TEXT,
    messaging_limit  TEXT,
    restricted_sends TEXT,
    PRIMARY KEY (org_id, account_id, at)
);

-- Of numbers from before nothing is known but how they are.
INSERT INTO account_history (org_id, account_id, at, status, provider_status, quality, messaging_limit, restricted_sends)
SELECT org_id, id, updated_at, status, provider_status, quality, messaging_limit, restricted_sends FROM accounts WHERE deleted_at IS NULL;
