-- +goose Up

-- A broadcast is one template for many people. template and audience are JSON.
CREATE TABLE broadcasts (
    org_id           TEXT    NOT NULL,
    id               TEXT    NOT NULL,
    account_id       TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    status           TEXT    NOT NULL,
    reason           TEXT    NOT NULL,          -- why it is paused, stopped or failed
    template         TEXT    NOT NULL,
    template_digest  TEXT    NOT NULL,          -- of the template's text when it was started
    audience         TEXT    NOT NULL,
    audience_at      TEXT    NOT NULL,          -- the last contact of the audience that became a recipient
    audience_done    BOOLEAN NOT NULL,
    per_second       BIGINT,
    scheduled_at     BIGINT,
    time_zone        TEXT    NOT NULL,
    active           BOOLEAN NOT NULL,          -- a worker has something to do
    owner            TEXT    NOT NULL,          -- the node that works on it
    sent_before      BIGINT  NOT NULL,          -- what had been sent and had failed when it last began
    failed_before    BIGINT  NOT NULL,
    started_at       BIGINT,
    completed_at     BIGINT,
    created_at       BIGINT  NOT NULL,
    updated_at       BIGINT  NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX broadcasts_of_account ON broadcasts (account_id, id);
CREATE INDEX broadcasts_active ON broadcasts (owner, id) WHERE active;
CREATE INDEX broadcasts_scheduled ON broadcasts (scheduled_at) WHERE status = 'scheduled';

-- Whom it goes to. unique_address is empty where the address is wrong, or stands there twice.
CREATE TABLE broadcast_recipients (
    org_id         TEXT   NOT NULL,
    broadcast_id   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    address        TEXT   NOT NULL,             -- a number with +, or a business-scoped user id
    unique_address TEXT,
    variables      TEXT,
    listed         BOOLEAN NOT NULL,            -- by its address, and not found by the audience
    status         TEXT   NOT NULL,             -- waiting, skipped, queued, sent, delivered, read, failed
    reason         TEXT,
    contact_id     TEXT,
    message_id     TEXT,
    replied_at     BIGINT,
    clicked        TEXT,                        -- the button that was pressed
    opted_out_at   BIGINT,
    PRIMARY KEY (org_id, broadcast_id, id)
);
CREATE UNIQUE INDEX broadcast_recipients_once ON broadcast_recipients (broadcast_id, unique_address);
CREATE INDEX broadcast_recipients_by_status ON broadcast_recipients (broadcast_id, status, id);
CREATE UNIQUE INDEX broadcast_recipients_by_message ON broadcast_recipients (message_id) WHERE message_id IS NOT NULL;

-- How many recipients are where. Whoever moves some adds to a row of its kind, so that those who work at the
-- same time do not wait for each other; the sum of all rows counts.
CREATE TABLE broadcast_tallies (
    broadcast_id TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    n            BIGINT NOT NULL,
    PRIMARY KEY (broadcast_id, kind, status)
);

-- The last broadcast to a person: what they write then may be about it.
ALTER TABLE conversations ADD COLUMN broadcast_message TEXT;

-- How many people the provider lets a number write to in 24 hours, in its words.
ALTER TABLE accounts ADD COLUMN messaging_limit TEXT;

-- By which words people say that they want no marketing any more, or want it again.
CREATE TABLE opt_out_words (
    org_id     TEXT   NOT NULL,
    language   TEXT   NOT NULL,
    words      TEXT   NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, language)
);
