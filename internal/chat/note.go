package chat

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Note is a colleague's text about a conversation. The contact never sees it.
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

// Check checks the note's text and mentions.
func (n Note) Check() error {
	if err := checkLongText(n.Body, maxNote); err != nil {
		return err
	}
	if len(n.Mentions) > maxMentions {
		return Invalid("mentions", "Must be at most %d.", maxMentions)
	}
	return nil
}

// checkLongText checks a body of several lines that must not be empty.
func checkLongText(text string, most int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Invalid("body", "Must not be empty.")
	case utf8.RuneCountInString(text) > most:
		return Invalid("body", "Must be at most %d characters long.", most)
	case strings.ContainsRune(text, 0):
		return Invalid("body", "Must not contain the NUL character.")
	}
	return nil
}

// Draft is an unsent text of a user in a conversation.
type Draft struct {
	OrgID          string
	UserID         string
	ConversationID string
	Body           string
	Note           bool // it is the draft of a note
	UpdatedAt      time.Time
}

// Check checks the draft's text.
func (d Draft) Check() error { return checkLongText(d.Body, maxNote) }

// CannedReply is a prepared text of one user or of a team.
type CannedReply struct {
	ID        string
	OrgID     string
	OwnerID   *string // the user it belongs to; nil for a team's
	TeamID    *string
	Name      string
	Body      string
	MediaID   *string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Clean trims and checks the reply.
func (r *CannedReply) Clean() (err error) {
	if r.Name, err = cleanText("name", r.Name, 100); err != nil {
		return err
	}
	return checkLongText(r.Body, 4096)
}

// SavedView is a named inbox filter of a user.
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
