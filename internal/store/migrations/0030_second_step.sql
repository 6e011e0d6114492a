-- +goose Up

-- Whether somebody signs in with a code besides the password. It is read with the person on every request;
-- the rest is in a table of its own.
ALTER TABLE users ADD COLUMN second_step BOOLEAN NOT NULL DEFAULT FALSE;

-- What codes are made of. It counts only once a code was given that fits.
CREATE TABLE second_steps (
    org_id       TEXT   NOT NULL,
    user_id      TEXT   NOT NULL,
    secret       TEXT   NOT NULL, -- sealed
    created_at   BIGINT NOT NULL,
    confirmed_at BIGINT,
    last_counter BIGINT NOT NULL DEFAULT 0, -- of the newest code that was used: no code counts twice
    PRIMARY KEY (org_id, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

-- For those who have lost the phone. Each works once.
CREATE TABLE recovery_codes (
    org_id  TEXT NOT NULL,
    user_id TEXT NOT NULL,
    hash    TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id, hash),
    FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);
