-- +goose Up

-- The dashboard lists the contacts of all numbers, the newest first or by name. search_key begins with the
-- name. What follows the id is there for filters: a list that passes over many rows reads none of them.
CREATE INDEX contacts_of_org ON contacts (org_id, created_at DESC, id DESC, account_id, marketing_consent);
CREATE INDEX contacts_by_name ON contacts (org_id, search_key, id, account_id, marketing_consent);

-- Who changed what a contact wants of marketing, and when.
CREATE TABLE consent_changes (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    contact_id TEXT   NOT NULL,
    previous   TEXT   NOT NULL,
    consent    TEXT   NOT NULL,
    source     TEXT   NOT NULL, -- user, key, provider, message, import, merge
    by_id      TEXT,            -- the user, the key, the message or the import
    at         BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX consent_changes_by_contact ON consent_changes (org_id, contact_id, id);

-- What colleagues write about a person, whatever the conversation.
CREATE TABLE contact_notes (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    contact_id TEXT   NOT NULL,
    author_id  TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    edited_at  BIGINT,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX contact_notes_by_contact ON contact_notes (org_id, contact_id, id);

-- Work on many contacts: an import, a label, a deletion. task says what is to be done, position how far it is.
CREATE TABLE contact_jobs (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    status     TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    task       TEXT   NOT NULL,
    blob_key   TEXT,            -- of an import's file
    position   TEXT   NOT NULL,
    slices     BIGINT NOT NULL,
    total      BIGINT NOT NULL,
    done       BIGINT NOT NULL,
    created    BIGINT NOT NULL,
    changed    BIGINT NOT NULL,
    failed     BIGINT NOT NULL,
    reason     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX contact_jobs_under_way ON contact_jobs (id) WHERE status IN ('running', 'undoing');
CREATE INDEX contact_jobs_by_age ON contact_jobs (updated_at);

-- What a slice of such work did, as JSON: how it is undone, and which rows of the file could not be taken.
CREATE TABLE contact_job_slices (
    org_id TEXT   NOT NULL,
    job_id TEXT   NOT NULL,
    slice  BIGINT NOT NULL,
    undo   TEXT   NOT NULL,
    errors TEXT   NOT NULL,
    PRIMARY KEY (org_id, job_id, slice)
);
