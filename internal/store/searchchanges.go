package store

import (
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// lateForSearch is how far a message's id may be behind its transaction before the index is told of it. The
// index looks for new ids only from a little before now.
const lateForSearch = time.Second

// SearchChange names rows that must be indexed again.
type SearchChange struct {
	ID       string
	OrgID    string
	Subjects []string
}

// SearchAgain queues messages, contacts or notes that were changed or deleted for the search index.
func (tx *Tx) SearchAgain(orgID string, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.later("INSERT INTO search_changes (id, org_id, subjects) VALUES ($1, $2, $3)",
		tx.NewID(chat.KindSearchChange), orgID, strings.Join(ids, ","))
}

// searchLate is SearchAgain for a new message whose id is old.
func (tx *Tx) searchLate(m chat.Message) error {
	if tx.now.Sub(m.CreatedAt) <= lateForSearch {
		return nil
	}
	return tx.SearchAgain(m.OrgID, m.ID)
}

// leaveSearch queues the rows of a table that are about to be deleted for removal from the search index.
func (tx *Tx) leaveSearch(table, orgID string, ids []string) (err error) {
	switch table {
	case "contacts":
	case "conversations":
		ids, err = many(tx.Reader, scanText, "SELECT id FROM notes WHERE org_id = $1 AND "+tx.dialect.oneOf("conversation_id", "$2"), orgID, tx.dialect.list(ids))
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return tx.SearchAgain(orgID, ids...)
}

// SearchChanges returns up to limit changes.
func (r Reader) SearchChanges(limit int) ([]SearchChange, error) {
	return many(r, func(row scanner) (c SearchChange, err error) {
		var subjects string
		err = row.Scan(&c.ID, &c.OrgID, &subjects)
		c.Subjects = strings.Split(subjects, ",")
		return c, err
	}, "SELECT id, org_id, subjects FROM search_changes ORDER BY id LIMIT $1", limit)
}

// dropSearchChanges deletes changes that the index has followed.
func (tx *Tx) dropSearchChanges(ids []string) error {
	return tx.later("DELETE FROM search_changes WHERE "+tx.dialect.oneOf("id", "$1"), tx.dialect.list(ids))
}
