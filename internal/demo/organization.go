package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// Organization is the demo organization and how to get in. It is kept sealed, so that every start can
// show it again.
type Organization struct {
	OrganizationID string `json:"organization_id"`
	APIKey         string `json:"api_key"`
	Email          string `json:"email"`
	Password       string `json:"password"`
	PhoneNumberID  string `json:"phone_number_id"`
}

const (
	demoSetting = "demo"
	// weekSetting tells what has become of the demo's week of conversations.
	weekSetting = "demo week"
	weekDue     = "due"
	weekBegun   = "begun"
)

// Seed makes the demo organization on the first call, and returns the same one ever after,
// also when several nodes start at once.
func Seed(ctx context.Context, st *store.Store, v *vault.Vault) (Organization, error) {
	demo, err := readDemo(st.Read(ctx), v)
	if !errors.Is(err, store.ErrNotFound) {
		return demo, err
	}
	demo = Organization{Email: "demo@example.com", Password: rand.Text()[:16]}
	hash, err := core.HashPassword(demo.Password)
	if err != nil {
		return Organization{}, err
	}
	err = st.InTx(ctx, func(tx *store.Tx) error {
		// The name is taken first: of two nodes, the second waits here and then finds it taken.
		if err := tx.InsertSetting(demoSetting, ""); err != nil {
			return err
		}
		if err := plantDemo(tx, v, &demo, hash); err != nil {
			return err
		}
		if err := tx.InsertSetting(weekSetting, weekDue); err != nil {
			return err
		}
		text, err := json.Marshal(demo)
		if err != nil {
			return err
		}
		return tx.PutSetting(demoSetting, v.Seal(string(text), demoSetting))
	})
	if errors.Is(err, store.ErrDuplicate) {
		return readDemo(st.Read(ctx), v)
	}
	return demo, err
}

// TakeWeek tells one caller, once, to make the demo's week of conversations: one that is cut off in the
// middle is not begun again, which would double what it had made.
func TakeWeek(ctx context.Context, st *store.Store) (mine bool, err error) {
	err = st.InTx(ctx, func(tx *store.Tx) error {
		state, err := tx.Setting(weekSetting)
		if mine = err == nil && state == weekDue; mine {
			return tx.PutSetting(weekSetting, weekBegun)
		}
		if errors.Is(err, store.ErrNotFound) { // the demo is older than the week
			return nil
		}
		return err
	})
	return mine && err == nil, err
}

func readDemo(r store.Reader, v *vault.Vault) (Organization, error) {
	sealed, err := r.Setting(demoSetting)
	if err != nil {
		return Organization{}, err
	}
	demo, err := openDemo(v, sealed)
	if err != nil {
		return Organization{}, err
	}
	org, err := r.Organization(demo.OrganizationID)
	if errors.Is(err, store.ErrNotFound) || err == nil && org.DeletedAt != nil {
		return Organization{}, errors.New("the demo organization was deleted: start without --demo, or with another data folder or database")
	}
	return demo, err
}

func openDemo(v *vault.Vault, sealed string) (demo Organization, err error) {
	text, err := v.Open(sealed, demoSetting)
	if err != nil {
		return Organization{}, fmt.Errorf("the demo organization: %w", err)
	}
	return demo, json.Unmarshal([]byte(text), &demo)
}

func plantDemo(tx *store.Tx, v *vault.Vault, demo *Organization, hash core.PasswordHash) error {
	org, team, err := core.CreateOrganization(tx, "Demo", chat.DefaultPlan)
	if err != nil {
		return err
	}
	demo.OrganizationID = org.ID
	if _, demo.APIKey, err = core.CreateKey(tx, org.ID, "demo", nil); err != nil {
		return err
	}
	if _, err := core.CreateUser(tx, core.NewUser{OrgID: org.ID, Email: demo.Email, Name: "Demo", Password: hash, Role: chat.RoleOwner}); err != nil {
		return err
	}
	if err := plantDemoNumber(tx, v, demo); err != nil {
		return err
	}
	for _, label := range []chat.NewLabel{{Name: "VIP", Color: "amber"}, {Name: "Follow up", Color: "blue"}, {Name: "Urgent", Color: "red"}} {
		label.TeamID = team.ID
		if _, err := core.CreateLabel(tx, org.ID, label); err != nil {
			return err
		}
	}
	return nil
}

// PhoneNumber is the number of the demo organization.
const PhoneNumber = "+15550100200"

// plantDemoNumber connects a number that the simulator answers for.
func plantDemoNumber(tx *store.Tx, v *vault.Vault, demo *Organization) error {
	demo.PhoneNumberID = "100200300400500"
	connected := "CONNECTED"
	_, err := core.ConnectAccount(tx, chat.NewAccount{
		OrgID: demo.OrganizationID, PhoneNumberID: demo.PhoneNumberID, PhoneNumber: PhoneNumber, WABAID: "200300400500600",
		Name: new("Demo"), ProviderStatus: &connected,
	}, func(accountID string) string { return v.Seal("demo-token", core.TokenContext(accountID)) })
	return err
}
