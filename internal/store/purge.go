package store

import (
	"errors"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Aging is a table whose rows are deleted at a certain age.
type Aging string

const (
	Calls      Aging = "api_log"
	Messages   Aging = "messages"
	Events     Aging = "events"
	Deliveries Aging = "webhook_deliveries"
	Notes      Aging = "notes"
	Happenings Aging = "happenings"
	Audits     Aging = "audit_log"
	// Attachments are the files of messages sent from the dashboard.
	Attachments Aging = "media"
)

var agingKinds = map[Aging]chat.Kind{
	Calls: chat.KindRequest, Messages: chat.KindMessage, Events: chat.KindEvent, Deliveries: chat.KindDelivery,
	Notes: chat.KindNote, Happenings: chat.KindHappening, Audits: chat.KindAudit, Attachments: chat.KindMedia,
}

// agingOnly limits a table's rows to those that age.
var agingOnly = map[Aging]string{Attachments: " AND origin = 'attachment'"}

// AnyBefore reports whether an organization has rows from before the instant.
func (r Reader) AnyBefore(table Aging, orgID string, before time.Time) (bool, error) {
	found, err := many(r, scanText, "SELECT id FROM "+string(table)+" WHERE org_id = $1 AND id < $2"+agingOnly[table]+" ORDER BY id LIMIT 1",
		orgID, firstID(agingKinds[table], before))
	return len(found) > 0, err
}

// PurgeAttachments deletes up to limit attachments from before the instant that no message has: those that were
// never sent, and those of templates, which do not list them as their files. It returns how many.
func (tx *Tx) PurgeAttachments(orgID string, before time.Time, limit int) (int64, error) {
	keys, err := many(tx.Reader, scanText, "DELETE FROM media WHERE "+tx.dialect.oneOfThose("org_id, id",
		"media WHERE org_id = $1 AND id < $2 AND "+unused+" ORDER BY id LIMIT $3")+" RETURNING blob_key", orgID, firstID(chat.KindMedia, before), limit)
	for _, key := range keys {
		err = errors.Join(err, tx.RemoveFile(orgID, key))
	}
	return int64(len(keys)), err
}

// PurgeNotes deletes up to limit of an organization's notes from before the instant, and returns how many.
func (tx *Tx) PurgeNotes(orgID string, before time.Time, limit int) (int64, error) {
	ids, err := many(tx.Reader, scanText, "DELETE FROM notes WHERE "+tx.dialect.oneOfThose("org_id, id", "notes WHERE org_id = $1 AND id < $2 ORDER BY id LIMIT $3")+" RETURNING id",
		orgID, firstID(chat.KindNote, before), limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return int64(len(ids)), tx.later("DELETE FROM note_mentions WHERE org_id = $1 AND "+tx.dialect.oneOf("note_id", "$2"), orgID, tx.dialect.list(ids))
}

// PurgeHappenings is PurgeNotes for happenings.
func (tx *Tx) PurgeHappenings(orgID string, before time.Time, limit int) (int64, error) {
	return tx.exec("DELETE FROM happenings WHERE "+tx.dialect.oneOfThose("org_id, id", "happenings WHERE org_id = $1 AND id < $2 ORDER BY id LIMIT $3"),
		orgID, firstID(chat.KindHappening, before), limit)
}

// DeletedAccount returns a disconnected account, or ErrNotFound.
func (r Reader) DeletedAccount(orgID, id string) (chat.Account, error) {
	return one(r, scanAccount, accountSelect+" WHERE a.org_id = $1 AND a.id = $2 AND a.deleted_at IS NOT NULL"+r.lockAccount(), orgID, id)
}

// withAccount are the tables whose rows are deleted with the account's row.
var withAccount = []string{"account_history", "account_reports", "early_changes"}

// RemoveAccount deletes the row of a disconnected account, and the rows of withAccount.
func (tx *Tx) RemoveAccount(orgID, id string) error {
	for _, table := range withAccount {
		if err := tx.later("DELETE FROM "+table+" WHERE org_id = $1 AND account_id = $2", orgID, id); err != nil {
			return err
		}
	}
	_, err := tx.exec("DELETE FROM accounts WHERE org_id = $1 AND id = $2 AND deleted_at IS NOT NULL", orgID, id)
	return err
}

// purgeable is a table with rows of an account, and the statements that run before its rows are deleted: $1 is
// the organization, $2 the list of ids.
type purgeable struct {
	table  string
	before func(dialect) []string
}

// hanging makes the statements for rows of other tables that refer to the ids by a column, and for the ids'
// other names.
func hanging(column string, tables ...string) func(dialect) []string {
	return func(d dialect) (statements []string) {
		for _, table := range tables {
			statements = append(statements, "DELETE FROM "+table+" WHERE org_id = $1 AND "+d.oneOf(column, "$2"))
		}
		return append(statements, "DELETE FROM merged_ids WHERE org_id = $1 AND "+d.oneOf("new_id", "$2"))
	}
}

// purgeables are in the order of the purge, after the messages. Tables whose statements look for other rows
// come first. The bytes of files follow their rows.
var purgeables = []purgeable{
	{"conversations", hanging("conversation_id", hangOnConversations...)},
	{"contacts", hanging("contact_id", append(hangOnContacts, "due_merges")...)},
	{"broadcasts", func(d dialect) []string {
		return []string{"DELETE FROM broadcast_tallies WHERE CAST($1 AS TEXT) <> '' AND " + d.oneOf("broadcast_id", "$2")}
	}},
	{"media", func(d dialect) []string {
		statements := []string{"INSERT INTO removed_files (org_id, blob_key) SELECT org_id, blob_key FROM media WHERE org_id = $1 AND " + d.oneOf("id", "$2")}
		for _, statement := range mediaLeaves {
			statements = append(statements, strings.TrimSuffix(statement, "media_id")+d.oneOf("media_id", "$2"))
		}
		return statements
	}},
}

// PurgeAccount deletes up to limit rows of a disconnected account and returns how many.
func (tx *Tx) PurgeAccount(orgID, accountID string, limit int) (int64, error) {
	total, err := tx.forgetMessages("account_id = $2 LIMIT $3", orgID, accountID, limit)
	if err == nil && total < int64(limit) {
		var n int64
		n, err = tx.purgeRecipients(orgID, accountID, limit-int(total))
		total += n
	}
	for _, p := range purgeables {
		if err != nil || total >= int64(limit) {
			break
		}
		var n int
		n, err = tx.purge(p, orgID, accountID, limit-int(total))
		total += int64(n)
	}
	return total, err
}

// purgeRecipients deletes up to limit recipients of an account's broadcasts, and returns how many.
func (tx *Tx) purgeRecipients(orgID, accountID string, limit int) (total int64, err error) {
	broadcasts, err := many(tx.Reader, scanText, "SELECT id FROM broadcasts WHERE org_id = $1 AND account_id = $2", orgID, accountID)
	for _, id := range broadcasts {
		if err != nil || total >= int64(limit) {
			break
		}
		var gone []string
		gone, err = tx.DeleteRecipients(orgID, id, limit-int(total))
		total += int64(len(gone))
	}
	return total, err
}

func (tx *Tx) purge(p purgeable, orgID, accountID string, limit int) (int, error) {
	ids, err := many(tx.Reader, scanText, "SELECT id FROM "+p.table+" WHERE org_id = $1 AND account_id = $2 LIMIT $3", orgID, accountID, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if err := tx.leaveSearch(p.table, orgID, ids); err != nil {
		return 0, err
	}
	for _, statement := range append(p.before(tx.dialect), "DELETE FROM "+p.table+" WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$2")) {
		if err := tx.later(statement, orgID, tx.dialect.list(ids)); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}
