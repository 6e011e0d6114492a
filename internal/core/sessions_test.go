package core_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	password = "correct horse"
	another  = "battery staple"
)

// staff are the users of an organization.
type staff struct {
	t     *testing.T
	st    *store.Store
	clock *storetest.Clock
	org   storetest.Organization
}

func eachStaff(t *testing.T, test func(s *staff)) {
	t.Helper()
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		test(&staff{t: t, st: st, clock: clock, org: storetest.Org(t, st)})
	})
}

// hashed is computed once, because hashing is slow on purpose.
var hashed = sync.OnceValues(func() (core.PasswordHash, error) { return core.HashPassword(password) })

func (s *staff) hire(name string, role chat.Role) chat.User {
	s.t.Helper()
	hash, err := hashed()
	requireNoError(s.t, err)
	u, err := run(s.st, createUser(core.NewUser{OrgID: s.org.ID, Email: name + "@example.com", Name: name, Password: hash, Role: role}))
	requireNoError(s.t, err)
	return u
}

func (s *staff) signIn(name, password string) (token string, err error) {
	token, _, err = core.SignIn(s.t.Context(), s.st, newVault(s.t, 1), core.Credentials{Email: name + "@example.com", Proof: core.Proof{Password: password}}, core.Browser{Client: strings.Repeat("ü", 1000), Address: "127.0.0.1"})
	return token, err
}

func (s *staff) mustSignIn(name, password string) string {
	s.t.Helper()
	token, err := s.signIn(name, password)
	requireNoError(s.t, err)
	return token
}

// requireIn checks whether a token has a session.
func (s *staff) requireIn(token string, want bool) {
	s.t.Helper()
	_, err := core.Session(s.t.Context(), s.st, token)
	if want {
		requireNoError(s.t, err)
		return
	}
	requireCode(s.t, err, chat.CodeNotSignedIn, "")
}

func TestSignIn(t *testing.T) {
	eachStaff(t, func(s *staff) {
		ann := s.hire("ann", chat.RoleAdmin)
		token := s.mustSignIn("ANN", password)
		c, err := core.Session(t.Context(), s.st, token)
		requireNoError(t, err)
		if c.User.ID != ann.ID || c.User.Role != chat.RoleAdmin || c.Organization.ID != s.org.ID || c.Plan.Name == "" {
			t.Errorf("the session is %+v", c)
		}
		if c.Session.Hash == token || len([]rune(c.Session.Client)) != 300 || c.Session.Address != "127.0.0.1" {
			t.Errorf("stored is %+v", c.Session)
		}
		for _, wrong := range [][2]string{{"ann", another}, {"ann", ""}, {"bob", password}, {"", ""}, {"ann", password + "\x00"}} {
			_, err := s.signIn(wrong[0], wrong[1])
			requireCode(t, err, chat.CodeInvalidCredentials, "")
		}
		s.requireIn("", false)
		s.requireIn(c.Session.Hash, false)
		if other := s.mustSignIn("ann", password); other == token {
			t.Error("two sessions have one token")
		}
	})
}

// A session ends after a week without use, and after thirty days even if it is used.
func TestSessionsEnd(t *testing.T) {
	eachStaff(t, func(s *staff) {
		s.hire("ann", chat.RoleAgent)
		used, unused := s.mustSignIn("ann", password), s.mustSignIn("ann", password)
		for range 4 {
			s.clock.Advance(6 * 24 * time.Hour)
			s.requireIn(used, true)
		}
		s.requireIn(unused, false)
		s.clock.Advance(6*24*time.Hour - time.Millisecond)
		s.requireIn(used, true)
		s.clock.Advance(time.Millisecond)
		s.requireIn(used, false)
	})
}

func TestSignOut(t *testing.T) {
	eachStaff(t, func(s *staff) {
		ann := s.hire("ann", chat.RoleAgent)
		s.hire("bob", chat.RoleAgent)
		here, there, elsewhere, bobs := s.mustSignIn("ann", password), s.mustSignIn("ann", password), s.mustSignIn("ann", password), s.mustSignIn("bob", password)
		c, err := core.Session(t.Context(), s.st, here)
		requireNoError(t, err)
		storetest.InTx(t, s.st, func(tx *store.Tx) error { return core.SignOut(tx, c.Session) })
		storetest.InTx(t, s.st, func(tx *store.Tx) error { return core.SignOut(tx, c.Session) })
		s.requireIn(here, false)
		s.requireIn(there, true)
		kept, err := core.Session(t.Context(), s.st, there)
		requireNoError(t, err)
		storetest.InTx(t, s.st, func(tx *store.Tx) error { return core.SignOutEverywhere(tx, s.org.ID, ann.ID, kept.Session.ID) })
		s.requireIn(there, true)
		s.requireIn(elsewhere, false)
		s.requireIn(bobs, true)
	})
}

// A new password ends everything that the old one opened.
func TestChangePassword(t *testing.T) {
	eachStaff(t, func(s *staff) {
		s.hire("ann", chat.RoleAgent)
		here, there := s.mustSignIn("ann", password), s.mustSignIn("ann", password)
		c, err := core.Session(t.Context(), s.st, here)
		requireNoError(t, err)
		change := func(current, next string) (string, error) {
			return core.ChangePassword(t.Context(), s.st, c, current, next, core.Browser{})
		}
		_, err = change(another, another)
		requireCode(t, err, chat.CodeInvalidFieldValue, "current_password")
		_, err = change(password, "short")
		requireCode(t, err, chat.CodeInvalidFieldValue, "password")
		s.requireIn(there, true)
		next, err := change(password, another)
		requireNoError(t, err)
		s.requireIn(next, true)
		s.requireIn(here, false)
		s.requireIn(there, false)
		_, err = s.signIn("ann", password)
		requireCode(t, err, chat.CodeInvalidCredentials, "")
		s.mustSignIn("ann", another)
	})
}

// Who was let in with a password that has been replaced meanwhile can do nothing with it any more.
func TestPasswordIsReplacedDuringTheCheck(t *testing.T) {
	eachStaff(t, func(s *staff) {
		u := s.hire("ann", chat.RoleAgent)
		c, err := core.Session(t.Context(), s.st, s.mustSignIn("ann", password))
		requireNoError(t, err)
		hash, err := core.HashPassword(another)
		requireNoError(t, err)
		storetest.InTx(t, s.st, func(tx *store.Tx) error { return core.SetPassword(tx, u.OrgID, u.ID, hash) })
		_, err = core.ChangePassword(t.Context(), s.st, c, password, password, core.Browser{})
		requireCode(t, err, chat.CodeInvalidFieldValue, "current_password")
		err = core.EndSecondStep(t.Context(), s.st, newVault(t, 1), c.User, core.Proof{Password: password})
		requireCode(t, err, chat.CodeInvalidFieldValue, "password")
		s.mustSignIn("ann", another)
	})
}

func (s *staff) link(by chat.Role, userID string) (string, chat.UserLink, error) {
	return s.linkBy(chat.User{Role: by}, userID)
}

func (s *staff) linkBy(by chat.User, userID string) (string, chat.UserLink, error) {
	var link chat.UserLink
	token, err := run(s.st, func(tx *store.Tx) (token string, err error) {
		token, link, err = core.LinkUser(tx, by, s.org.ID, userID)
		return token, err
	})
	return token, link, err
}

func TestLinks(t *testing.T) {
	eachStaff(t, func(s *staff) {
		bob, err := run(s.st, createUser(core.NewUser{OrgID: s.org.ID, Email: "bob@example.com", Name: "Bob", Role: chat.RoleAgent}))
		requireNoError(t, err)
		_, err = s.signIn("bob", "")
		requireCode(t, err, chat.CodeInvalidCredentials, "") // the user has no password yet
		use := func(token, password string) (string, error) {
			session, _, err := core.UseLink(context.Background(), s.st, nil, token, core.Proof{Password: password}, new("Robert"), core.Browser{})
			return session, err
		}
		first, _, err := s.link(chat.RoleAdmin, bob.ID)
		requireNoError(t, err)
		second, link, err := s.link(chat.RoleAdmin, bob.ID)
		requireNoError(t, err)
		if link.Kind != chat.LinkInvitation || !link.ExpiresAt.Equal(s.clock.Now().Add(7*24*time.Hour)) || link.Hash == second {
			t.Errorf("the link is %+v", link)
		}
		_, err = use(first, another)
		requireCode(t, err, chat.CodeLinkInactive, "") // there is a newer link
		_, err = use(second, "short")
		requireCode(t, err, chat.CodeInvalidFieldValue, "password")
		session, err := use(second, password)
		requireNoError(t, err)
		s.requireIn(session, true)
		_, err = use(second, another)
		requireCode(t, err, chat.CodeLinkInactive, "") // the link was used

		reset, link, err := s.link(chat.RoleAdmin, bob.ID)
		requireNoError(t, err)
		if link.Kind != chat.LinkReset {
			t.Errorf("the link is %+v", link)
		}
		s.requireIn(session, true)
		_, err = use(reset, another)
		requireNoError(t, err)
		s.requireIn(session, false)
		c, err := core.Session(t.Context(), s.st, s.mustSignIn("bob", another))
		requireNoError(t, err)
		if c.User.Name != "Robert" {
			t.Errorf("the name is %s", c.User.Name)
		}
		late, _, err := s.link(chat.RoleAdmin, bob.ID)
		requireNoError(t, err)
		s.clock.Advance(24 * time.Hour)
		_, err = use(late, password)
		requireCode(t, err, chat.CodeLinkInactive, "")
	})
}

// Whoever has lost the right makes no link, although they had it when their request was admitted: nothing would delete the
// link later.
func TestLinksOfThoseWhoMayNot(t *testing.T) {
	eachStaff(t, func(s *staff) {
		olga, oscar, adam, eve := s.hire("olga", chat.RoleOwner), s.hire("oscar", chat.RoleOwner), s.hire("adam", chat.RoleAdmin), s.hire("eve", chat.RoleAgent)
		_, link, err := s.linkBy(adam, eve.ID)
		requireEqual(t, link.MadeBy, err, adam.ID)
		stored, err := s.st.Read(t.Context()).LinkOf(s.org.ID, eve.ID)
		requireEqual(t, stored, err, link)
		for _, test := range []struct {
			by, of chat.User
			patch  core.UserPatch
		}{
			{adam, eve, core.UserPatch{Role: new(chat.RoleAgent)}},
			{adam, eve, core.UserPatch{Role: new(chat.RoleAdmin), Disabled: new(true)}},
			{oscar, olga, core.UserPatch{Role: new(chat.RoleAdmin)}},
		} {
			_, err := run(s.st, func(tx *store.Tx) (chat.User, error) {
				return core.UpdateUser(tx, chat.RoleOwner, s.org.ID, test.by.ID, test.patch)
			})
			requireNoError(t, err)
			_, _, err = s.linkBy(test.by, test.of.ID)
			requireCode(t, err, chat.CodeForbidden, "")
			_, err = run(s.st, func(tx *store.Tx) (string, error) {
				_, token, _, err := core.InviteUser(tx, test.by, core.NewUser{OrgID: s.org.ID, Email: "new@example.com", Name: "New", Role: test.of.Role})
				return token, err
			})
			requireCode(t, err, chat.CodeForbidden, "")
		}
	})
}

func TestUpdateUser(t *testing.T) {
	eachStaff(t, func(s *staff) {
		olga, adam, ann := s.hire("olga", chat.RoleOwner), s.hire("adam", chat.RoleAdmin), s.hire("ann", chat.RoleAgent)
		second, foreign := storetest.Team(t, s.st, s.org.ID, "Second"), storetest.Org(t, s.st)
		update := func(by chat.Role, id string, p core.UserPatch) (chat.User, error) {
			return run(s.st, func(tx *store.Tx) (chat.User, error) { return core.UpdateUser(tx, by, s.org.ID, id, p) })
		}
		refused := func(code chat.Code, param string, by chat.Role, id string, p core.UserPatch) {
			t.Helper()
			_, err := update(by, id, p)
			requireCode(t, err, code, param)
		}
		refused(chat.CodeForbidden, "", chat.RoleAdmin, olga.ID, core.UserPatch{Name: new("x")})
		refused(chat.CodeForbidden, "", chat.RoleAdmin, adam.ID, core.UserPatch{Role: new(chat.RoleOwner)})
		refused(chat.CodeInvalidFieldValue, "role", chat.RoleOwner, olga.ID, core.UserPatch{Role: new(chat.RoleAdmin)})
		refused(chat.CodeInvalidFieldValue, "role", chat.RoleOwner, olga.ID, core.UserPatch{Disabled: new(true)})
		refused(chat.CodeInvalidFieldValue, "role", chat.RoleOwner, ann.ID, core.UserPatch{Role: new(chat.Role("king"))})
		refused(chat.CodeInvalidFieldValue, "sees", chat.RoleOwner, ann.ID, core.UserPatch{Sees: new(chat.Visibility("some"))})
		refused(chat.CodeInvalidFieldValue, "team_id", chat.RoleOwner, ann.ID, core.UserPatch{Teams: &[]string{foreign.TeamID}})
		refused(chat.CodeResourceNotFound, "", chat.RoleOwner, s.st.NewID(chat.KindUser), core.UserPatch{})

		token := s.mustSignIn("ann", password)
		changed, err := update(chat.RoleAdmin, ann.ID, core.UserPatch{Name: new(" Anna "), Sees: new(chat.SeesTeams), Teams: &[]string{second.ID}})
		requireNoError(t, err)
		stored, err := s.st.Read(t.Context()).User(s.org.ID, ann.ID)
		requireEqual(t, stored, err, changed)
		if changed.Name != "Anna" || changed.Sees != chat.SeesTeams {
			t.Errorf("the user is %+v", changed)
		}
		teams, err := s.st.Read(t.Context()).TeamsOf(s.org.ID, ann.ID)
		requireEqual(t, teams, err, []string{second.ID})
		s.requireIn(token, true)
		_, err = update(chat.RoleAdmin, ann.ID, core.UserPatch{Role: new(chat.RoleAdmin)})
		requireNoError(t, err)
		s.requireIn(token, false) // after a change of role the user must sign in again

		token = s.mustSignIn("ann", password)
		_, err = update(chat.RoleAdmin, ann.ID, core.UserPatch{Disabled: new(true)})
		requireNoError(t, err)
		s.requireIn(token, false)
		_, err = s.signIn("ann", password)
		requireCode(t, err, chat.CodeInvalidCredentials, "")
		_, _, err = s.link(chat.RoleAdmin, ann.ID)
		requireCode(t, err, chat.CodeInvalidFieldValue, "user_id")
		_, err = update(chat.RoleAdmin, ann.ID, core.UserPatch{Disabled: new(false)})
		requireNoError(t, err)
		s.mustSignIn("ann", password)
		_, _, err = s.link(chat.RoleAdmin, olga.ID)
		requireCode(t, err, chat.CodeForbidden, "")
	})
}
