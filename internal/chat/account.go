package chat

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// AccountStatus is the life of a connected business number.
type AccountStatus string

const (
	AccountConnected    AccountStatus = "connected"
	AccountDisconnected AccountStatus = "disconnected"
	AccountDegraded     AccountStatus = "degraded"
	AccountOnboarding   AccountStatus = "onboarding"
)

var accountStatuses = []AccountStatus{AccountConnected, AccountDisconnected, AccountDegraded, AccountOnboarding}

// Restriction says which sends the provider forbids.
type Restriction string

const (
	RestrictAll      Restriction = "all"
	RestrictBusiness Restriction = "business" // sends that open a conversation: templates
	RestrictCustomer Restriction = "customer" // answers inside an open conversation
)

// AccountAspect is a part of an account's standing that the provider reports on its own.
type AccountAspect string

const (
	AspectStatus    AccountAspect = "status"
	AspectOpening   AccountAspect = "opening"   // whether it may open conversations
	AspectAnswering AccountAspect = "answering" // whether it may answer in them
	AspectLimit     AccountAspect = "limit"
	AspectQuality   AccountAspect = "quality"
	AspectName      AccountAspect = "name"
)

// Account is a business number of an organization.
type Account struct {
	ID              string
	OrgID           string
	TeamID          string
	CustomerID      *string
	CustomerName    *string // set when the account is loaded with its customer
	CustomerStatus  *CustomerStatus
	PhoneNumberID   *string
	PhoneNumber     *string // +E.164
	WABAID          string
	Name            *string
	Status          AccountStatus
	StatusReason    *string // why it is not connected, for people; see Reason
	ProviderStatus  *string
	Quality         *string
	MessagingLimit  *string // how many people it may write to in 24 hours, in the provider's words: TIER_…
	Restriction     *Restriction
	RestrictedUntil *time.Time // nil: until lifted
	// RestrictedThen is what is left of two restrictions after RestrictedUntil, and RestrictedThenUntil its end.
	RestrictedThen      *Restriction
	RestrictedThenUntil *time.Time
	RequireOptIn        bool
	Token               string // sealed
	RegisteringUntil    *time.Time
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// Matches reports whether each of the words of a search is a part of the name, the phone number or the phone_number_id.
func (a Account) Matches(words []string) bool {
	var parts []string
	for _, p := range []*string{a.Name, a.PhoneNumber, a.PhoneNumberID} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	key := FoldCase(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(key, word) })
}

// AccountState is the part of a number's standing that the provider decides, as of an instant.
type AccountState struct {
	At             time.Time
	Status         AccountStatus
	ProviderStatus *string
	Quality        *string
	MessagingLimit *string
	Restriction    *Restriction
}

// NewAccount is the operator's request to connect a number. Without TeamID the account goes to its customer's
// team, or to the organization's only team.
type NewAccount struct {
	OrgID          string
	TeamID         string
	CustomerID     *string
	PhoneNumberID  string
	PhoneNumber    string
	WABAID         string
	Name           *string
	Status         AccountStatus // empty: connected
	ProviderStatus *string
	RequireOptIn   bool
}

// phoneNumberIDPattern matches the provider's ids of numbers.
var phoneNumberIDPattern = regexp.MustCompile("^[0-9]{6,20}$")

// Account checks the fields and returns the account they describe.
func (n NewAccount) Account() (Account, error) {
	if !phoneNumberIDPattern.MatchString(n.PhoneNumberID) {
		return Account{}, Invalid("phone_number_id", "Must be the provider's id of the number: 6 to 20 digits.")
	}
	if n.Status == "" {
		n.Status = AccountConnected
	}
	return AccountPatch{
		PhoneNumber: &n.PhoneNumber, WABAID: &n.WABAID, Name: Patch[string]{true, n.Name}, Status: &n.Status,
		ProviderStatus: Patch[string]{true, n.ProviderStatus}, RequireOptIn: &n.RequireOptIn,
	}.Apply(Account{OrgID: n.OrgID, CustomerID: n.CustomerID, PhoneNumberID: &n.PhoneNumberID})
}

// AccountPatch changes the fields that are given.
type AccountPatch struct {
	PhoneNumber    *string
	WABAID         *string
	Name           Patch[string]
	Status         *AccountStatus
	ProviderStatus Patch[string]
	RequireOptIn   *bool
}

// Apply returns a with the patch applied.
func (p AccountPatch) Apply(a Account) (Account, error) {
	if p.PhoneNumber != nil {
		number, err := CleanPhoneNumber("phone_number", *p.PhoneNumber)
		if err != nil {
			return Account{}, err
		}
		a.PhoneNumber = &number
	}
	if p.WABAID != nil {
		id, err := cleanText("waba_id", *p.WABAID, 100)
		if err != nil {
			return Account{}, err
		}
		a.WABAID = id
	}
	if p.Status != nil {
		if !slices.Contains(accountStatuses, *p.Status) {
			return Account{}, Invalid("status", "Must be connected, disconnected, degraded or onboarding.")
		}
		if *p.Status != a.Status {
			a.StatusReason = nil
		}
		a.Status = *p.Status
	}
	if p.RequireOptIn != nil {
		a.RequireOptIn = *p.RequireOptIn
	}
	if err := checkText("name", p.Name.Value, 200); err != nil {
		return Account{}, err
	}
	p.Name.apply(&a.Name)
	p.ProviderStatus.apply(&a.ProviderStatus)
	return a, nil
}

// Reason says why the account is not connected, where that is known. A connected account has no reason, even if
// an old one is still stored.
func (a Account) Reason() *string {
	if a.Status == AccountConnected {
		return nil
	}
	return a.StatusReason
}

// Restricted reports whether a send is forbidden now. opening tells whether it would open a
// conversation, as a template does.
func (a Account) Restricted(now time.Time, opening bool) bool {
	restriction, _ := a.RestrictionAt(now)
	switch {
	case restriction == nil:
		return false
	case *restriction == RestrictBusiness:
		return opening
	case *restriction == RestrictCustomer:
		return !opening
	default:
		return true
	}
}

// RestrictionAt is the restriction that is in force, nil if there is none, and when it ends, nil if it has to be lifted.
func (a Account) RestrictionAt(now time.Time) (restriction *Restriction, until *time.Time) {
	switch {
	case a.Restriction != nil && isBefore(now, a.RestrictedUntil):
		return a.Restriction, a.RestrictedUntil
	case a.RestrictedThen != nil && isBefore(now, a.RestrictedThenUntil):
		return a.RestrictedThen, a.RestrictedThenUntil
	}
	return nil, nil
}

// isBefore reports whether an instant is before an end. Without one it always is.
func isBefore(at time.Time, end *time.Time) bool { return end == nil || at.Before(*end) }

// RestrictionEnds are the ends of restrictions of either kind, nil for one that has to be lifted.
type RestrictionEnds map[Restriction]*time.Time

// Restrictions are an account's restrictions that are in force, each with its own end.
func (a Account) Restrictions(now time.Time) RestrictionEnds {
	ends := RestrictionEnds{}
	restriction, until := a.RestrictionAt(now)
	switch {
	case restriction == nil:
	case *restriction == RestrictAll:
		ends[RestrictBusiness], ends[RestrictCustomer] = until, until
	default:
		ends[*restriction] = until
	}
	if len(ends) == 2 && a.RestrictedThen != nil {
		ends[*a.RestrictedThen] = a.RestrictedThenUntil
	}
	return ends
}

// SetRestrictions replaces an account's restrictions.
func (a *Account) SetRestrictions(ends RestrictionEnds) {
	a.Restriction, a.RestrictedUntil, a.RestrictedThen, a.RestrictedThenUntil = nil, nil, nil, nil
	if len(ends) < 2 {
		for kind, until := range ends {
			a.Restriction, a.RestrictedUntil = &kind, until
		}
		return
	}
	first, last := RestrictBusiness, RestrictCustomer
	if ends[first] == nil || !isBefore(*ends[first], ends[last]) {
		first, last = last, first
	}
	a.Restriction, a.RestrictedUntil = new(RestrictAll), ends[first]
	if ends[first] != nil && isBefore(*ends[first], ends[last]) {
		a.RestrictedThen, a.RestrictedThenUntil = &last, ends[last]
	}
}

// CheckConnected returns an error that says why the account cannot be used at the provider, or nil.
func (a Account) CheckConnected() error {
	provider := ""
	if a.ProviderStatus != nil {
		provider = *a.ProviderStatus
	}
	switch {
	case a.Status == AccountOnboarding, provider == "UNVERIFIED", provider == "PENDING":
		return Fail(CodeNumberNotVerified, "The number is not approved by the provider yet. Register it with POST /v1/{phone_number_id}/register.")
	case a.Status != AccountConnected:
		why := ""
		if reason := a.Reason(); reason != nil {
			why = ": " + strings.TrimSuffix(*reason, ".")
		}
		return Fail(CodeUpstreamError, "The number is %s%s. Reconnect it, or repair it with POST /v1/{phone_number_id}/register.", a.Status, why)
	}
	return nil
}

// CheckSend returns the first error, in the contract's order, that keeps the account from sending now.
func (a Account) CheckSend(now time.Time, opening bool) error {
	if err := a.CheckConnected(); err != nil {
		return err
	}
	switch {
	case a.Restricted(now, opening):
		return Fail(CodeAccountRestricted, "The provider has restricted this number. See its notices in the provider's console.")
	case a.CustomerStatus != nil && !a.CustomerStatus.MaySend():
		return Fail(CodeCustomerSuspended, "The customer who owns this number is %s.", *a.CustomerStatus)
	}
	return nil
}
