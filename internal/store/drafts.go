package store

import "github.com/parleyhq/parley/internal/chat"

// Drafts returns a user's drafts in a conversation: an answer, a note, both or neither.
func (r Reader) Drafts(orgID, userID, conversationID string) ([]chat.Draft, error) {
	return many(r, func(row scanner) (d chat.Draft, err error) {
		d.OrgID, d.UserID, d.ConversationID = orgID, userID, conversationID
		var updatedAt int64
		err = row.Scan(&d.Body, &d.Note, &updatedAt)
		d.UpdatedAt = toTime(updatedAt)
		return d, err
	}, "SELECT body, note, updated_at FROM drafts WHERE org_id = $1 AND user_id = $2 AND conversation_id = $3", orgID, userID, conversationID)
}

// PutDraft stores a draft and replaces the user's earlier one of that kind.
func (tx *Tx) PutDraft(d chat.Draft) error {
	return tx.later(`INSERT INTO drafts (org_id, user_id, conversation_id, body, note, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (org_id, user_id, conversation_id, note) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`,
		d.OrgID, d.UserID, d.ConversationID, d.Body, d.Note, d.UpdatedAt.UnixMilli())
}

// DeleteDraft removes a draft, if there is one.
func (tx *Tx) DeleteDraft(d chat.Draft) error {
	return tx.later("DELETE FROM drafts WHERE org_id = $1 AND user_id = $2 AND conversation_id = $3 AND note = $4",
		d.OrgID, d.UserID, d.ConversationID, d.Note)
}

// DraftsIn returns the conversations in which a user has a draft.
func (r Reader) DraftsIn(orgID, userID string, conversationIDs []string) (map[string]bool, error) {
	return set(r, "SELECT conversation_id FROM drafts WHERE org_id = $1 AND user_id = $2 AND "+
		r.dialect.oneOf("conversation_id", "$3"), orgID, userID, r.dialect.list(conversationIDs))
}
