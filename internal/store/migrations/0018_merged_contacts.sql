-- +goose Up

-- Ids of contacts and conversations that have become one with another. They go on naming it.
CREATE TABLE merged_ids (
    org_id TEXT NOT NULL,
    old_id TEXT NOT NULL,
    new_id TEXT NOT NULL,
    PRIMARY KEY (org_id, old_id)
);
CREATE INDEX merged_ids_by_new ON merged_ids (org_id, new_id);

-- Contacts that are to become one and have too many messages for that to happen at once.
CREATE TABLE due_merges (
    org_id     TEXT NOT NULL,
    account_id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    other_id   TEXT NOT NULL,
    PRIMARY KEY (org_id, contact_id, other_id)
);

-- When two conversations become one, what waits to be sent stays in the queue it is in: that of the
-- conversation named here. What is accepted afterwards waits for all of it (gated).
ALTER TABLE send_jobs ADD COLUMN lane TEXT NOT NULL DEFAULT '';
ALTER TABLE send_jobs ADD COLUMN gated BOOLEAN NOT NULL DEFAULT FALSE;
