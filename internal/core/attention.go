package core

import (
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Attention is what somebody should look at now.
type Attention struct {
	Waiting      int // conversations in which a person waits; stops at chat.MostCounted
	WaitingSince *time.Time
	Unassigned   int
	Numbers      []chat.Account
	Endpoints    []chat.WebhookSubscription
	Templates    []chat.Template
	Quota        *Quota
}

// Quota is how much of a month's messages is used.
type Quota struct{ Used, Limit int64 }

// mostAlarms bounds each list: who has more trouble than that looks at the page of it.
const mostAlarms = 20

// NeedsAttention gathers what a user should look at. What only admins can change is shown to them alone.
func NeedsAttention(r store.Reader, u chat.User, plan chat.Plan, now time.Time) (a Attention, err error) {
	if err = a.conversations(r, u); err != nil {
		return a, err
	}
	numbers, err := NumbersFor(r, u)
	if err != nil {
		return a, err
	}
	a.Numbers = slices.DeleteFunc(slices.Clone(numbers), func(n chat.Account) bool { return !inTrouble(n) })
	a.Numbers = a.Numbers[:min(len(a.Numbers), mostAlarms)]
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

func (a *Attention) conversations(r store.Reader, u chat.User) error {
	waiting := store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewAll, Status: "any", Sort: chat.SortWaiting}}
	count, err := r.InboxCount(u, waiting)
	if err != nil {
		return err
	}
	a.Waiting = count.Open
	if a.Waiting > 0 {
		first, err := r.Inbox(u, waiting, store.Page{Limit: 1})
		if err != nil {
			return err
		}
		if len(first.Rows) > 0 {
			a.WaitingSince = first.Rows[0].WaitingSince
		}
	}
	count, err = r.InboxCount(u, store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewUnassigned, Status: string(chat.ConversationOpen)}})
	a.Unassigned = count.Open
	return err
}

// inTrouble tells whether a number cannot send as it should.
func inTrouble(n chat.Account) bool {
	quality := deref(n.Quality)
	return n.Status != chat.AccountConnected || n.Restriction != nil || quality == "RED" || quality == "YELLOW"
}

// QuotaUsed is how many messages of this month count towards the plan's limit.
func QuotaUsed(r store.Reader, orgID string, now time.Time) (int64, error) {
	return r.MessagesCounted(orgID, quotaMonth(now))
}
