-- +goose Up

-- How many webhook deliveries were made in a quarter of an hour, and what has become of them. Counted behind
-- those who write them. version rises with each time, as in counted_slots.
CREATE TABLE delivery_counts (
    org_id     TEXT   NOT NULL,
    slot       BIGINT NOT NULL, -- when the quarter begins
    version    BIGINT NOT NULL,
    deliveries BIGINT NOT NULL,
    pending    BIGINT NOT NULL,
    failed     BIGINT NOT NULL, -- attempted in vain, and to be attempted again
    dead       BIGINT NOT NULL,
    PRIMARY KEY (org_id, slot)
);
