-- +goose Up

-- What came with a message beside its content, as JSON: referral, context, order, errors. Null for most.
ALTER TABLE messages ADD COLUMN extra TEXT;
