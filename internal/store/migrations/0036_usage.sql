-- +goose Up

-- How much room an organization's files take is added up from this index alone.
CREATE INDEX media_by_size ON media (org_id, size);
