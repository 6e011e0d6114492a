package store

import "time"

// TemplateSync is when a business account's templates are read from the provider next.
type TemplateSync struct {
	OrgID    string
	WABAID   string
	DueAt    time.Time
	Attempts int        // that failed, in a row
	SyncedAt *time.Time // nil: never
}

const templateSyncSelect = "SELECT org_id, waba_id, due_at, attempts, synced_at FROM template_syncs"

func scanTemplateSync(row scanner) (s TemplateSync, err error) {
	var dueAt int64
	var syncedAt *int64
	err = row.Scan(&s.OrgID, &s.WABAID, &dueAt, &s.Attempts, &syncedAt)
	s.DueAt, s.SyncedAt = toTime(dueAt), toTimePtr(syncedAt)
	return s, err
}

// TemplateSync returns a business account's schedule, or ErrNotFound.
func (r Reader) TemplateSync(orgID, wabaID string) (TemplateSync, error) {
	return one(r, scanTemplateSync, templateSyncSelect+" WHERE org_id = $1 AND waba_id = $2", orgID, wabaID)
}

// DueTemplateSyncs returns what is due, the longest waiting first. Nothing is put off for longer than so
// much: where a row says otherwise, it was written before a clock was turned back.
func (r Reader) DueTemplateSyncs(now time.Time, longest time.Duration, limit int) ([]TemplateSync, error) {
	return many(r, scanTemplateSync, templateSyncSelect+" WHERE due_at <= $1 OR due_at > $2 ORDER BY due_at LIMIT $3",
		now.UnixMilli(), fromFuture(now.Add(longest)), limit)
}

// ScheduleTemplateSync makes a synchronization due at an instant, unless it is due before.
func (tx *Tx) ScheduleTemplateSync(orgID, wabaID string, at time.Time) error {
	return tx.later(`INSERT INTO template_syncs (org_id, waba_id, due_at, attempts) VALUES ($1, $2, $3, 0)
		ON CONFLICT (org_id, waba_id) DO UPDATE SET due_at = excluded.due_at WHERE template_syncs.due_at > excluded.due_at`,
		orgID, wabaID, at.UnixMilli())
}

// ClaimTemplateSync takes a due synchronization, until an instant. It reports false when another
// node was faster.
func (tx *Tx) ClaimTemplateSync(s TemplateSync, until time.Time) (bool, error) {
	n, err := tx.exec("UPDATE template_syncs SET due_at = $4 WHERE org_id = $1 AND waba_id = $2 AND due_at = $3",
		s.OrgID, s.WABAID, s.DueAt.UnixMilli(), until.UnixMilli())
	return n > 0, err
}

// BeginTemplateSync takes a synchronization out of turn, until an instant.
func (tx *Tx) BeginTemplateSync(orgID, wabaID string, until time.Time) error {
	return tx.later(`INSERT INTO template_syncs (org_id, waba_id, due_at, attempts) VALUES ($1, $2, $3, 0)
		ON CONFLICT (org_id, waba_id) DO UPDATE SET due_at = excluded.due_at`, orgID, wabaID, until.UnixMilli())
}

// FinishTemplateSync notes that a synchronization succeeded, and when the next is due. One that
// was asked for meanwhile is due at another instant than the claim ends, and stays.
func (tx *Tx) FinishTemplateSync(orgID, wabaID string, claimedUntil, next time.Time) error {
	return tx.later(`UPDATE template_syncs SET attempts = 0, synced_at = $5, due_at = CASE WHEN due_at = $3 THEN $4 ELSE due_at END
		WHERE org_id = $1 AND waba_id = $2`, orgID, wabaID, claimedUntil.UnixMilli(), next.UnixMilli(), tx.now.UnixMilli())
}

// FailTemplateSync notes that a synchronization failed, and when it is tried again.
func (tx *Tx) FailTemplateSync(orgID, wabaID string, claimedUntil, again time.Time) error {
	return tx.later(`UPDATE template_syncs SET attempts = attempts + 1, due_at = CASE WHEN due_at = $3 THEN $4 ELSE due_at END
		WHERE org_id = $1 AND waba_id = $2`, orgID, wabaID, claimedUntil.UnixMilli(), again.UnixMilli())
}

// ForgetTemplates removes a batch of a business account's templates, and the schedule after the last.
// It returns how many templates went.
func (tx *Tx) ForgetTemplates(orgID, wabaID string, limit int) (int64, error) {
	ids, err := many(tx.Reader, scanText, `DELETE FROM templates WHERE org_id = $1 AND id IN (
		SELECT id FROM templates WHERE org_id = $1 AND waba_id = $2 LIMIT $3) RETURNING id`, orgID, wabaID, limit)
	n := int64(len(ids))
	if err == nil && n > 0 {
		err = tx.forgetTemplateChanges(orgID, tx.dialect.list(ids))
	}
	if err != nil || n == int64(limit) {
		return n, err
	}
	for _, table := range []string{"template_sketches", "template_samples"} {
		if err := tx.later("DELETE FROM "+table+" WHERE org_id = $1 AND waba_id = $2", orgID, wabaID); err != nil {
			return n, err
		}
	}
	return n, tx.later("DELETE FROM template_syncs WHERE org_id = $1 AND waba_id = $2", orgID, wabaID)
}
