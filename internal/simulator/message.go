package simulator

import (
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/simulator/recent"
)

// recipient is a person as addressed by a message.
type recipient struct {
	input    string // as the caller wrote it
	phone    string // digits; empty for a person known by user id only
	userID   string
	parentID string
	byUser   bool    // addressed by user id, so the phone may not be shown
	person   *person // the profile, never nil
}

// key distinguishes people.
func (r recipient) key() string {
	if r.phone != "" {
		return r.phone
	}
	return r.userID
}

// visiblePhone is the phone, if callbacks may contain it.
func (r recipient) visiblePhone() string {
	if r.byUser && r.person.HidePhone {
		return ""
	}
	return r.phone
}

// message is a message in either direction.
type message struct {
	id       string
	number   *number
	to       recipient // the recipient if outbound, the sender if inbound
	inbound  bool
	kind     string
	opaque   string
	category string // decides the price
	free     bool
	body     []byte // the request, or the message object of an inbound one
	created  time.Time
	plan     []step
	voice    bool // a voice note

	mu      sync.Mutex
	state   string
	code    int // the code of a failure
	changed time.Time
	read    bool // the business sent a read receipt
}

func (m *message) move(state string, code int, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.code, m.changed = state, code, at
}

const (
	statusAccepted  = "accepted"
	statusSent      = "sent"
	statusDelivered = "delivered"
	statusRead      = "read"
	statusPlayed    = "played"
	statusFailed    = "failed"
)

type messageStore = recent.Map[recent.Key, *message]

func newMessageStore(limit int) *messageStore { return recent.New[recent.Key, *message](limit) }
