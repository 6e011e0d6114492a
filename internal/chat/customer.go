package chat

import (
	"encoding/json"
	"strings"
	"time"
)

// CustomerStatus is where an end-customer stands.
type CustomerStatus string

const (
	CustomerPending   CustomerStatus = "pending" // has not connected a number yet
	CustomerActive    CustomerStatus = "active"
	CustomerSuspended CustomerStatus = "suspended"
	CustomerArchived  CustomerStatus = "archived"
)

// Customer is a business on whose behalf an organization sends.
type Customer struct {
	ID          string
	OrgID       string
	TeamID      string
	Name        string
	Email       *string
	Status      CustomerStatus
	Metadata    json.RawMessage // an object, or nil
	OnboardedAt *time.Time      // when it connected its first number
	ArchivedAt  *time.Time
	// ArchivedFrom is the status before it was archived; empty while it is not archived.
	ArchivedFrom CustomerStatus
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// SearchKey is the text that a search matches.
func (c Customer) SearchKey() string {
	key := c.Name
	if c.Email != nil {
		key += "\n" + *c.Email
	}
	return FoldCase(key)
}

// MaySend reports whether the customer's numbers may send.
func (s CustomerStatus) MaySend() bool { return s != CustomerSuspended && s != CustomerArchived }

// NewCustomer is the request to make a customer. TeamID may be empty where the organization has one team.
type NewCustomer struct {
	TeamID   string
	Name     string
	Email    *string
	Metadata json.RawMessage
}

// Customer checks the fields in their documented order and returns the customer they describe.
func (n NewCustomer) Customer() (Customer, error) {
	patch := CustomerPatch{Name: &n.Name, Email: Patch[string]{true, n.Email}}
	if n.Metadata != nil {
		patch.Metadata = To(n.Metadata)
	}
	c, _, err := patch.Apply(Customer{Status: CustomerPending})
	return c, err
}

// CustomerPatch changes the fields that are given. A status takes a customer out of the archive. A customer
// that was archived while suspended comes back suspended, even if active was asked for.
type CustomerPatch struct {
	Name     *string
	Email    Patch[string]
	Metadata Patch[json.RawMessage]
	Status   *CustomerStatus
}

// Apply returns c with the patch applied, and the names of the fields that this changed.
func (p CustomerPatch) Apply(c Customer) (Customer, []string, error) {
	if err := p.clean(); err != nil {
		return Customer{}, nil, err
	}
	before := c
	if p.Name != nil {
		c.Name = *p.Name
	}
	p.Email.apply(&c.Email)
	if p.Metadata.Given {
		c.Metadata = nil
		if p.Metadata.Value != nil {
			c.Metadata = *p.Metadata.Value
		}
	}
	if p.Status != nil {
		status := *p.Status
		if c.ArchivedFrom == CustomerSuspended && status == CustomerActive {
			status = CustomerSuspended // a suspension outlives the archive
		}
		c.Status, c.ArchivedAt, c.ArchivedFrom = status, nil, ""
	}
	return c, changedOfCustomer(before, c), nil
}

// clean checks the values in their documented order and gives them the form they are stored in.
func (p *CustomerPatch) clean() (err error) {
	if p.Name != nil {
		name, err := cleanCustomerName(*p.Name)
		if err != nil {
			return err
		}
		p.Name = &name
	}
	if p.Email.Value != nil {
		email, err := CleanEmail(*p.Email.Value)
		if err != nil {
			return err
		}
		p.Email.Value = &email
	}
	if p.Metadata.Value, err = cleanMetadata(p.Metadata.Value); err != nil {
		return err
	}
	if p.Status == nil {
		return nil
	}
	switch *p.Status {
	case CustomerPending, CustomerActive, CustomerSuspended:
		return nil
	case CustomerArchived:
		return Invalid("status", "Archive a customer with DELETE /v1/customers/{id}.")
	default:
		return Invalid("status", "Must be one of pending, active, suspended.")
	}
}

// cleanCustomerName collapses white space and checks that 1 to 200 characters are left.
func cleanCustomerName(name string) (string, error) {
	return cleanText("name", strings.Join(strings.Fields(name), " "), 200)
}

// changedOfCustomer names the fields that differ, in their documented order. It looks only at fields that
// people change.
func changedOfCustomer(before, after Customer) []string {
	var changed []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"name", before.Name == after.Name},
		{"email", equal(before.Email, after.Email)},
		{"metadata", sameJSON(before.Metadata, after.Metadata)},
		{"status", before.Status == after.Status},
	} {
		if !f.same {
			changed = append(changed, f.name)
		}
	}
	return changed
}

// Archive archives the customer. It returns false when the customer is archived already.
func (c *Customer) Archive(now time.Time) bool {
	if c.Status == CustomerArchived {
		return false
	}
	c.ArchivedFrom, c.Status, c.ArchivedAt = c.Status, CustomerArchived, &now
	return true
}

// Restored is the status of a customer that leaves the archive: the one from which it was archived. Where that was not
// written down it is active if it has ever connected a number, and pending otherwise.
func (c Customer) Restored() CustomerStatus {
	switch {
	case c.ArchivedFrom != "":
		return c.ArchivedFrom
	case c.OnboardedAt != nil:
		return CustomerActive
	default:
		return CustomerPending
	}
}
