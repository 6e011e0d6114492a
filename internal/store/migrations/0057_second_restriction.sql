-- +goose Up

-- What of a number's two restrictions is left after restricted_until, and its own end. NULL: nothing. A restriction
-- without an end is left with NULL as its end.
ALTER TABLE accounts ADD COLUMN restricted_then TEXT;
ALTER TABLE accounts ADD COLUMN restricted_then_until BIGINT;
