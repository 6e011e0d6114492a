package core

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateOrganization makes an organization with its first team.
func CreateOrganization(tx *store.Tx, name, plan string) (chat.Organization, chat.Team, error) {
	name, err := chat.CleanName(name)
	if err != nil {
		return chat.Organization{}, chat.Team{}, err
	}
	if err := checkPlan(tx.Reader, plan); err != nil {
		return chat.Organization{}, chat.Team{}, err
	}
	org := chat.Organization{
		ID: tx.NewID(chat.KindOrganization), Name: name, Plan: plan,
		Subscription: chat.SubscriptionActive, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	if err := tx.InsertOrganization(org); err != nil {
		return chat.Organization{}, chat.Team{}, err
	}
	team, err := CreateTeam(tx, org.ID, "General")
	return org, team, err
}

// OrganizationPatch changes the fields that are not nil.
type OrganizationPatch struct {
	Plan         *string
	Subscription *chat.SubscriptionStatus
	TrialEndsAt  *time.Time
	Suspended    *bool
}

// UpdateOrganization changes an organization's plan, subscription or suspension.
func UpdateOrganization(tx *store.Tx, id string, p OrganizationPatch) (chat.Organization, error) {
	org, err := organization(tx.Reader, id)
	if err != nil {
		return chat.Organization{}, err
	}
	if org.DeletedAt != nil {
		return chat.Organization{}, chat.Invalid("org", "The organization is being deleted.")
	}
	if p.Plan != nil {
		if err := checkPlan(tx.Reader, *p.Plan); err != nil {
			return chat.Organization{}, err
		}
		org.Plan = *p.Plan
	}
	if p.Subscription != nil {
		org.Subscription = *p.Subscription
	}
	if p.TrialEndsAt != nil {
		org.TrialEndsAt = p.TrialEndsAt
	}
	if p.Suspended != nil {
		org.Suspended = *p.Suspended
	}
	org.UpdatedAt = tx.Now()
	return org, errors.Join(tx.UpdateOrganization(org), audit(tx, id, chat.AuditSettings, chat.AuditObject{ID: id, Name: org.Name},
		"plan", org.Plan, "subscription", string(org.Subscription), "suspended", strconv.FormatBool(org.Suspended)))
}

// DeleteOrganization deletes an organization with everything in it. Nobody gets in any more, its numbers are disconnected
// and its endpoints deleted; the rows and files follow in the background. The name must be the organization's, because
// this cannot be undone.
func DeleteOrganization(tx *store.Tx, id, name string) (chat.Organization, error) {
	org, err := organization(tx.Reader, id)
	if err != nil || org.DeletedAt != nil {
		return org, err
	}
	if org.Name != name {
		return chat.Organization{}, chat.Invalid("name", "The organization's name is %q. Give exactly that, to be sure that it is the right one.", org.Name)
	}
	numbers := func(p store.Page) (store.Slice[chat.Account], error) {
		return tx.Accounts(id, store.AccountFilter{}, p)
	}
	endpoints := func(p store.Page) (store.Slice[chat.WebhookSubscription], error) {
		return tx.WebhookSubscriptions(id, p)
	}
	err = errors.Join(
		emptyOut(numbers, func(a chat.Account) error { return disconnect(tx, a) }),
		emptyOut(endpoints, func(s chat.WebhookSubscription) error { return DeleteWebhookSubscription(tx, id, s.ID) }))
	if err != nil {
		return chat.Organization{}, err
	}
	org.Suspended, org.DeletedAt = true, new(tx.Now())
	return org, tx.DeleteOrganization(id, *org.DeletedAt)
}

// emptyOut removes everything from a list.
func emptyOut[T any](list func(store.Page) (store.Slice[T], error), remove func(T) error) error {
	for {
		some, err := list(store.Page{Limit: 100})
		for _, one := range some.Rows {
			err = errors.Join(err, remove(one))
		}
		if err != nil || len(some.Rows) == 0 {
			return err
		}
	}
}

// ChangeSettings changes an organization's name, if one is given, and its own settings.
func ChangeSettings(tx *store.Tx, id string, name *string, change func(*chat.Settings)) (chat.Organization, error) {
	org, err := organization(tx.Reader, id)
	if err != nil {
		return chat.Organization{}, err
	}
	if name != nil {
		if org.Name, err = chat.CleanName(*name); err != nil {
			return chat.Organization{}, err
		}
	}
	before := org.Settings
	change(&org.Settings)
	if err := org.Settings.Check(); err != nil {
		return chat.Organization{}, err
	}
	org.UpdatedAt = tx.Now()
	return org, errors.Join(tx.UpdateOrganization(org),
		audit(tx, id, chat.AuditSettings, chat.AuditObject{ID: id, Name: org.Name}, "changed", strings.Join(before.Changes(org.Settings), ", ")))
}

func organization(r store.Reader, id string) (chat.Organization, error) {
	org, err := r.Organization(id)
	return org, orNotFound(err, "organization")
}

// checkRoom refuses one more of what an organization can have only so many of. The organization is locked before they are
// counted, so that those whom somebody else is adding are among them.
func checkRoom(tx *store.Tx, orgID string, most int, count func() (int, error), full error) error {
	if _, err := organization(tx.Reader, orgID); err != nil {
		return err
	}
	n, err := count()
	if err == nil && n >= most {
		err = full
	}
	return err
}

func checkPlan(r store.Reader, name string) error {
	_, err := r.Plan(name)
	if errors.Is(err, store.ErrNotFound) {
		return chat.Invalid("plan", "There is no plan %q. `parley plan list` shows the plans.", name)
	}
	return err
}

// PlanPatch changes the fields that are not nil. The two limits that may be absent take -1 for "none".
type PlanPatch struct {
	API             *bool
	Customers       *bool
	MonthlyMessages *int64
	RetentionDays   *int64
	WritePerMinute  *int64
	ReadPerMinute   *int64
}

// CreatePlan makes a plan, which starts with only the rate limits of the shipped default.
func CreatePlan(tx *store.Tx, name string, p PlanPatch) (chat.Plan, error) {
	name, err := chat.CleanName(name)
	if err != nil {
		return chat.Plan{}, err
	}
	if _, err := tx.Plan(name); err == nil {
		return chat.Plan{}, chat.Invalid("name", "There is a plan of this name already.")
	} else if !errors.Is(err, store.ErrNotFound) {
		return chat.Plan{}, err
	}
	return p.put(tx, chat.Plan{Name: name, WritePerMinute: 600, ReadPerMinute: 6000})
}

// SetPlan changes a plan. A missing plan is an error, because it is more likely a typo than a wish for a new one.
func SetPlan(tx *store.Tx, name string, p PlanPatch) (chat.Plan, error) {
	name, err := chat.CleanName(name)
	if err != nil {
		return chat.Plan{}, err
	}
	plan, err := tx.Plan(name)
	if err != nil {
		return chat.Plan{}, orNotFound(err, "plan")
	}
	return p.put(tx, plan)
}

func (p PlanPatch) put(tx *store.Tx, plan chat.Plan) (chat.Plan, error) {
	if err := p.apply(&plan); err != nil {
		return chat.Plan{}, err
	}
	return plan, tx.PutPlan(plan)
}

func (p PlanPatch) apply(plan *chat.Plan) error {
	if p.API != nil {
		plan.API = *p.API
	}
	if p.Customers != nil {
		plan.Customers = *p.Customers
	}
	if err := setOptionalLimit(&plan.MonthlyMessages, p.MonthlyMessages, "monthly_messages"); err != nil {
		return err
	}
	if err := setOptionalLimit(&plan.RetentionDays, p.RetentionDays, "retention_days"); err != nil {
		return err
	}
	if err := setRate(&plan.WritePerMinute, p.WritePerMinute, "write_per_minute"); err != nil {
		return err
	}
	return setRate(&plan.ReadPerMinute, p.ReadPerMinute, "read_per_minute")
}

func setOptionalLimit(field **int64, value *int64, param string) error {
	switch {
	case value == nil:
	case *value < -1:
		return chat.Invalid(param, "Must be 0 or more, or -1 for no limit.")
	case *value == -1:
		*field = nil
	default:
		*field = value
	}
	return nil
}

// maxRate keeps token arithmetic far from the limits of float64.
const maxRate = 1_000_000_000

func setRate(field *int64, value *int64, param string) error {
	if value == nil {
		return nil
	}
	if *value < 1 || *value > maxRate {
		return chat.Invalid(param, "Must be between 1 and %d requests a minute.", maxRate)
	}
	*field = *value
	return nil
}
