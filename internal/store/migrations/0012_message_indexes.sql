-- +goose Up

-- Each index is a page more to write with every message. One serves direction and status, each of
-- them or neither: a list that names no value of theirs is read value by value, side by side. An
-- account or conversation is of one organization, so the indexes need not say which.
DROP INDEX messages_by_account;
DROP INDEX messages_by_direction;
DROP INDEX messages_by_status;
CREATE INDEX messages_by_status ON messages (account_id, direction, status, id);
DROP INDEX messages_by_conversation;
CREATE INDEX messages_by_conversation ON messages (conversation_id, id);
DROP INDEX messages_by_type;
CREATE INDEX messages_by_type ON messages (account_id, type, id);
