-- +goose Up

ALTER TABLE customers ADD COLUMN search_key TEXT NOT NULL DEFAULT ''; -- name and email, case folded
ALTER TABLE customers ADD COLUMN onboarded_at BIGINT;
CREATE INDEX customers_by_age ON customers (org_id, created_at DESC, id DESC);
CREATE INDEX customers_by_status ON customers (org_id, status, created_at DESC, id DESC);
CREATE INDEX customers_by_team ON customers (org_id, team_id, created_at DESC, id DESC);

-- A link's browser shows its token and nothing else, so tokens are searched before the
-- organization is known. Only their hashes are stored. That a link has expired is told by the
-- clock and never stored.
CREATE TABLE setup_links (
    org_id               TEXT   NOT NULL,
    id                   TEXT   NOT NULL,
    team_id              TEXT   NOT NULL,
    customer_id          TEXT,            -- null: for the organization's own number
    token_hash           TEXT   NOT NULL UNIQUE,
    token_last4          TEXT   NOT NULL,
    status               TEXT   NOT NULL, -- active, consumed, revoked
    expires_at           BIGINT NOT NULL,
    success_redirect_url TEXT,
    failure_redirect_url TEXT,
    consumed_at          BIGINT,
    consumed_by          TEXT   NOT NULL, -- which browser's signup, hashed
    account_id           TEXT,
    created_at           BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX setup_links_by_customer ON setup_links (org_id, customer_id, created_at DESC, id DESC);

-- What is to be done after a number was connected or disconnected. due_at is also the lease of the
-- node that works on it.
CREATE TABLE account_jobs (
    org_id     TEXT   NOT NULL,
    account_id TEXT   NOT NULL,
    kind       TEXT   NOT NULL, -- connected, disconnected
    attempts   BIGINT NOT NULL,
    due_at     BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, account_id, kind)
);
CREATE INDEX account_jobs_by_due ON account_jobs (due_at);

CREATE INDEX media_by_account ON media (org_id, account_id); -- for the purge of a disconnected number
