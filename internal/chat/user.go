package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"time"
)

// Codes that only the dashboard's API has.
const (
	CodeNotSignedIn        Code = "not_signed_in"
	CodeInvalidCredentials Code = "invalid_credentials"
	CodeForbidden          Code = "forbidden"
	CodeLinkInactive       Code = "link_inactive"
	// The password is right, and a code is needed.
	CodeSecondStepRequired Code = "second_step_required"
	// The password is right, and the code is wrong.
	CodeInvalidSecondStep Code = "invalid_second_step"
	// The organization requires two steps, and this user has not set up the second one.
	CodeSecondStepSetup Code = "second_step_setup_required"
)

// User is a person who signs in to the dashboard.
type User struct {
	ID           string
	OrgID        string
	Email        string
	Name         string
	PasswordHash string // empty until an invitation is accepted
	Role         Role
	Sees         Visibility
	Masked       bool       // sees only parts of people's numbers; set for who is signed in, and for the jobs that they began
	Away         bool       // takes no new conversations for now
	SecondStep   bool       // must give a code besides the password
	DisabledAt   *time.Time // when the person left
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Role is what a user may do.
type Role string

const (
	RoleOwner Role = "owner" // everything
	RoleAdmin Role = "admin" // everything except changing owners
	RoleAgent Role = "agent" // conversations
)

// roles is ordered from the least rights to the most.
var roles = []Role{RoleAgent, RoleAdmin, RoleOwner}

// CheckRole refuses an unknown role.
func CheckRole(r Role) error {
	if !slices.Contains(roles, r) {
		return Invalid("role", "Must be owner, admin or agent.")
	}
	return nil
}

// Covers reports whether a role includes the rights of another.
func (r Role) Covers(needed Role) bool { return slices.Index(roles, r) >= slices.Index(roles, needed) }

// Visibility says which conversations a user sees.
type Visibility string

const (
	SeesAll      Visibility = "all"
	SeesTeams    Visibility = "teams"    // those of the user's teams
	SeesAssigned Visibility = "assigned" // those assigned to the user
)

// CheckVisibility refuses an unknown visibility.
func CheckVisibility(v Visibility) error {
	if !slices.Contains(v.Values(), v) {
		return Invalid("sees", "Must be all, teams or assigned.")
	}
	return nil
}

// MinPasswordLength follows current guidance: a minimum length, and no rules about kinds of characters.
const MinPasswordLength = 8

const (
	// SessionIdle ends an unused session, and SessionLife any session.
	SessionIdle = 7 * 24 * time.Hour
	SessionLife = 30 * 24 * time.Hour
)

// Session is a browser in which a user is signed in.
type Session struct {
	ID        string
	OrgID     string
	UserID    string
	Hash      string
	Client    string // the browser's User-Agent
	Address   string
	CreatedAt time.Time
	SeenAt    time.Time
}

// Over reports whether a session has expired.
func (s Session) Over(now time.Time) bool {
	return now.Sub(s.SeenAt) >= SessionIdle || now.Sub(s.CreatedAt) >= SessionLife
}

// UserLinkKind is the purpose of a link.
type UserLinkKind string

const (
	LinkInvitation UserLinkKind = "invitation"
	LinkReset      UserLinkKind = "reset"
)

// Lasts is how long a link is valid.
func (k UserLinkKind) Lasts() time.Duration {
	if k == LinkInvitation {
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// UserLink lets a user choose a password, once.
type UserLink struct {
	OrgID     string
	UserID    string
	Kind      UserLinkKind
	Hash      string
	MadeBy    string // the id of a user; empty: the operator, or the user asked for it
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewToken makes the secret of a session or a link. Only its hash is stored.
func NewToken() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// HashToken is the form in which an API key, or the token of a session or a link, is stored and looked up. They are
// random, so the hash needs no salt.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
