package store

// Change is something that open dashboards may show, and that is not as it was.
type Change struct {
	OrgID string
	Kind  ChangeKind
	ID    string // empty where one cannot be told from another
}

// ChangeKind is what has changed.
type ChangeKind string

const (
	// ChangedConversation: a conversation, or anything in it.
	ChangedConversation ChangeKind = "conversation"
	ChangedPeople       ChangeKind = "people" // users, teams
	ChangedLabels       ChangeKind = "labels"
	ChangedReplies      ChangeKind = "replies"
	ChangedViews        ChangeKind = "views"
	ChangedTemplates    ChangeKind = "templates"
	ChangedMedia        ChangeKind = "media" // the library
	ChangedNumbers      ChangeKind = "numbers"
	ChangedCustomers    ChangeKind = "customers" // and their setup links
	ChangedBroadcast    ChangeKind = "broadcast"
	ChangedKeys         ChangeKind = "keys"
	ChangedWebhooks     ChangeKind = "webhooks" // subscriptions, secrets
	// ChangedContacts: some contacts, or the work on many of them. Which, is not told: whoever listens may not
	// see them.
	ChangedContacts ChangeKind = "contacts"
	// ChangedOrganization: its name or its settings.
	ChangedOrganization ChangeKind = "organization"
)

// Tell lets other processes on the store know of something now. It is a hint, like all that Listen hears.
func (s *Store) Tell(topic Topic) { s.engine.tell(topic) }

// noteChange has open dashboards told once the transaction is durable.
func (tx *Tx) noteChange(kind ChangeKind, orgID, id string) {
	if tx.hands.Changed != nil {
		tx.work.changes = append(tx.work.changes, Change{orgID, kind, id})
	}
}

func (tx *Tx) noteConversation(orgID, id string) {
	tx.foreseen.outdated(orgID, id)
	tx.noteChange(ChangedConversation, orgID, id)
}

func (tx *Tx) noteContacts(orgID string) {
	tx.foreseen.contactsChanged(orgID)
	tx.noteChange(ChangedContacts, orgID, "")
}
