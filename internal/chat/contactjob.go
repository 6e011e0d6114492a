package chat

import (
	"encoding/json"
	"time"
)

// ContactJob is work on many contacts, done in slices beside everything else.
type ContactJob struct {
	ID       string
	OrgID    string
	Kind     ContactJobKind
	Status   ContactJobStatus
	UserID   string
	Task     json.RawMessage // a ContactBulk or a ContactImport
	BlobKey  *string         // of an import's file
	Position string          // how far it is
	Slices   int64           // how many there are
	// Total and Done are in contacts, of an import in bytes.
	Total, Done              int64
	Created, Changed, Failed int64
	Reason                   string // why it failed
	CreatedAt, UpdatedAt     time.Time
}

// ContactJobKind is what is done.
type ContactJobKind string

const (
	JobImport ContactJobKind = "import"
	JobLabel  ContactJobKind = "label"
	JobDelete ContactJobKind = "delete"
)

// ContactJobStatus is how far the work is.
type ContactJobStatus string

const (
	JobDraft   ContactJobStatus = "draft" // a file that nobody has started
	JobRunning ContactJobStatus = "running"
	JobDone    ContactJobStatus = "done"
	JobUndoing ContactJobStatus = "undoing"
	JobUndone  ContactJobStatus = "undone"
	JobFailed  ContactJobStatus = "failed"
)

// ContactBulk is what is done to contacts: to those with the ids, or to those that a filter lets pass.
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
	Number    string         `json:"number,omitempty"` // whose contacts they become, by the provider's id of it
	Mapping   *ImportMapping `json:"mapping,omitempty"`
}

// ImportMapping says what the columns of a file are.
type ImportMapping struct {
	Header       bool           `json:"header" doc:"The first row has the columns' names."`
	Columns      []ImportColumn `json:"columns" minItems:"1" maxItems:"100"`
	Country      string         `json:"country,omitempty" pattern:"^[A-Z]{2}$" doc:"Where numbers without a country code are from."`
	SkipExisting bool           `json:"skip_existing,omitzero" doc:"Contacts that are there already stay as they are."`
	CreateLabels bool           `json:"create_labels,omitzero" doc:"Labels that are not there yet are made."`
	LabelIDs     []string       `json:"label_ids,omitempty" maxItems:"20" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Labels that all of them get."`
}

// ImportColumn says what a column is. Columns that are not named are left out.
type ImportColumn struct {
	Column int    `json:"column" minimum:"0" maximum:"999" doc:"From the left, the first is 0."`
	Field  string `json:"field" enum:"phone_number,name,email,labels,consent,metadata"`
	Key    string `json:"key,omitempty" maxLength:"100" doc:"Of metadata: the name of the field."`
}

// ImportUndo is what an import did to a contact.
type ImportUndo struct {
	ContactID string         `json:"id"`
	Created   bool           `json:"created,omitzero"`
	Before    *ImportedState `json:"before,omitempty"`
	After     *ImportedState `json:"after,omitempty"`
	Labels    []string       `json:"labels,omitempty"` // that it attached
}

// ImportedState is what of a contact an import can change.
type ImportedState struct {
	Name     *string         `json:"name,omitempty"`
	Email    *string         `json:"email,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Consent  Consent         `json:"consent"`
}

// ImportedStateOf is that of a contact.
func ImportedStateOf(c Contact) *ImportedState {
	return &ImportedState{c.Name, c.Email, c.Metadata, c.Consent}
}

// Same tells whether two states are alike.
func (s ImportedState) Same(other ImportedState) bool {
	return equal(s.Name, other.Name) && equal(s.Email, other.Email) && sameJSON(s.Metadata, other.Metadata) && s.Consent == other.Consent
}

// Undo is the contact with what the import changed undone, where nobody has changed it since.
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

// ImportError is a row that could not be taken, or not all of it.
type ImportError struct {
	Row     int      `json:"row"`
	Problem string   `json:"problem"`
	Cells   []string `json:"cells"`
}

// JobSlice is what one slice of a job did.
type JobSlice struct {
	Contacts []ImportUndo `json:"contacts"`
	Labels   []string     `json:"labels,omitempty"` // that it made
}
