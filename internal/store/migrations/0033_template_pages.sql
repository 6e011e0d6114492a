-- +goose Up

-- What a search looks through: the name and the texts. What is here already has more in it until it changes.
ALTER TABLE templates ADD COLUMN search_key TEXT NOT NULL DEFAULT '';
UPDATE templates SET search_key = LOWER(name || ' ' || components);

-- What became of a template: its reviews and pauses, its quality, its category. Rows go with their template.
CREATE TABLE template_changes (
    org_id      TEXT   NOT NULL,
    template_id TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    aspect      TEXT   NOT NULL, -- status, quality, category, next_category
    previous    TEXT   NOT NULL, -- empty: there was none
    value       TEXT   NOT NULL, -- in the provider's words
    reason      TEXT   NOT NULL,
    detail      TEXT   NOT NULL, -- what the provider says about it
    at          BIGINT NOT NULL,
    PRIMARY KEY (org_id, template_id, id)
);

-- Templates that somebody has begun to write and that nobody has submitted. content is the form's.
CREATE TABLE template_sketches (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    waba_id    TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    language   TEXT   NOT NULL,
    category   TEXT   NOT NULL,
    content    TEXT   NOT NULL,
    author_id  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX template_sketches_by_age ON template_sketches (org_id, waba_id, updated_at DESC, id DESC);

-- Which library files are the samples of a template; the provider has copies of its own.
CREATE TABLE template_samples (
    org_id   TEXT NOT NULL,
    waba_id  TEXT NOT NULL,
    name     TEXT NOT NULL,
    language TEXT NOT NULL,
    place    TEXT NOT NULL, -- the component, as errors name it
    media_id TEXT NOT NULL,
    PRIMARY KEY (org_id, waba_id, name, language, place)
);
CREATE INDEX template_samples_by_file ON template_samples (org_id, media_id);

-- The library's files of a team, and where a file is used. Few messages have files.
CREATE INDEX media_of_library ON media (org_id, team_id, id DESC) WHERE origin = 'library';
CREATE INDEX messages_by_file ON messages (org_id, media_id) WHERE media_id IS NOT NULL;
CREATE INDEX canned_replies_by_file ON canned_replies (org_id, media_id) WHERE media_id IS NOT NULL;
