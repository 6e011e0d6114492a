package chat

import "time"

// What is the kind of a happening.
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

// Happening is a change of a conversation, as its timeline shows it. Its id carries the time.
type Happening struct {
	ID             string
	OrgID          string
	ConversationID string
	What           What
	By             *string // the user who did it; nil for automatic changes
	To             *string // the new assignee; of an automatic unassignment, the previous one
	LabelName      *string
	LabelColor     *string
	Until          *time.Time
	Why            Why // the reason for an automatic change
}

// Why is the reason for an automatic change.
type Why string

const (
	ByTurns Why = "round_robin" // it was somebody's turn
	IsAway  Why = "away"        // the assignee is away
	HasLeft Why = "left"        // the assignee has left the organization or the number's team
)

// At is when it happened.
func (h Happening) At() time.Time { return TimeOf(h.ID) }

// Happenings lists the changes between two states of a conversation.
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

// OutcomeKind is a kind of duration that is recorded for the figures.
type OutcomeKind string

const (
	// OutcomeAnswered lasts from a person's first unanswered message until a colleague wrote.
	OutcomeAnswered OutcomeKind = "answered"
	// OutcomeResolved lasts from when a conversation was opened, or opened again, until it was resolved.
	OutcomeResolved OutcomeKind = "resolved"
)
