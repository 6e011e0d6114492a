package storetest

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Tester is what a test and a property's case have in common.
type Tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// InTx runs fn in a transaction that must succeed.
func InTx(t Tester, st *store.Store, fn func(*store.Tx) error) {
	t.Helper()
	if err := st.InTx(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// Organization is an organization with a team.
type Organization struct {
	ID     string
	TeamID string
}

// Org makes an organization on the default plan, with one team.
func Org(t Tester, st *store.Store) Organization {
	t.Helper()
	var org Organization
	InTx(t, st, func(tx *store.Tx) error {
		org.ID = tx.NewID(chat.KindOrganization)
		return tx.InsertOrganization(chat.Organization{
			ID: org.ID, Name: "Test", Plan: chat.DefaultPlan, Subscription: chat.SubscriptionActive,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		})
	})
	org.TeamID = Team(t, st, org.ID, "General").ID
	return org
}

// Team adds a team to an organization.
func Team(t Tester, st *store.Store, orgID, name string) chat.Team {
	t.Helper()
	var team chat.Team
	InTx(t, st, func(tx *store.Tx) error {
		team = chat.Team{ID: tx.NewID(chat.KindTeam), OrgID: orgID, Name: name, CreatedAt: tx.Now()}
		return tx.InsertTeam(team)
	})
	return team
}

// NewLabel is a label of the organization's first team, not stored yet.
func NewLabel(tx *store.Tx, org Organization, name string) chat.Label {
	return chat.Label{
		ID: tx.NewID(chat.KindLabel), OrgID: org.ID, TeamID: org.TeamID, Name: name,
		Color: chat.DefaultLabelColor, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
}

// Label adds a label to the organization's first team.
func Label(t Tester, st *store.Store, org Organization, name string) chat.Label {
	t.Helper()
	var label chat.Label
	InTx(t, st, func(tx *store.Tx) error {
		label = NewLabel(tx, org, name)
		return tx.InsertLabel(label)
	})
	return label
}

// Key issues a key that does not expire and returns its plaintext.
func Key(t Tester, st *store.Store, orgID string) (chat.APIKey, string) {
	t.Helper()
	var key chat.APIKey
	text := chat.NewKeyText()
	InTx(t, st, func(tx *store.Tx) error {
		key = chat.APIKey{
			ID: tx.NewID(chat.KindKey), OrgID: orgID, Name: "test", Hash: chat.HashToken(text),
			Last4: text[len(text)-4:], CreatedAt: tx.Now(),
		}
		return tx.InsertKey(key)
	})
	return key, text
}

// Account connects a number to the organization's first team.
func Account(t Tester, st *store.Store, org Organization, phoneNumberID string) chat.Account {
	t.Helper()
	var account chat.Account
	InTx(t, st, func(tx *store.Tx) error {
		account = chat.Account{
			ID: tx.NewID(chat.KindAccount), OrgID: org.ID, TeamID: org.TeamID, PhoneNumberID: &phoneNumberID,
			PhoneNumber: new("+15550001111"), WABAID: "200000000000", Status: chat.AccountConnected, Token: "sealed",
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		return tx.InsertAccount(account)
	})
	return account
}

// NewContact is a contact of an account, not stored yet.
func NewContact(tx *store.Tx, account chat.Account, number string) chat.Contact {
	return chat.Contact{
		ID: tx.NewID(chat.KindContact), OrgID: account.OrgID, AccountID: account.ID, PhoneNumber: &number,
		Consent: chat.ConsentUnknown, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
}

// Contact adds a contact to an account.
func Contact(t Tester, st *store.Store, account chat.Account, number string) chat.Contact {
	t.Helper()
	var contact chat.Contact
	InTx(t, st, func(tx *store.Tx) error {
		contact = NewContact(tx, account, number)
		return tx.InsertContact(contact)
	})
	return contact
}

// Conversation makes the conversation with a contact, whose last message was at the given
// instant; nil for none.
func Conversation(t Tester, st *store.Store, contact chat.Contact, lastMessageAt *time.Time) chat.Conversation {
	t.Helper()
	var conversation chat.Conversation
	InTx(t, st, func(tx *store.Tx) error {
		conversation = chat.Conversation{
			ID: tx.NewID(chat.KindConversation), OrgID: contact.OrgID, AccountID: contact.AccountID, ContactID: contact.ID,
			Status: chat.ConversationOpen, LastMessageAt: lastMessageAt, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		return tx.InsertConversation(conversation)
	})
	return conversation
}

// Alive registers nodes, which live until they are removed.
func Alive(t Tester, st *store.Store, nodes ...string) {
	t.Helper()
	InTx(t, st, func(tx *store.Tx) error {
		for _, node := range nodes {
			if err := tx.PutNode(node, tx.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// OwnedBy makes a node, or nobody, the owner of the work that transactions leave. The work stays in the store.
func OwnedBy(st *store.Store, node string) {
	st.HandTo(func(h *store.Hands) {
		*h = store.Hands{}
		if node != "" {
			h.Node = func() string { return node }
			h.Send = func(chat.Account, store.SendWork) {}
			h.Deliver = func([]store.DeliveryJob) {}
			h.Fetch = func(store.MediaJob) {}
		}
	})
}

// Dead removes a node.
func Dead(t Tester, st *store.Store, node string) {
	t.Helper()
	InTx(t, st, func(tx *store.Tx) error { return tx.DeleteNode(node) })
}
