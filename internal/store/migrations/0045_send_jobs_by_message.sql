-- +goose Up

-- Only the primary key has the message as it is. PostgreSQL, which takes this table for an empty one, looked for the job of
-- a message by any index that has the message, and read all of it.
DROP INDEX send_jobs_by_conversation;
CREATE INDEX send_jobs_by_conversation ON send_jobs (conversation_id, (message_id || ''));
DROP INDEX send_jobs_by_owner;
CREATE INDEX send_jobs_by_owner ON send_jobs (owner, account_id, (message_id || ''));
