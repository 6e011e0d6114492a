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
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// ConversationDetail is a conversation with what the inbox shows beside it.
type ConversationDetail struct {
	Conversation
	ContactNumber *string
	ContactName   *string
	AssigneeName  *string
	AssigneeEmail *string
}

// ConversationPatch changes the fields that are given. AssignedTo is a user of the account's team.
type ConversationPatch struct {
	Status     *ConversationStatus
	AssignedTo Patch[string]
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
	if p.Status != nil {
		switch *p.Status {
		case ConversationOpen, ConversationResolved, ConversationPending:
			c.Status = *p.Status
		default:
			return Conversation{}, ConversationChange{}, Invalid("status", "Must be one of open, resolved, pending.")
		}
	}
	p.AssignedTo.apply(&c.AssignedTo)
	moved := c.Status != before.Status
	change := ConversationChange{
		Reassigned: !equal(c.AssignedTo, before.AssignedTo),
		Closed:     moved && c.Status == ConversationResolved,
	}
	change.Any = moved || change.Reassigned
	return c, change, nil
}

// equal compares what two pointers point to; two nils are equal.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
