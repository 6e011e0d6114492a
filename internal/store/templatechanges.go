package store

import "github.com/parleyhq/parley/internal/chat"

const templateChangeColumns = "org_id, template_id, id, aspect, previous, value, reason, detail, at"

// templateChangesShown is how many changes of a template are shown.
const templateChangesShown = 100

func scanTemplateChange(row scanner) (c chat.TemplateChange, err error) {
	var at int64
	err = row.Scan(&c.OrgID, &c.TemplateID, &c.ID, &c.Aspect, &c.Previous, &c.Value, &c.Reason, &c.Detail, &at)
	c.At = toTime(at)
	return c, err
}

// TemplateChanges returns the last changes of a template, newest first.
func (r Reader) TemplateChanges(orgID, templateID string) ([]chat.TemplateChange, error) {
	return many(r, scanTemplateChange, "SELECT "+templateChangeColumns+" FROM template_changes WHERE org_id = $1 AND template_id = $2 ORDER BY id DESC LIMIT $3",
		orgID, templateID, templateChangesShown)
}

// InsertTemplateChange stores a change of a template.
func (tx *Tx) InsertTemplateChange(c chat.TemplateChange) error {
	return tx.later("INSERT INTO template_changes ("+templateChangeColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		c.OrgID, c.TemplateID, c.ID, c.Aspect, c.Previous, c.Value, c.Reason, c.Detail, c.At.UnixMilli())
}

// forgetTemplateChanges deletes the history of those of the templates that are deleted.
func (tx *Tx) forgetTemplateChanges(orgID string, ids any) error {
	return tx.later("DELETE FROM template_changes WHERE org_id = $1 AND "+tx.dialect.oneOf("template_id", "$2")+
		" AND NOT EXISTS (SELECT 1 FROM templates t WHERE t.org_id = template_changes.org_id AND t.id = template_changes.template_id)", orgID, ids)
}

func scanTemplateSample(row scanner) (s chat.TemplateSample, err error) {
	err = row.Scan(&s.Name, &s.Language, &s.Place, &s.MediaID)
	return s, err
}

// TemplateSamples returns the library files that a template shows.
func (r Reader) TemplateSamples(t chat.Template) ([]chat.TemplateSample, error) {
	return many(r, scanTemplateSample, `SELECT name, language, place, media_id FROM template_samples
		WHERE org_id = $1 AND waba_id = $2 AND name = $3 AND language = $4 ORDER BY place`, t.OrgID, t.WABAID, t.Name, t.Language)
}

// PutTemplateSamples stores the library files that a template shows, by their places, and replaces earlier
// ones.
func (tx *Tx) PutTemplateSamples(t chat.Template, files map[string]string) error {
	err := tx.later("DELETE FROM template_samples WHERE org_id = $1 AND waba_id = $2 AND name = $3 AND language = $4", t.OrgID, t.WABAID, t.Name, t.Language)
	for place, id := range files {
		if err != nil {
			break
		}
		err = tx.later("INSERT INTO template_samples (org_id, waba_id, name, language, place, media_id) VALUES ($1, $2, $3, $4, $5, $6)",
			t.OrgID, t.WABAID, t.Name, t.Language, place, id)
	}
	return err
}

const sketchColumns = "org_id, id, waba_id, name, language, category, content, author_id, created_at, updated_at"

func scanSketch(row scanner) (s chat.TemplateSketch, err error) {
	var createdAt, updatedAt int64
	err = row.Scan(&s.OrgID, &s.ID, &s.WABAID, &s.Name, &s.Language, &s.Category, &s.Content, &s.AuthorID, &createdAt, &updatedAt)
	s.CreatedAt, s.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	return s, err
}

// TemplateSketches returns the unfinished templates of a business account, last changed first.
func (r Reader) TemplateSketches(orgID, wabaID string) ([]chat.TemplateSketch, error) {
	return many(r, scanSketch, "SELECT "+sketchColumns+" FROM template_sketches WHERE org_id = $1 AND waba_id = $2 ORDER BY updated_at DESC, id DESC", orgID, wabaID)
}

// CountTemplateSketches is the number of a business account's unfinished templates.
func (r Reader) CountTemplateSketches(orgID, wabaID string) (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM template_sketches WHERE org_id = $1 AND waba_id = $2", orgID, wabaID)
}

// TemplateSketch returns an unfinished template of a business account, or ErrNotFound.
func (r Reader) TemplateSketch(orgID, wabaID, id string) (chat.TemplateSketch, error) {
	return one(r, scanSketch, "SELECT "+sketchColumns+" FROM template_sketches WHERE org_id = $1 AND waba_id = $2 AND id = $3"+r.forUpdate(), orgID, wabaID, id)
}

// PutTemplateSketch stores a sketch, new or changed.
func (tx *Tx) PutTemplateSketch(s chat.TemplateSketch) error {
	tx.noteChange(ChangedTemplates, s.OrgID, "")
	return tx.later("INSERT INTO template_sketches ("+sketchColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (org_id, id) DO UPDATE SET name = excluded.name, language = excluded.language, category = excluded.category,
			content = excluded.content, author_id = excluded.author_id, updated_at = excluded.updated_at`,
		s.OrgID, s.ID, s.WABAID, s.Name, s.Language, s.Category, s.Content, s.AuthorID, s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli())
}

// DeleteTemplateSketch removes a sketch, or returns ErrNotFound.
func (tx *Tx) DeleteTemplateSketch(orgID, wabaID, id string) error {
	tx.noteChange(ChangedTemplates, orgID, "")
	return tx.execOne("DELETE FROM template_sketches WHERE org_id = $1 AND waba_id = $2 AND id = $3", orgID, wabaID, id)
}
