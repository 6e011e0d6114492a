package store

// CountMessage adds a message to the month's count and returns the count.
func (tx *Tx) CountMessage(orgID, month string) (int64, error) {
	return one(tx.Reader, func(row scanner) (n int64, err error) {
		err = row.Scan(&n)
		return n, err
	}, `INSERT INTO message_quotas (org_id, month, used) VALUES ($1, $2, 1)
		ON CONFLICT (org_id, month) DO UPDATE SET used = message_quotas.used + 1 RETURNING used`, orgID, month)
}
