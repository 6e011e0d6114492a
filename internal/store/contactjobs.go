package store

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const contactJobColumns = `org_id, id, kind, status, user_id, task, blob_key, position, slices, total, done, created, changed, failed, reason,
	created_at, updated_at`

func scanContactJob(row scanner) (j chat.ContactJob, err error) {
	var task string
	var createdAt, updatedAt int64
	err = row.Scan(&j.OrgID, &j.ID, &j.Kind, &j.Status, &j.UserID, &task, &j.BlobKey, &j.Position, &j.Slices, &j.Total, &j.Done,
		&j.Created, &j.Changed, &j.Failed, &j.Reason, &createdAt, &updatedAt)
	j.Task, j.CreatedAt, j.UpdatedAt = json.RawMessage(task), toTime(createdAt), toTime(updatedAt)
	return j, err
}

// ContactJob returns a job on many contacts, or ErrNotFound.
func (r Reader) ContactJob(orgID, id string) (chat.ContactJob, error) {
	return one(r, scanContactJob, "SELECT "+contactJobColumns+" FROM contact_jobs WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}

// ContactJobs returns an organization's jobs on many contacts, newest first; with a user, only that user's.
func (r Reader) ContactJobs(orgID, userID string, limit int) ([]chat.ContactJob, error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.addIf("user_id = ?", userID)
	c.add("status <> ?", string(chat.JobDraft))
	return many(r, scanContactJob, "SELECT "+contactJobColumns+" FROM contact_jobs"+c.where()+" ORDER BY id DESC LIMIT "+c.arg(limit), c.args...)
}

// ContactJobUnderWay names an unfinished job.
type ContactJobUnderWay struct{ OrgID, ID string }

// ContactJobsUnderWay returns up to limit unfinished jobs, of each organization the oldest, at most each of them. The
// oldest of every organization come before the next ones of any.
func (r Reader) ContactJobsUnderWay(each, limit int) ([]ContactJobUnderWay, error) {
	return many(r, func(row scanner) (j ContactJobUnderWay, err error) {
		err = row.Scan(&j.OrgID, &j.ID)
		return j, err
	}, `SELECT org_id, id FROM (
			SELECT org_id, id, row_number() OVER (PARTITION BY org_id ORDER BY id) AS place FROM contact_jobs WHERE status IN ('running', 'undoing')
		) AS jobs WHERE place <= $1 ORDER BY place, id LIMIT $2`, each, limit)
}

// InsertContactJob stores a new job.
func (tx *Tx) InsertContactJob(j chat.ContactJob) error {
	tx.noteContacts(j.OrgID)
	return tx.insert("INSERT INTO contact_jobs ("+contactJobColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		j.OrgID, j.ID, string(j.Kind), string(j.Status), j.UserID, string(j.Task), j.BlobKey, j.Position, j.Slices, j.Total, j.Done,
		j.Created, j.Changed, j.Failed, j.Reason, j.CreatedAt.UnixMilli(), j.UpdatedAt.UnixMilli())
}

// UpdateContactJob stores the progress of a job.
func (tx *Tx) UpdateContactJob(j chat.ContactJob) error {
	tx.noteContacts(j.OrgID)
	return tx.execOne(`UPDATE contact_jobs SET status = $3, task = $4, blob_key = $5, position = $6, slices = $7, total = $8, done = $9,
			created = $10, changed = $11, failed = $12, reason = $13, updated_at = $14 WHERE org_id = $1 AND id = $2`,
		j.OrgID, j.ID, string(j.Status), string(j.Task), j.BlobKey, j.Position, j.Slices, j.Total, j.Done,
		j.Created, j.Changed, j.Failed, j.Reason, j.UpdatedAt.UnixMilli())
}

// InsertJobSlice stores the result of a slice.
func (tx *Tx) InsertJobSlice(orgID, jobID string, slice int64, did chat.JobSlice, errors []chat.ImportError) error {
	undo, err := json.Marshal(did)
	if err != nil {
		return err
	}
	problems, err := json.Marshal(append([]chat.ImportError{}, errors...))
	if err != nil {
		return err
	}
	return tx.later("INSERT INTO contact_job_slices (org_id, job_id, slice, undo, errors) VALUES ($1, $2, $3, $4, $5)",
		orgID, jobID, slice, string(undo), string(problems))
}

// JobSlice returns the result of a slice, or ErrNotFound.
func (r Reader) JobSlice(orgID, jobID string, slice int64) (did chat.JobSlice, err error) {
	text, err := one(r, scanText, "SELECT undo FROM contact_job_slices WHERE org_id = $1 AND job_id = $2 AND slice = $3", orgID, jobID, slice)
	if err != nil {
		return did, err
	}
	return did, json.Unmarshal([]byte(text), &did)
}

// JobErrors returns the rows that a slice rejected. A missing slice has none.
func (r Reader) JobErrors(orgID, jobID string, slice int64) (problems []chat.ImportError, err error) {
	texts, err := many(r, scanText, "SELECT errors FROM contact_job_slices WHERE org_id = $1 AND job_id = $2 AND slice = $3", orgID, jobID, slice)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	return problems, json.Unmarshal([]byte(texts[0]), &problems)
}

// ForgetJobFile queues the file of a job for removal.
func (tx *Tx) ForgetJobFile(j *chat.ContactJob) error {
	if j.BlobKey == nil {
		return nil
	}
	err := tx.later("INSERT INTO removed_files (org_id, blob_key) VALUES ($1, $2) ON CONFLICT DO NOTHING", j.OrgID, *j.BlobKey)
	j.BlobKey = nil
	return err
}

// PurgeContactJobs deletes jobs without progress since the instant, with their slices, and returns the number
// of rows.
func (tx *Tx) PurgeContactJobs(before time.Time, limit int) (int64, error) {
	jobs, err := many(tx.Reader, scanContactJob, "SELECT "+contactJobColumns+` FROM contact_jobs
		WHERE updated_at < $1 AND status NOT IN ('running', 'undoing') ORDER BY updated_at LIMIT 1`, before.UnixMilli())
	if err != nil || len(jobs) == 0 {
		return 0, err
	}
	job := jobs[0]
	n, err := tx.exec(`DELETE FROM contact_job_slices WHERE org_id = $1 AND job_id = $2 AND slice IN
		(SELECT slice FROM contact_job_slices WHERE org_id = $1 AND job_id = $2 LIMIT $3)`, job.OrgID, job.ID, limit)
	if err != nil || n >= int64(limit) {
		return n, err
	}
	if err := tx.ForgetJobFile(&job); err != nil {
		return 0, err
	}
	if _, err := tx.exec("DELETE FROM contact_jobs WHERE org_id = $1 AND id = $2", job.OrgID, job.ID); err != nil {
		return 0, err
	}
	return int64(limit), nil // there may be more
}
