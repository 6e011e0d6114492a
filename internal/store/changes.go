package store

// Change says that an object which open dashboards may show has changed.
type Change struct {
	OrgID string
	Kind  ChangeKind
	ID    string // of a conversation; other changes name nothing, because not everybody who hears of them may see it
}

// ChangeKind is the kind of the changed object.
type ChangeKind string

const (
	// ChangedConversation is a change of a conversation, or of anything in it.
	ChangedConversation ChangeKind = "conversation"
	ChangedPeople       ChangeKind = "people" // users, teams
	// ChangedSessions says that sessions were ended. Whoever listens with one of them must be sent home.
	ChangedSessions  ChangeKind = "sessions"
	ChangedLabels    ChangeKind = "labels"
	ChangedReplies   ChangeKind = "replies"
	ChangedViews     ChangeKind = "views"
	ChangedTemplates ChangeKind = "templates"
	ChangedMedia     ChangeKind = "media" // the library
	ChangedNumbers   ChangeKind = "numbers"
	ChangedCustomers ChangeKind = "customers" // and their setup links
	ChangedBroadcast ChangeKind = "broadcast"
	ChangedKeys      ChangeKind = "keys"
	ChangedWebhooks  ChangeKind = "webhooks" // subscriptions, secrets
	// ChangedContacts is a change of some contacts, or of bulk work on them.
	ChangedContacts ChangeKind = "contacts"
	// ChangedOrganization is a change of its name or its settings.
	ChangedOrganization ChangeKind = "organization"
)

// Tell sends a topic to other processes on the store now. It is a hint, like everything that Listen hears.
func (s *Store) Tell(topic Topic) { s.engine.tell(topic) }

// noteChange tells open dashboards of a change once the transaction is durable.
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
