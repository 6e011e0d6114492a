package chat

import "time"

// ConsentSource is what changed a contact's consent.
type ConsentSource string

const (
	ConsentByUser     ConsentSource = "user"
	ConsentByKey      ConsentSource = "key"
	ConsentByProvider ConsentSource = "provider" // the person, in the provider's own settings
	ConsentByMessage  ConsentSource = "message"  // the person, by a word like STOP
	ConsentByImport   ConsentSource = "import"
	ConsentByMerge    ConsentSource = "merge"
)

// Actor is who changes a contact. ID names the user, the key, the message or the import.
type Actor struct {
	Source ConsentSource
	ID     string
}

// ConsentChange is one change of a contact's consent to marketing.
type ConsentChange struct {
	ID        string
	OrgID     string
	ContactID string
	Previous  Consent
	Consent   Consent
	By        Actor
	At        time.Time
}

// Stricter returns the consent that allows less. Unknown gives way to the other one.
func (c Consent) Stricter(other Consent) Consent {
	for _, consent := range []Consent{ConsentOptedOut, ConsentOptedIn} {
		if c == consent || other == consent {
			return consent
		}
	}
	return ConsentUnknown
}

// ContactNote is what a colleague wrote about a person.
type ContactNote struct {
	ID        string
	OrgID     string
	ContactID string
	AuthorID  string
	Body      string
	CreatedAt time.Time
	EditedAt  *time.Time
}
