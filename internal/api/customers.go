package api

import (
	"encoding/json"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerCustomers(a *API) {
	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/customers", ID: "listCustomers", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "List customers, newest first", Description: "In every status, unless one is asked for.",
	}, listCustomers)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/customers", ID: "createCustomer", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Create a customer", Description: "It is pending until it connects its first number through a setup link.", Status: http.StatusCreated,
	}, createCustomer)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/customers/{id}", ID: "getCustomer", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary:     "Get a customer with its business numbers",
		Description: "`whatsapp_accounts` lists the numbers it has connected, newest first.",
	}, getCustomer)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: "/customers/{id}", ID: "updateCustomer", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Change a customer", Description: "Fields that are left out stay as they are, null clears; at least one is needed. " +
			"While a customer is suspended its numbers do not send, messages that are queued included. A status takes a customer out of the archive.",
	}, updateCustomer)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/customers/{id}", ID: "archiveCustomer", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Archive a customer", Description: "Its numbers do not send any more. It is kept and can be restored: PATCH it with the status active. " +
			"Archiving it again changes nothing.",
	}, archiveCustomer)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/customers/{id}/whatsapp_accounts/{phone_number_id}", ID: "disconnectAccount", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Disconnect a customer's business number", Description: "The number is gone at once for every operation. Callbacks of the provider are ended, " +
			"and all that belongs to the number is deleted for good within minutes.",
	}, disconnectAccount)
}

type customerView struct {
	ID         rest.CustomerID `json:"id"`
	Object     string          `json:"object" enum:"customer"`
	Name       string          `json:"name"`
	Email      *string         `json:"email"`
	Status     string          `json:"status" enum:"pending,active,suspended,archived"`
	Metadata   rest.FreeForm   `json:"metadata"`
	ArchivedAt *rest.Instant   `json:"archived_at" nullable:"true"`
	TeamID     rest.TeamID     `json:"team_id"`
	CreatedAt  rest.Instant    `json:"created_at"`
	UpdatedAt  rest.Instant    `json:"updated_at"`

	Accounts []customerAccountView `json:"whatsapp_accounts,omitzero" doc:"The numbers it has connected, newest first. Only where one customer is fetched."`
}

// customerAccountView is a number inside its customer's view.
type customerAccountView struct {
	PhoneNumberID *string            `json:"phone_number_id" doc:"The provider's id of the number."`
	PhoneNumber   *string            `json:"phone_number" doc:"In E.164."`
	Name          *string            `json:"name"`
	Status        chat.AccountStatus `json:"status"`
	OnboardedAt   rest.Instant       `json:"onboarded_at"`
}

func viewCustomer(c chat.Customer) customerView {
	return customerView{
		ID: rest.CustomerID(c.ID), Object: "customer", Name: c.Name, Email: c.Email, Status: string(c.Status), Metadata: rest.FreeForm(c.Metadata),
		ArchivedAt: rest.InstantPtr(c.ArchivedAt), TeamID: rest.TeamID(c.TeamID), CreatedAt: rest.Instant(c.CreatedAt), UpdatedAt: rest.Instant(c.UpdatedAt),
	}
}

type listCustomersInput struct {
	Status string      `query:"status" enum:"pending,active,suspended,archived"`
	TeamID rest.TeamID `query:"team_id" doc:"Only customers of this team."`
	Search string      `query:"search" minLength:"1" maxLength:"200" doc:"Part of the name or e-mail address, in whatever case."`
}

func listCustomers(c *rest.Call, in *listCustomersInput, p store.Page) (store.Slice[customerView], error) {
	filter := store.CustomerFilter{Status: chat.CustomerStatus(in.Status), TeamID: string(in.TeamID), Search: in.Search}
	customers, err := c.Read().Customers(c.OrgID(), filter, p)
	return rest.ViewEach(customers, viewCustomer), err
}

type createCustomerBody struct {
	TeamID   rest.TeamID   `json:"team_id,omitempty" doc:"Needed where the organization has several teams; GET /me lists them."`
	Name     string        `json:"name" minLength:"1" maxLength:"200" collapsed:"true" doc:"1 to 200 characters; white space is collapsed."`
	Email    *string       `json:"email,omitempty" nullable:"true" format:"email" maxLength:"255"`
	Metadata rest.FreeForm `json:"metadata,omitempty" maxProperties:"64" doc:"Anything of your own: at most 64 keys and 16 KiB."`
}

func createCustomer(tx *store.Tx, c *rest.Call, in *rest.Sent[createCustomerBody]) (customerView, error) {
	b := in.Body
	customer, err := core.CreateCustomer(tx, c.OrgID(), chat.NewCustomer{
		TeamID: string(b.TeamID), Name: b.Name, Email: b.Email, Metadata: json.RawMessage(b.Metadata),
	})
	return viewCustomer(customer), err
}

func getCustomer(c *rest.Call, in *rest.ByID[rest.CustomerID]) (customerView, error) {
	r := c.Read()
	customer, err := core.Customer(r, c.OrgID(), string(in.ID))
	if err != nil {
		return customerView{}, err
	}
	accounts, err := core.CustomerAccounts(r, c.OrgID(), string(in.ID))
	view := viewCustomer(customer)
	view.Accounts = make([]customerAccountView, len(accounts))
	for i, a := range accounts {
		view.Accounts[i] = customerAccountView{
			PhoneNumberID: a.PhoneNumberID, PhoneNumber: a.PhoneNumber, Name: a.Name, Status: a.Status, OnboardedAt: rest.Instant(a.CreatedAt),
		}
	}
	return view, err
}

type updateCustomerBody struct {
	Name     *string                     `json:"name,omitempty" minLength:"1" maxLength:"200" collapsed:"true" doc:"1 to 200 characters; white space is collapsed."`
	Email    chat.Patch[string]          `json:"email,omitzero" format:"email" maxLength:"255" doc:"Null clears it."`
	Metadata chat.Patch[json.RawMessage] `json:"metadata,omitzero" maxProperties:"64" doc:"Replaces what was there: at most 64 keys and 16 KiB. Null clears it."`
	Status   *chat.CustomerStatus        `json:"status,omitempty" enum:"pending,active,suspended" doc:"To archive a customer, delete it."`
}

func updateCustomer(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.CustomerID, updateCustomerBody]) (customerView, error) {
	customer, err := core.UpdateCustomer(tx, c.OrgID(), string(in.ID), chat.CustomerPatch(in.Body))
	return viewCustomer(customer), err
}

func archiveCustomer(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.CustomerID]) (customerView, error) {
	customer, err := core.ArchiveCustomer(tx, c.OrgID(), string(in.ID))
	return viewCustomer(customer), err
}

type customerAccountInput struct {
	ID            rest.CustomerID `path:"id"`
	PhoneNumberID string          `path:"phone_number_id" pattern:"^[0-9]{6,20}$" doc:"The business number's phone_number_id, as GET /accounts lists it."`
}

type disconnectedView struct {
	PhoneNumberID string `json:"phone_number_id"`
	Object        string `json:"object" enum:"whatsapp_account"`
	Disconnected  bool   `json:"disconnected"`
}

func disconnectAccount(tx *store.Tx, c *rest.Call, in *customerAccountInput) (disconnectedView, error) {
	_, err := core.DisconnectCustomerAccount(tx, c.OrgID(), string(in.ID), in.PhoneNumberID)
	return disconnectedView{PhoneNumberID: in.PhoneNumberID, Object: "whatsapp_account", Disconnected: true}, err
}
