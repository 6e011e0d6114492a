package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// NoteReport records when the provider reported an aspect of an account. It returns false if a later report is
// known.
func (tx *Tx) NoteReport(a chat.Account, aspect chat.AccountAspect, at time.Time) (bool, error) {
	n, err := tx.exec(`INSERT INTO account_reports (org_id, account_id, aspect, reported_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (org_id, account_id, aspect) DO UPDATE SET reported_at = excluded.reported_at
		WHERE account_reports.reported_at <= excluded.reported_at`, a.OrgID, a.ID, string(aspect), at.UnixMilli())
	return n > 0, err
}
