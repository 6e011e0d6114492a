-- +goose Up

-- A node reads its own files to fetch, and takes over those of dead nodes.
CREATE INDEX media_jobs_by_owner ON media_jobs (owner, due_at, message_id);

-- When the provider last spoke of a part of a number's standing, by the provider's clock. What it said before
-- that comes too late.
CREATE TABLE account_reports (
    org_id      TEXT   NOT NULL,
    account_id  TEXT   NOT NULL,
    aspect      TEXT   NOT NULL,
    reported_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, account_id, aspect)
);

-- Edits and revocations that came before their message.
CREATE TABLE early_changes (
    org_id      TEXT   NOT NULL,
    account_id  TEXT   NOT NULL,
    original_id TEXT   NOT NULL,
    provider_id TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    change      TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (org_id, account_id, original_id, provider_id)
);

CREATE INDEX early_changes_by_age ON early_changes (created_at);
