package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// NewContactJob makes a job on many contacts for a user.
func NewContactJob(tx *store.Tx, u chat.User, kind chat.ContactJobKind, status chat.ContactJobStatus, task any) (chat.ContactJob, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return chat.ContactJob{}, err
	}
	return chat.ContactJob{
		ID: tx.NewID(chat.KindContactJob), OrgID: u.OrgID, Kind: kind, Status: status, UserID: u.ID, Task: text, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}, nil
}

// ChangeContacts makes a job that labels, unlabels or deletes contacts that a user sees.
func ChangeContacts(tx *store.Tx, u chat.User, kind chat.ContactJobKind, bulk chat.ContactBulk) (chat.ContactJob, error) {
	if kind == chat.JobLabel {
		if _, err := Label(tx.Reader, u.OrgID, bulk.LabelID); err != nil {
			return chat.ContactJob{}, err
		}
	}
	bulk.IDs = slices.Compact(slices.Sorted(slices.Values(bulk.IDs)))
	total := len(bulk.IDs)
	if bulk.Filter != nil {
		var err error
		if total, err = CountContacts(tx.Reader, u, *bulk.Filter); err != nil {
			return chat.ContactJob{}, err
		}
	} else if seen, err := tx.ContactEntries(u, bulk.IDs); err != nil || len(seen) < len(bulk.IDs) {
		return chat.ContactJob{}, orElse(err, chat.NotFound("contact"))
	}
	job, err := NewContactJob(tx, u, kind, chat.JobRunning, bulk)
	if err != nil {
		return job, err
	}
	job.Total = int64(total)
	action := chat.AuditContactsLabel
	if kind == chat.JobDelete {
		action = chat.AuditContactsDelete
	}
	return job, errors.Join(tx.InsertContactJob(job), audit(tx, u.OrgID, action, chat.AuditObject{ID: job.ID}, "contacts", count(job.Total)))
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// ContactJob returns a job that a user may see: their own, and for admins everybody's.
func ContactJob(r store.Reader, u chat.User, id string) (chat.ContactJob, error) {
	job, err := r.ContactJob(u.OrgID, id)
	if err != nil {
		return job, orNotFound(err, "job")
	}
	seen, err := seesJob(r, u, job)
	if err == nil && !seen {
		err = chat.NotFound("job")
	}
	return job, err
}

// ContactJobs returns the jobs that a user may see, newest first, of the last ones.
func ContactJobs(r store.Reader, u chat.User, last int) ([]chat.ContactJob, error) {
	owner := ""
	if !u.Role.Covers(chat.RoleAdmin) {
		owner = u.ID
	}
	jobs, err := r.ContactJobs(u.OrgID, owner, last)
	if err != nil {
		return nil, err
	}
	visible := jobs[:0]
	for _, job := range jobs {
		seen, err := seesJob(r, u, job)
		if err != nil {
			return nil, err
		}
		if seen {
			visible = append(visible, job)
		}
	}
	return visible, nil
}

// seesJob reports whether a job is there for a user. An import shows who is in its file, and can be undone: it is there for
// those who see everybody of its number, and before it has one for its owner alone.
func seesJob(r store.Reader, u chat.User, job chat.ContactJob) (bool, error) {
	switch {
	case job.UserID == u.ID:
		return true, nil
	case !u.Role.Covers(chat.RoleAdmin):
		return false, nil
	case u.Sees == chat.SeesAll || job.Kind != chat.JobImport:
		return true, nil
	case u.Sees == chat.SeesAssigned:
		return false, nil
	}
	var task chat.ContactImport
	if err := json.Unmarshal(job.Task, &task); err != nil {
		return false, err
	}
	_, err := SeenNumber(r, u, task.Number)
	if code, _ := chat.CodeOf(err); code == chat.CodeResourceNotFound {
		return false, nil
	}
	return err == nil, err
}

// StartImport starts the import of an uploaded file into the contacts of a number.
func StartImport(tx *store.Tx, u chat.User, id string, account chat.Account, mapping chat.ImportMapping) (chat.ContactJob, error) {
	job, task, err := draftImport(tx.Reader, u, id)
	if err != nil {
		return job, err
	}
	if err := mapping.Check(); err != nil {
		return job, err
	}
	for _, label := range mapping.LabelIDs {
		if _, err := attachableLabel(tx.Reader, account, label); err != nil {
			return job, err
		}
	}
	task.Number, task.Mapping = deref(account.PhoneNumberID), &mapping
	if job.Task, err = json.Marshal(task); err != nil {
		return job, err
	}
	job.Status, job.UpdatedAt = chat.JobRunning, tx.Now()
	return job, errors.Join(tx.UpdateContactJob(job), audit(tx, u.OrgID, chat.AuditContactsImport, chat.AuditObject{ID: job.ID}, "number", task.Number))
}

// draftImport is an import that was not started.
func draftImport(r store.Reader, u chat.User, id string) (job chat.ContactJob, task chat.ContactImport, err error) {
	if job, err = ContactJob(r, u, id); err != nil {
		return job, task, err
	}
	if job.Kind != chat.JobImport || job.Status != chat.JobDraft {
		return job, task, chat.Invalid("id", "This import has been started already.")
	}
	return job, task, json.Unmarshal(job.Task, &task)
}

// UndoImport makes a job undo an import completely, even one that still runs.
func UndoImport(tx *store.Tx, u chat.User, id string) (chat.ContactJob, error) {
	job, err := ContactJob(tx.Reader, u, id)
	if err != nil {
		return job, err
	}
	if job.Kind != chat.JobImport || !slices.Contains([]chat.ContactJobStatus{chat.JobRunning, chat.JobDone, chat.JobFailed}, job.Status) {
		return job, chat.Invalid("id", "There is nothing to undo.")
	}
	job.Status, job.UpdatedAt, job.Total, job.Done, job.Reason = chat.JobUndoing, tx.Now(), job.Slices, 0, ""
	if err := tx.ForgetJobFile(&job); err != nil {
		return job, err
	}
	return job, errors.Join(tx.UpdateContactJob(job), audit(tx, u.OrgID, chat.AuditContactsUndo, chat.AuditObject{ID: job.ID}))
}

// BulkSlice continues a change of many contacts: it handles up to limit rows, and returns how many. Who matches a filter
// can change meanwhile, so that the total is only known in the end.
func BulkSlice(tx *store.Tx, job chat.ContactJob, limit int) (chat.ContactJob, int64, error) {
	var bulk chat.ContactBulk
	if err := json.Unmarshal(job.Task, &bulk); err != nil {
		return job, 0, err
	}
	u, err := workingFor(tx, job)
	if err != nil {
		return job, 0, err
	}
	ids, err := nextOf(tx.Reader, u, job, bulk, limit)
	if err != nil {
		return job, 0, err
	}
	if len(ids) == 0 {
		job.Status, job.Total = chat.JobDone, job.Done
		return job, 0, nil
	}
	var n int64
	if job.Kind == chat.JobDelete {
		job, n, err = deleteSlice(tx, u, job, ids, limit)
	} else {
		job, n, err = labelSlice(tx, u, job, bulk, ids)
	}
	job.Total = max(job.Total, job.Done)
	return job, n, err
}

// workingFor is the user of a job, who sees no more of people's numbers by it than when signed in. A job does not outlive
// the right to begin it.
func workingFor(tx *store.Tx, job chat.ContactJob) (chat.User, error) {
	u, err := tx.User(job.OrgID, job.UserID)
	if err != nil {
		return u, err
	}
	if u.DisabledAt != nil || job.Kind == chat.JobDelete && !u.Role.Covers(chat.RoleAdmin) {
		return u, chat.Fail(chat.CodeForbidden, "It was stopped, because whoever began it may not do this any more.")
	}
	org, err := tx.PeekOrganization(job.OrgID)
	u.Masked = org.Settings.Masks(u)
	return u, err
}

// nextOf are the next contacts of the job. Contacts that were made after the job are not included.
func nextOf(r store.Reader, u chat.User, job chat.ContactJob, bulk chat.ContactBulk, limit int) ([]string, error) {
	var ids []string
	if bulk.Filter == nil {
		for _, id := range bulk.IDs {
			if id > job.Position && len(ids) < limit {
				ids = append(ids, id)
			}
		}
		return ids, nil
	}
	query, ok, err := ContactQuery(r, u, *bulk.Filter)
	if err != nil || !ok {
		return nil, err
	}
	ids, err = r.ContactIDs(u, query, job.Position, limit)
	latest := string(chat.KindContact) + job.ID[len(chat.KindContactJob):]
	return slices.DeleteFunc(ids, func(id string) bool { return id > latest }), err
}

// labelSlice labels the contacts that can have the label, and counts the others as failed.
func labelSlice(tx *store.Tx, u chat.User, job chat.ContactJob, bulk chat.ContactBulk, ids []string) (chat.ContactJob, int64, error) {
	label, err := Label(tx.Reader, u.OrgID, bulk.LabelID)
	if err != nil {
		return job, 0, err
	}
	entries, err := tx.ContactEntries(u, ids)
	if err != nil {
		return job, 0, err
	}
	byAccount, order := map[string][]string{}, []string{}
	for _, e := range entries {
		if e.TeamID != label.TeamID {
			job.Failed++
			continue
		}
		if byAccount[e.AccountID] == nil {
			order = append(order, e.AccountID)
		}
		byAccount[e.AccountID] = append(byAccount[e.AccountID], e.ID)
	}
	change := tx.AttachToContacts
	if bulk.Detach {
		change = tx.DetachFromContacts
	}
	for _, accountID := range order {
		account, err := tx.PeekAccount(u.OrgID, accountID)
		if err != nil {
			return job, 0, err
		}
		there, err := tx.ContactsAmong(u.OrgID, accountID, byAccount[accountID]) // locked: a label must not outlive its contact
		if err != nil {
			return job, 0, err
		}
		n, err := relabelContacts(tx, account, change, label.ID, there)
		if err != nil {
			return job, 0, err
		}
		job.Changed += int64(n)
	}
	job.Position, job.Done = ids[len(ids)-1], job.Done+int64(len(ids))
	return job, int64(len(ids)), nil
}

// deleteSlice deletes contacts, each after its messages, until limit rows are reached. Those that somebody else has
// deleted or merged meanwhile are done, but not changed.
func deleteSlice(tx *store.Tx, u chat.User, job chat.ContactJob, ids []string, limit int) (chat.ContactJob, int64, error) {
	entries, err := tx.ContactEntries(u, ids)
	if err != nil {
		return job, 0, err
	}
	accounts := make(map[string]string, len(entries))
	for _, e := range entries {
		accounts[e.ID] = e.AccountID
	}
	left := int64(limit)
	for _, id := range ids {
		n, all, err := deleteSome(tx, u.OrgID, accounts[id], id, left)
		if err != nil {
			return job, 0, err
		}
		left -= n
		if all {
			job.Changed, job.Done, job.Position = job.Changed+min(n, 1), job.Done+1, id
		}
		if left <= 0 {
			break // the next step deletes the rest
		}
	}
	return job, int64(limit) - left, nil
}

// deleteSome deletes a contact with its messages, as far as limit rows go. It returns how many rows that were, and
// whether the contact is gone.
func deleteSome(tx *store.Tx, orgID, accountID, id string, limit int64) (n int64, all bool, err error) {
	_, err = tx.Contact(orgID, accountID, id) // locks it, and does not follow a merge to somebody who was not chosen
	if errors.Is(err, store.ErrNotFound) {
		return 0, true, nil
	}
	if err != nil {
		return 0, false, err
	}
	account, err := tx.PeekAccount(orgID, accountID)
	if err != nil {
		return 0, false, err
	}
	if n, err = DeleteSomeMessages(tx, account, id, int(limit)); err != nil {
		return 0, false, fmt.Errorf("delete the messages of a contact: %w", err)
	}
	if n >= limit {
		return n, false, nil
	}
	return n + 1, true, DeleteContact(tx, account, id)
}
