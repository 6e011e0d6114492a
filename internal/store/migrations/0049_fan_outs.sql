-- +goose Up

-- Events of which not all deliveries are written yet. Those about one subject are numbered in the order of their commits.
-- done is the last subscription that has its delivery, last the last one that existed when the event was recorded.
CREATE TABLE fan_outs (
    org_id  TEXT   NOT NULL,
    subject TEXT   NOT NULL,
    seq     BIGINT NOT NULL,
    event   TEXT   NOT NULL,
    done    TEXT   NOT NULL,
    last    TEXT   NOT NULL,
    PRIMARY KEY (org_id, subject, seq)
);
