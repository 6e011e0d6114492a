-- +goose Up

-- Messages, events and the rows of work are listed by id alone: an id carries the instant of its
-- row's created_at, so the order is the same and the indexes are narrower.

CREATE TABLE customers (
    org_id      TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    team_id     TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    email       TEXT,
    status      TEXT   NOT NULL,
    metadata    TEXT,
    archived_at BIGINT,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- The provider's callbacks name a number and nothing else, so a number belongs to one account of
-- the whole installation. A disconnected account is gone at once (deleted_at) and purged later.
CREATE TABLE accounts (
    org_id            TEXT    NOT NULL,
    id                TEXT    NOT NULL,
    team_id           TEXT    NOT NULL,
    customer_id       TEXT,
    phone_number_id   TEXT,
    phone_number      TEXT,
    waba_id           TEXT    NOT NULL,
    name              TEXT,
    status            TEXT    NOT NULL,
    provider_status   TEXT,
    quality           TEXT,
    restricted_sends  TEXT,   -- which sends are refused: all, business, customer
    restricted_until  BIGINT,
    require_opt_in    BOOLEAN NOT NULL,
    token             TEXT    NOT NULL, -- sealed
    registering_until BIGINT,
    created_at        BIGINT  NOT NULL,
    updated_at        BIGINT  NOT NULL,
    deleted_at        BIGINT,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX accounts_by_number ON accounts (phone_number_id) WHERE deleted_at IS NULL;
CREATE INDEX accounts_by_waba ON accounts (waba_id) WHERE deleted_at IS NULL;
CREATE INDEX accounts_by_age ON accounts (org_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX accounts_by_customer ON accounts (org_id, customer_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE contacts (
    org_id            TEXT   NOT NULL,
    id                TEXT   NOT NULL,
    account_id        TEXT   NOT NULL,
    phone_number      TEXT,
    bsuid             TEXT,
    parent_bsuid      TEXT,
    username          TEXT,
    username_key      TEXT,
    name              TEXT,
    email             TEXT,
    metadata          TEXT,
    marketing_consent TEXT   NOT NULL,
    search_key        TEXT   NOT NULL, -- name, email, number and username, case folded
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX contacts_by_number ON contacts (org_id, account_id, phone_number) WHERE phone_number IS NOT NULL;
CREATE UNIQUE INDEX contacts_by_bsuid ON contacts (org_id, account_id, bsuid) WHERE bsuid IS NOT NULL;
CREATE UNIQUE INDEX contacts_by_parent ON contacts (org_id, account_id, parent_bsuid) WHERE parent_bsuid IS NOT NULL;
CREATE UNIQUE INDEX contacts_by_username ON contacts (org_id, account_id, username_key) WHERE username_key IS NOT NULL;
CREATE INDEX contacts_by_age ON contacts (org_id, account_id, created_at DESC, id DESC);

-- sort_at is last_message_at, or 0 where there is none: newest first then has the nulls last.
CREATE TABLE conversations (
    org_id          TEXT   NOT NULL,
    id              TEXT   NOT NULL,
    account_id      TEXT   NOT NULL,
    contact_id      TEXT   NOT NULL,
    status          TEXT   NOT NULL,
    assigned_to     TEXT,
    unread_count    BIGINT NOT NULL,
    sort_at         BIGINT NOT NULL,
    last_inbound_at BIGINT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX conversations_by_contact ON conversations (org_id, account_id, contact_id);
CREATE INDEX conversations_by_activity ON conversations (org_id, account_id, sort_at DESC, id DESC);
CREATE INDEX conversations_by_status ON conversations (org_id, account_id, status, sort_at DESC, id DESC);
CREATE INDEX conversations_by_assignee ON conversations (org_id, account_id, assigned_to, sort_at DESC, id DESC) WHERE assigned_to IS NOT NULL;
CREATE INDEX conversations_by_assignee_status ON conversations (org_id, account_id, assigned_to, status, sort_at DESC, id DESC) WHERE assigned_to IS NOT NULL;
CREATE INDEX conversations_by_update ON conversations (org_id, account_id, updated_at DESC, id DESC);

CREATE TABLE contact_labels (
    org_id     TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    label_id   TEXT NOT NULL,
    PRIMARY KEY (org_id, contact_id, label_id)
);
CREATE INDEX contact_labels_by_label ON contact_labels (org_id, label_id, contact_id);

CREATE TABLE conversation_labels (
    org_id          TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    label_id        TEXT NOT NULL,
    PRIMARY KEY (org_id, conversation_id, label_id)
);
CREATE INDEX conversation_labels_by_label ON conversation_labels (org_id, label_id, conversation_id);

CREATE TABLE messages (
    org_id          TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    account_id      TEXT    NOT NULL,
    conversation_id TEXT    NOT NULL,
    contact_id      TEXT    NOT NULL,
    direction       TEXT    NOT NULL,
    type            TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    provider_id     TEXT,
    content         TEXT    NOT NULL,
    context_id      TEXT    NOT NULL,
    error_code      TEXT,
    error_message   TEXT,
    error_provider  BIGINT,
    played_at       BIGINT,
    revoked         BOOLEAN NOT NULL,
    sent_reported   BOOLEAN NOT NULL, -- a callback has confirmed that it was sent
    media_id        TEXT,   -- of the stored file, library or inbound
    edits           TEXT,   -- earlier contents, oldest first
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX messages_by_account ON messages (org_id, account_id, id);
CREATE INDEX messages_by_conversation ON messages (org_id, conversation_id, id);
CREATE INDEX messages_by_status ON messages (org_id, account_id, status, id);
CREATE INDEX messages_by_direction ON messages (org_id, account_id, direction, id);
CREATE INDEX messages_by_type ON messages (org_id, account_id, type, id);
CREATE UNIQUE INDEX messages_by_provider_id ON messages (org_id, account_id, provider_id) WHERE provider_id IS NOT NULL;

-- What a node has to do. A row is born owned by the node that wrote it, which works on it from
-- memory; a row whose owner is not alive is taken over by any node.
CREATE TABLE nodes (
    id         TEXT   NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

CREATE TABLE send_jobs (
    org_id          TEXT   NOT NULL,
    message_id      TEXT   NOT NULL,
    account_id      TEXT   NOT NULL,
    conversation_id TEXT   NOT NULL,
    due_at          BIGINT NOT NULL,
    attempts        BIGINT NOT NULL,
    in_doubt        BOOLEAN NOT NULL, -- the last attempt went out and its answer was lost
    owner           TEXT   NOT NULL,
    PRIMARY KEY (org_id, message_id)
);
CREATE INDEX send_jobs_by_due ON send_jobs (due_at);
CREATE INDEX send_jobs_by_conversation ON send_jobs (org_id, conversation_id, message_id);

-- Callbacks as they came, until they are applied.
CREATE TABLE callbacks (
    id          TEXT   NOT NULL PRIMARY KEY,
    body        TEXT   NOT NULL,
    due_at      BIGINT NOT NULL,
    attempts    BIGINT NOT NULL,
    owner       TEXT   NOT NULL
);

-- What happened, with the exact bytes that are delivered. subject keeps the order of what
-- concerns the same conversation, contact or customer.
CREATE TABLE events (
    org_id          TEXT   NOT NULL,
    id              TEXT   NOT NULL, -- ours, evt_
    event_id        TEXT   NOT NULL, -- the receiver's dedupe key
    type            TEXT   NOT NULL,
    source          TEXT   NOT NULL,
    phone_number_id TEXT   NOT NULL,
    subject         TEXT   NOT NULL,
    payload         TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- Files: the library's and those that came in. token is the unguessable part of the address.
CREATE TABLE media (
    org_id            TEXT   NOT NULL,
    id                TEXT   NOT NULL,
    account_id        TEXT   NOT NULL,
    team_id           TEXT   NOT NULL,
    origin            TEXT   NOT NULL, -- library, inbound
    mime_type         TEXT   NOT NULL,
    size              BIGINT NOT NULL,
    sha256            TEXT   NOT NULL,
    filename          TEXT,
    token             TEXT   NOT NULL UNIQUE,
    blob_key          TEXT   NOT NULL,
    provider_media_id TEXT,
    provider_expires  BIGINT,
    created_at        BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- Events that wait for a file: what the provider said, kept until the file is stored or given up.
CREATE TABLE held_events (
    org_id     TEXT NOT NULL,
    message_id TEXT NOT NULL,
    raw        TEXT NOT NULL,
    PRIMARY KEY (org_id, message_id)
);

-- Inbound files still to be fetched.
CREATE TABLE media_jobs (
    org_id            TEXT   NOT NULL,
    message_id        TEXT   NOT NULL,
    account_id        TEXT   NOT NULL,
    provider_media_id TEXT   NOT NULL,
    url               TEXT   NOT NULL,
    mime_type         TEXT   NOT NULL,
    sha256            TEXT   NOT NULL,
    filename          TEXT   NOT NULL,
    due_at            BIGINT NOT NULL,
    attempts          BIGINT NOT NULL,
    owner             TEXT   NOT NULL,
    PRIMARY KEY (org_id, message_id)
);

-- How many messages a month an organization has sent, where its plan has a limit.
CREATE TABLE message_quotas (
    org_id TEXT   NOT NULL,
    month  TEXT   NOT NULL,
    used   BIGINT NOT NULL,
    PRIMARY KEY (org_id, month)
);
