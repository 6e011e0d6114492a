-- +goose Up

-- Jobs are looked for by who has them, number by number, and never by when they are due.
DROP INDEX send_jobs_by_due;
CREATE INDEX send_jobs_by_owner ON send_jobs (owner, account_id, message_id);

-- Files whose row is gone and whose bytes are still to be removed.
CREATE TABLE removed_files (
    blob_key TEXT NOT NULL PRIMARY KEY,
    org_id   TEXT NOT NULL
);
