-- +goose Up

-- A role is what a person may do in the organization. It used to be one for each team: the highest counts.
ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'agent';
UPDATE users SET role = 'admin' WHERE EXISTS (
    SELECT 1 FROM team_members m WHERE m.org_id = users.org_id AND m.user_id = users.id AND m.role = 'admin');
UPDATE users SET role = 'owner' WHERE EXISTS (
    SELECT 1 FROM team_members m WHERE m.org_id = users.org_id AND m.user_id = users.id AND m.role = 'owner');
ALTER TABLE team_members DROP COLUMN role;

-- Which conversations a person sees: all, those of its teams, or those assigned to it.
ALTER TABLE users ADD COLUMN sees TEXT NOT NULL DEFAULT 'all';
-- A person that has left stays, for what it wrote.
ALTER TABLE users ADD COLUMN disabled_at BIGINT;
ALTER TABLE users ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
UPDATE users SET updated_at = created_at;

-- A session is found by the hash of its token.
CREATE TABLE sessions (
    org_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    hash       TEXT   NOT NULL UNIQUE,
    client     TEXT   NOT NULL,
    address    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);
CREATE INDEX sessions_by_user ON sessions (org_id, user_id);
CREATE INDEX sessions_by_use ON sessions (seen_at);

-- A person has one link at most, for an invitation or to set another password.
CREATE TABLE user_links (
    org_id     TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    hash       TEXT   NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);
