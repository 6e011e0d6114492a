package core

import (
	"errors"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// fewOutcomes is how many messages must have been sent or have failed before the share of failures counts.
	fewOutcomes = 40
	// worstShare is the percentage of failures at which a broadcast pauses.
	worstShare = 25
)

// BroadcastState is everything that decides whether a broadcast may go on. It is read before the transaction that
// advances the broadcast.
type BroadcastState struct {
	Standing
	Plan     chat.Plan
	Template *chat.Template // nil: the template does not exist
	Counts   chat.BroadcastCounts
	// After is a recipient up to whom hardly anybody waits any more. They are looked at once nobody waits after it.
	After string
}

// ReadBroadcastState reads the state. It returns ErrNotFound if the account is gone.
func ReadBroadcastState(r store.Reader, b chat.Broadcast) (s BroadcastState, err error) {
	if s.Standing, err = ReadStanding(r, b.OrgID, b.AccountID); err != nil {
		return s, err
	}
	if s.Plan, err = r.Plan(s.Organization.Plan); err != nil {
		return s, err
	}
	template, err := r.TemplateToSend(b.OrgID, s.Account.WABAID, b.Template.Name, b.Template.Language)
	switch {
	case err == nil:
		s.Template = &template
	case !errors.Is(err, store.ErrNotFound):
		return s, err
	}
	s.Counts, err = Counts(r, b.ID)
	return s, err
}

// Slow reports whether the number's quality rating asks for half the pace.
func (s BroadcastState) Slow() bool { return deref(s.Account.Quality) == "YELLOW" }

// Ill says why a broadcast must pause now; empty: it need not.
func (s BroadcastState) Ill(b chat.Broadcast, now time.Time) chat.BroadcastReason {
	switch {
	case s.Organization.Suspended:
		return chat.ReasonOrganizationSuspended
	case s.Account.CheckConnected() != nil:
		return chat.ReasonAccountDisconnected
	case s.Account.Restricted(now, true):
		return chat.ReasonAccountRestricted
	case s.Organization.Lapsed(now):
		return chat.ReasonSubscriptionInactive
	case deref(s.Account.Quality) == "RED":
		return chat.ReasonQualityRed
	}
	if reason := s.templateIll(b); reason != "" {
		return reason
	}
	failed, sent := s.Counts.Failed-b.FailedBefore, s.Counts.Sent-b.SentBefore
	if all := failed + sent; all >= fewOutcomes && failed*100 >= all*worstShare {
		return chat.ReasonFailureRate
	}
	return ""
}

// templateIll says what is wrong with the template.
func (s BroadcastState) templateIll(b chat.Broadcast) chat.BroadcastReason {
	switch {
	case s.Template == nil:
		return chat.ReasonTemplateDisabled
	case s.Template.ProviderStatus == chat.ProviderPaused:
		return chat.ReasonTemplatePaused
	case s.Template.Status != chat.TemplateApproved:
		return chat.ReasonTemplateDisabled
	case !s.Template.TextIsOf(b.TemplateDigest):
		return chat.ReasonTemplateEdited
	}
	return ""
}

// PauseIll pauses a broadcast that must not go on. If messages fail because the provider has paused the template, that
// becomes the reason.
func PauseIll(tx *store.Tx, account chat.Account, id string, why chat.BroadcastReason) error {
	if why == chat.ReasonFailureRate {
		reasons, err := tx.ReasonCounts(id)
		if err != nil {
			return err
		}
		for _, r := range reasons { // for each status, the most frequent reason comes first
			if r.Status == chat.RecipientFailed {
				if r.Reason == string(chat.FailTemplatePaused) {
					why = chat.ReasonTemplatePaused
				}
				break
			}
		}
	}
	_, err := PauseBroadcast(tx, account, id, why)
	if code, ok := chat.CodeOf(err); ok && (code == chat.CodeBroadcastState || code == chat.CodeResourceNotFound) {
		return nil // another transaction was faster
	}
	return err
}

// tiers maps the provider's names of limits to how many people a number may write to in 24 hours.
var tiers = map[string]int64{
	"TIER_50": 50, "TIER_250": 250, "TIER_1K": 1_000, "TIER_2K": 2_000, "TIER_10K": 10_000, "TIER_100K": 100_000,
}

// tierOf is the provider's name for a messaging limit. The provider may also give the limit as a number; -1 is no
// limit.
func tierOf(limit string) string {
	if limit == "-1" {
		return "TIER_UNLIMITED"
	}
	if people, err := strconv.ParseInt(limit, 10, 64); err == nil {
		for word, n := range tiers {
			if n == people {
				return word
			}
		}
		return ""
	}
	return limit
}

// DailyLimit is how many people a number may write to in 24 hours; nil: not known, or no limit.
func DailyLimit(account chat.Account) *int64 {
	if n, ok := tiers[deref(account.MessagingLimit)]; ok {
		return &n
	}
	return nil
}
