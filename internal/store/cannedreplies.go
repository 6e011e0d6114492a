package store

import "github.com/parleyhq/parley/internal/chat"

const cannedReplyColumns = "org_id, id, owner_id, team_id, name, body, media_id, created_at, updated_at"

func scanCannedReply(row scanner) (c chat.CannedReply, err error) {
	var createdAt, updatedAt int64
	err = row.Scan(&c.OrgID, &c.ID, &c.OwnerID, &c.TeamID, &c.Name, &c.Body, &c.MediaID, &createdAt, &updatedAt)
	c.CreatedAt, c.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	return c, err
}

// usableBy is the condition that a canned reply belongs to the user or to one of the user's teams: $1 is the
// organization, $2 the user.
const usableBy = `org_id = $1 AND (owner_id = $2 OR team_id IN (SELECT m.team_id FROM team_members m WHERE m.org_id = $1 AND m.user_id = $2))`

// CannedReplies returns the replies that a user can use, by name.
func (r Reader) CannedReplies(u chat.User) ([]chat.CannedReply, error) {
	return many(r, scanCannedReply, "SELECT "+cannedReplyColumns+" FROM canned_replies WHERE "+usableBy+" ORDER BY name, id", u.OrgID, u.ID)
}

// CannedReply returns a reply that a user can use, or ErrNotFound.
func (r Reader) CannedReply(u chat.User, id string) (chat.CannedReply, error) {
	return one(r, scanCannedReply, "SELECT "+cannedReplyColumns+" FROM canned_replies WHERE "+usableBy+" AND id = $3"+r.forUpdate(), u.OrgID, u.ID, id)
}

// PutCannedReply stores a canned reply, new or changed.
func (tx *Tx) PutCannedReply(c chat.CannedReply) error {
	tx.noteChange(ChangedReplies, c.OrgID, "")
	return tx.later("INSERT INTO canned_replies ("+cannedReplyColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (org_id, id) DO UPDATE SET owner_id = excluded.owner_id, team_id = excluded.team_id, name = excluded.name,
			body = excluded.body, media_id = excluded.media_id, updated_at = excluded.updated_at`,
		c.OrgID, c.ID, c.OwnerID, c.TeamID, c.Name, c.Body, c.MediaID, c.CreatedAt.UnixMilli(), c.UpdatedAt.UnixMilli())
}

// DeleteCannedReply removes a canned reply.
func (tx *Tx) DeleteCannedReply(orgID, id string) error {
	tx.noteChange(ChangedReplies, orgID, "")
	return tx.execOne("DELETE FROM canned_replies WHERE org_id = $1 AND id = $2", orgID, id)
}
