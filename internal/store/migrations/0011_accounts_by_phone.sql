-- +goose Up

-- Some of the provider's news name a number by its digits alone.
CREATE INDEX accounts_by_phone ON accounts (phone_number) WHERE deleted_at IS NULL;
