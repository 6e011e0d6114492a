package chat

import (
	"encoding/json"
	"time"
)

// ContactJob is work on many contacts, done in slices in the background.
type ContactJob struct {
	ID       string
	OrgID    string
	Kind     ContactJobKind
	Status   ContactJobStatus
	UserID   string
	Task     json.RawMessage // a ContactBulk or a ContactImport
	BlobKey  *string         // of an import's file
	Position string          // where the next slice begins
	Slices   int64           // how many slices there are
	// Total and Done count contacts; an import counts bytes.
	Total, Done              int64
	Created, Changed, Failed int64
	Reason                   string // why it failed
	CreatedAt, UpdatedAt     time.Time
}

// ContactJobKind is the kind of work.
type ContactJobKind string

const (
	JobImport ContactJobKind = "import"
	JobLabel  ContactJobKind = "label"
	JobDelete ContactJobKind = "delete"
)

// ContactJobStatus is how far the work is.
type ContactJobStatus string

const (
	JobDraft   ContactJobStatus = "draft" // an uploaded file whose import has not been started
	JobRunning ContactJobStatus = "running"
	JobDone    ContactJobStatus = "done"
	JobUndoing ContactJobStatus = "undoing"
	JobUndone  ContactJobStatus = "undone"
	JobFailed  ContactJobStatus = "failed"
)

// ContactBulk is a change to many contacts: those with the ids, or those that the filter matches.
type ContactBulk struct {
	IDs     []string       `json:"ids,omitempty"`
	Filter  *ContactFilter `json:"filter,omitempty"`
	LabelID string         `json:"label_id,omitempty"`
	Detach  bool           `json:"detach,omitzero"`
}

// ContactImport is how the rows of a file become contacts.
type ContactImport struct {
	Filename  string         `json:"filename"`
	Delimiter string         `json:"delimiter"`
	Number    string         `json:"number,omitempty"` // the provider's id of the number whose contacts they become
	Mapping   *ImportMapping `json:"mapping,omitempty"`
}

// ImportMapping says how to read the columns of a file.
type ImportMapping struct {
	Header       bool           `json:"header" doc:"The first row has the columns' names."`
	Columns      []ImportColumn `json:"columns" minItems:"1" maxItems:"100"`
	Country      string         `json:"country,omitempty" pattern:"^[A-Z]{2}$" doc:"Where numbers without a country code are from."`
	SkipExisting bool           `json:"skip_existing,omitzero" doc:"Contacts that are there already stay as they are."`
	CreateLabels bool           `json:"create_labels,omitzero" doc:"Labels that are not there yet are made."`
	LabelIDs     []string       `json:"label_ids,omitempty" maxItems:"20" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Labels that all of them get."`
}

// ImportColumn says how to read one column. Columns without an entry are ignored.
type ImportColumn struct {
	Column int    `json:"column" minimum:"0" maximum:"999" doc:"From the left, the first is 0."`
	Field  string `json:"field" enum:"phone_number,name,email,labels,consent,metadata"`
	Key    string `json:"key,omitempty" maxLength:"100" doc:"Of metadata: the name of the field."`
}

// ImportUndo records the change an import made to one contact.
type ImportUndo struct {
	ContactID string         `json:"id"`
	Created   bool           `json:"created,omitzero"`
	Before    *ImportedState `json:"before,omitempty"`
	After     *ImportedState `json:"after,omitempty"`
	Labels    []string       `json:"labels,omitempty"` // the labels it attached
}

// ImportedState holds the fields of a contact that an import can change.
type ImportedState struct {
	Name     *string         `json:"name,omitempty"`
	Email    *string         `json:"email,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Consent  Consent         `json:"consent"`
}

// ImportedStateOf copies these fields from a contact.
func ImportedStateOf(c Contact) *ImportedState {
	return &ImportedState{c.Name, c.Email, c.Metadata, c.Consent}
}

// Same reports whether two states are equal.
func (s ImportedState) Same(other ImportedState) bool {
	return equal(s.Name, other.Name) && equal(s.Email, other.Email) && sameJSON(s.Metadata, other.Metadata) && s.Consent == other.Consent
}

// Undo returns the contact with the import's changes reverted. Fields that somebody changed since stay.
func (u ImportUndo) Undo(now Contact) Contact {
	if equal(now.Name, u.After.Name) {
		now.Name = u.Before.Name
	}
	if equal(now.Email, u.After.Email) {
		now.Email = u.Before.Email
	}
	if sameJSON(now.Metadata, u.After.Metadata) {
		now.Metadata = u.Before.Metadata
	}
	if now.Consent == u.After.Consent {
		now.Consent = u.Before.Consent
	}
	return now
}

// ImportError is a row that could not be imported, or only in part.
type ImportError struct {
	Row     int      `json:"row"`
	Problem string   `json:"problem"`
	Cells   []string `json:"cells"`
}

// JobSlice is the result of one slice of a job.
type JobSlice struct {
	Contacts []ImportUndo `json:"contacts"`
	Labels   []string     `json:"labels,omitempty"` // the labels it made
}
