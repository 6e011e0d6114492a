package api

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerAccounts(a *API) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/accounts", ID: "listAccounts", Tag: "Accounts",
		Summary: "List business numbers, newest first", Description: "All of them at once, unless limit is given.", Whole: true,
	}, listAccounts)
}

type accountView struct {
	ID             rest.AccountID     `json:"id" doc:"Ours; paths take phone_number_id."`
	Object         string             `json:"object" enum:"account"`
	PhoneNumberID  *string            `json:"phone_number_id" doc:"The provider's id of the number; null while onboarding is in flight."`
	PhoneNumber    *string            `json:"phone_number" doc:"In E.164."`
	Name           *string            `json:"name"`
	Status         chat.AccountStatus `json:"status"`
	StatusReason   *string            `json:"status_reason" doc:"Why the number is not connected; null while it is, or when nobody knows."`
	ProviderStatus *string            `json:"provider_status" doc:"The provider's own status of the number; null if never fetched."`
	CustomerID     *string            `json:"customer_id" doc:"The end-customer who owns it; null for the organization's own."`
}

func viewAccount(a chat.Account) accountView {
	return accountView{
		ID: rest.AccountID(a.ID), Object: "account", PhoneNumberID: a.PhoneNumberID, PhoneNumber: a.PhoneNumber, Name: a.Name,
		Status: a.Status, StatusReason: a.Reason(), ProviderStatus: a.ProviderStatus, CustomerID: a.CustomerID,
	}
}

type listAccountsInput struct {
	Status     string          `query:"status" enum:"connected,all" default:"connected"`
	CustomerID rest.CustomerID `query:"customer_id" doc:"Only numbers of this customer; none if there is no such customer."`
}

func listAccounts(c *rest.Call, in *listAccountsInput, p store.Page) (store.Slice[accountView], error) {
	filter := store.AccountFilter{Status: chat.AccountConnected, CustomerID: string(in.CustomerID)}
	if in.Status == "all" {
		filter.Status = ""
	}
	accounts, err := c.Read().Accounts(c.OrgID(), filter, p)
	return rest.ViewEach(accounts, viewAccount), err
}

// chatAccountView is the number to which an object belongs.
type chatAccountView struct {
	PhoneNumber   *string                      `json:"phone_number"`
	PhoneNumberID *string                      `json:"phone_number_id"`
	Customer      rest.OrNull[customerRefView] `json:"customer" doc:"Null for the organization's own numbers."`
}

type customerRefView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func viewChatAccount(a chat.Account) chatAccountView {
	view := chatAccountView{PhoneNumber: a.PhoneNumber, PhoneNumberID: a.PhoneNumberID}
	if a.CustomerID != nil && a.CustomerName != nil {
		view.Customer.Value = &customerRefView{*a.CustomerID, *a.CustomerName}
	}
	return view
}
