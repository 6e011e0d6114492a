package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// mostSketches is how many unfinished templates a business account can have.
const mostSketches = 200

// NewSketch is the content of an unfinished template.
type NewSketch struct {
	Name, Language, Category string
	Content                  string
}

// CreateSketch stores a template that a user has begun to write.
func CreateSketch(tx *store.Tx, account chat.Account, u chat.User, in NewSketch) (chat.TemplateSketch, error) {
	count := func() (int, error) { return tx.CountTemplateSketches(account.OrgID, account.WABAID) }
	full := chat.Invalid("name", "There are %d drafts already: submit or delete some first.", mostSketches)
	if err := checkRoom(tx, account.OrgID, mostSketches, count, full); err != nil {
		return chat.TemplateSketch{}, err
	}
	s := chat.TemplateSketch{ID: tx.NewID(chat.KindSketch), OrgID: account.OrgID, WABAID: account.WABAID, CreatedAt: tx.Now()}
	return saveSketch(tx, s, u, in)
}

// UpdateSketch stores a new version of an unfinished template.
func UpdateSketch(tx *store.Tx, account chat.Account, u chat.User, id string, in NewSketch) (chat.TemplateSketch, error) {
	s, err := tx.TemplateSketch(account.OrgID, account.WABAID, id)
	if err != nil {
		return s, orNotFound(err, "template draft")
	}
	return saveSketch(tx, s, u, in)
}

func saveSketch(tx *store.Tx, s chat.TemplateSketch, u chat.User, in NewSketch) (chat.TemplateSketch, error) {
	s.Name, s.Language, s.Category, s.Content = in.Name, in.Language, in.Category, in.Content
	s.AuthorID, s.UpdatedAt = u.ID, tx.Now()
	return s, tx.PutTemplateSketch(s)
}
