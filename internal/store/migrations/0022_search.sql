-- +goose Up

-- What the search index must look at again: rows whose ids do not tell that they are new, were changed, or
-- have gone. New rows are found by their ids. subjects are ids, with commas between them.
CREATE TABLE search_changes (
    id       TEXT NOT NULL PRIMARY KEY,
    org_id   TEXT NOT NULL,
    subjects TEXT NOT NULL
);
