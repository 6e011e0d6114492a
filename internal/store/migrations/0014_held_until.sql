-- +goose Up

-- An event waits for its file until this instant at most, then goes out without. What waits when this
-- column comes has waited long enough.
ALTER TABLE held_events ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
CREATE INDEX held_events_by_end ON held_events (held_until);

-- Which callbacks a node has, without a look at the callbacks themselves, which can be large.
CREATE INDEX callbacks_by_owner ON callbacks (owner, id, due_at);
