-- +goose Up

-- How many messages there are of each kind in the quarters of an hour of a day (in UTC): a row for each number,
-- and one for all together (account_id ''). A report on months so reads hundreds of rows.
-- counts is "33i12 33r5 …": a quarter's place in the day, a letter for the kind (i in, q not sent yet, s sent,
-- d delivered, r read, f failed), how many. failures is "33 acc_… 2 undeliverable,…", in the row of all numbers.
CREATE TABLE message_days (
    org_id     TEXT   NOT NULL,
    account_id TEXT   NOT NULL,
    day        BIGINT NOT NULL, -- when it begins
    counts     TEXT   NOT NULL,
    failures   TEXT   NOT NULL,
    PRIMARY KEY (org_id, account_id, day)
);
CREATE INDEX message_days_by_day ON message_days (org_id, day);

CREATE TABLE kinds_of_slots AS
    SELECT org_id, slot, account_id,
        CASE WHEN direction = 'inbound' THEN 'i' WHEN status IN ('sent', 'delivered', 'read', 'failed') THEN substr(status, 1, 1) ELSE 'q' END AS kind,
        SUM(count) AS count
    FROM message_counts GROUP BY 1, 2, 3, 4;

INSERT INTO message_days (org_id, account_id, day, counts, failures)
    SELECT org_id, account_id, slot - slot % 86400000,
        string_agg(CAST(slot % 86400000 / 900000 AS TEXT) || kind || CAST(count AS TEXT), ' '), ''
    FROM kinds_of_slots GROUP BY org_id, account_id, slot - slot % 86400000;

INSERT INTO message_days (org_id, account_id, day, counts, failures)
    SELECT s.org_id, '', s.day, string_agg(s.entry, ' '), COALESCE((
        SELECT string_agg(CAST(m.slot % 86400000 / 900000 AS TEXT) || ' ' || m.account_id || ' ' || CAST(m.count AS TEXT) || ' ' || m.error_code, ',')
        FROM message_counts m
        WHERE m.org_id = s.org_id AND m.slot >= s.day AND m.slot < s.day + 86400000 AND m.direction = 'outbound' AND m.status = 'failed'), '')
    FROM (SELECT org_id, slot - slot % 86400000 AS day, CAST(slot % 86400000 / 900000 AS TEXT) || kind || CAST(SUM(count) AS TEXT) AS entry
        FROM kinds_of_slots GROUP BY org_id, slot, kind) s
    GROUP BY s.org_id, s.day;

DROP TABLE kinds_of_slots;
DROP TABLE message_counts;

-- How long it took to answer or to resolve, of six hours that are over: the seconds, sorted, as steps from each to
-- the next. sum is in milliseconds. Packed in the order of time, so that the last row tells how far it went.
CREATE TABLE packed_durations (
    org_id     TEXT   NOT NULL,
    what       TEXT   NOT NULL,
    account_id TEXT   NOT NULL, -- '': all numbers together
    begins     BIGINT NOT NULL,
    sum        BIGINT NOT NULL,
    seconds    TEXT   NOT NULL,
    PRIMARY KEY (org_id, what, account_id, begins)
);
