package store

import "time"

// TemplateSync is the schedule on which a business account's templates are read from the provider.
type TemplateSync struct {
	OrgID    string
	WABAID   string
	DueAt    time.Time
	Attempts int        // failures in a row
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

// DueTemplateSyncs returns the due synchronizations, longest waiting first. None is postponed for longer than
// longest: if a row says otherwise, it was written before the clock was turned back.
func (r Reader) DueTemplateSyncs(now time.Time, longest time.Duration, limit int) ([]TemplateSync, error) {
	return many(r, scanTemplateSync, templateSyncSelect+" WHERE due_at <= $1 OR due_at > $2 ORDER BY due_at LIMIT $3",
		now.UnixMilli(), fromFuture(now.Add(longest)), limit)
}

// ScheduleTemplateSync makes a synchronization due at an instant, unless it is due earlier.
func (tx *Tx) ScheduleTemplateSync(orgID, wabaID string, at time.Time) error {
	return tx.later(`INSERT INTO template_syncs (org_id, waba_id, due_at, attempts) VALUES ($1, $2, $3, 0)
		ON CONFLICT (org_id, waba_id) DO UPDATE SET due_at = excluded.due_at WHERE template_syncs.due_at > excluded.due_at`,
		orgID, wabaID, at.UnixMilli())
}

// ClaimTemplateSync claims a due synchronization until an instant. It returns false if another node was faster.
func (tx *Tx) ClaimTemplateSync(s TemplateSync, until time.Time) (bool, error) {
	n, err := tx.exec("UPDATE template_syncs SET due_at = $4 WHERE org_id = $1 AND waba_id = $2 AND due_at = $3",
		s.OrgID, s.WABAID, s.DueAt.UnixMilli(), until.UnixMilli())
	return n > 0, err
}

// BeginTemplateSync claims a synchronization out of turn, until an instant.
func (tx *Tx) BeginTemplateSync(orgID, wabaID string, until time.Time) error {
	return tx.later(`INSERT INTO template_syncs (org_id, waba_id, due_at, attempts) VALUES ($1, $2, $3, 0)
		ON CONFLICT (org_id, waba_id) DO UPDATE SET due_at = excluded.due_at`, orgID, wabaID, until.UnixMilli())
}

// FinishTemplateSync records a success, and when the next synchronization is due. One that was requested
// meanwhile has another due time than the end of the claim, and stays.
func (tx *Tx) FinishTemplateSync(orgID, wabaID string, claimedUntil, next time.Time) error {
	return tx.later(`UPDATE template_syncs SET attempts = 0, synced_at = $5, due_at = CASE WHEN due_at = $3 THEN $4 ELSE due_at END
		WHERE org_id = $1 AND waba_id = $2`, orgID, wabaID, claimedUntil.UnixMilli(), next.UnixMilli(), tx.now.UnixMilli())
}

// FailTemplateSync records a failure, and when to try again.
func (tx *Tx) FailTemplateSync(orgID, wabaID string, claimedUntil, again time.Time) error {
	return tx.later(`UPDATE template_syncs SET attempts = attempts + 1, due_at = CASE WHEN due_at = $3 THEN $4 ELSE due_at END
		WHERE org_id = $1 AND waba_id = $2`, orgID, wabaID, claimedUntil.UnixMilli(), again.UnixMilli())
}

// ForgetTemplates deletes a batch of a business account's templates, and after the last one the schedule. It
// returns how many templates it deleted.
func (tx *Tx) ForgetTemplates(orgID, wabaID string, limit int) (int64, error) {
	ids, err := many(tx.Reader, scanText, "DELETE FROM templates WHERE "+tx.dialect.oneOfThose("org_id, id",
		"templates WHERE org_id = $1 AND waba_id = $2 LIMIT $3")+" RETURNING id", orgID, wabaID, limit)
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
