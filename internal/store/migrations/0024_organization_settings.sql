-- +goose Up

-- What an organization has chosen for itself, as JSON. automatic tells that messages that come in set
-- something off: without it a callback does not read the rest.
ALTER TABLE organizations ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE organizations ADD COLUMN automatic BOOLEAN NOT NULL DEFAULT FALSE;

-- Whether somebody takes no new conversations for now.
ALTER TABLE users ADD COLUMN away BOOLEAN NOT NULL DEFAULT FALSE;
-- Whose turn it is in a team: the member with the smallest number gets the next conversation.
ALTER TABLE team_members ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;

-- Why something happened to a conversation that nobody did.
ALTER TABLE happenings ADD COLUMN why TEXT;

-- When somebody was last told that nobody is there.
CREATE TABLE away_replies (
    org_id          TEXT   NOT NULL,
    conversation_id TEXT   NOT NULL,
    sent_at         BIGINT NOT NULL,
    PRIMARY KEY (org_id, conversation_id)
);
