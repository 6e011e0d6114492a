package demo

import (
	"context"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// salesNumber is a second number, with a team of its own.
const salesNumber = "100200300400501"

// crew is the people of the demo and their tools.
type crew struct {
	users  map[string]chat.User // by key
	tokens map[string]string    // of their sessions
	labels map[string]string    // ids by name
	team   string               // of the first number
}

// colleagues share the demo's password, so that visitors can sign in as any of them.
var colleagues = []struct{ key, name, email string }{
	{"ana", "Ana Wijaya", "ana@example.com"},
	{"budi", "Budi Hartono", "budi@example.com"},
	{"clara", "Clara Neumann", "clara@example.com"},
}

// hire creates the colleagues, the second number and the labels, and signs everybody in.
func (w *week) hire(ctx context.Context) error {
	w.crew = crew{users: map[string]chat.User{}, tokens: map[string]string{}, labels: map[string]string{}}
	err := w.Store.InTx(ctx, func(tx *store.Tx) error {
		owner, err := tx.UserByEmail(w.Demo.Email)
		if err != nil {
			return err
		}
		first, err := core.AccountByNumber(tx.Reader, owner.OrgID, w.Demo.PhoneNumberID)
		if err != nil {
			return err
		}
		sales, err := core.CreateTeam(tx, owner.OrgID, "Sales")
		if err != nil {
			return err
		}
		w.crew.users["demo"], w.crew.team = owner, first.TeamID
		for _, c := range colleagues {
			u, err := core.CreateUser(tx, core.NewUser{
				OrgID: owner.OrgID, Email: c.email, Name: c.name, Password: core.PasswordHash(owner.PasswordHash), Role: chat.RoleAgent, TeamID: first.TeamID,
			})
			if err != nil {
				return err
			}
			w.crew.users[c.key] = u
		}
		return w.openSales(tx, owner, first, sales)
	})
	if err != nil {
		return err
	}
	return w.Templates(ctx, salesNumber)
}

// openSales connects the second number to the same account at the provider.
func (w *week) openSales(tx *store.Tx, owner chat.User, first chat.Account, sales chat.Team) error {
	connected, name := "CONNECTED", "Demo sales"
	_, err := core.ConnectAccount(tx, chat.NewAccount{
		OrgID: owner.OrgID, TeamID: sales.ID, PhoneNumberID: salesNumber, PhoneNumber: "+15550100201", WABAID: first.WABAID,
		Name: &name, ProviderStatus: &connected,
	}, func(accountID string) string { return w.Vault.Seal("demo-token", core.TokenContext(accountID)) })
	if err != nil {
		return err
	}
	for _, u := range w.crew.users {
		if err := tx.PutMember(owner.OrgID, sales.ID, u.ID); err != nil {
			return err
		}
	}
	for _, l := range []chat.NewLabel{
		{Name: "Shipping", Color: "teal", TeamID: first.TeamID}, {Name: "Refund", Color: "orange", TeamID: first.TeamID},
		{Name: "New lead", Color: "violet", TeamID: sales.ID},
	} {
		if _, err := core.CreateLabel(tx, owner.OrgID, l); err != nil {
			return err
		}
	}
	for key, u := range w.crew.users {
		if w.crew.tokens[key], err = core.OpenSession(tx, u, core.Browser{Client: "the demo's week"}); err != nil {
			return err
		}
	}
	return nil
}

// goHome signs everybody out.
func (w *week) goHome(ctx context.Context) error {
	return w.Store.InTx(ctx, func(tx *store.Tx) error {
		for _, u := range w.crew.users {
			if err := core.SignOutEverywhere(tx, u.OrgID, u.ID, ""); err != nil {
				return err
			}
		}
		return nil
	})
}
