package cli

import (
	"fmt"
	"strings"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

type accountCommands struct {
	Connect accountConnectCommand `cmd:"" help:"Connect a business number to an organization."`
	Update  accountUpdateCommand  `cmd:"" help:"Change a connected number."`
	List    accountListCommand    `cmd:"" help:"List the numbers of an organization, or of all."`

	Link       accountLinkCommand       `cmd:"" help:"Make a link under which somebody connects a number in the browser."`
	Disconnect accountDisconnectCommand `cmd:"" help:"Disconnect a number. All that belongs to it is deleted."`
	PIN        accountPINCommand        `cmd:"" name:"pin" help:"Show the two-step PIN that Parley registers a number with, unless the number had one."`
}

func accountRecord(a chat.Account) record {
	return record{
		{"id", a.ID}, {"organization_id", a.OrgID}, {"team_id", a.TeamID}, {"customer_id", textOrNil(a.CustomerID)},
		{"phone_number_id", textOrNil(a.PhoneNumberID)}, {"phone_number", textOrNil(a.PhoneNumber)}, {"waba_id", a.WABAID},
		{"name", textOrNil(a.Name)}, {"status", string(a.Status)}, {"status_reason", textOrNil(a.Reason())}, {"provider_status", textOrNil(a.ProviderStatus)},
		{"require_opt_in", a.RequireOptIn}, {"created_at", instant(a.CreatedAt)},
	}
}

// sealing holds the flags of commands that store a token, beside those of the store.
type sealing struct {
	SecretKey string `variable:"PARLEY_SECRET_KEY" placeholder:"BASE64" secret:"" help:"Master key that seals the number's token and PIN. Empty: secret.key in the data folder."`
}

// changeSealing is change for a command that stores a token. It seals the token with the store's own master
// key.
func (s sealing) changeSealing(c *console, f storeFlags, token string, fn func(*store.Tx, core.Seal) error) error {
	if strings.TrimSpace(token) == "" {
		return chat.Invalid("token", "Must not be empty.")
	}
	return s.withVault(c, f, func(st *store.Store, v *vault.Vault) error {
		seal := func(accountID string) string { return v.Seal(token, core.TokenContext(accountID)) }
		return st.InTx(asOperator(c.ctx), func(tx *store.Tx) error { return fn(tx, seal) })
	})
}

// withVault runs fn with the store and its master key. It opens the store first, so that no key is made where
// there is no store.
func (s sealing) withVault(c *console, f storeFlags, fn func(*store.Store, *vault.Vault) error) error {
	return f.with(c, func(st *store.Store) error {
		v, err := masterkey.Load(c.ctx, st, s.SecretKey, f.Data)
		if err != nil {
			return err
		}
		return fn(st, v)
	})
}

type accountConnectCommand struct {
	Org            orgID   `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	PhoneNumberID  string  `required:"" name:"phone-number-id" placeholder:"ID" help:"The provider's id of the number."`
	PhoneNumber    string  `required:"" placeholder:"NUMBER" help:"The number itself, as +4930555000."`
	WABAID         string  `required:"" name:"waba-id" placeholder:"ID" help:"The provider's id of the business account it belongs to."`
	Token          secret  `required:"" placeholder:"TOKEN" help:"Access token for the number; - reads it from the standard input, where nobody else sees it. The simulator takes any."`
	Name           *string `help:"A name to know it by."`
	Status         string  `default:"connected" placeholder:"STATUS" enum:"connected,disconnected,degraded,onboarding" help:"connected, disconnected, degraded or onboarding."`
	ProviderStatus *string `placeholder:"STATUS" help:"The provider's own status, such as CONNECTED."`
	Customer       *string `placeholder:"CUSTOMER" help:"The end-customer who owns it (cus_…)."`
	Team           string  `placeholder:"TEAM" help:"The team that works with it (team_…); needed where there are several."`
	sealing
	storeFlags
}

func (cmd *accountConnectCommand) Run(c *console) error {
	token, err := cmd.Token.read(c, "Access token")
	if err != nil {
		return err
	}
	var account chat.Account
	err = cmd.changeSealing(c, cmd.storeFlags, token, func(tx *store.Tx, seal core.Seal) (err error) {
		account, err = core.ConnectWithToken(tx, chat.NewAccount{
			OrgID: string(cmd.Org), TeamID: cmd.Team, CustomerID: cmd.Customer, PhoneNumberID: cmd.PhoneNumberID, PhoneNumber: cmd.PhoneNumber,
			WABAID: cmd.WABAID, Name: cmd.Name, Status: chat.AccountStatus(cmd.Status), ProviderStatus: cmd.ProviderStatus,
		}, seal)
		return err
	})
	if err != nil {
		return pointTo(err, listOrgs)
	}
	if !cmd.JSON {
		fmt.Fprintln(c.stderr, "The server now turns on its callbacks, registers it if need be and reads its templates. \"parley account list\" shows its status.")
	}
	return cmd.printOne(c.stdout, accountRecord(account))
}

type accountUpdateCommand struct {
	PhoneNumberID  string  `arg:"" name:"phone-number-id" help:"The provider's id of the number."`
	Org            orgID   `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Status         *string `enum:"connected,disconnected,degraded,onboarding" help:"connected, disconnected, degraded or onboarding."`
	ProviderStatus *string `placeholder:"STATUS" help:"The provider's own status."`
	Token          *secret `placeholder:"TOKEN" help:"A new access token; - reads it from the standard input, where nobody else sees it."`
	RequireOptIn   *bool   `help:"Send marketing templates only to contacts who have opted in; --require-opt-in=false lifts it."`
	sealing
	storeFlags
}

func (cmd *accountUpdateCommand) Run(c *console) error {
	patch := chat.AccountPatch{Status: (*chat.AccountStatus)(cmd.Status), RequireOptIn: cmd.RequireOptIn}
	if cmd.ProviderStatus != nil {
		patch.ProviderStatus = chat.To(*cmd.ProviderStatus)
	}
	var account chat.Account
	update := func(tx *store.Tx, seal core.Seal) (err error) {
		account, err = core.UpdateAccount(tx, cmd.PhoneNumberID, patch, seal)
		if err == nil && account.OrgID != string(cmd.Org) {
			err = chat.NotFound("business number")
		}
		return err
	}
	change := func() error { return cmd.change(c, func(tx *store.Tx) error { return update(tx, nil) }) }
	if cmd.Token != nil {
		token, err := cmd.Token.read(c, "Access token")
		if err != nil {
			return err
		}
		change = func() error { return cmd.changeSealing(c, cmd.storeFlags, token, update) }
	}
	if err := change(); err != nil {
		return pointTo(err, "parley account list --org ORG")
	}
	return cmd.printOne(c.stdout, accountRecord(account))
}

type accountListCommand struct {
	Org *orgID `placeholder:"ORG" help:"Only this organization's numbers (org_…). Without: those of all, or those of your API key."`
	URL string `variable:"PARLEY_API_URL" default:"http://localhost:8080" placeholder:"URL" help:"Address of the service, where a key is given."`
	Key string `variable:"PARLEY_API_KEY" placeholder:"KEY" secret:"" help:"API key (svc_live_…): list its organization's numbers through the API. \"parley login\" keeps it. --org, --data and --database-url read the store instead."`
	storeFlags
}

// Validate is called by kong.
func (cmd *accountListCommand) Validate() error {
	if !cmd.overAPI() {
		return nil
	}
	return checkService(cmd.URL, cmd.Key)
}

// defaultData is the default of --data.
const defaultData = "./data"

// overAPI tells whether the list comes from the service: there is a key, and nothing points to a store.
func (cmd *accountListCommand) overAPI() bool {
	return cmd.Key != "" && cmd.Org == nil && cmd.DatabaseURL == "" && cmd.Data == defaultData
}

// accountColumns are what the table shows; JSON has all fields.
var accountColumns = []string{"phone_number_id", "phone_number", "status", "status_reason", "name"}

func (cmd *accountListCommand) listOverAPI(c *console) error {
	flags := serviceFlags{URL: cmd.URL, Key: cmd.Key, JSON: cmd.JSON}
	api, err := flags.connect()
	if err != nil {
		return err
	}
	list, err := upTo(api.Accounts(c.ctx, client.AccountFilter{All: true}), -1)
	return showList(c, &flags, list, err, func(a client.Account) record {
		return record{
			{"phone_number_id", textOrNil(a.PhoneNumberID)}, {"phone_number", textOrNil(a.PhoneNumber)}, {"status", string(a.Status)},
			{"status_reason", textOrNil(a.StatusReason)}, {"name", textOrNil(a.Name)},
		}
	})
}

func (cmd *accountListCommand) Run(c *console) error {
	if cmd.overAPI() {
		return cmd.listOverAPI(c)
	}
	if cmd.Org != nil {
		return cmd.lookInto(c, *cmd.Org, func(r store.Reader) error { return cmd.list(c, r, string(*cmd.Org)) })
	}
	return cmd.look(c, func(r store.Reader) error {
		orgs, err := r.Organizations()
		if err != nil {
			return err
		}
		var ids []string
		for _, o := range orgs {
			ids = append(ids, o.ID)
		}
		return cmd.list(c, r, ids...)
	})
}

func (cmd *accountListCommand) list(c *console, r store.Reader, orgs ...string) error {
	var rows []record
	for _, org := range orgs {
		accounts, err := r.Accounts(org, store.AccountFilter{}, store.Page{Limit: 10_000})
		if err != nil {
			return err
		}
		for _, a := range accounts.Rows {
			rows = append(rows, accountRecord(a))
		}
	}
	columns := accountColumns
	if cmd.Org == nil {
		columns = append([]string{"organization_id"}, columns...)
	}
	return cmd.printTable(c.stdout, rows, columns...)
}
