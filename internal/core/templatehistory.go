package core

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// noteTemplateChanges stores the changes of a template. detail is what the provider says about its status.
func noteTemplateChanges(tx *store.Tx, was chat.TemplateStanding, t chat.Template, detail string) error {
	for _, change := range was.ChangesTo(t.Standing()) {
		change.ID, change.OrgID, change.TemplateID, change.At = tx.NewID(chat.KindTemplateNews), t.OrgID, was.ID, tx.Now()
		if change.Aspect == chat.ChangedStatus {
			change.Reason, change.Detail = deref(t.RejectedReason), detail
		}
		if err := tx.InsertTemplateChange(change); err != nil {
			return err
		}
	}
	return nil
}

// noteNextCategory stores that the provider will move a template to another category.
func noteNextCategory(tx *store.Tx, t chat.Template, u provider.TemplateUpdate) error {
	if u.NextCategory == "" {
		return nil
	}
	change := chat.TemplateChange{
		ID: tx.NewID(chat.KindTemplateNews), OrgID: t.OrgID, TemplateID: t.ID, Aspect: chat.ChangedNextCategory,
		Previous: deref(t.Category), Value: u.NextCategory, At: tx.Now(),
	}
	if !u.NextCategoryAt.IsZero() {
		change.Detail = u.NextCategoryAt.UTC().Format(time.RFC3339)
	}
	return tx.InsertTemplateChange(change)
}

// SampleFile is a library file that a template uses as a sample.
type SampleFile struct {
	Place string
	chat.Media
}

// TemplateHistory returns the last changes of a template, newest first, and its sample files that still exist.
func TemplateHistory(r store.Reader, account chat.Account, name, language string) ([]chat.TemplateChange, []SampleFile, error) {
	t, err := Template(r, account, name, language)
	if err != nil {
		return nil, nil, err
	}
	changes, err := r.TemplateChanges(t.OrgID, t.ID)
	if err != nil {
		return nil, nil, err
	}
	samples, err := r.TemplateSamples(t)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, len(samples))
	for i, s := range samples {
		ids[i] = s.MediaID
	}
	files, err := r.MediaByIDs(t.OrgID, ids)
	if err != nil {
		return nil, nil, err
	}
	var shown []SampleFile
	for _, s := range samples {
		if file, there := files[s.MediaID]; there {
			shown = append(shown, SampleFile{s.Place, file})
		}
	}
	return changes, shown, nil
}
