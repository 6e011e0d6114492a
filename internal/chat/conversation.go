package chat

import "time"

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
	WaitingSince  *time.Time // for a person to answer; never of one that is resolved
	SnoozedUntil  *time.Time // only of one that is pending
	// BroadcastMessage is the last message of a broadcast; nil: none.
	BroadcastMessage *string
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// Forever is until when a conversation is snoozed that only an answer wakes.
var Forever = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// Received is the conversation after a message came in at that instant.
func (c Conversation) Received(at time.Time) Conversation {
	c.UnreadCount++
	if c.Status == ConversationResolved || c.SnoozedUntil != nil {
		c.Status, c.SnoozedUntil = ConversationOpen, nil
	}
	if c.WaitingSince == nil {
		c.WaitingSince = &at
	}
	c.LastMessageAt, c.LastInboundAt = later(c.LastMessageAt, &at), later(c.LastInboundAt, &at)
	return c
}

// Woken is the conversation after the instant until which it was snoozed.
func (c Conversation) Woken() Conversation {
	if c.SnoozedUntil != nil {
		c.Status, c.SnoozedUntil = ConversationOpen, nil
	}
	return c
}

// AnsweredBy is the conversation after a user wrote to the person: a conversation of nobody becomes the
// user's where it may, and one that was resolved is open again.
func (c Conversation) AnsweredBy(userID string, mayHaveIt bool) Conversation {
	if c.AssignedTo == nil && mayHaveIt {
		c.AssignedTo = &userID
	}
	if c.Status == ConversationResolved {
		c.Status = ConversationOpen
	}
	c.WaitingSince = nil
	return c
}

// ConversationDetail is a conversation with what the inbox shows beside it.
type ConversationDetail struct {
	Conversation
	ContactNumber *string
	ContactName   *string
	AssigneeName  *string
	AssigneeEmail *string
}

// ConversationPatch changes the fields that are given. AssignedTo is a user of the account's team. What is
// snoozed is pending, and what is woken open.
type ConversationPatch struct {
	Status       *ConversationStatus
	AssignedTo   Patch[string]
	SnoozedUntil Patch[time.Time]
	Unread       *bool
}

// ConversationChange tells what a patch did.
type ConversationChange struct {
	Reassigned bool
	Closed     bool // it became resolved
	Any        bool
}

// Apply returns c with the patch applied, and what that changed.
func (p ConversationPatch) Apply(c Conversation) (Conversation, ConversationChange, error) {
	before := c
	if err := p.applyStatus(&c); err != nil {
		return Conversation{}, ConversationChange{}, err
	}
	p.AssignedTo.apply(&c.AssignedTo)
	switch {
	case p.Unread == nil:
	case *p.Unread:
		c.UnreadCount = max(1, c.UnreadCount)
	default:
		c.UnreadCount = 0
	}
	moved := c.Status != before.Status
	change := ConversationChange{
		Reassigned: !equal(c.AssignedTo, before.AssignedTo),
		Closed:     moved && c.Status == ConversationResolved,
	}
	snoozed := !sameInstant(c.SnoozedUntil, before.SnoozedUntil)
	change.Any = moved || snoozed || change.Reassigned || c.UnreadCount != before.UnreadCount
	return c, change, nil
}

func (p ConversationPatch) applyStatus(c *Conversation) error {
	if p.Status != nil {
		switch *p.Status {
		case ConversationOpen, ConversationResolved:
			c.SnoozedUntil = nil
		case ConversationPending:
		default:
			return Invalid("status", "Must be one of open, resolved, pending.")
		}
		c.Status = *p.Status
	}
	switch {
	case !p.SnoozedUntil.Given:
	case p.SnoozedUntil.Value == nil:
		*c = c.Woken()
	case p.Status != nil && *p.Status != ConversationPending:
		return Invalid("snoozed_until", "Only a pending conversation can be snoozed: leave status out.")
	default:
		c.Status, c.SnoozedUntil = ConversationPending, p.SnoozedUntil.Value
	}
	if c.Status == ConversationResolved {
		c.WaitingSince = nil
	}
	return nil
}

func sameInstant(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// equal compares what two pointers point to; two nils are equal.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
