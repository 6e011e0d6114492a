-- +goose Up

-- A user has two drafts in a conversation: the answer and the note.
DROP INDEX drafts_by_conversation;
ALTER TABLE drafts RENAME TO drafts_before;
CREATE TABLE drafts (
    org_id          TEXT    NOT NULL,
    user_id         TEXT    NOT NULL,
    conversation_id TEXT    NOT NULL,
    note            BOOLEAN NOT NULL,
    body            TEXT    NOT NULL,
    updated_at      BIGINT  NOT NULL,
    CONSTRAINT drafts_of_users PRIMARY KEY (org_id, user_id, conversation_id, note)
);
INSERT INTO drafts (org_id, user_id, conversation_id, note, body, updated_at)
    SELECT org_id, user_id, conversation_id, note, body, updated_at FROM drafts_before;
DROP TABLE drafts_before;
CREATE INDEX drafts_by_conversation ON drafts (org_id, conversation_id);
