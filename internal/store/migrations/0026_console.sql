-- +goose Up

-- What the console shows of a call: which operation it was (the path with its variables), what went wrong
-- and where, and the id of what it made.
ALTER TABLE api_log ADD COLUMN route TEXT NOT NULL DEFAULT '';
ALTER TABLE api_log ADD COLUMN code TEXT NOT NULL DEFAULT '';
ALTER TABLE api_log ADD COLUMN param TEXT NOT NULL DEFAULT '';
ALTER TABLE api_log ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE api_log ADD COLUMN made TEXT NOT NULL DEFAULT '';

-- Failures are few, and are what people look for. What succeeds costs no other index than before.
CREATE INDEX api_log_failures ON api_log (org_id, id) WHERE status >= 400;

-- When a key was last used, to the minute. Not a column of api_keys: those rows are remembered while nobody
-- changes them.
CREATE TABLE key_uses (
    org_id  TEXT   NOT NULL,
    key_id  TEXT   NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, key_id)
);
