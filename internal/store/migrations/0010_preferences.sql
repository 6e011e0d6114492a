-- +goose Up

-- When the contact last told the provider what to send them. Callbacks come in any order, and the
-- latest wish counts.
ALTER TABLE contacts ADD COLUMN preference_at BIGINT;
