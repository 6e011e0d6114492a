package core

import (
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// lateNews is the age from which news of a template's quality or category may be older than what is known of it. The
// provider is asked then.
const lateNews = time.Minute

// template applies news about a template in every organization that has numbers of its business account. If the news
// is incomplete, or the template is unknown, a synchronization is scheduled.
func (a Applier) template(tx *store.Tx, u provider.TemplateUpdate) error {
	accounts, err := tx.AccountsOfWABA(u.WABAID)
	if err != nil {
		return err
	}
	var orgs []string
	for _, account := range accounts {
		if !slices.Contains(orgs, account.OrgID) {
			orgs = append(orgs, account.OrgID)
		}
	}
	for _, orgID := range orgs {
		if err := updateTemplate(tx, orgID, u); err != nil {
			return err
		}
	}
	return nil
}

func updateTemplate(tx *store.Tx, orgID string, u provider.TemplateUpdate) error {
	t, err := tx.Template(orgID, u.WABAID, u.Name, u.Language)
	if errors.Is(err, store.ErrNotFound) {
		if u.Aspect == provider.TemplateStatus && chat.TemplateGone(u.Event) {
			return nil
		}
		return tx.ScheduleTemplateSync(orgID, u.WABAID, tx.Now())
	}
	if err != nil {
		return err
	}
	if t.ProviderID != nil && u.ID != "" && u.ID != *t.ProviderID { // an earlier or later template of that name
		return tx.ScheduleTemplateSync(orgID, u.WABAID, tx.Now())
	}
	if u.Aspect == provider.TemplateStatus {
		return updateTemplateStatus(tx, t, u)
	}
	if !u.ReportedAt.IsZero() && tx.Now().Sub(u.ReportedAt) > lateNews {
		return tx.ScheduleTemplateSync(orgID, u.WABAID, tx.Now())
	}
	was := t.Standing()
	switch u.Aspect {
	case provider.TemplateQuality:
		t.Quality = orNil(u.Quality)
	case provider.TemplateCategory:
		if u.Category != "" {
			t.Category = &u.Category
		}
		if err := noteNextCategory(tx, t, u); err != nil {
			return err
		}
	default: // the new components have another form
		return tx.ScheduleTemplateSync(orgID, u.WABAID, tx.Now())
	}
	return storeTemplate(tx, was, t, "")
}

// updateTemplateStatus changes a template's status, unless the callback is older than the last one, or than an edit made
// here. The edit has the time of our clock, so the provider is asked about what seems little older.
func updateTemplateStatus(tx *store.Tx, t chat.Template, u provider.TemplateUpdate) error {
	if !u.ReportedAt.IsZero() {
		if t.ReportedAt != nil && u.ReportedAt.Before(*t.ReportedAt) {
			if t.ReportedAt.Sub(u.ReportedAt) > clockDifference {
				return nil
			}
			return tx.ScheduleTemplateSync(t.OrgID, t.WABAID, tx.Now())
		}
		t.ReportedAt = &u.ReportedAt
	}
	if chat.TemplateGone(u.Event) {
		_, err := tx.DeleteTemplates(t.OrgID, []string{t.ID}, tx.Now())
		return err
	}
	was := t.Standing()
	switch u.Event {
	case "FLAGGED", "LOCKED": // warnings: the template can still be sent
	case "UNARCHIVED":
		return tx.ScheduleTemplateSync(t.OrgID, t.WABAID, tx.Now())
	case "REINSTATED":
		t.SetProviderStatus("APPROVED", nil)
	default:
		t.SetProviderStatus(u.Event, orNil(u.Reason))
	}
	if u.ID != "" {
		t.ProviderID = &u.ID
	}
	if u.Category != "" {
		t.Category = &u.Category
	}
	return storeTemplate(tx, was, t, u.Description)
}

func storeTemplate(tx *store.Tx, was chat.TemplateStanding, t chat.Template, detail string) error {
	t.UpdatedAt = tx.Now()
	if err := noteTemplateChanges(tx, was, t, detail); err != nil {
		return err
	}
	return ignoreNotFound(tx.UpdateTemplate(t))
}
