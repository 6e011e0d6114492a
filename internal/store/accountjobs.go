package store

import "time"

// AccountJobKind says whether the account was connected or disconnected.
type AccountJobKind string

const (
	JobConnected    AccountJobKind = "connected"
	JobDisconnected AccountJobKind = "disconnected"
)

// AccountJob is the follow-up work after a number was connected or disconnected.
type AccountJob struct {
	OrgID     string
	AccountID string
	Kind      AccountJobKind
	Attempts  int
	DueAt     time.Time
	CreatedAt time.Time
}

const accountJobColumns = "org_id, account_id, kind, attempts, due_at, created_at"

func scanAccountJob(row scanner) (j AccountJob, err error) {
	var dueAt, createdAt int64
	err = row.Scan(&j.OrgID, &j.AccountID, &j.Kind, &j.Attempts, &dueAt, &createdAt)
	j.DueAt, j.CreatedAt = toTime(dueAt), toTime(createdAt)
	return j, err
}

// AccountJobs returns the open jobs of an organization's numbers.
func (r Reader) AccountJobs(orgID string) ([]AccountJob, error) {
	return many(r, scanAccountJob, "SELECT "+accountJobColumns+" FROM account_jobs WHERE org_id = $1 ORDER BY account_id, kind", orgID)
}

// PutAccountJob asks for a follow-up. A job that is under way starts over.
func (tx *Tx) PutAccountJob(orgID, accountID string, kind AccountJobKind) error {
	tx.noteNumber(orgID)
	_, err := tx.exec(`INSERT INTO account_jobs (`+accountJobColumns+`) VALUES ($1, $2, $3, 0, $4, $4)
		ON CONFLICT (org_id, account_id, kind) DO UPDATE SET attempts = 0, due_at = excluded.due_at, created_at = excluded.created_at`,
		orgID, accountID, string(kind), tx.now.UnixMilli())
	return err
}

// ClaimAccountJobs gives the node up to limit due jobs of a kind until the given instant. A job that nobody has claimed
// yet is due at once. No job is postponed for longer than longest: if its row says otherwise, it was written
// before the clock was turned back.
func (tx *Tx) ClaimAccountJobs(kind AccountJobKind, node string, until time.Time, longest time.Duration, limit int) ([]AccountJob, error) {
	claimed, err := many(tx.Reader, scanAccountJob, "UPDATE account_jobs SET due_at = $2 WHERE "+tx.dialect.oneOfThose("org_id, account_id, kind",
		"account_jobs WHERE kind = $6 AND (due_at <= $1 OR due_at > $4 OR due_at > $5 AND due_at = created_at) ORDER BY due_at LIMIT $3"+tx.dialect.skipLocked)+
		" RETURNING "+accountJobColumns, tx.now.UnixMilli(), until.UnixMilli(), limit, fromFuture(tx.now.Add(longest)), fromFuture(tx.now), string(kind))
	if err == nil && len(claimed) > 0 {
		err = tx.stillAlive(node)
	}
	return claimed, err
}

// HoldAccountJob extends a claim, or schedules another attempt. It returns false if the job is no longer the
// claimant's: it was put anew, or the claim ran out.
func (tx *Tx) HoldAccountJob(j AccountJob, until time.Time, attempts int) (bool, error) {
	n, err := tx.exec(`UPDATE account_jobs SET due_at = $5, attempts = $6 WHERE org_id = $1 AND account_id = $2 AND kind = $3 AND due_at = $4`,
		j.OrgID, j.AccountID, string(j.Kind), j.DueAt.UnixMilli(), until.UnixMilli(), attempts)
	return n > 0, err
}

// FinishAccountJob deletes a job. It returns false if the job is no longer the claimant's.
func (tx *Tx) FinishAccountJob(j AccountJob) (bool, error) {
	n, err := tx.exec("DELETE FROM account_jobs WHERE org_id = $1 AND account_id = $2 AND kind = $3 AND due_at = $4",
		j.OrgID, j.AccountID, string(j.Kind), j.DueAt.UnixMilli())
	return n > 0, err
}

// FreeAccountJobs makes every job due, because the process that had claimed them was killed.
func (tx *Tx) FreeAccountJobs() error {
	_, err := tx.exec("UPDATE account_jobs SET due_at = $1 WHERE due_at > $1", tx.now.UnixMilli())
	return err
}
