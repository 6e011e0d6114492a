package chat

import "time"

// AccountStatus is the life of a connected business number.
type AccountStatus string

const (
	AccountConnected    AccountStatus = "connected"
	AccountDisconnected AccountStatus = "disconnected"
	AccountDegraded     AccountStatus = "degraded"
	AccountOnboarding   AccountStatus = "onboarding"
)

// Restriction says which sends the provider forbids.
type Restriction string

const (
	RestrictAll      Restriction = "all"
	RestrictBusiness Restriction = "business" // what opens a conversation: templates
	RestrictCustomer Restriction = "customer" // answers inside one
)

// Account is a business number of an organization.
type Account struct {
	ID               string
	OrgID            string
	TeamID           string
	CustomerID       *string
	CustomerName     *string // of the customer, when loaded with it
	CustomerStatus   *string
	PhoneNumberID    *string
	PhoneNumber      *string // +E.164
	WABAID           string
	Name             *string
	Status           AccountStatus
	ProviderStatus   *string
	Quality          *string
	Restriction      *Restriction
	RestrictedUntil  *time.Time // nil: until lifted
	RequireOptIn     bool
	Token            string // sealed
	RegisteringUntil *time.Time
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// Restricted reports whether a send is forbidden now. opening tells whether it would open a
// conversation, as a template does.
func (a Account) Restricted(now time.Time, opening bool) bool {
	if a.Restriction == nil || (a.RestrictedUntil != nil && !now.Before(*a.RestrictedUntil)) {
		return false
	}
	switch *a.Restriction {
	case RestrictBusiness:
		return opening
	case RestrictCustomer:
		return !opening
	default:
		return true
	}
}

// CheckSend says why the account cannot send now, in the contract's order.
func (a Account) CheckSend(now time.Time, opening bool) error {
	provider := ""
	if a.ProviderStatus != nil {
		provider = *a.ProviderStatus
	}
	switch {
	case a.Status == AccountOnboarding, provider == "UNVERIFIED", provider == "PENDING":
		return Fail(CodeNumberNotVerified, "The number is not approved by the provider yet. Register it with POST /v1/{phone_number_id}/register.")
	case a.Status != AccountConnected:
		return Fail(CodeUpstreamError, "The number is %s. Reconnect it, or repair it with POST /v1/{phone_number_id}/register.", a.Status)
	case a.Restricted(now, opening):
		return Fail(CodeAccountRestricted, "The provider has restricted this number. See its notices in the provider's console.")
	case a.CustomerStatus != nil && (*a.CustomerStatus == "suspended" || *a.CustomerStatus == "archived"):
		return Fail(CodeCustomerSuspended, "The customer who owns this number is %s.", *a.CustomerStatus)
	}
	return nil
}
