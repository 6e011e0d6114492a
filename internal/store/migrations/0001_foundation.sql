-- +goose Up

-- One text for SQLite and PostgreSQL. Instants are BIGINT milliseconds since 1970 UTC, JSON and
-- ids are TEXT. A tenant's table starts its primary key with the organization. Three tables are
-- directories that must be searched before the organization is known, or belong to nobody:
-- settings, plans, api_keys (by hash) and users (by address).

CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE plans (
    name             TEXT    NOT NULL PRIMARY KEY,
    api              BOOLEAN NOT NULL,
    customers        BOOLEAN NOT NULL,
    monthly_messages BIGINT,
    retention_days   BIGINT,
    write_per_minute BIGINT  NOT NULL,
    read_per_minute  BIGINT  NOT NULL
);

INSERT INTO plans (name, api, customers, monthly_messages, retention_days, write_per_minute, read_per_minute) VALUES
    ('starter',    FALSE, FALSE, 1000,    30,   60,     600),
    ('pro',        TRUE,  FALSE, 100000,  180,  600,    6000),
    ('business',   TRUE,  TRUE,  1000000, 365,  6000,   60000),
    ('enterprise', TRUE,  TRUE,  NULL,    NULL, 600000, 6000000);

CREATE TABLE organizations (
    id                  TEXT    NOT NULL PRIMARY KEY,
    name                TEXT    NOT NULL,
    plan                TEXT    NOT NULL REFERENCES plans (name),
    subscription_status TEXT    NOT NULL,
    trial_ends_at       BIGINT,
    suspended           BOOLEAN NOT NULL,
    created_at          BIGINT  NOT NULL,
    updated_at          BIGINT  NOT NULL
);

CREATE TABLE teams (
    org_id     TEXT   NOT NULL REFERENCES organizations (id),
    id         TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    name_key   TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, name_key)
);

CREATE TABLE users (
    org_id        TEXT   NOT NULL REFERENCES organizations (id),
    id            TEXT   NOT NULL,
    email         TEXT   NOT NULL,
    email_key     TEXT   NOT NULL UNIQUE,
    name          TEXT   NOT NULL,
    password_hash TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);

CREATE TABLE team_members (
    org_id  TEXT NOT NULL,
    team_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    role    TEXT NOT NULL,
    PRIMARY KEY (org_id, team_id, user_id),
    FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id),
    FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);
CREATE INDEX team_members_by_user ON team_members (org_id, user_id);

CREATE TABLE api_keys (
    org_id     TEXT   NOT NULL REFERENCES organizations (id),
    id         TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    hash       TEXT   NOT NULL UNIQUE,
    last4      TEXT   NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);

CREATE TABLE labels (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    team_id    TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    name_key   TEXT   NOT NULL,
    color      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, team_id, name_key),
    FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
);
CREATE INDEX labels_by_age ON labels (org_id, created_at DESC, id DESC);
CREATE INDEX labels_by_team ON labels (org_id, team_id, created_at DESC, id DESC);

CREATE TABLE idempotency (
    org_id      TEXT   NOT NULL,
    key         TEXT   NOT NULL,
    fingerprint TEXT   NOT NULL,
    request_id  TEXT   NOT NULL,
    status      BIGINT NOT NULL,
    body        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (org_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE rate_buckets (
    org_id     TEXT             NOT NULL,
    class      TEXT             NOT NULL,
    tokens     DOUBLE PRECISION NOT NULL,
    updated_at BIGINT           NOT NULL,
    PRIMARY KEY (org_id, class)
);

-- Purged by organization and id (ids carry their time), so the hot insert keeps one index.
CREATE TABLE api_log (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    key_id     TEXT   NOT NULL,
    method     TEXT   NOT NULL,
    path       TEXT   NOT NULL,
    status     BIGINT NOT NULL,
    latency_us BIGINT NOT NULL,
    ip         TEXT   NOT NULL,
    PRIMARY KEY (org_id, id)
);
