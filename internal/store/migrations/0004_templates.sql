-- +goose Up

-- Templates belong to the provider's business account (waba_id), which the numbers of an
-- organization may share. digest tells whether a synchronization brings anything new.
CREATE TABLE templates (
    org_id           TEXT   NOT NULL,
    id               TEXT   NOT NULL,
    waba_id          TEXT   NOT NULL,
    name             TEXT   NOT NULL,
    language         TEXT   NOT NULL,
    provider_id      TEXT,
    status           TEXT   NOT NULL, -- pending, approved, rejected
    provider_status  TEXT   NOT NULL, -- the provider's own word, PAUSED for example
    reported_at      BIGINT,          -- when the provider said so, where a callback did
    rejected_reason  TEXT,
    category         TEXT,
    parameter_format TEXT   NOT NULL, -- positional, named
    quality          TEXT,
    ttl_seconds      BIGINT,
    components       TEXT   NOT NULL,
    digest           TEXT   NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX templates_by_name ON templates (org_id, waba_id, name, language);
CREATE INDEX templates_by_age ON templates (org_id, waba_id, created_at DESC, id DESC);
CREATE INDEX templates_by_status ON templates (org_id, waba_id, status, created_at DESC, id DESC);
CREATE INDEX templates_by_language ON templates (org_id, waba_id, language, created_at DESC, id DESC);

-- Creations whose answer from the provider is not known: one that is asked for again with the
-- same content is the same creation.
CREATE TABLE template_drafts (
    org_id      TEXT   NOT NULL,
    waba_id     TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    language    TEXT   NOT NULL,
    fingerprint TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (org_id, waba_id, name, language)
);

-- When each business account's templates are read from the provider next. A node takes a row by
-- moving its due_at, so that one node at a time works on it.
CREATE TABLE template_syncs (
    org_id    TEXT   NOT NULL,
    waba_id   TEXT   NOT NULL,
    due_at    BIGINT NOT NULL,
    attempts  BIGINT NOT NULL, -- failed ones in a row
    synced_at BIGINT,          -- null: never
    PRIMARY KEY (org_id, waba_id)
);
CREATE INDEX template_syncs_by_due ON template_syncs (due_at);

INSERT INTO template_syncs (org_id, waba_id, due_at, attempts)
    SELECT DISTINCT org_id, waba_id, 0, 0 FROM accounts WHERE deleted_at IS NULL;
