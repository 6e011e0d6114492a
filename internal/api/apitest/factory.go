package apitest

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// Org is an organization with a team and a key.
type Org struct {
	ID    string
	Team  chat.Team
	Key   string // the plaintext
	KeyID string
}

// NewOrg makes an organization on the default plan.
func (s *Server) NewOrg(t testing.TB) Org {
	t.Helper()
	return s.NewOrgOn(t, chat.DefaultPlan)
}

// NewOrgOn makes an organization on the named plan.
func (s *Server) NewOrgOn(t testing.TB, plan string) Org {
	t.Helper()
	var org Org
	s.InTx(t, func(tx *store.Tx) error {
		o, team, err := core.CreateOrganization(tx, "Test "+rand.Text()[:6], plan)
		if err != nil {
			return err
		}
		key, text, err := core.CreateKey(tx, o.ID, "test", nil)
		org = Org{ID: o.ID, Team: team, Key: text, KeyID: key.ID}
		return err
	})
	return org
}

// plans counts the plans made.
var plans atomic.Int64

// NewPlan makes a plan and returns its name.
func (s *Server) NewPlan(t testing.TB, patch core.PlanPatch) string {
	t.Helper()
	name := fmt.Sprint("plan-", plans.Add(1)) // error messages contain the name, so it must not be random
	s.InTx(t, func(tx *store.Tx) error {
		_, err := core.CreatePlan(tx, name, patch)
		return err
	})
	return name
}

// SetPlan changes a plan.
func (s *Server) SetPlan(t testing.TB, name string, patch core.PlanPatch) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) error {
		_, err := core.SetPlan(tx, name, patch)
		return err
	})
}

// Limits is a plan with the API and these limits.
func Limits(writePerMinute, readPerMinute int64) core.PlanPatch {
	return core.PlanPatch{API: new(true), WritePerMinute: &writePerMinute, ReadPerMinute: &readPerMinute}
}

// UpdateOrg changes an organization as its operator does.
func (s *Server) UpdateOrg(t testing.TB, orgID string, patch core.OrganizationPatch) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) error {
		_, err := core.UpdateOrganization(tx, orgID, patch)
		return err
	})
}

// NewTeam adds a team.
func (s *Server) NewTeam(t testing.TB, orgID, name string) (team chat.Team) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) (err error) {
		team, err = core.CreateTeam(tx, orgID, name)
		return err
	})
	return team
}

// NewKey issues a key and returns its id and plaintext.
func (s *Server) NewKey(t testing.TB, orgID string, expiresAt *time.Time) (id, text string) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) error {
		key, plain, err := core.CreateKey(tx, orgID, "another", expiresAt)
		id, text = key.ID, plain
		return err
	})
	return id, text
}

// RevokeKey ends a key.
func (s *Server) RevokeKey(t testing.TB, id string) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) error {
		_, err := core.RevokeKey(tx, id)
		return err
	})
}

var numbers atomic.Int64

// NewAccount connects a number that no other account has to an organization's first team.
func (s *Server) NewAccount(t *testing.T, org Org) chat.Account {
	t.Helper()
	return s.ConnectAccount(t, chat.NewAccount{OrgID: org.ID, TeamID: org.Team.ID})
}

// ConnectAccount connects a number. Missing fields get default values.
func (s *Server) ConnectAccount(t *testing.T, in chat.NewAccount) (account chat.Account) {
	t.Helper()
	n := numbers.Add(1)
	in.PhoneNumberID = cmp.Or(in.PhoneNumberID, fmt.Sprint(100_000_000_000+n))
	in.PhoneNumber = cmp.Or(in.PhoneNumber, fmt.Sprint("+1555", 1_000_000+n))
	in.WABAID = cmp.Or(in.WABAID, "200000000000")
	s.InTx(t, func(tx *store.Tx) (err error) {
		account, err = core.ConnectAccount(tx, in, func(string) string { return "sealed" })
		return err
	})
	return account
}

// NewConversation makes a conversation with a contact. lastMessageAt is the time of its last message; nil for
// none.
func (s *Server) NewConversation(t *testing.T, account chat.Account, contactID string, lastMessageAt *time.Time) (c chat.Conversation) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) error {
		c = chat.Conversation{
			ID: tx.NewID(chat.KindConversation), OrgID: account.OrgID, AccountID: account.ID, ContactID: contactID,
			Status: chat.ConversationOpen, LastMessageAt: lastMessageAt, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		return tx.InsertConversation(c)
	})
	return c
}

// NewContact adds a contact to an account.
func (s *Server) NewContact(t *testing.T, account chat.Account, in chat.NewContact) (contact chat.Contact) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) (err error) {
		contact, err = core.CreateContact(tx, account, in)
		return err
	})
	return contact
}

// NewUser adds a user to a team.
func (s *Server) NewUser(t *testing.T, orgID, teamID, name string) (user chat.User) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) (err error) {
		user, err = core.CreateUser(tx, core.NewUser{
			OrgID: orgID, TeamID: teamID, Name: name, Email: strings.ToLower(rand.Text()) + "@example.com", Password: "none", Role: chat.RoleAgent,
		})
		return err
	})
	return user
}
