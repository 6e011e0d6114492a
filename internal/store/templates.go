package store

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const templateColumns = `org_id, id, waba_id, name, language, provider_id, status, provider_status, reported_at, rejected_reason, category,
	parameter_format, quality, ttl_seconds, components, created_at, updated_at`

func scanTemplate(row scanner) (t chat.Template, err error) {
	var (
		reportedAt           *int64
		components           string
		createdAt, updatedAt int64
	)
	err = row.Scan(&t.OrgID, &t.ID, &t.WABAID, &t.Name, &t.Language, &t.ProviderID, &t.Status, &t.ProviderStatus, &reportedAt, &t.RejectedReason,
		&t.Category, &t.Format, &t.Quality, &t.TTLSeconds, &components, &createdAt, &updatedAt)
	t.ReportedAt, t.Components = toTimePtr(reportedAt), json.RawMessage(components)
	t.CreatedAt, t.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	return t, err
}

// TemplateFilter narrows a list of templates.
type TemplateFilter struct {
	Status   chat.TemplateStatus // empty: all
	Language string              // empty: all
	Category string              // empty: all
	Name     string              // empty: all
	Search   string              // a part of the name or of a text; empty: all
}

var templatesByAge = order[chat.Template]{alias: "", column: "created_at", position: func(t chat.Template) Position { return Position{t.CreatedAt, t.ID} }}

// Template returns a template of a business account in a language, or ErrNotFound.
func (r Reader) Template(orgID, wabaID, name, language string) (chat.Template, error) {
	return one(r, scanTemplate, "SELECT "+templateColumns+" FROM templates WHERE org_id = $1 AND waba_id = $2 AND name = $3 AND language = $4"+
		r.forUpdate(), orgID, wabaID, name, language)
}

// TemplateToSend returns the parts of a template that a message needs, or ErrNotFound. It reads only these
// columns, because every template message reads them.
func (r Reader) TemplateToSend(orgID, wabaID, name, language string) (chat.Template, error) {
	return recall(r, "template", []string{orgID, wabaID, name, language}, func(t chat.Template) string { return t.OrgID }, func() (chat.Template, error) {
		t := chat.Template{OrgID: orgID, WABAID: wabaID, Name: name, Language: language}
		return one(r, func(row scanner) (chat.Template, error) {
			var components string
			err := row.Scan(&t.Status, &t.ProviderStatus, &t.Category, &t.Format, &components)
			t.Components = json.RawMessage(components)
			t.Decode()
			return t, err
		}, "SELECT status, provider_status, category, parameter_format, components FROM templates "+
			"WHERE org_id = $1 AND waba_id = $2 AND name = $3 AND language = $4", orgID, wabaID, name, language)
	})
}

// TemplatesNamed returns all languages of a template, newest first.
func (r Reader) TemplatesNamed(orgID, wabaID, name string) ([]chat.Template, error) {
	return many(r, scanTemplate, "SELECT "+templateColumns+" FROM templates WHERE org_id = $1 AND waba_id = $2 AND name = $3 "+
		"ORDER BY created_at DESC, id DESC"+r.forUpdate(), orgID, wabaID, name)
}

// Templates returns one page of a business account's templates.
func (r Reader) Templates(orgID, wabaID string, f TemplateFilter, p Page) (Slice[chat.Template], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.add("waba_id = ?", wabaID)
	c.addIf("status = ?", string(f.Status))
	c.addIf("language = ?", f.Language)
	c.addIf("category = ?", f.Category)
	c.addIf("name = ?", f.Name)
	if f.Search != "" {
		c.add(`search_key LIKE ? ESCAPE '\'`, "%"+likeEscaper.Replace(chat.FoldCase(f.Search))+"%")
	}
	return newestFirst(r, scanTemplate, "SELECT "+templateColumns+" FROM templates", c, templatesByAge, p)
}

// TemplateRef is the part of a template that a synchronization needs.
type TemplateRef struct {
	ID        string
	Name      string
	Language  string
	Digest    string
	UpdatedAt time.Time
	Standing  chat.TemplateStanding
}

func scanTemplateRef(row scanner) (t TemplateRef, err error) {
	var updatedAt int64
	err = row.Scan(&t.ID, &t.Name, &t.Language, &t.Digest, &updatedAt, &t.Standing.Status, &t.Standing.Quality, &t.Standing.Category)
	t.UpdatedAt, t.Standing.ID = toTime(updatedAt), t.ID
	return t, err
}

const templateRefSelect = "SELECT id, name, language, digest, updated_at, provider_status, COALESCE(quality, ''), COALESCE(category, '') FROM templates WHERE org_id = $1 AND waba_id = $2"

// TemplateRefs returns the templates of a business account with one of the names.
func (r Reader) TemplateRefs(orgID, wabaID string, names []string) ([]TemplateRef, error) {
	return many(r, scanTemplateRef, templateRefSelect+" AND "+r.dialect.oneOf("name", "$3")+r.forUpdate(), orgID, wabaID, r.dialect.list(names))
}

// AllTemplateRefs returns every template of a business account. The provider allows 6,000.
func (r Reader) AllTemplateRefs(orgID, wabaID string) ([]TemplateRef, error) {
	return many(r, scanTemplateRef, templateRefSelect, orgID, wabaID)
}

const insertTemplate = `INSERT INTO templates (` + templateColumns + `, digest, search_key)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`

func templateArgs(t chat.Template) []any {
	return []any{t.OrgID, t.ID, t.WABAID, t.Name, t.Language, t.ProviderID, string(t.Status), t.ProviderStatus, msPtr(t.ReportedAt), t.RejectedReason,
		t.Category, t.Format, t.Quality, t.TTLSeconds, string(t.Components), t.CreatedAt.UnixMilli(), t.UpdatedAt.UnixMilli(), t.Digest(), t.SearchKey()}
}

// InsertTemplate stores a new template; ErrDuplicate when the name exists in that language.
func (tx *Tx) InsertTemplate(t chat.Template) error {
	tx.noteChange(ChangedTemplates, t.OrgID, "")
	return tx.insert(insertTemplate+" ON CONFLICT (org_id, waba_id, name, language) DO NOTHING", templateArgs(t)...)
}

// PutTemplate stores a template and replaces one of that name and language, whose id and age stay.
func (tx *Tx) PutTemplate(t chat.Template) error {
	tx.noteChange(ChangedTemplates, t.OrgID, "")
	return tx.later(insertTemplate+` ON CONFLICT (org_id, waba_id, name, language) DO UPDATE SET
		provider_id = excluded.provider_id, status = excluded.status, provider_status = excluded.provider_status,
		rejected_reason = excluded.rejected_reason, category = excluded.category, parameter_format = excluded.parameter_format,
		quality = excluded.quality, ttl_seconds = excluded.ttl_seconds, components = excluded.components,
		digest = excluded.digest, search_key = excluded.search_key, updated_at = excluded.updated_at`, templateArgs(t)...)
}

// UpdateTemplate stores the changeable fields of a template.
func (tx *Tx) UpdateTemplate(t chat.Template) error {
	tx.noteChange(ChangedTemplates, t.OrgID, "")
	return tx.execOne(`UPDATE templates SET provider_id = $3, status = $4, provider_status = $5, reported_at = $6, rejected_reason = $7,
			category = $8, quality = $9, ttl_seconds = $10, components = $11, digest = $12, updated_at = $13, search_key = $14
		WHERE org_id = $1 AND id = $2`,
		t.OrgID, t.ID, t.ProviderID, string(t.Status), t.ProviderStatus, msPtr(t.ReportedAt), t.RejectedReason,
		t.Category, t.Quality, t.TTLSeconds, string(t.Components), t.Digest(), t.UpdatedAt.UnixMilli(), t.SearchKey())
}

// DeleteTemplates deletes templates that have not changed since the instant, and returns how many.
func (tx *Tx) DeleteTemplates(orgID string, ids []string, unchangedSince time.Time) (int64, error) {
	tx.noteChange(ChangedTemplates, orgID, "")
	list := tx.dialect.list(ids)
	n, err := tx.exec("DELETE FROM templates WHERE org_id = $1 AND updated_at <= $3 AND "+tx.dialect.oneOf("id", "$2"), orgID, list, unchangedSince.UnixMilli())
	if err != nil || n == 0 {
		return n, err
	}
	return n, tx.forgetTemplateChanges(orgID, list)
}

// PutTemplateDraft records a creation before the provider is asked for it.
func (tx *Tx) PutTemplateDraft(orgID, wabaID, name, language, fingerprint string) error {
	return tx.later(`INSERT INTO template_drafts (org_id, waba_id, name, language, fingerprint, created_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (org_id, waba_id, name, language) DO UPDATE SET fingerprint = excluded.fingerprint, created_at = excluded.created_at`,
		orgID, wabaID, name, language, fingerprint, tx.now.UnixMilli())
}

// TemplateDraft returns the fingerprint of a creation with an unknown outcome, or ErrNotFound.
func (r Reader) TemplateDraft(orgID, wabaID, name, language string, since time.Time) (string, error) {
	return one(r, scanText, "SELECT fingerprint FROM template_drafts WHERE org_id = $1 AND waba_id = $2 AND name = $3 AND language = $4 AND created_at >= $5",
		orgID, wabaID, name, language, since.UnixMilli())
}

// DeleteTemplateDraft deletes the record of a creation with a known outcome.
func (tx *Tx) DeleteTemplateDraft(orgID, wabaID, name, language string) error {
	return tx.later("DELETE FROM template_drafts WHERE org_id = $1 AND waba_id = $2 AND name = $3 AND language = $4", orgID, wabaID, name, language)
}

// PurgeTemplateDrafts deletes a business account's drafts from before an instant.
func (tx *Tx) PurgeTemplateDrafts(orgID, wabaID string, before time.Time) error {
	return tx.later("DELETE FROM template_drafts WHERE org_id = $1 AND waba_id = $2 AND created_at < $3", orgID, wabaID, before.UnixMilli())
}
