-- +goose Up

ALTER TABLE organizations ADD COLUMN deleted_at BIGINT;
