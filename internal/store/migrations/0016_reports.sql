-- +goose Up

-- Which callbacks have come for a message, as a set: sent 1, delivered 2, read 4, played 8, failed 16.
ALTER TABLE messages ADD COLUMN reports BIGINT NOT NULL DEFAULT 0;
UPDATE messages SET reports = CASE status
        WHEN 'sent' THEN CASE WHEN sent_reported THEN 1 ELSE 0 END
        WHEN 'delivered' THEN 3
        WHEN 'read' THEN 7
        WHEN 'failed' THEN CASE WHEN provider_id IS NULL THEN 0 ELSE 16 END
        ELSE 0 END + CASE WHEN played_at IS NULL THEN 0 ELSE 8 END
    WHERE direction = 'outbound';
ALTER TABLE messages DROP COLUMN sent_reported;

-- The category of a template whose recipient must still want it when it is handed over; else empty.
ALTER TABLE send_jobs ADD COLUMN category TEXT NOT NULL DEFAULT '';
