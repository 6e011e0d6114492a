package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Assignee says whether a user can be assigned conversations of a team's numbers.
type Assignee struct{ Left, Away, Member bool }

// Assignee looks a user up for a team. An unknown user is no member.
func (r Reader) Assignee(orgID, teamID, userID string) (a Assignee, err error) {
	found, err := many(r, func(row scanner) (a Assignee, err error) {
		err = row.Scan(&a.Left, &a.Away, &a.Member)
		return a, err
	}, `SELECT u.disabled_at IS NOT NULL, u.away,
			EXISTS (SELECT 1 FROM team_members m WHERE m.org_id = u.org_id AND m.team_id = $2 AND m.user_id = u.id)
		FROM users u WHERE u.org_id = $1 AND u.id = $3`, orgID, teamID, userID)
	if err != nil || len(found) == 0 {
		return Assignee{}, err
	}
	return found[0], nil
}

// TakeTurn returns the user of a team whose turn it is, and moves that user to the end. Users who are away or
// cannot sign in are skipped; ErrNotFound if nobody is left. It locks the team until the transaction ends,
// because two transactions would otherwise pick the same user.
func (tx *Tx) TakeTurn(orgID, teamID string) (userID string, err error) {
	if _, err := one(tx.Reader, scanText, "SELECT id FROM teams WHERE org_id = $1 AND id = $2"+tx.forUpdate(), orgID, teamID); err != nil {
		return "", err
	}
	userID, err = one(tx.Reader, scanText, `SELECT m.user_id FROM team_members m JOIN users u ON u.org_id = m.org_id AND u.id = m.user_id
		WHERE m.org_id = $1 AND m.team_id = $2 AND u.disabled_at IS NULL AND NOT u.away
			AND (u.password_hash <> '' OR EXISTS (SELECT 1 FROM sessions s WHERE s.org_id = u.org_id AND s.user_id = u.id))
		ORDER BY m.turn, m.user_id LIMIT 1`, orgID, teamID)
	if err != nil {
		return "", err
	}
	return userID, tx.execOne(`UPDATE team_members SET turn = 1 + (SELECT MAX(o.turn) FROM team_members o WHERE o.org_id = $1 AND o.team_id = $2)
		WHERE org_id = $1 AND team_id = $2 AND user_id = $3`, orgID, teamID, userID)
}

const inWork = "c.status IN ('open', 'pending')"

// InWorkOf returns up to limit unresolved conversations of a user.
func (tx *Tx) InWorkOf(orgID, userID string, limit int) ([]chat.Conversation, error) {
	return many(tx.Reader, scanConversation, "SELECT "+prefixed("c", conversationColumns)+` FROM conversations c
		WHERE c.org_id = $1 AND c.assigned_to = $2 AND `+inWork+" ORDER BY c.id LIMIT $3"+tx.forUpdate(), orgID, userID, limit)
}

// LeftBehind returns a user who has left and still has an unresolved conversation, or ErrNotFound.
func (r Reader) LeftBehind() (orgID, userID string, err error) {
	_, err = one(r, func(row scanner) (string, error) { return "", row.Scan(&orgID, &userID) }, `SELECT u.org_id, u.id FROM users u
		WHERE u.disabled_at IS NOT NULL AND EXISTS (SELECT 1 FROM conversations c WHERE c.org_id = u.org_id AND c.assigned_to = u.id AND `+inWork+") LIMIT 1")
	return orgID, userID, err
}

// AwayReply is the time of the last away message in a conversation, or ErrNotFound.
func (r Reader) AwayReply(orgID, conversationID string) (time.Time, error) {
	return one(r, func(row scanner) (time.Time, error) {
		var at int64
		err := row.Scan(&at)
		return toTime(at), err
	}, "SELECT sent_at FROM away_replies WHERE org_id = $1 AND conversation_id = $2", orgID, conversationID)
}

// PutAwayReply records that an away message was sent now.
func (tx *Tx) PutAwayReply(orgID, conversationID string) error {
	_, err := tx.exec(`INSERT INTO away_replies (org_id, conversation_id, sent_at) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, conversation_id) DO UPDATE SET sent_at = excluded.sent_at`, orgID, conversationID, tx.now.UnixMilli())
	return err
}
