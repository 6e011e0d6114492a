package store

// AddToQuota adds messages to the month's count and returns the count.
func (tx *Tx) AddToQuota(orgID, month string, messages int) (int64, error) {
	return one(tx.Reader, scanInt64, `INSERT INTO message_quotas (org_id, month, used) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, month) DO UPDATE SET used = message_quotas.used + excluded.used RETURNING used`, orgID, month, messages)
}

// UncountMessage subtracts a message that was counted and never sent.
func (tx *Tx) UncountMessage(orgID, month string) error {
	return tx.later("UPDATE message_quotas SET used = used - 1 WHERE org_id = $1 AND month = $2 AND used > 0", orgID, month)
}

// MessagesCounted is the number of counted messages of a month.
func (r Reader) MessagesCounted(orgID, month string) (int64, error) {
	return one(r, scanInt64, "SELECT COALESCE(SUM(used), 0) FROM message_quotas WHERE org_id = $1 AND month = $2", orgID, month)
}
