package core

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Outside is a person who has signed in at an identity provider, which vouches for the address.
type Outside struct {
	Email string
	Name  string
	Code  string // code of the second step, if the user has one
}

// Newcomers says who may sign in from outside without an invitation, and which organization they join.
type Newcomers struct {
	Domains []string // of the newcomers' addresses; empty: nobody may
	OrgID   string   // empty: the only organization
}

// SignInOutside opens a session for a person who has signed in at an identity provider: a user with that address, even
// one who was only invited, or a newcomer from a welcome domain.
func SignInOutside(ctx context.Context, st *store.Store, seals Seals, in Outside, welcome Newcomers, b Browser) (token string, err error) {
	u, err := st.Read(ctx).UserByEmail(in.Email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	unknown := PasswordHash("")
	if u.PasswordHash == "" {
		// They need no password. One that nobody knows makes the invitation's link and guesses useless.
		if unknown, err = HashPassword(rand.Text()); err != nil {
			return "", err
		}
	}
	err = st.InTx(ctx, func(tx *store.Tx) error {
		u, err := tx.UserByEmail(in.Email)
		if errors.Is(err, store.ErrNotFound) {
			u, err = newcomer(tx, in, welcome, unknown, b)
		}
		if err != nil {
			return err
		}
		if u.DisabledAt != nil {
			return notHere(in.Email)
		}
		if err := takeSecondStep(tx, seals, u, in.Code); err != nil {
			return err
		}
		if u.PasswordHash == "" {
			if err := SetPassword(tx, u.OrgID, u.ID, unknown); err != nil {
				return err
			}
		}
		if err := auditAs(tx, doerOf(u, b), u.OrgID, chat.AuditSignedIn, ofUser(u), "by", "identity provider", "client", b.Client); err != nil {
			return err
		}
		token, err = OpenSession(tx, u, b)
		return err
	})
	return token, err
}

func notHere(email string) error {
	return chat.Fail(chat.CodeInvalidCredentials, "Nobody signs in here as %s. Ask an admin for an invitation.", email)
}

// newcomer makes a user for a person whose address has a welcome domain.
func newcomer(tx *store.Tx, in Outside, welcome Newcomers, unknown PasswordHash, b Browser) (chat.User, error) {
	domain := in.Email[strings.LastIndexByte(in.Email, '@')+1:]
	if !slices.ContainsFunc(welcome.Domains, func(d string) bool { return chat.FoldEmail(d) == chat.FoldEmail(domain) }) {
		return chat.User{}, notHere(in.Email)
	}
	org := welcome.OrgID
	if org == "" {
		all, err := tx.Organizations()
		if err != nil || len(all) != 1 {
			return chat.User{}, orElse(err, notHere(in.Email))
		}
		org = all[0].ID
	}
	teams, err := tx.Teams(org)
	if err != nil || len(teams) == 0 {
		return chat.User{}, orElse(err, notHere(in.Email))
	}
	name := in.Name
	if strings.TrimSpace(name) == "" {
		name = in.Email
	}
	u, err := CreateUser(tx, NewUser{OrgID: org, Email: in.Email, Name: name, Password: unknown, Role: chat.RoleAgent, TeamID: teams[0].ID})
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Param == "email" { // no address, or one like that of another user
		return u, notHere(in.Email)
	}
	if err != nil {
		return u, err
	}
	return u, auditAs(tx, doerOf(u, b), org, chat.AuditUserCreated, ofUser(u), "email", u.Email, "role", string(u.Role), "by", "identity provider")
}
