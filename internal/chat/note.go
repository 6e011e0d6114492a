package chat

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Note is what a colleague wrote about a conversation. The person it is with never sees it.
type Note struct {
	ID             string
	OrgID          string
	ConversationID string
	AuthorID       string
	Body           string
	Mentions       []string // users
	CreatedAt      time.Time
	EditedAt       *time.Time
}

const (
	maxNote     = 10_000
	maxMentions = 50
)

// Check checks what a note says.
func (n Note) Check() error {
	if err := checkLongText("body", n.Body, maxNote); err != nil {
		return err
	}
	if len(n.Mentions) > maxMentions {
		return Invalid("mentions", "Must be at most %d.", maxMentions)
	}
	return nil
}

// checkLongText is for texts that people write, of which there must be something.
func checkLongText(param, text string, most int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Invalid(param, "Must not be empty.")
	case utf8.RuneCountInString(text) > most:
		return Invalid(param, "Must be at most %d characters long.", most)
	case strings.ContainsRune(text, 0):
		return Invalid(param, "Must not contain the NUL character.")
	}
	return nil
}

// Draft is what a user has begun to write in a conversation.
type Draft struct {
	OrgID          string
	UserID         string
	ConversationID string
	Body           string
	Note           bool // it is to become a note
	UpdatedAt      time.Time
}

// Check checks what is to be kept.
func (d Draft) Check() error { return checkLongText("body", d.Body, maxNote) }

// CannedReply is a text that is used again and again, by one user or by a team.
type CannedReply struct {
	ID        string
	OrgID     string
	OwnerID   *string // whose it is; nil where it is a team's
	TeamID    *string
	Name      string
	Body      string
	MediaID   *string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Clean trims and checks what a reply says.
func (r *CannedReply) Clean() (err error) {
	if r.Name, err = cleanText("name", r.Name, 100); err != nil {
		return err
	}
	return checkLongText("body", r.Body, 4096)
}

// SavedView is a list of conversations that a user has given a name.
type SavedView struct {
	ID        string
	OrgID     string
	OwnerID   string
	Name      string
	Filter    InboxFilter
	Shared    bool
	CreatedAt time.Time
	UpdatedAt time.Time
}
