package api

import (
	"net/http"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func registerAccounts(a *API) {
	list(a, operation{
		method: http.MethodGet, path: "/accounts", id: "listAccounts", tag: "Accounts",
		summary: "List business numbers, newest first", description: "All of them at once, unless limit is given.", whole: true,
	}, listAccounts)
}

// accountPath is embedded, first, by the input of every operation under /{phone_number_id}.
type accountPath struct {
	PhoneNumberID string `path:"phone_number_id" pattern:"^[0-9]{6,20}$" doc:"The business number, by the provider's id of it."`
}

// account loads the account that the path names. An operation under /{phone_number_id} starts
// with it: a number that is absent or another organization's is 404.
func (c *call) account(r store.Reader) (chat.Account, error) {
	account, err := core.AccountByNumber(r, c.key.Key.OrgID, c.path[0])
	c.found = err == nil
	return account, err
}

// findInPath makes sure that the path is well formed and that what it names is there.
func (c *call) findInPath() error {
	if err := c.op.input.checkPath(c); err != nil {
		return err
	}
	numbered := strings.HasPrefix(c.op.path, "/{phone_number_id}/")
	if c.op.inPath == nil && (!numbered || c.found) {
		return nil
	}
	r := c.api.store.Read(c.ctx)
	var account chat.Account
	if numbered {
		var err error
		if account, err = c.account(r); err != nil || c.op.inPath == nil {
			return err
		}
	}
	return c.op.inPath(c, r, account)
}

type accountView struct {
	ID             string  `json:"id" pattern:"^acc_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Ours; paths take phone_number_id."`
	Object         string  `json:"object" enum:"account"`
	PhoneNumberID  *string `json:"phone_number_id" doc:"The provider's id of the number; null while onboarding is in flight."`
	PhoneNumber    *string `json:"phone_number" doc:"In E.164."`
	Name           *string `json:"name"`
	Status         string  `json:"status" enum:"connected,disconnected,degraded,onboarding"`
	ProviderStatus *string `json:"provider_status" doc:"The provider's own status of the number; null if never fetched."`
	CustomerID     *string `json:"customer_id" doc:"The end-customer who owns it; null for the organization's own."`
}

func viewAccount(a chat.Account) accountView {
	return accountView{
		ID: a.ID, Object: "account", PhoneNumberID: a.PhoneNumberID, PhoneNumber: a.PhoneNumber, Name: a.Name,
		Status: string(a.Status), ProviderStatus: a.ProviderStatus, CustomerID: a.CustomerID,
	}
}

type listAccountsInput struct {
	Status     string `query:"status" enum:"connected,all" default:"connected"`
	CustomerID string `query:"customer_id" pattern:"^cus_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only numbers of this customer; none if there is no such customer."`
}

func listAccounts(c *call, in *listAccountsInput, p store.Page) (store.Slice[accountView], error) {
	filter := store.AccountFilter{Status: chat.AccountConnected, CustomerID: in.CustomerID}
	if in.Status == "all" {
		filter.Status = ""
	}
	accounts, err := c.api.store.Read(c.ctx).Accounts(c.key.Key.OrgID, filter, p)
	return viewEach(accounts, viewAccount), err
}

// chatAccountView is the number that something belongs to.
type chatAccountView struct {
	PhoneNumber   *string                 `json:"phone_number"`
	PhoneNumberID *string                 `json:"phone_number_id"`
	Customer      orNull[customerRefView] `json:"customer" doc:"Null for the organization's own numbers."`
}

type customerRefView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func viewChatAccount(a chat.Account) chatAccountView {
	view := chatAccountView{PhoneNumber: a.PhoneNumber, PhoneNumberID: a.PhoneNumberID}
	if a.CustomerID != nil && a.CustomerName != nil {
		view.Customer.value = &customerRefView{*a.CustomerID, *a.CustomerName}
	}
	return view
}
