-- +goose Up

-- Why a delivery ended where no attempt of it was the reason. error_code is the last attempt's own,
-- and stays.
ALTER TABLE webhook_deliveries ADD COLUMN ended_by TEXT;
UPDATE webhook_deliveries SET ended_by = error_code, error_code = NULL, error_message = NULL
    WHERE status <> 'succeeded' AND status = 'dead' AND error_code IN ('subscription_disabled', 'subscription_deleted');

-- Which events carry the message's content: their rows, separated by commas. Whoever removes the
-- message removes the content there too.
ALTER TABLE messages ADD COLUMN event_rows TEXT;
