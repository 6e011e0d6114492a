package store

import (
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// Invariant is a condition that holds in every store. Its query finds the rows that break it.
type Invariant struct {
	// Fault describes a break of the invariant.
	Fault string
	// Mended describes what Mend does about it; empty: nothing, because a repair could lose data.
	Mended string

	query string
	mend  string
}

// Invariants are the conditions that a check of a store tests.
var Invariants = []Invariant{
	{
		Fault:  "messages are accepted and nothing will send them",
		Mended: "held: decide with `parley held`",
		query:  "SELECT m.id FROM messages m WHERE " + unsent,
		mend:   "INSERT INTO held_sends (org_id, message_id, category, held_at) SELECT m.org_id, m.id, " + strictest + ", m.created_at FROM messages m WHERE " + unsent,
	},
	{
		Fault:  "messages are to be sent that are gone",
		Mended: "taken off the queue",
		query:  "SELECT j.message_id FROM send_jobs j WHERE " + withoutMessage("j"),
		mend:   "DELETE FROM send_jobs WHERE " + withoutMessage("send_jobs"),
	},
	{
		Fault:  "held messages are gone",
		Mended: "forgotten",
		query:  "SELECT h.message_id FROM held_sends h WHERE " + withoutMessage("h"),
		mend:   "DELETE FROM held_sends WHERE " + withoutMessage("held_sends"),
	},
	{
		Fault: "messages belong to conversations that are gone",
		query: "SELECT m.id FROM messages m WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.org_id = m.org_id AND c.id = m.conversation_id)",
	},
	{
		Fault: "conversations belong to contacts that are gone",
		query: "SELECT c.id FROM conversations c WHERE NOT EXISTS (SELECT 1 FROM contacts t WHERE t.org_id = c.org_id AND t.id = c.contact_id)",
	},
	{
		Fault: "conversations, contacts or broadcasts belong to numbers that are gone",
		query: withoutOwner("accounts a WHERE a.org_id = x.org_id AND a.id = x.account_id", "conversations", "contacts", "broadcasts"),
	},
	{
		Fault: "numbers, customers, teams, users or keys belong to organizations that are gone",
		query: withoutOwner("organizations o WHERE o.id = x.org_id", "accounts", "customers", "teams", "users", "api_keys"),
	},
	{
		Fault: "recipients belong to broadcasts that are gone",
		query: `SELECT r.id FROM broadcast_recipients r WHERE NOT EXISTS (SELECT 1 FROM broadcasts b WHERE b.org_id = r.org_id AND b.id = r.broadcast_id)`,
	},
	{
		Fault: "deliveries wait that have no event",
		query: `SELECT d.id FROM webhook_deliveries d WHERE d.next_attempt_at IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM events e WHERE e.org_id = d.org_id AND e.id = d.event_row)`,
	},
	{
		Fault:  "events are still to be delivered that are gone",
		Mended: "forgotten",
		query:  "SELECT f.event FROM fan_outs f WHERE " + withoutEvent("f"),
		mend:   "DELETE FROM fan_outs WHERE " + withoutEvent("fan_outs"),
	},
	{
		Fault: "broadcasts count other recipients than they have",
		query: `SELECT b.id FROM broadcasts b WHERE (SELECT COUNT(*) FROM broadcast_recipients r WHERE r.org_id = b.org_id AND r.broadcast_id = b.id)
			<> (SELECT COALESCE(SUM(t.n), 0) FROM broadcast_tallies t WHERE t.broadcast_id = b.id)`,
	},
}

// strictest is the category by which consent is checked again, because the template's category was lost with
// its job.
const strictest = "CASE WHEN m.type = '" + string(chat.TypeTemplate) + "' THEN '" + chat.CategoryMarketing + "' ELSE '' END"

const unsent = `m.direction = 'outbound' AND m.status = 'queued'
	AND NOT EXISTS (SELECT 1 FROM send_jobs j WHERE j.org_id = m.org_id AND j.message_id = m.id)
	AND NOT EXISTS (SELECT 1 FROM held_sends h WHERE h.org_id = m.org_id AND h.message_id = m.id)`

func withoutMessage(table string) string {
	return "NOT EXISTS (SELECT 1 FROM messages m WHERE m.org_id = " + table + ".org_id AND m.id = " + table + ".message_id)"
}

func withoutEvent(table string) string {
	return "NOT EXISTS (SELECT 1 FROM events e WHERE e.org_id = " + table + ".org_id AND e.id = " + table + ".event)"
}

// withoutOwner finds the rows of several tables for which another one has no row.
func withoutOwner(owner string, tables ...string) string {
	queries := make([]string, len(tables))
	for i, table := range tables {
		queries[i] = "SELECT x.id FROM " + table + " x WHERE NOT EXISTS (SELECT 1 FROM " + owner + ")"
	}
	return strings.Join(queries, " UNION ALL ")
}

// Broken returns up to limit ids of rows that break the invariant.
func (r Reader) Broken(i Invariant, limit int) ([]string, error) {
	return many(r, scanText, i.query+" LIMIT "+strconv.Itoa(limit))
}

// Mend repairs a broken invariant as far as that is safe, and returns the number of changed rows.
func (tx *Tx) Mend(i Invariant) (int64, error) {
	if i.mend == "" {
		return 0, nil
	}
	return tx.exec(i.mend)
}

// Files returns the keys of stored files after the given one.
func (r Reader) Files(after string, limit int) ([]string, error) {
	return many(r, scanText, "SELECT DISTINCT blob_key FROM media WHERE blob_key > $1 ORDER BY blob_key LIMIT $2", after, limit)
}
