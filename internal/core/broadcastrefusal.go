package core

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CheckGoOn refuses to start, resume or retry a broadcast that would pause at once, and says what to do about it. A
// broadcast that starts at its time is not refused: it pauses, because nobody is there to be told.
func CheckGoOn(r store.Reader, account chat.Account, id string, move chat.BroadcastMove, now time.Time) error {
	b, err := Broadcast(r, account, id)
	if err != nil {
		return err
	}
	if err := b.CheckMove(move); err != nil {
		return err
	}
	s, err := ReadBroadcastState(r, b)
	if err != nil {
		return orNotFound(err, "number")
	}
	if err := s.refuseNumber(move, now); err != nil {
		return err
	}
	if err := s.refuseTemplate(b, move); err != nil {
		return err
	}
	return s.refuseRest(r, b, now)
}

// refuseNumber refuses if the organization or the number cannot send.
func (s BroadcastState) refuseNumber(move chat.BroadcastMove, now time.Time) error {
	// A start skips everybody if the customer is suspended, as the preview says. Who waits for a paused broadcast must
	// not be lost like that.
	if err := s.Account.CheckSend(now, true); err != nil && (move != chat.MoveStart || !suspendedCustomer(s.Account)) {
		return err
	}
	switch {
	case s.Organization.Suspended:
		return chat.Fail(chat.CodeOrganizationSuspended, "The organization is suspended.")
	case s.Organization.Lapsed(now):
		return chat.Fail(chat.CodeSubscriptionInactive, "The subscription is not active. Renew it first.")
	case deref(s.Account.Quality) == "RED":
		return chat.Fail(chat.CodeBroadcastState, "The provider rates this number RED (quality_red): too many people block or report it. "+
			"Wait until the rating is better; agents can write meanwhile.")
	}
	return nil
}

// refuseTemplate refuses if the template cannot be sent, or takes other parameters than those that the broadcast has.
func (s BroadcastState) refuseTemplate(b chat.Broadcast, move chat.BroadcastMove) error {
	name := b.Template.Name
	switch {
	case s.Template == nil:
		return chat.UnknownTemplate(name, b.Template.Language, nil)
	case s.Template.ProviderStatus == chat.ProviderPaused:
		return chat.Fail(chat.CodeBroadcastState, "The provider has paused the template %s (template_paused): too many people block or report it. "+
			"Go on when it is approved again; sync the templates if it already is.", name)
	case s.Template.Status != chat.TemplateApproved:
		return chat.Fail(chat.CodeBroadcastState, "The template %s is %s (template_disabled) and cannot be sent. "+
			"Go on when it is approved again; sync the templates if it already is.", name, s.Template.Status)
	}
	content, refused := b.Template.Content(b.Template.Components) // its variables stand in for their values
	if refused == nil {
		_, refused = s.Template.Fill(content)
	}
	switch {
	case refused == nil:
		return nil
	case move == chat.MoveStart:
		return chat.Invalid("template.components", "The template has changed since, and the parameters do not fit any more: %s", refused.Message)
	}
	return chat.Fail(chat.CodeBroadcastState, "The template %s has changed, and the parameters of this broadcast do not fit any more: %s "+
		"Duplicate the broadcast and change the message of the copy.", name, refused.Message)
}

// refuseRest refuses if no message is left this month, or if a file that everybody gets is gone.
func (s BroadcastState) refuseRest(r store.Reader, b chat.Broadcast, now time.Time) error {
	left, err := s.messagesLeft(r, now)
	if err != nil {
		return err
	}
	if left != nil && *left == 0 {
		return chat.Fail(chat.CodeQuotaExceeded, "The %s plan's %d messages of this month are used up. Go on next month, or with a larger plan.",
			s.Plan.Name, *s.Plan.MonthlyMessages)
	}
	content, refused := b.Template.Content(b.Template.Components)
	if refused != nil {
		return refused
	}
	for _, file := range content.Media() {
		if chat.HasVariable(file.ID) {
			continue // each recipient has another
		}
		if err := checkLibraryMedia(r, s.Account, file); err != nil {
			return err
		}
	}
	return nil
}

// messagesLeft is how many messages of this month the plan has left; nil: there is no limit.
func (s BroadcastState) messagesLeft(r store.Reader, now time.Time) (*int64, error) {
	if s.Plan.MonthlyMessages == nil {
		return nil, nil
	}
	used, err := r.MessagesCounted(s.Organization.ID, quotaMonth(now))
	return new(max(0, *s.Plan.MonthlyMessages-used)), err
}
