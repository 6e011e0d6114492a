-- +goose Up

-- media.origin may also be attachment: a file that somebody sends from the dashboard, which is not listed in the
-- library. Those whose messages are gone are found by their age.
CREATE INDEX media_of_attachments ON media (org_id, id) WHERE origin = 'attachment';
