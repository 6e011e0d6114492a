-- +goose Up

-- Messages that waited when the store was backed up, and may have gone out since: after a restore they wait here
-- until somebody decides.
CREATE TABLE held_sends (
    org_id     TEXT   NOT NULL,
    message_id TEXT   NOT NULL,
    category   TEXT   NOT NULL,
    held_at    BIGINT NOT NULL,
    PRIMARY KEY (org_id, message_id)
);
