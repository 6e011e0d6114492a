package cli

import (
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type customerCommands struct {
	Create  customerCreateCommand  `cmd:"" help:"Add an end-customer to an organization."`
	List    customerListCommand    `cmd:"" help:"List an organization's end-customers."`
	Update  customerUpdateCommand  `cmd:"" help:"Change an end-customer; suspend it, or let it send again."`
	Archive customerArchiveCommand `cmd:"" help:"Archive an end-customer: its numbers do not send any more."`
	Restore customerRestoreCommand `cmd:"" help:"Take an end-customer out of the archive."`
}

const listCustomers = "parley customer list --org ORG"

func customerRecord(c chat.Customer) record {
	return record{
		{"id", c.ID}, {"organization_id", c.OrgID}, {"team_id", c.TeamID}, {"name", c.Name}, {"email", textOrNil(c.Email)},
		{"status", string(c.Status)}, {"archived_at", instantOrNil(c.ArchivedAt)}, {"created_at", instant(c.CreatedAt)},
	}
}

// changeCustomer runs a use case and prints the changed customer.
func (f storeFlags) changeCustomer(c *console, hint string, fn func(*store.Tx) (chat.Customer, error)) error {
	var customer chat.Customer
	err := f.change(c, func(tx *store.Tx) (err error) {
		customer, err = fn(tx)
		return err
	})
	if err != nil {
		return pointTo(err, hint)
	}
	return f.printOne(c.stdout, customerRecord(customer))
}

type customerCreateCommand struct {
	Org   orgID   `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Name  string  `required:"" placeholder:"NAME" help:"The customer's name."`
	Email *string `placeholder:"ADDRESS" help:"The customer's e-mail address."`
	Team  string  `placeholder:"TEAM" help:"The team that works with it (team_…); needed where there are several."`
	storeFlags
}

func (cmd *customerCreateCommand) Run(c *console) error {
	return cmd.changeCustomer(c, listOrgs, func(tx *store.Tx) (chat.Customer, error) {
		org, err := tx.Organization(string(cmd.Org))
		if err != nil {
			return chat.Customer{}, chat.NotFound("organization")
		}
		plan, err := tx.Plan(org.Plan)
		if err != nil {
			return chat.Customer{}, err
		}
		if !plan.Customers {
			return chat.Customer{}, fmt.Errorf("the %s plan does not include customers; \"parley org update %s --plan PLAN\" changes the plan", plan.Name, org.ID)
		}
		return core.CreateCustomer(tx, string(cmd.Org), chat.NewCustomer{TeamID: cmd.Team, Name: cmd.Name, Email: cmd.Email})
	})
}

type customerListCommand struct {
	Org    orgID   `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Status *string `enum:"pending,active,suspended,archived" help:"Only those in this status: pending, active, suspended or archived."`
	Search string  `placeholder:"TEXT" help:"Only those with this text in their name or address."`
	storeFlags
}

func (cmd *customerListCommand) Run(c *console) error {
	return cmd.lookInto(c, cmd.Org, func(r store.Reader) error {
		filter := store.CustomerFilter{Search: cmd.Search}
		if cmd.Status != nil {
			filter.Status = chat.CustomerStatus(*cmd.Status)
		}
		customers, err := r.Customers(string(cmd.Org), filter, store.Page{Limit: 10_000})
		if err != nil {
			return err
		}
		var rows []record
		for _, customer := range customers.Rows {
			rows = append(rows, customerRecord(customer))
		}
		return cmd.printAll(c.stdout, rows, names(customerRecord(chat.Customer{}))...)
	})
}

type customerUpdateCommand struct {
	ID     string  `arg:"" help:"The customer's id (cus_…)."`
	Org    orgID   `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Name   *string `placeholder:"NAME" help:"A new name."`
	Email  *string `placeholder:"ADDRESS" help:"A new e-mail address."`
	Status *string `enum:"pending,active,suspended" help:"pending, active or suspended."`
	storeFlags
}

func (cmd *customerUpdateCommand) Run(c *console) error {
	patch := chat.CustomerPatch{Name: cmd.Name, Status: (*chat.CustomerStatus)(cmd.Status)}
	if cmd.Email != nil {
		patch.Email = chat.To(*cmd.Email)
	}
	return cmd.changeCustomer(c, listCustomers, func(tx *store.Tx) (chat.Customer, error) {
		return core.UpdateCustomer(tx, string(cmd.Org), cmd.ID, patch)
	})
}

type customerArchiveCommand struct {
	ID  string `arg:"" help:"The customer's id (cus_…)."`
	Org orgID  `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	storeFlags
}

func (cmd *customerArchiveCommand) Run(c *console) error {
	return cmd.changeCustomer(c, listCustomers, func(tx *store.Tx) (chat.Customer, error) {
		return core.ArchiveCustomer(tx, string(cmd.Org), cmd.ID)
	})
}

type customerRestoreCommand struct {
	ID  string `arg:"" help:"The customer's id (cus_…)."`
	Org orgID  `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	storeFlags
}

func (cmd *customerRestoreCommand) Run(c *console) error {
	return cmd.changeCustomer(c, listCustomers, func(tx *store.Tx) (chat.Customer, error) {
		return core.RestoreCustomer(tx, string(cmd.Org), cmd.ID)
	})
}
