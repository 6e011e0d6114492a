package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// registerCustomers adds the operations that the public API does not have.
func registerCustomers(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/customers/{id}/holdings", ID: "getCustomerHoldings", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Count what stops when a customer may not send", Description: "Counts stop at 10,000.",
	}, getCustomerHoldings)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/customers/{id}/restore", ID: "restoreCustomer", Tag: "Customers", Platform: true, Role: chat.RoleAdmin, Keyless: true,
		Summary: "Take a customer out of the archive", Description: "It becomes what it was when it was archived.",
	}, restoreCustomer)
}

type customerHoldingsView struct {
	Numbers           int `json:"numbers"`
	Queued            int `json:"queued" doc:"Messages that wait to be sent."`
	RunningBroadcasts int `json:"running_broadcasts" doc:"Also those that are scheduled or paused."`
	ActiveLinks       int `json:"active_links"`
}

func getCustomerHoldings(c *rest.Call, in *rest.ByID[rest.CustomerID]) (customerHoldingsView, error) {
	r := c.Read()
	if _, err := core.Customer(r, c.OrgID(), string(in.ID)); err != nil {
		return customerHoldingsView{}, err
	}
	h, err := r.CustomerHoldings(c.OrgID(), string(in.ID), c.Now())
	return customerHoldingsView(h), err
}

type restoredView struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

func restoreCustomer(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.CustomerID]) (restoredView, error) {
	customer, err := core.RestoreCustomer(tx, c.OrgID(), string(in.ID))
	return restoredView{customer.ID, string(customer.Status)}, err
}
