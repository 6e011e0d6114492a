package chat

import "time"

// ConversationStatus is where a conversation stands in the inbox.
type ConversationStatus string

const (
	ConversationOpen     ConversationStatus = "open"
	ConversationResolved ConversationStatus = "resolved"
	ConversationPending  ConversationStatus = "pending"
)

// Conversation holds all messages between an account and a contact.
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
	WaitingSince  *time.Time // since when the person waits for an answer; nil when resolved
	SnoozedUntil  *time.Time // only of a pending conversation
	// BroadcastMessage is the last message of a broadcast; nil: none.
	BroadcastMessage *string
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// Forever is the snooze time of a conversation that only an answer wakes.
var Forever = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// Received returns the conversation after an inbound message at that instant.
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

// Woken returns the conversation after its snooze has ended.
func (c Conversation) Woken() Conversation {
	if c.SnoozedUntil != nil {
		c.Status, c.SnoozedUntil = ConversationOpen, nil
	}
	return c
}

// AnsweredBy returns the conversation after a user wrote to the person. An unassigned conversation is assigned
// to the user if mayHaveIt, and a resolved one is open again.
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

// ConversationDetail is a conversation with the data that the inbox shows beside it.
type ConversationDetail struct {
	Conversation
	ContactNumber *string
	ContactName   *string
	AssigneeName  *string
	AssigneeEmail *string
}

// ConversationPatch changes the fields that are given. AssignedTo is a user of the account's team. A snoozed
// conversation becomes pending, and a woken one open.
type ConversationPatch struct {
	Status       *ConversationStatus
	AssignedTo   Patch[string]
	SnoozedUntil Patch[time.Time]
	Unread       *bool
}

// ConversationChange says what a patch changed.
type ConversationChange struct {
	Reassigned bool
	Any        bool
}

// Apply returns c with the patch applied, and the change.
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
	change := ConversationChange{Reassigned: !equal(c.AssignedTo, before.AssignedTo)}
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
