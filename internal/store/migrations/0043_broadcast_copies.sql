-- +goose Up

-- A draft with an owner is a copy that this node has not finished. One that is left is found by this index.
CREATE INDEX broadcasts_copied ON broadcasts (created_at) WHERE status = 'draft' AND owner <> '';
