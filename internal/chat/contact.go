package chat

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Consent is what a contact said about marketing.
type Consent string

const (
	ConsentUnknown  Consent = "unknown"
	ConsentOptedIn  Consent = "opted_in"
	ConsentOptedOut Consent = "opted_out"
)

// Contact is a person an account writes with.
type Contact struct {
	ID          string
	OrgID       string
	AccountID   string
	PhoneNumber *string // +E.164
	BSUID       *string
	ParentBSUID *string
	Username    *string
	Name        *string
	Email       *string
	Metadata    json.RawMessage // an object, or nil
	Consent     Consent
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// SearchKey is the text that a search looks into.
func (c Contact) SearchKey() string {
	var parts []string
	for _, p := range []*string{c.Name, c.Email, c.PhoneNumber, c.Username} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	return FoldCase(strings.Join(parts, "\n"))
}

// ConversationStatus is where a conversation stands in the inbox.
type ConversationStatus string

const (
	ConversationOpen     ConversationStatus = "open"
	ConversationResolved ConversationStatus = "resolved"
	ConversationPending  ConversationStatus = "pending"
)

// Conversation is all that an account and a contact wrote to each other.
type Conversation struct {
	ID            string
	OrgID         string
	AccountID     string
	ContactID     string
	Status        ConversationStatus
	AssignedTo    *string
	UnreadCount   int64
	LastMessageAt *time.Time
	LastInboundAt *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

var (
	numberPattern = regexp.MustCompile(`^\+?[1-9][0-9]{6,14}$`)
	bsuidPattern  = regexp.MustCompile(`^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$`)
)

// CleanPhoneNumber checks a number in international form, with or without +, and gives it with.
func CleanPhoneNumber(param, s string) (string, error) {
	if !numberPattern.MatchString(s) {
		return "", &Error{Code: CodeInvalidPhoneNumber, Param: param,
			Message: "Must be a number in international form: 7 to 15 digits with or without +, the first not 0, nothing between them."}
	}
	return "+" + strings.TrimPrefix(s, "+"), nil
}

// ValidBSUID reports whether s can be a business-scoped user id, or a parent one.
func ValidBSUID(s string) bool { return bsuidPattern.MatchString(s) }

// ParentBSUID reports whether s is a parent id.
func ParentBSUID(s string) bool { return len(s) > 7 && s[2:7] == ".ENT." }
