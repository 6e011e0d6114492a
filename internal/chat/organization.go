package chat

import (
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"
)

// Plan says what an organization may do, and how much. A nil limit means unlimited.
type Plan struct {
	Name            string
	API             bool
	Customers       bool
	MonthlyMessages *int64
	RetentionDays   *int64
	WritePerMinute  int64
	ReadPerMinute   int64
}

// Keeps is the number of days for which messages are kept: the plan's, or the organization's own setting where
// that is less. Nil means for ever.
func (p Plan) Keeps(s Settings) *int64 {
	if s.RetentionDays == 0 || p.RetentionDays != nil && *p.RetentionDays < s.RetentionDays {
		return p.RetentionDays
	}
	return &s.RetentionDays
}

// DefaultPlan is the plan of an organization created without naming one.
const DefaultPlan = "enterprise"

// SubscriptionStatus says whether an organization's subscription is paid, in trial or inactive.
type SubscriptionStatus string

const (
	SubscriptionActive   SubscriptionStatus = "active"
	SubscriptionTrialing SubscriptionStatus = "trialing"
	SubscriptionInactive SubscriptionStatus = "inactive"
)

// Organization owns everything else. Nothing of one organization is visible to another.
type Organization struct {
	ID           string
	Name         string
	Plan         string
	Subscription SubscriptionStatus
	TrialEndsAt  *time.Time
	Suspended    bool
	Settings     Settings
	CreatedAt    time.Time
	UpdatedAt    time.Time
	DeletedAt    *time.Time // its data goes in the background
}

// Lapsed reports whether the subscription no longer entitles to anything: it is inactive, or its trial has
// ended. A trial without an end does not lapse.
func (o Organization) Lapsed(now time.Time) bool {
	switch o.Subscription {
	case SubscriptionActive:
		return false
	case SubscriptionTrialing:
		return o.TrialEndsAt != nil && !now.Before(*o.TrialEndsAt)
	default:
		return true
	}
}

// SubscriptionAt is the status at an instant: a trial that has ended is inactive.
func (o Organization) SubscriptionAt(now time.Time) SubscriptionStatus {
	if o.Lapsed(now) {
		return SubscriptionInactive
	}
	return o.Subscription
}

// Team is the scope of labels, customers and accounts inside an organization.
type Team struct {
	ID        string
	OrgID     string
	Name      string
	CreatedAt time.Time
}

// CleanName trims a name and checks it holds 1 to 200 characters.
func CleanName(name string) (string, error) { return cleanText("name", name, 200) }

// CleanEmail checks that s is one plain address of at most 255 characters.
func CleanEmail(s string) (string, error) {
	s = strings.TrimSpace(s)
	addr, err := mail.ParseAddress(s)
	if err != nil || addr.Address != s || utf8.RuneCountInString(s) > 255 {
		return "", Invalid("email", "This is not an e-mail address of at most 255 characters.")
	}
	return s, nil
}

// FoldEmail is an e-mail address as it is compared: only ASCII letters lose their case. FoldCase would make an i of a
// dotless one, and so the same of two people's mailboxes.
func FoldEmail(s string) string {
	lower := []byte(strings.TrimSpace(s))
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}

// FoldCase maps texts that differ only in case to the same text.
func FoldCase(s string) string {
	return strings.ToLower(strings.ToUpper(s))
}

func cleanText(param, s string, most int) (string, error) {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n < 1 || n > most {
		return "", Invalid(param, "Must be 1 to %d characters long, not counting white space around it.", most)
	}
	if strings.ContainsRune(s, 0) {
		return "", Invalid(param, "Must not contain the NUL character.")
	}
	return s, nil
}
