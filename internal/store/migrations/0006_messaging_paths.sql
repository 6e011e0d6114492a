-- +goose Up

-- A contact is of one account, so this is as unique, and to a planner that knows nothing of the
-- table yet no other index looks as good.
DROP INDEX conversations_by_contact;
CREATE UNIQUE INDEX conversations_by_contact ON conversations (org_id, contact_id);
