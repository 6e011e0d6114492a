-- +goose Up

-- Only those that have a unique address are in the index, so that the recipients of a status are never looked for by
-- it: PostgreSQL did that for a broadcast that is newer than its statistics, and read all recipients for each slice.
DROP INDEX broadcast_recipients_once;
CREATE UNIQUE INDEX broadcast_recipients_once ON broadcast_recipients (broadcast_id, unique_address) WHERE unique_address IS NOT NULL;
