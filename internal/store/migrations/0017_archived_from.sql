-- +goose Up

-- The status that a customer was archived with, and that it comes back to.
ALTER TABLE customers ADD COLUMN archived_from TEXT NOT NULL DEFAULT '';
