package core

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Template returns a template by name: in the given language, or the newest.
func Template(r store.Reader, account chat.Account, name, language string) (chat.Template, error) {
	if language != "" {
		t, err := r.Template(account.OrgID, account.WABAID, name, language)
		return t, orNotFound(err, "template")
	}
	all, err := r.TemplatesNamed(account.OrgID, account.WABAID, name)
	if err == nil && len(all) == 0 {
		err = chat.NotFound("template")
	}
	if err != nil {
		return chat.Template{}, err
	}
	return all[0], nil
}

// TemplateSyncResult counts the changes of a synchronization.
type TemplateSyncResult struct {
	Created, Updated, Removed int
	Synced                    int // number of templates that the provider has
}

// TemplateKey identifies a template within a business account.
type TemplateKey struct{ Name, Language string }

// TemplateListed reports whether a listed template exists. The provider also lists templates that are as good as gone.
func TemplateListed(t provider.Template) bool {
	return t.Name != "" && t.Language != "" && !chat.TemplateGone(t.Status)
}

// ApplyTemplates stores the provider's list. asked is when it was requested: a template that has changed here since
// then is newer than the list. So is that one of those before it is here no more.
func ApplyTemplates(tx *store.Tx, account chat.Account, list []provider.Template, asked time.Time, before map[TemplateKey]bool) (done TemplateSyncResult, err error) {
	names := make([]string, 0, len(list))
	for _, t := range list {
		names = append(names, t.Name)
	}
	refs, err := tx.TemplateRefs(account.OrgID, account.WABAID, names)
	if err != nil {
		return done, err
	}
	known := make(map[TemplateKey]store.TemplateRef, len(refs))
	for _, ref := range refs {
		known[TemplateKey{ref.Name, ref.Language}] = ref
	}
	for _, t := range list {
		if !TemplateListed(t) {
			continue
		}
		row := templateRow(account, t)
		ref, exists := known[TemplateKey{t.Name, t.Language}]
		row.ID, row.CreatedAt, row.UpdatedAt = tx.NewID(chat.KindTemplate), tx.Now(), tx.Now()
		switch {
		case exists && (ref.Digest == row.Digest() || ref.UpdatedAt.After(asked)), !exists && before[TemplateKey{t.Name, t.Language}]:
			continue
		case exists:
			done.Updated++
			if err := noteTemplateChanges(tx, ref.Standing, row, ""); err != nil {
				return done, err
			}
		default:
			done.Created++
		}
		if err := tx.PutTemplate(row); err != nil {
			return done, err
		}
	}
	return done, nil
}

// templateRow is a template of the provider as we store it.
func templateRow(account chat.Account, t provider.Template) chat.Template {
	row := chat.Template{
		OrgID: account.OrgID, WABAID: account.WABAID, Name: t.Name, Language: t.Language, ProviderID: orNil(t.ID),
		Category: orNil(t.Category), Format: t.Format, Quality: orNil(t.Quality), TTLSeconds: t.TTLSeconds, Components: t.Components,
	}
	if row.Format != chat.FormatNamed {
		row.Format = chat.FormatPositional
	}
	if row.Components == nil {
		row.Components = json.RawMessage("[]")
	}
	row.SetProviderStatus(t.Status, orNil(t.RejectedReason))
	return row
}

// KeepTemplate stores a template that the provider has accepted, with its sample files from the library, by their
// places.
func KeepTemplate(tx *store.Tx, account chat.Account, t provider.Template, files map[string]string) (chat.Template, error) {
	row := templateRow(account, t)
	row.ID, row.CreatedAt, row.UpdatedAt = tx.NewID(chat.KindTemplate), tx.Now(), tx.Now()
	err := tx.InsertTemplate(row)
	if errors.Is(err, store.ErrDuplicate) { // a synchronization was faster
		row, err = tx.Template(row.OrgID, row.WABAID, row.Name, row.Language)
	}
	if err != nil {
		return row, err
	}
	return row, errors.Join(
		audit(tx, row.OrgID, chat.AuditTemplateCreated, ofTemplate(row)),
		noteTemplateChanges(tx, chat.TemplateStanding{ID: row.ID}, row, ""),
		tx.PutTemplateSamples(row, files))
}

// KeepTemplateEdit stores an edit of a template, which was read before, that the provider has accepted: it is reviewed
// again. News that came meanwhile may already be the outcome of that review, so the provider is asked.
func KeepTemplateEdit(tx *store.Tx, row chat.Template, edit provider.TemplateEdit, files map[string]string) (chat.Template, error) {
	current, err := tx.Template(row.OrgID, row.WABAID, row.Name, row.Language)
	if err != nil {
		return current, orNotFound(err, "template")
	}
	if current.ReportedAt != nil && (row.ReportedAt == nil || current.ReportedAt.After(*row.ReportedAt)) {
		if err := tx.ScheduleTemplateSync(row.OrgID, row.WABAID, tx.Now()); err != nil {
			return current, err
		}
	}
	was := current.Standing()
	if edit.Components != nil {
		current.Components = edit.Components
		if err := tx.PutTemplateSamples(current, files); err != nil {
			return current, err
		}
	}
	if edit.Category != "" {
		current.Category = &edit.Category
	}
	if edit.TTLSeconds != nil {
		current.TTLSeconds = edit.TTLSeconds
	}
	current.SetProviderStatus("PENDING", nil)
	if edited := tx.Now().Truncate(time.Second); current.ReportedAt == nil || current.ReportedAt.Before(edited) { // the provider tells of seconds
		current.ReportedAt = &edited // what it said before is not about the edit
	}
	current.UpdatedAt = tx.Now()
	return current, errors.Join(noteTemplateChanges(tx, was, current, ""), tx.UpdateTemplate(current), audit(tx, row.OrgID, chat.AuditTemplateUpdated, ofTemplate(current)))
}

// DropTemplates removes the variants of a template that the provider has removed. newest stands for all of them in the
// audit log. An empty language means all languages.
func DropTemplates(tx *store.Tx, newest chat.Template, ids []string, language string) error {
	if _, err := tx.DeleteTemplates(newest.OrgID, ids, tx.Now()); err != nil {
		return err
	}
	return audit(tx, newest.OrgID, chat.AuditTemplateDeleted, chat.AuditObject{ID: newest.ID, Name: newest.Name}, "language", language)
}
