package core

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Attention is what a user should look at now.
type Attention struct {
	Waiting      int // conversations in which a person waits; stops at chat.MostCounted
	WaitingSince *time.Time
	Unassigned   int
	Numbers      []chat.Account
	Endpoints    []chat.WebhookSubscription
	Templates    []chat.Template
	Quota        *Quota
}

// Quota is the used part of a month's messages.
type Quota struct{ Used, Limit int64 }

// mostAlarms bounds each list. Whoever has more alarms than that looks at the page for them.
const mostAlarms = 20

// NeedsAttention gathers what a user should look at. Only admins see what only admins can change.
func NeedsAttention(r store.Reader, u chat.User, plan chat.Plan, now time.Time) (a Attention, err error) {
	if err = a.conversations(r, u); err != nil {
		return a, err
	}
	numbers, err := r.Accounts(u.OrgID, store.AccountFilter{MemberID: memberID(u), TroubledAt: &now}, store.Page{Limit: mostAlarms})
	if err != nil {
		return a, err
	}
	a.Numbers = numbers.Rows
	if !u.Role.Covers(chat.RoleAdmin) {
		return a, nil
	}
	if a.Endpoints, err = r.FailingSubscriptions(u.OrgID, mostAlarms); err != nil {
		return a, err
	}
	if a.Templates, err = r.RefusedTemplates(u.OrgID, mostAlarms); err != nil || plan.MonthlyMessages == nil {
		return a, err
	}
	used, err := r.MessagesCounted(u.OrgID, quotaMonth(now))
	a.Quota = &Quota{min(used, *plan.MonthlyMessages), *plan.MonthlyMessages}
	return a, err
}

func (a *Attention) conversations(r store.Reader, u chat.User) (err error) {
	waiting := store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewAll, Status: "any", Sort: chat.SortWaiting}}
	if a.Waiting, err = r.CountInbox(u, waiting); err != nil {
		return err
	}
	if a.Waiting > 0 {
		first, err := r.Inbox(u, waiting, store.Page{Limit: 1})
		if err != nil {
			return err
		}
		if len(first.Rows) > 0 {
			a.WaitingSince = first.Rows[0].WaitingSince
		}
	}
	a.Unassigned, err = r.CountInbox(u, store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewUnassigned, Status: string(chat.ConversationOpen)}})
	return err
}

// QuotaUsed is the number of messages of this month that count towards the plan's limit.
func QuotaUsed(r store.Reader, orgID string, now time.Time) (int64, error) {
	return r.MessagesCounted(orgID, quotaMonth(now))
}
