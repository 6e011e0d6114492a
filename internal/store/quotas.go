package store

import "errors"

// TakeFromQuota adds messages to the month's count, unless there would be more than most. It reports whether it did.
func (tx *Tx) TakeFromQuota(orgID, month string, messages, most int64) (bool, error) {
	if messages > most {
		return false, nil
	}
	_, err := one(tx.Reader, scanInt64, `INSERT INTO message_quotas (org_id, month, used) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, month) DO UPDATE SET used = message_quotas.used + excluded.used
			WHERE message_quotas.used + excluded.used <= $4 RETURNING used`, orgID, month, messages, most)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// UncountMessage subtracts a message that was counted and never sent.
func (tx *Tx) UncountMessage(orgID, month string) error {
	return tx.later("UPDATE message_quotas SET used = used - 1 WHERE org_id = $1 AND month = $2 AND used > 0", orgID, month)
}

// MessagesCounted is the number of counted messages of a month.
func (r Reader) MessagesCounted(orgID, month string) (int64, error) {
	return one(r, scanInt64, "SELECT COALESCE(SUM(used), 0) FROM message_quotas WHERE org_id = $1 AND month = $2", orgID, month)
}
