-- +goose Up

-- Since when a person waits for an answer, and until when a pending conversation is put away.
ALTER TABLE conversations ADD COLUMN waiting_since BIGINT;
ALTER TABLE conversations ADD COLUMN snoozed_until BIGINT;

-- Every message moves its conversation in each of these indexes, so that there are as few as serve. What
-- follows the id is there for filters: a list that passes over many rows reads none of them.
DROP INDEX conversations_by_activity;
DROP INDEX conversations_by_status;
DROP INDEX conversations_by_assignee;
DROP INDEX conversations_by_assignee_status;
CREATE INDEX conversations_by_activity ON conversations (org_id, account_id, sort_at DESC, id DESC, status);
CREATE INDEX conversations_of_org ON conversations (org_id, status, sort_at DESC, id DESC, account_id, assigned_to, unread_count);
CREATE INDEX conversations_by_assignee ON conversations (org_id, assigned_to, status, sort_at DESC, id DESC, account_id, unread_count)
    WHERE assigned_to IS NOT NULL;
CREATE INDEX conversations_waiting ON conversations (org_id, waiting_since, id) WHERE waiting_since IS NOT NULL;
CREATE INDEX conversations_snoozed ON conversations (org_id, sort_at DESC, id DESC) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_to_wake ON conversations (snoozed_until) WHERE snoozed_until IS NOT NULL;

-- Which user sent a message from the dashboard.
ALTER TABLE messages ADD COLUMN sent_by TEXT;
CREATE INDEX messages_reactions ON messages (conversation_id, id) WHERE type = 'reaction';

-- What colleagues write to each other about a conversation. mentions are the users that it names, as JSON.
CREATE TABLE notes (
    org_id          TEXT   NOT NULL,
    id              TEXT   NOT NULL,
    conversation_id TEXT   NOT NULL,
    author_id       TEXT   NOT NULL,
    body            TEXT   NOT NULL,
    mentions        TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    edited_at       BIGINT,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX notes_by_conversation ON notes (conversation_id, id);

CREATE TABLE note_mentions (
    org_id          TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    note_id         TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id, note_id)
);
CREATE INDEX note_mentions_by_note ON note_mentions (org_id, note_id);
CREATE INDEX note_mentions_by_conversation ON note_mentions (org_id, conversation_id);

-- What was done with a conversation. A label stays as it was then.
CREATE TABLE happenings (
    org_id          TEXT NOT NULL,
    id              TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    what            TEXT NOT NULL,
    by_user         TEXT,            -- null: an API key, a message that came in, or a time that was reached
    to_user         TEXT,
    label_name      TEXT,
    label_color     TEXT,
    until           BIGINT,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX happenings_by_conversation ON happenings (conversation_id, id);

CREATE TABLE drafts (
    org_id          TEXT    NOT NULL,
    user_id         TEXT    NOT NULL,
    conversation_id TEXT    NOT NULL,
    body            TEXT    NOT NULL,
    note            BOOLEAN NOT NULL,
    updated_at      BIGINT  NOT NULL,
    PRIMARY KEY (org_id, user_id, conversation_id)
);
CREATE INDEX drafts_by_conversation ON drafts (org_id, conversation_id);

-- A canned reply is one user's or one team's.
CREATE TABLE canned_replies (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    owner_id   TEXT,
    team_id    TEXT,
    name       TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    media_id   TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);

CREATE TABLE saved_views (
    org_id     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    owner_id   TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    filter     TEXT    NOT NULL,
    shared     BOOLEAN NOT NULL,
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- What a change of many conversations has to be undone with: a row for each slice of it, with the
-- conversations as they were, as JSON.
CREATE TABLE bulk_undos (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    slice      BIGINT NOT NULL,
    user_id    TEXT   NOT NULL,
    change     TEXT   NOT NULL,
    before     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, id, slice)
);
CREATE INDEX bulk_undos_by_age ON bulk_undos (created_at);
