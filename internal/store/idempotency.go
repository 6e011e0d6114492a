package store

import "time"

// IdempotencyWindow is how long an answer is stored and replayed.
const IdempotencyWindow = 24 * time.Hour

// IdempotencyRecord is the answer to the first request with a key.
type IdempotencyRecord struct {
	OrgID       string
	Key         string
	Fingerprint string
	RequestID   string
	Status      int
	Body        string
	CreatedAt   time.Time
}

func scanIdempotencyRecord(row scanner) (rec IdempotencyRecord, err error) {
	var createdAt int64
	err = row.Scan(&rec.OrgID, &rec.Key, &rec.Fingerprint, &rec.RequestID, &rec.Status, &rec.Body, &createdAt)
	rec.CreatedAt = toTime(createdAt)
	return rec, err
}

// LockAnswer takes the lock of a key's request. It returns false if another transaction has it. On PostgreSQL the stored
// answer is read with it.
func (tx *Tx) LockAnswer(k AnswerKey) (bool, error) {
	if pg, ok := tx.db.(*postgresTx); ok && tx.foreseen == nil {
		known, err := pg.foresee(tx.ctx, []Foresight{{Answer: k}})
		if err != nil {
			return false, err
		}
		tx.foreseen = known
	}
	return tx.TryLock(k.lock())
}

// IdempotencyRecord returns the answer stored under a key since the instant, or ErrNotFound.
func (r Reader) IdempotencyRecord(orgID, key string, since time.Time) (IdempotencyRecord, error) {
	if rec, known := r.foreseen.answer(AnswerKey{orgID, key}); known {
		if rec == nil || !rec.CreatedAt.After(since) {
			return IdempotencyRecord{}, ErrNotFound
		}
		return *rec, nil
	}
	return one(r, scanIdempotencyRecord, `SELECT org_id, key, fingerprint, request_id, status, body, created_at
		FROM idempotency WHERE org_id = $1 AND key = $2 AND created_at > $3`, orgID, key, since.UnixMilli())
}

// PutIdempotencyRecord stores an answer, and replaces one that is older than the window.
func (tx *Tx) PutIdempotencyRecord(rec IdempotencyRecord) error {
	const text = `INSERT INTO idempotency (org_id, key, fingerprint, request_id, status, body, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (org_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, request_id = excluded.request_id,
			status = excluded.status, body = excluded.body, created_at = excluded.created_at
		WHERE idempotency.created_at <= excluded.created_at - 86400000`
	args := []any{rec.OrgID, rec.Key, rec.Fingerprint, rec.RequestID, rec.Status, rec.Body, tx.now.UnixMilli()}
	if tx.foreseen != nil { // it was looked up under the key's lock
		return tx.later(text, args...)
	}
	return tx.insert(text, args...)
}

// PurgeIdempotency deletes up to limit records older than the window and returns how many. The age is checked
// twice: PostgreSQL waits for a record that is being replaced, and then checks only the outer condition again.
func (tx *Tx) PurgeIdempotency(limit int) (int64, error) {
	return tx.exec("DELETE FROM idempotency WHERE created_at + 0 <= $1 AND "+tx.dialect.oneOfThose("org_id, key", "idempotency WHERE created_at <= $1 LIMIT $2"),
		tx.now.Add(-IdempotencyWindow).UnixMilli(), limit)
}
