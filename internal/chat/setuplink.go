package chat

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// SetupLinkStatus says whether a setup link is open, used, revoked or expired.
type SetupLinkStatus string

const (
	LinkActive   SetupLinkStatus = "active"
	LinkConsumed SetupLinkStatus = "consumed"
	LinkExpired  SetupLinkStatus = "expired" // never stored; follows from the clock
	LinkRevoked  SetupLinkStatus = "revoked"
)

// SetupLink is an address under which somebody connects a number, once: an end-customer, or, where there is no
// customer, the organization itself.
type SetupLink struct {
	ID                 string
	OrgID              string
	TeamID             string
	CustomerID         *string
	TokenHash          string
	TokenLast4         string
	Status             SetupLinkStatus // as stored; see At for expiry
	ExpiresAt          time.Time
	SuccessRedirectURL *string
	FailureRedirectURL *string
	ConsumedAt         *time.Time
	ConsumedBy         string // hash of the browser that signed up
	AccountID          *string
	CreatedAt          time.Time
}

// At returns the link with its status as of an instant.
func (l SetupLink) At(now time.Time) SetupLink {
	if l.Status == LinkActive && !now.Before(l.ExpiresAt) {
		l.Status = LinkExpired
	}
	return l
}

// Limits of a setup link's life, in hours.
const (
	minLinkHours     = 1
	maxLinkHours     = 720
	defaultLinkHours = 168
)

// NewSetupLink is the request to make a link.
type NewSetupLink struct {
	ExpiresInHours     int64 // 0: defaultLinkHours
	SuccessRedirectURL *string
	FailureRedirectURL *string
}

// Link checks the fields in their documented order and returns the link they describe.
func (n NewSetupLink) Link(now time.Time) (SetupLink, error) {
	if n.ExpiresInHours == 0 {
		n.ExpiresInHours = defaultLinkHours
	}
	if n.ExpiresInHours < minLinkHours || n.ExpiresInHours > maxLinkHours {
		return SetupLink{}, Invalid("expires_in_hours", "Must be %d to %d.", minLinkHours, maxLinkHours)
	}
	patch := SetupLinkPatch{
		SuccessRedirectURL: Patch[string]{true, n.SuccessRedirectURL}, FailureRedirectURL: Patch[string]{true, n.FailureRedirectURL},
	}
	return patch.Apply(SetupLink{Status: LinkActive, ExpiresAt: now.Add(time.Duration(n.ExpiresInHours) * time.Hour)})
}

// SetupLinkPatch changes the address to which people are redirected afterwards; null keeps them on the hosted
// page.
type SetupLinkPatch struct {
	SuccessRedirectURL Patch[string]
	FailureRedirectURL Patch[string]
}

// Apply returns l with the patch applied.
func (p SetupLinkPatch) Apply(l SetupLink) (SetupLink, error) {
	for _, field := range []struct {
		name  string
		value *string
	}{{"success_redirect_url", p.SuccessRedirectURL.Value}, {"failure_redirect_url", p.FailureRedirectURL.Value}} {
		if field.value == nil {
			continue
		}
		if err := checkRedirectURL(field.name, *field.value); err != nil {
			return SetupLink{}, err
		}
	}
	p.SuccessRedirectURL.apply(&l.SuccessRedirectURL)
	p.FailureRedirectURL.apply(&l.FailureRedirectURL)
	return l, nil
}

const maxRedirectURL = 2048

// checkRedirectURL allows https addresses, and http only to the local computer.
func checkRedirectURL(param, s string) error {
	const rule = "Must be an absolute https address of at most 2048 characters, without credentials and without a fragment; http is for localhost only."
	if utf8.RuneCountInString(s) > maxRedirectURL || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return Invalid(param, rule)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Hostname() == "", u.User != nil, strings.Contains(s, "#"):
		return Invalid(param, rule)
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	default:
		return Invalid(param, rule)
	}
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// WithQuery appends parameters to an address, in order, after those it already has.
func WithQuery(address string, pairs ...string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.RawQuery
	for i := 0; i+1 < len(pairs); i += 2 {
		if query != "" && !strings.HasSuffix(query, "&") {
			query += "&"
		}
		query += url.QueryEscape(pairs[i]) + "=" + url.QueryEscape(pairs[i+1])
	}
	u.RawQuery, u.ForceQuery = query, false
	return InASCII(u.String())
}

// InASCII escapes in an address what a header cannot carry: blanks, and all that is not ASCII.
func InASCII(address string) string {
	var b strings.Builder
	for i := range len(address) {
		if c := address[i]; c > ' ' && c <= '~' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

const (
	linkTokenPrefix      = "csl_"
	linkTokenRandomBytes = 18 // 24 base64 characters
)

// NewLinkToken makes the secret part of a setup link's address.
func NewLinkToken() string {
	var b [linkTokenRandomBytes]byte
	rand.Read(b[:])
	return linkTokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// WellFormedLinkToken reports whether text can be a link's token at all.
func WellFormedLinkToken(text string) bool {
	rest, ok := strings.CutPrefix(text, linkTokenPrefix)
	return ok && len(rest) == 24 && strings.Trim(rest, keyAlphabet) == ""
}

// OnboardReason says why a signup through a setup link failed. Programs branch on it.
type OnboardReason string

const (
	ReasonLinkInvalid     OnboardReason = "link_invalid"
	ReasonLinkExpired     OnboardReason = "link_expired"
	ReasonLinkRevoked     OnboardReason = "link_revoked"
	ReasonLinkConsumed    OnboardReason = "link_consumed"
	ReasonSignupCancelled OnboardReason = "signup_cancelled"
	ReasonSignupFailed    OnboardReason = "signup_failed"
	ReasonNumberTaken     OnboardReason = "number_already_connected"
	ReasonInternalError   OnboardReason = "internal_error"
)

// Unusable says why the link cannot be used, or is empty.
func (l SetupLink) Unusable(now time.Time) OnboardReason {
	switch l.At(now).Status {
	case LinkActive:
		return ""
	case LinkConsumed:
		return ReasonLinkConsumed
	case LinkExpired:
		return ReasonLinkExpired
	case LinkRevoked:
		return ReasonLinkRevoked
	default:
		return ReasonLinkInvalid
	}
}
