-- +goose Up

-- How many messages there are of each kind in a quarter of an hour. Counted behind those who write messages.
CREATE TABLE message_counts (
    org_id     TEXT   NOT NULL,
    slot       BIGINT NOT NULL, -- when the quarter begins
    account_id TEXT   NOT NULL,
    direction  TEXT   NOT NULL,
    status     TEXT   NOT NULL,
    error_code TEXT   NOT NULL,
    count      BIGINT NOT NULL,
    PRIMARY KEY (org_id, slot, account_id, direction, status, error_code)
);

-- Which quarters were counted. version rises with each time, so that of two nodes that count the same one
-- the later count stays. Slot 0 says that everything from before was counted once.
CREATE TABLE counted_slots (
    org_id  TEXT   NOT NULL,
    slot    BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (org_id, slot)
);

-- How long it took to answer somebody who waited, and to resolve a conversation.
CREATE TABLE outcomes (
    org_id     TEXT   NOT NULL,
    what       TEXT   NOT NULL, -- answered or resolved
    at         BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    account_id TEXT   NOT NULL,
    user_id    TEXT,
    took       BIGINT NOT NULL,
    PRIMARY KEY (org_id, what, at, id)
);

-- Few templates are refused, and those are looked for whenever somebody opens the first page.
CREATE INDEX templates_refused ON templates (org_id, updated_at DESC) WHERE status = 'rejected' OR provider_status = 'PAUSED';
