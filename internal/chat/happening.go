package chat

import "time"

// What happened to a conversation.
type What string

const (
	Assigned   What = "assigned"
	Unassigned What = "unassigned"
	Resolved   What = "resolved"
	Reopened   What = "reopened"
	Snoozed    What = "snoozed"
	Woken      What = "woken"
	Labelled   What = "labelled"
	Unlabelled What = "unlabelled"
)

// Happening is something that was done with a conversation, as its timeline shows it. Its id tells when.
type Happening struct {
	ID             string
	OrgID          string
	ConversationID string
	What           What
	By             *string // the user who did it; nil where nobody did
	To             *string // whom it was assigned to; of what was unassigned by itself, whose it was
	LabelName      *string
	LabelColor     *string
	Until          *time.Time
	Why            Why // where nobody did it
}

// Why is the reason for something that nobody did.
type Why string

const (
	ByTurns Why = "round_robin" // it was somebody's turn
	IsAway  Why = "away"        // whose it was is away
	HasLeft Why = "left"        // whose it was has left, or is not in the number's team any more
)

// At is when it happened.
func (h Happening) At() time.Time { return TimeOf(h.ID) }

// Happenings are what has happened between two states of a conversation.
func Happenings(before, after Conversation) (all []Happening) {
	if !equal(before.AssignedTo, after.AssignedTo) {
		if after.AssignedTo == nil {
			all = append(all, Happening{What: Unassigned})
		} else {
			all = append(all, Happening{What: Assigned, To: after.AssignedTo})
		}
	}
	switch {
	case after.SnoozedUntil != nil:
		if !sameInstant(before.SnoozedUntil, after.SnoozedUntil) {
			all = append(all, Happening{What: Snoozed, Until: after.SnoozedUntil})
		}
	case after.Status == before.Status:
	case after.Status == ConversationResolved:
		all = append(all, Happening{What: Resolved})
	case before.Status == ConversationResolved:
		all = append(all, Happening{What: Reopened})
	case before.SnoozedUntil != nil:
		all = append(all, Happening{What: Woken})
	}
	return all
}

// OutcomeKind is something of which it is kept how long it took.
type OutcomeKind string

const (
	// OutcomeAnswered is from a person's first unanswered message until a colleague wrote.
	OutcomeAnswered OutcomeKind = "answered"
	// OutcomeResolved is from when a conversation was opened, or opened again, until it was resolved.
	OutcomeResolved OutcomeKind = "resolved"
)
