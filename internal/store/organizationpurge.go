package store

import (
	"slices"
	"time"
)

// DeleteOrganization marks an organization as deleted, and takes away the ways into it. The rest goes after its numbers:
// see PurgeOrganization.
func (tx *Tx) DeleteOrganization(id string, at time.Time) error {
	tx.noteChange(ChangedOrganization, id, "")
	for _, table := range []string{"api_keys", "sessions", "user_links", "setup_links"} {
		if err := tx.later("DELETE FROM "+table+" WHERE org_id = $1", id); err != nil {
			return err
		}
	}
	return tx.execOne("UPDATE organizations SET suspended = TRUE, deleted_at = $2 WHERE id = $1", id, at.UnixMilli())
}

// OrganizationsToPurge returns the organizations that were deleted before the instant and whose numbers are gone, with
// everything that belongs to a number.
func (r Reader) OrganizationsToPurge(before time.Time) ([]string, error) {
	return many(r, scanText, `SELECT id FROM organizations o WHERE deleted_at < $1
		AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.org_id = o.id) ORDER BY id`, before.UnixMilli())
}

// tablesOfOrganizations have the rows of organizations, each before those that it refers to. Some are empty once the
// numbers are gone, unless a row has come too late. removed_files and search_changes are not among them: they say what
// is still to be removed, and are worked off.
var tablesOfOrganizations = []string{
	"account_history", "account_jobs", "account_reports", "api_keys", "api_log", "audit_log", "away_replies",
	"broadcast_recipients", "broadcasts", "bulk_undos", "canned_replies", "consent_changes", "contact_job_slices",
	"contact_jobs", "contact_labels", "contact_notes", "contacts", "conversation_labels", "conversations",
	"counted_slots", "customers", "delivery_counts", "drafts", "due_merges", "early_changes", "fan_outs", "events", "happenings",
	"held_events", "held_sends", "idempotency", "key_uses", "labels", "media", "media_jobs", "merged_ids",
	"message_days", "message_quotas", "messages", "note_mentions", "notes", "opt_out_words", "outcomes",
	"packed_durations", "rate_buckets", "recovery_codes", "saved_views", "second_steps", "send_jobs", "sessions",
	"setup_links", "team_members", "template_changes", "template_drafts", "template_samples", "template_sketches",
	"template_syncs", "templates", "user_links", "webhook_deliveries", "webhook_secrets", "webhook_subscriptions",
	"users", "teams",
}

// withFiles are the tables whose rows name files.
var withFiles = []string{"media", "contact_jobs"}

// PurgeOrganization deletes up to limit rows of a deleted organization, and its own when no others are left. It returns
// how many rows went.
func (tx *Tx) PurgeOrganization(id string, limit int) (total int64, err error) {
	for _, table := range tablesOfOrganizations {
		if total >= int64(limit) {
			break
		}
		n, err := tx.purgeTable(table, id, limit-int(total))
		if total += n; err != nil {
			return total, err
		}
	}
	if total >= int64(limit) {
		return total, nil
	}
	n, err := tx.exec("DELETE FROM organizations WHERE id = $1 AND deleted_at IS NOT NULL", id)
	return total + n, err
}

// purgeTable deletes up to limit rows of an organization from a table, and queues the files that they name for removal.
func (tx *Tx) purgeTable(table, orgID string, limit int) (int64, error) {
	text := "DELETE FROM " + table + " WHERE " + tx.dialect.oneOfThose("rowid", table+" WHERE org_id = $1 LIMIT $2")
	if !slices.Contains(withFiles, table) {
		return tx.exec(text, orgID, limit)
	}
	keys, err := many(tx.Reader, func(row scanner) (key *string, err error) { return key, row.Scan(&key) }, text+" RETURNING blob_key", orgID, limit)
	for _, key := range keys {
		if err == nil && key != nil {
			err = tx.RemoveFile(orgID, *key)
		}
	}
	return int64(len(keys)), err
}
