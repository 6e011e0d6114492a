package store

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const broadcastColumns = `org_id, id, account_id, name, status, reason, template, template_digest, audience, audience_at, audience_done, per_second,
	scheduled_at, time_zone, active, owner, sent_before, failed_before, started_at, completed_at, created_at, updated_at`

func scanBroadcast(row scanner) (b chat.Broadcast, err error) {
	var (
		template, audience                  string
		scheduledAt, startedAt, completedAt *int64
		createdAt, updatedAt                int64
	)
	err = row.Scan(&b.OrgID, &b.ID, &b.AccountID, &b.Name, &b.Status, &b.Reason, &template, &b.TemplateDigest, &audience, &b.AudienceAt, &b.AudienceDone,
		&b.PerSecond, &scheduledAt, &b.TimeZone, &b.Active, &b.Owner, &b.SentBefore, &b.FailedBefore, &startedAt, &completedAt, &createdAt, &updatedAt)
	if err != nil {
		return b, err
	}
	b.ScheduledAt, b.StartedAt, b.CompletedAt = toTimePtr(scheduledAt), toTimePtr(startedAt), toTimePtr(completedAt)
	b.CreatedAt, b.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	if err := json.Unmarshal([]byte(template), &b.Template); err != nil {
		return b, err
	}
	return b, json.Unmarshal([]byte(audience), &b.Audience)
}

func broadcastArgs(b chat.Broadcast) ([]any, error) {
	template, err := json.Marshal(b.Template)
	if err != nil {
		return nil, err
	}
	audience, err := json.Marshal(b.Audience)
	return []any{b.OrgID, b.ID, b.AccountID, b.Name, string(b.Status), string(b.Reason), string(template), b.TemplateDigest, string(audience),
		b.AudienceAt, b.AudienceDone, b.PerSecond, msPtr(b.ScheduledAt), b.TimeZone, b.Active, b.Owner, b.SentBefore, b.FailedBefore,
		msPtr(b.StartedAt), msPtr(b.CompletedAt), b.CreatedAt.UnixMilli(), b.UpdatedAt.UnixMilli()}, err
}

// InsertBroadcast stores a new broadcast.
func (tx *Tx) InsertBroadcast(b chat.Broadcast) error {
	tx.noteChange(ChangedBroadcast, b.OrgID, "")
	args, err := broadcastArgs(b)
	if err != nil {
		return err
	}
	return tx.later("INSERT INTO broadcasts ("+broadcastColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
		$17, $18, $19, $20, $21, $22)`, args...)
}

// UpdateBroadcast stores the changeable fields of a broadcast.
func (tx *Tx) UpdateBroadcast(b chat.Broadcast) error {
	tx.noteChange(ChangedBroadcast, b.OrgID, "")
	args, err := broadcastArgs(b)
	if err != nil {
		return err
	}
	return tx.execOne(`UPDATE broadcasts SET account_id = $3, name = $4, status = $5, reason = $6, template = $7, template_digest = $8, audience = $9,
			audience_at = $10, audience_done = $11, per_second = $12, scheduled_at = $13, time_zone = $14, active = $15, owner = $16,
			sent_before = $17, failed_before = $18, started_at = $19, completed_at = $20, created_at = $21, updated_at = $22
		WHERE org_id = $1 AND id = $2`, args...)
}

// Broadcast returns a broadcast of an account, or ErrNotFound.
func (r Reader) Broadcast(orgID, accountID, id string) (chat.Broadcast, error) {
	return one(r, scanBroadcast, "SELECT "+broadcastColumns+" FROM broadcasts WHERE org_id = $1 AND id = $2 AND account_id = $3"+r.forUpdate(),
		orgID, id, accountID)
}

// BroadcastFilter narrows a list of broadcasts.
type BroadcastFilter struct {
	Status chat.BroadcastStatus // empty: all
}

var broadcastsByID = order[chat.Broadcast]{position: func(b chat.Broadcast) Position { return Position{ID: b.ID} }}

// Broadcasts returns one page of an account's broadcasts.
func (r Reader) Broadcasts(orgID, accountID string, f BroadcastFilter, p Page) (Slice[chat.Broadcast], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.add("account_id = ?", accountID)
	c.addIf("status = ?", string(f.Status))
	return newestFirst(r, scanBroadcast, "SELECT "+broadcastColumns+" FROM broadcasts", c, broadcastsByID, p)
}

// NumberedBroadcast is a broadcast with the provider's id of its number.
type NumberedBroadcast struct {
	chat.Broadcast
	PhoneNumberID string
}

var numberedByID = order[NumberedBroadcast]{alias: "b", position: func(b NumberedBroadcast) Position { return Position{ID: b.ID} }}

// BroadcastsFor returns one page of the broadcasts of all numbers that a user may see.
func (r Reader) BroadcastsFor(u chat.User, f BroadcastFilter, p Page) (Slice[NumberedBroadcast], error) {
	c := broadcastsSeenBy(u)
	c.addIf("b.status = ?", string(f.Status))
	return newestFirst(r, scanNumbered, numberedSelect, c, numberedByID, p)
}

// BroadcastFor returns a broadcast of any number that a user may see, or ErrNotFound.
func (r Reader) BroadcastFor(u chat.User, id string) (NumberedBroadcast, error) {
	c := broadcastsSeenBy(u)
	c.add("b.id = ?", id)
	return one(r, scanNumbered, numberedSelect+c.where(), c.args...)
}

// SQLite does not reorder a CROSS JOIN: it walks the list in order, and looks each broadcast's number up.
var numberedSelect = "SELECT COALESCE(a.phone_number_id, ''), " + prefixed("b", broadcastColumns) + " FROM broadcasts b CROSS JOIN accounts a"

func scanNumbered(row scanner) (b NumberedBroadcast, err error) {
	b.Broadcast, err = scanBroadcast(columnsAround{row: row, first: []any{&b.PhoneNumberID}})
	return b, err
}

func broadcastsSeenBy(u chat.User) (c conditions) {
	c.add("b.org_id = ?", u.OrgID)
	c.add("a.org_id = b.org_id AND a.id = b.account_id AND a.deleted_at IS NULL")
	if u.Sees != chat.SeesAll {
		c.add("a.team_id IN (SELECT m.team_id FROM team_members m WHERE m.org_id = b.org_id AND m.user_id = ?)", u.ID)
	}
	return c
}

// DeleteBroadcast deletes a broadcast whose recipients are deleted.
func (tx *Tx) DeleteBroadcast(orgID, id string) error {
	tx.noteChange(ChangedBroadcast, orgID, "")
	if err := tx.later("DELETE FROM broadcast_tallies WHERE broadcast_id = $1", id); err != nil {
		return err
	}
	return tx.execOne("DELETE FROM broadcasts WHERE org_id = $1 AND id = $2", orgID, id)
}

// DueBroadcasts returns scheduled broadcasts whose time has come.
func (r Reader) DueBroadcasts(now time.Time, limit int) ([]chat.Broadcast, error) {
	r.locking = false
	return many(r, scanBroadcast, "SELECT "+broadcastColumns+" FROM broadcasts WHERE status = 'scheduled' AND scheduled_at <= $1 ORDER BY scheduled_at LIMIT $2",
		now.UnixMilli(), limit)
}

// OwnBroadcasts returns the broadcasts that a node works on.
func (r Reader) OwnBroadcasts(node string) ([]chat.Broadcast, error) {
	return many(r, scanBroadcast, "SELECT "+broadcastColumns+" FROM broadcasts WHERE active AND owner = $1 ORDER BY id", node)
}

// AbandonedBroadcasts reports whether there are broadcasts to work on that no living node owns.
func (r Reader) AbandonedBroadcasts() (bool, error) {
	n, err := one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1 FROM broadcasts WHERE active AND owner"+abandoned+" LIMIT 1) b")
	return n > 0, err
}

// ClaimBroadcasts gives a node the broadcasts that no living node owns. Broadcasts of one number stay on one
// node, so that they share it fairly: such a broadcast goes to the node that has another.
func (tx *Tx) ClaimBroadcasts(node string) error {
	if free, err := tx.TryLock("claim broadcasts"); err != nil || !free {
		return err
	}
	if err := tx.stillAlive(node); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE broadcasts SET owner = COALESCE((SELECT MIN(o.owner) FROM broadcasts o
			WHERE o.active AND o.account_id = broadcasts.account_id AND o.owner IN (SELECT id FROM nodes)), $1)
		WHERE active AND owner`+abandoned, node)
	return err
}

// LeftCopy returns a copy of a broadcast that will not be finished, or ErrNotFound: its node is gone, or it was begun
// before the given time.
func (r Reader) LeftCopy(before time.Time) (chat.Broadcast, error) {
	r.locking = false
	return one(r, scanBroadcast, "SELECT "+broadcastColumns+` FROM broadcasts WHERE status = 'draft' AND owner <> ''
		AND (created_at < $1 OR owner`+abandoned+") ORDER BY created_at LIMIT 1", before.UnixMilli())
}

// AddTally adds changes of the counts by broadcast and status. kind says who made them.
func (tx *Tx) AddTally(kind string, deltas []TallyDelta) error {
	for _, d := range deltas {
		if d.N == 0 {
			continue
		}
		err := tx.later(`INSERT INTO broadcast_tallies (broadcast_id, kind, status, n) VALUES ($1, $2, $3, $4)
			ON CONFLICT (broadcast_id, kind, status) DO UPDATE SET n = broadcast_tallies.n + excluded.n`, d.BroadcastID, kind, d.Status, d.N)
		if err != nil {
			return err
		}
	}
	return nil
}

// TallyDelta is the change of the number of recipients with a status.
type TallyDelta struct {
	BroadcastID, Status string
	N                   int64
}

// Tallies returns the numbers of recipients by broadcast and status.
func (r Reader) Tallies(ids ...string) (map[string]map[string]int64, error) {
	found := map[string]map[string]int64{}
	err := r.db.query(r.ctx, "SELECT broadcast_id, status, SUM(n) FROM broadcast_tallies WHERE "+r.dialect.oneOf("broadcast_id", "$1")+
		" GROUP BY broadcast_id, status", []any{r.dialect.list(ids)}, func(row scanner) error {
		var id, status string
		var n int64
		err := row.Scan(&id, &status, &n)
		if found[id] == nil {
			found[id] = map[string]int64{}
		}
		found[id][status] = n
		return err
	})
	return found, err
}
