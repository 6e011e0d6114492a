-- +goose Up

-- Who did what, for administrators. An id begins with its instant. There is an index for each way to narrow it.
CREATE TABLE audit_log (
    org_id      TEXT NOT NULL,
    id          TEXT NOT NULL,
    doer_kind   TEXT NOT NULL, -- user, key or operator
    doer_id     TEXT NOT NULL,
    doer_name   TEXT NOT NULL,
    address     TEXT NOT NULL,
    action      TEXT NOT NULL,
    object_id   TEXT NOT NULL,
    object_name TEXT NOT NULL,
    details     TEXT NOT NULL, -- JSON
    PRIMARY KEY (org_id, id)
);
CREATE INDEX audit_log_by_doer ON audit_log (org_id, doer_id, id);
CREATE INDEX audit_log_by_action ON audit_log (org_id, action, id);
CREATE INDEX audit_log_by_object ON audit_log (org_id, object_id, id);
