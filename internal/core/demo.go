package core

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// Demo is the demo organization and how to get in. It is kept sealed, so that every start can
// show it again.
type Demo struct {
	OrganizationID string `json:"organization_id"`
	APIKey         string `json:"api_key"`
	Email          string `json:"email"`
	Password       string `json:"password"`
}

const demoSetting = "demo"

// SeedDemo makes the demo organization on the first call, and returns the same one ever after.
func SeedDemo(ctx context.Context, st *store.Store, v *vault.Vault) (Demo, error) {
	fresh := Demo{Email: "demo@example.com", Password: rand.Text()[:16]}
	hash, err := HashPassword(fresh.Password)
	if err != nil {
		return Demo{}, err
	}
	var demo Demo
	err = st.InTx(ctx, func(tx *store.Tx) error {
		err := tx.InsertSetting(demoSetting, "") // of nodes that start together, all but one wait here
		if errors.Is(err, store.ErrDuplicate) {
			demo, err = openDemo(tx, v)
			return err
		}
		if err != nil {
			return err
		}
		demo = fresh
		if err := plantDemo(tx, &demo, hash); err != nil {
			return err
		}
		text, err := json.Marshal(demo)
		if err != nil {
			return err
		}
		return tx.PutSetting(demoSetting, v.Seal(string(text), demoSetting))
	})
	return demo, err
}

func openDemo(tx *store.Tx, v *vault.Vault) (demo Demo, err error) {
	sealed, err := tx.Setting(demoSetting)
	if err != nil {
		return Demo{}, err
	}
	text, err := v.Open(sealed, demoSetting)
	if err != nil {
		return Demo{}, fmt.Errorf("the demo organization: %w", err)
	}
	return demo, json.Unmarshal([]byte(text), &demo)
}

func plantDemo(tx *store.Tx, demo *Demo, hash PasswordHash) error {
	org, team, err := CreateOrganization(tx, "Demo", chat.DefaultPlan)
	if err != nil {
		return err
	}
	demo.OrganizationID = org.ID
	if _, demo.APIKey, err = CreateKey(tx, org.ID, "demo", nil); err != nil {
		return err
	}
	if _, err := CreateUser(tx, NewUser{OrgID: org.ID, Email: demo.Email, Name: "Demo", Password: hash, Role: chat.RoleOwner}); err != nil {
		return err
	}
	for _, label := range []chat.NewLabel{{Name: "VIP", Color: "amber"}, {Name: "Follow up", Color: "blue"}, {Name: "Urgent", Color: "red"}} {
		label.TeamID = team.ID
		if _, err := CreateLabel(tx, org.ID, label); err != nil {
			return err
		}
	}
	return nil
}
