-- +goose Up

-- Who made a link; empty for the operator, and for links that people asked for themselves. A link lets somebody choose
-- another's password, so those of a person who loses the right to make them have to be found.
ALTER TABLE user_links ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
-- Nobody knows whether an owner made the links of owners that exist.
DELETE FROM user_links WHERE EXISTS (
    SELECT 1 FROM users u WHERE u.org_id = user_links.org_id AND u.id = user_links.user_id AND u.role = 'owner');
