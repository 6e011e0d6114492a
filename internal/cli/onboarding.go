package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// publicURL is the address at which others reach the server: the one that is given, or the one that the server has left
// in the store. Where no server has run yet, it is a guess, and a warning says so.
func publicURL(c *console, r store.Reader, given string) (string, error) {
	if given == "" {
		left, err := r.Setting(core.PublicURLSetting)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		given = left
	}
	if given == "" {
		given = "http://localhost:8080"
		fmt.Fprintf(c.stderr, "No server has run on this store yet, so the link begins with %s. Give --public-url if that is not its address.\n", given)
	}
	return strings.TrimRight(given, "/"), nil
}

type accountLinkCommand struct {
	Org                orgID   `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Customer           string  `placeholder:"CUSTOMER" help:"The end-customer whose number it will be (cus_…). Without: the organization's own."`
	Team               string  `placeholder:"TEAM" help:"The team that works with the number (team_…); needed where there are several and no customer is given."`
	ExpiresInHours     int64   `default:"168" placeholder:"HOURS" help:"How long the link works, 1 to 720."`
	SuccessRedirectURL *string `name:"success-redirect-url" placeholder:"URL" help:"Where the browser goes afterwards."`
	FailureRedirectURL *string `name:"failure-redirect-url" placeholder:"URL" help:"Where the browser goes when it did not work."`
	PublicURL          string  `name:"public-url" variable:"PARLEY_PUBLIC_URL" placeholder:"URL" help:"Address under which others reach the server. Empty: the one that the server was last started with."`
	storeFlags
}

func (cmd *accountLinkCommand) Run(c *console) error {
	in := chat.NewSetupLink{ExpiresInHours: cmd.ExpiresInHours, SuccessRedirectURL: cmd.SuccessRedirectURL, FailureRedirectURL: cmd.FailureRedirectURL}
	if in.ExpiresInHours == 0 { // 0 would mean the default
		in.ExpiresInHours = -1
	}
	var link chat.SetupLink
	var token, address string
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		if address, err = publicURL(c, tx.Reader, cmd.PublicURL); err != nil {
			return err
		}
		if cmd.Customer == "" {
			link, token, err = core.CreateOwnSetupLink(tx, string(cmd.Org), cmd.Team, in)
		} else {
			link, token, err = core.CreateSetupLink(tx, string(cmd.Org), cmd.Customer, in)
		}
		return err
	})
	if err != nil {
		return pointTo(err, listOrgs)
	}
	return cmd.printOne(c.stdout, record{
		{"id", link.ID}, {"organization_id", link.OrgID}, {"team_id", link.TeamID}, {"customer_id", textOrNil(link.CustomerID)},
		{"expires_at", instant(link.ExpiresAt)},
		{"setup_url", address + core.OnboardPath + token},
	})
}

type accountDisconnectCommand struct {
	PhoneNumberID string `arg:"" name:"phone-number-id" help:"The provider's id of the number."`
	Org           orgID  `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	storeFlags
}

func (cmd *accountDisconnectCommand) Run(c *console) error {
	var account chat.Account
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		account, err = core.DisconnectAccount(tx, string(cmd.Org), cmd.PhoneNumberID)
		return err
	})
	if err != nil {
		return pointTo(err, "parley account list --org ORG")
	}
	return cmd.printOne(c.stdout, record{{"id", account.ID}, {"phone_number_id", cmd.PhoneNumberID}, {"disconnected", true}})
}

type accountPINCommand struct {
	PhoneNumberID string `arg:"" name:"phone-number-id" help:"The provider's id of the number."`
	Org           orgID  `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	sealing
	storeFlags
}

// Run prints the PIN with which the hosted page registers a number. It is derived from the master key and the
// number, so it is stored nowhere.
func (cmd *accountPINCommand) Run(c *console) error {
	return cmd.withVault(c, cmd.storeFlags, func(st *store.Store, v *vault.Vault) error {
		if _, err := core.AccountByNumber(st.Read(c.ctx), string(cmd.Org), cmd.PhoneNumberID); err != nil {
			return pointTo(err, "parley account list --org ORG")
		}
		pins, err := masterkey.PINKey(st.Read(c.ctx), v)
		if err != nil {
			return err
		}
		return cmd.printOne(c.stdout, record{{"phone_number_id", cmd.PhoneNumberID}, {"pin", core.TwoStepPIN(pins, cmd.PhoneNumberID)}})
	})
}
