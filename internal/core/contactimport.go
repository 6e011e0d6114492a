package core

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// importer imports a slice of rows into an account's contacts.
type importer struct {
	tx      *store.Tx
	account chat.Account
	by      chat.Actor
	mapping chat.ImportMapping
	labels  map[string]string // ids of the team's labels, by folded name
	there   map[string]bool   // of label ids, whether the label still exists

	did      chat.JobSlice
	problems []chat.ImportError
	created  int64
	changed  int64
	failed   int64
}

// ImportSlice imports rows into an account's contacts, stores what an undo needs, and notes the progress in the job,
// all in one transaction.
func ImportSlice(tx *store.Tx, account chat.Account, job chat.ContactJob, mapping chat.ImportMapping, rows []chat.ImportRow) (chat.ContactJob, error) {
	labels, err := tx.LabelsOfTeam(account.OrgID, account.TeamID)
	if err != nil {
		return job, err
	}
	im := importer{tx: tx, account: account, by: chat.Actor{Source: chat.ConsentByImport, ID: job.ID}, mapping: mapping, there: map[string]bool{}}
	im.know(labels)
	for _, row := range rows {
		if err := im.take(row); err != nil {
			return job, err
		}
	}
	if len(im.did.Contacts) > 0 || len(im.did.Labels) > 0 || len(im.problems) > 0 {
		if err := tx.InsertJobSlice(job.OrgID, job.ID, job.Slices, im.did, im.problems); err != nil {
			return job, err
		}
		job.Slices++
	}
	job.Created, job.Changed, job.Failed = job.Created+im.created, job.Changed+im.changed, job.Failed+im.failed
	return job, nil
}

// know notes the labels of the team.
func (im *importer) know(labels []chat.Label) {
	im.labels = make(map[string]string, len(labels))
	for _, label := range labels {
		im.labels[chat.FoldCase(label.Name)] = label.ID
	}
}

// take imports one row. An invalid row is noted in the job, and is no error.
func (im *importer) take(row chat.ImportRow) error {
	if row.Problem != "" {
		im.refuse(row, row.Problem)
		return nil
	}
	labelIDs, unknown, err := im.labelsOf(row)
	if err != nil {
		return err
	}
	if unknown != "" {
		im.refuse(row, fmt.Sprintf("There is no label %q. Make it first, or let the import make labels.", unknown))
		return nil
	}
	err = im.put(row, labelIDs)
	if code, _ := chat.CodeOf(err); code == chat.CodeContactAlreadyExists { // since it was looked for: another import, or the person wrote
		err = im.put(row, labelIDs)
	}
	if refused, ok := errors.AsType[*chat.Error](err); ok {
		im.refuse(row, refused.Message)
		return nil
	}
	return err
}

// put creates a row's contact, or changes the one that is there.
func (im *importer) put(row chat.ImportRow, labelIDs []string) error {
	contact, err := findContact(im.tx.Reader, im.account, person{Number: row.Number})
	switch {
	case errors.Is(err, store.ErrNotFound):
		err = im.create(row, labelIDs)
	case err == nil && !im.mapping.SkipExisting:
		err = im.change(row, contact, labelIDs)
	}
	return err
}

func (im *importer) refuse(row chat.ImportRow, problem string) {
	im.failed++
	im.problems = append(im.problems, chat.ImportError{Row: row.Row, Problem: problem, Cells: row.Cells})
}

// labelsOf finds the labels of a row, and makes the missing ones if the job asks for it.
func (im *importer) labelsOf(row chat.ImportRow) (ids []string, unknown string, err error) {
	ids = append(ids, im.mapping.LabelIDs...)
	for _, name := range row.Labels {
		id := im.labels[chat.FoldCase(name)]
		if id == "" && !im.mapping.CreateLabels {
			return nil, name, nil
		}
		if id == "" {
			if id, err = im.makeLabel(name); err != nil {
				return nil, "", err
			}
		}
		ids = append(ids, id)
	}
	return ids, "", nil
}

// makeLabel makes a label, unless somebody else has made it since the team's labels were read.
func (im *importer) makeLabel(name string) (id string, err error) {
	label, err := CreateLabel(im.tx, im.account.OrgID, chat.NewLabel{Name: name, TeamID: im.account.TeamID})
	if err == nil {
		im.labels[chat.FoldCase(name)] = label.ID
		im.did.Labels = append(im.did.Labels, label.ID)
		return label.ID, nil
	}
	if _, taken := chat.CodeOf(err); !taken {
		return "", err
	}
	labels, readErr := im.tx.LabelsOfTeam(im.account.OrgID, im.account.TeamID)
	if readErr != nil {
		return "", readErr
	}
	im.know(labels)
	if id, there := im.labels[chat.FoldCase(name)]; there {
		return id, nil
	}
	return "", err
}

func (im *importer) create(row chat.ImportRow, labelIDs []string) error {
	contact, err := row.New().Contact()
	if err == nil {
		contact, err = addContact(im.tx, im.account, contact)
	}
	if err != nil {
		return err
	}
	if row.Consent != "" {
		if _, err := UpdateContact(im.tx, im.account, contact.ID, chat.ContactPatch{Consent: &row.Consent}, im.by); err != nil {
			return err
		}
	}
	if _, err := im.attach(contact.ID, labelIDs); err != nil {
		return err
	}
	im.created++
	im.did.Contacts = append(im.did.Contacts, chat.ImportUndo{ContactID: contact.ID, Created: true})
	return nil
}

func (im *importer) change(row chat.ImportRow, before chat.Contact, labelIDs []string) error {
	patch, kept := row.Patch(before)
	after, err := UpdateContact(im.tx, im.account, before.ID, patch, im.by)
	if err != nil {
		return err
	}
	attached, err := im.attach(before.ID, labelIDs)
	if err != nil {
		return err
	}
	if kept {
		im.problems = append(im.problems, chat.ImportError{Row: row.Row, Cells: row.Cells,
			Problem: "The consent stays as it is: this person has opted out. The rest of the row was imported."})
	}
	undo := chat.ImportUndo{ContactID: before.ID, Before: chat.ImportedStateOf(before), After: chat.ImportedStateOf(after), Labels: attached}
	if undo.Before.Same(*undo.After) && len(attached) == 0 {
		return nil
	}
	im.changed++
	im.did.Contacts = append(im.did.Contacts, undo)
	return nil
}

// attach attaches labels to a contact, and returns the ones that it did not have. Labels that were deleted since the start
// are left out, as if they were deleted after the end.
func (im *importer) attach(contactID string, labelIDs []string) (attached []string, err error) {
	for _, id := range labelIDs {
		if there, err := im.isThere(id); err != nil {
			return nil, err
		} else if !there {
			continue
		}
		n, err := relabelContacts(im.tx, im.account, im.tx.AttachToContacts, id, []string{contactID})
		if err != nil {
			return nil, err
		}
		if n > 0 {
			attached = append(attached, id)
		}
	}
	return attached, nil
}

// isThere reports whether a label exists, and keeps it from being deleted before the end of the transaction.
func (im *importer) isThere(labelID string) (bool, error) {
	if there, known := im.there[labelID]; known {
		return there, nil
	}
	_, err := im.tx.Label(im.account.OrgID, labelID)
	im.there[labelID] = err == nil
	return err == nil, ignoreNotFound(err)
}

// UndoSlice reverts the last slice of an import, except for later changes: contacts that have a conversation or a note
// by now stay.
func UndoSlice(tx *store.Tx, job chat.ContactJob) (chat.ContactJob, error) {
	did, err := tx.JobSlice(job.OrgID, job.ID, job.Slices-1)
	if err != nil {
		return job, err
	}
	by := chat.Actor{Source: chat.ConsentByImport, ID: job.ID}
	for i := len(did.Contacts) - 1; i >= 0; i-- {
		if err := undoContact(tx, job.OrgID, did.Contacts[i], by); err != nil {
			return job, err
		}
	}
	for _, id := range did.Labels {
		used, err := tx.LabelIsUsed(job.OrgID, id)
		if err == nil && !used {
			err = ignoreNotFound(tx.DeleteLabel(job.OrgID, id))
		}
		if err != nil {
			return job, err
		}
	}
	job.Slices--
	return job, nil
}

func undoContact(tx *store.Tx, orgID string, undo chat.ImportUndo, by chat.Actor) error {
	found, err := tx.ContactsByID(orgID, map[string]bool{undo.ContactID: true})
	contact, there := found[undo.ContactID]
	if err != nil || !there {
		return err
	}
	account, err := tx.PeekAccount(orgID, contact.AccountID)
	if err == nil {
		contact, err = tx.Contact(orgID, account.ID, contact.ID) // again, to lock it
	}
	if err != nil { // the number is disconnected and its contacts are purged, or somebody has just deleted the contact
		return ignoreNotFound(err)
	}
	if undo.Created {
		return undoCreated(tx, account, contact)
	}
	for _, id := range undo.Labels {
		if _, err := relabelContacts(tx, account, tx.DetachFromContacts, id, []string{contact.ID}); err != nil {
			return err
		}
	}
	was := undo.Undo(contact)
	_, err = UpdateContact(tx, account, contact.ID, restoring(was), by)
	return err
}

func undoCreated(tx *store.Tx, account chat.Account, contact chat.Contact) error {
	_, err := tx.ConversationWith(account.OrgID, contact.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	notes, err := tx.ContactNotes(account.OrgID, contact.ID)
	if err != nil || len(notes) > 0 {
		return err
	}
	return DeleteContact(tx, account, contact.ID)
}

// restoring is the patch that restores a contact.
func restoring(was chat.Contact) chat.ContactPatch {
	name := was.Name
	if name != nil && strings.TrimSpace(*name) == "" { // contacts of earlier versions can have such a name
		name = nil
	}
	p := chat.ContactPatch{Name: chat.Patch[string]{Given: true, Value: name}, Email: chat.Patch[string]{Given: true, Value: was.Email}, Consent: &was.Consent}
	p.Metadata.Given = true
	if was.Metadata != nil {
		p.Metadata.Value = &was.Metadata
	}
	return p
}
