package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// SearchRow is the current state of a row that can be found.
type SearchRow struct {
	ID             string
	AccountID      string
	ConversationID string // empty for a contact
	ContactID      string
	AuthorID       string // of a note
	Direction      chat.Direction
	Type           chat.MessageType
	Text           string // a message's content as JSON, a note's body, or a contact's name
	Number         string // a contact's
	Revoked        bool
	CreatedAt      time.Time
}

func scanSearchRow(row scanner) (s SearchRow, err error) {
	var createdAt int64
	err = row.Scan(&s.ID, &s.AccountID, &s.ConversationID, &s.ContactID, &s.AuthorID, &s.Direction, &s.Type, &s.Text, &s.Number, &s.Revoked, &createdAt)
	s.CreatedAt = toTime(createdAt)
	return s, err
}

// searchSource is the source of rows of a kind. Its table is named s in statements.
type searchSource struct{ table, columns, joins string }

var searchSources = map[chat.Kind]searchSource{
	chat.KindMessage: {"messages", "s.id, s.account_id, s.conversation_id, s.contact_id, '', s.direction, s.type, s.content, '', s.revoked, s.created_at", ""},
	chat.KindContact: {"contacts", `s.id, s.account_id, '', s.id, '', '', '',
		COALESCE(s.name, '') || ' ' || COALESCE(s.username, '') || ' ' || COALESCE(s.email, ''), COALESCE(s.phone_number, ''), FALSE, s.created_at`, ""},
	chat.KindNote: {"notes", "s.id, COALESCE(v.account_id, ''), s.conversation_id, COALESCE(v.contact_id, ''), s.author_id, '', '', s.body, '', FALSE, s.created_at",
		" LEFT JOIN conversations v ON v.org_id = s.org_id AND v.id = s.conversation_id"},
}

// SearchKinds are the kinds of rows that can be found.
var SearchKinds = []chat.Kind{chat.KindMessage, chat.KindContact, chat.KindNote}

// SearchRows returns the existing rows of a kind, by id.
func (r Reader) SearchRows(kind chat.Kind, orgID string, ids []string) (map[string]SearchRow, error) {
	from := searchSources[kind]
	rows, err := many(r, scanSearchRow, "SELECT "+from.columns+" FROM "+from.table+" s"+from.joins+
		" WHERE s.org_id = $1 AND "+r.dialect.oneOf("s.id", "$2"), orgID, r.dialect.list(ids))
	found := make(map[string]SearchRow, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, err
}

// NewestSearchRows returns up to limit rows of a kind with ids from one (inclusive) until another (exclusive),
// newest first.
func (r Reader) NewestSearchRows(kind chat.Kind, orgID, from, before string, limit int) ([]SearchRow, error) {
	source := searchSources[kind]
	return many(r, scanSearchRow, "SELECT "+source.columns+" FROM "+source.table+" s"+source.joins+
		" WHERE s.org_id = $1 AND s.id >= $2 AND s.id < $3 ORDER BY s.id DESC LIMIT $4", orgID, from, before, limit)
}

// SearchIDs returns up to limit ids of a kind after one and before another, oldest first.
func (r Reader) SearchIDs(kind chat.Kind, orgID, after, before string, limit int) ([]string, error) {
	return many(r, scanText, "SELECT id FROM "+searchSources[kind].table+" WHERE org_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4",
		orgID, after, before, limit)
}

// SearchHead is the newest row of a kind in an organization.
type SearchHead struct{ OrgID, ID string }

// SearchHeads returns the newest row of a kind of each organization that has any.
func (r Reader) SearchHeads(kind chat.Kind) ([]SearchHead, error) {
	return many(r, func(row scanner) (h SearchHead, err error) {
		err = row.Scan(&h.OrgID, &h.ID)
		return h, err
	}, fmt.Sprintf(`SELECT org_id, id FROM (SELECT o.id AS org_id, (SELECT MAX(s.id) FROM %s s WHERE s.org_id = o.id) AS id
		FROM organizations o) h WHERE id IS NOT NULL`, searchSources[kind].table))
}

// FirstSearchID is the smallest id of a kind made at t or later.
func FirstSearchID(kind chat.Kind, t time.Time) string { return firstID(kind, t) }

// LastSearchID is after all ids of a kind.
func LastSearchID(kind chat.Kind) string {
	return string(kind) + "_" + strings.Repeat("Z", chat.ULIDLength)
}
