package core

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// FirstUser is the owner that the set-up page makes.
type FirstUser struct {
	Organization string
	Name         string
	Email        string
	Password     string
}

// firstPlan is the plan of an organization that is set up by hand: everything.
const firstPlan = "enterprise"

// SetUp makes the first user, with an organization if there is none, and signs the user in. Once there is a user, it
// answers as if the page did not exist.
func SetUp(ctx context.Context, st *store.Store, in FirstUser, b Browser) (token string, err error) {
	hash, err := HashPassword(in.Password)
	if err != nil {
		return "", err
	}
	err = st.InTx(ctx, func(tx *store.Tx) error {
		token, err = setUp(tx, in, hash, b)
		return err
	})
	return token, err
}

func setUp(tx *store.Tx, in FirstUser, hash PasswordHash, b Browser) (token string, err error) {
	if err := checkNoUsers(tx); err != nil {
		return "", err
	}
	org, err := firstOrganization(tx, in.Organization)
	if err != nil {
		return "", err
	}
	teams, err := tx.Teams(org)
	if err != nil {
		return "", err
	}
	u, err := CreateUser(tx, NewUser{OrgID: org, Email: in.Email, Name: in.Name, Password: hash, Role: chat.RoleOwner, TeamID: teams[0].ID})
	if err != nil {
		return "", err
	}
	if err := auditAs(tx, doerOf(u, b), org, chat.AuditUserCreated, ofUser(u), "email", u.Email, "role", string(u.Role)); err != nil {
		return "", err
	}
	return OpenSession(tx, u, b)
}

// checkNoUsers refuses a second first user. It locks the plan before it looks, because another one may just be made, and
// there is nothing else yet that both could lock.
func checkNoUsers(tx *store.Tx) error {
	if _, err := tx.Plan(firstPlan); ignoreNotFound(err) != nil {
		return err
	}
	any, err := tx.AnyUsers()
	if err == nil && any {
		err = chat.NotFound("set-up")
	}
	return err
}

// firstOrganization is the existing organization, or a new one.
func firstOrganization(tx *store.Tx, name string) (string, error) {
	all, err := tx.Organizations()
	if err != nil {
		return "", err
	}
	switch len(all) {
	case 0:
		org, _, err := CreateOrganization(tx, name, firstPlan)
		if e, ok := errors.AsType[*chat.Error](err); ok && e.Param == "name" {
			e.Param = "organization"
		}
		return org.ID, err
	case 1:
		return all[0].ID, nil
	default:
		return "", chat.Invalid("organization", "There are several organizations. Make the first user with \"parley user create\".")
	}
}
