package storetest

import (
	"context"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// InTx runs fn in a transaction that must succeed.
func InTx(t testing.TB, st *store.Store, fn func(*store.Tx) error) {
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
func Org(t testing.TB, st *store.Store) Organization {
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
func Team(t testing.TB, st *store.Store, orgID, name string) chat.Team {
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
func Label(t testing.TB, st *store.Store, org Organization, name string) chat.Label {
	t.Helper()
	var label chat.Label
	InTx(t, st, func(tx *store.Tx) error {
		label = NewLabel(tx, org, name)
		return tx.InsertLabel(label)
	})
	return label
}

// Key issues a key that does not expire and returns its plaintext.
func Key(t testing.TB, st *store.Store, orgID string) (chat.APIKey, string) {
	t.Helper()
	var key chat.APIKey
	text := chat.NewKeyText()
	InTx(t, st, func(tx *store.Tx) error {
		key = chat.APIKey{
			ID: tx.NewID(chat.KindKey), OrgID: orgID, Name: "test", Hash: chat.HashKey(text),
			Last4: text[len(text)-4:], CreatedAt: tx.Now(),
		}
		return tx.InsertKey(key)
	})
	return key, text
}
