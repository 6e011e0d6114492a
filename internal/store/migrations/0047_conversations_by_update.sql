-- +goose Up

-- A message moves its conversation in two indexes instead of three: most conversations were last updated by their last
-- message, and are found by its time.
DROP INDEX conversations_by_update;
CREATE INDEX conversations_by_update ON conversations (org_id, account_id, updated_at DESC, id DESC) WHERE updated_at <> sort_at;
