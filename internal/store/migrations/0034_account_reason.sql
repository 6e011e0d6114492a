-- +goose Up

-- Why a number is not connected, in words for people; null while it is.
ALTER TABLE accounts ADD COLUMN status_reason TEXT;
