package store

// ConversationPlace is where a conversation is, and with whom.
type ConversationPlace struct{ TeamID, AssignedTo string }

// PlacesOf are the places of conversations, by their ids.
func (r Reader) PlacesOf(orgID string, ids []string) (places map[string]ConversationPlace, err error) {
	places = map[string]ConversationPlace{}
	err = r.db.query(r.ctx, `SELECT c.id, a.team_id, COALESCE(c.assigned_to, '') FROM conversations c
		JOIN accounts a ON a.org_id = c.org_id AND a.id = c.account_id AND a.deleted_at IS NULL
		WHERE c.org_id = $1 AND `+r.dialect.oneOf("c.id", "$2"), []any{orgID, r.dialect.list(ids)}, func(row scanner) error {
		var id string
		var p ConversationPlace
		err := row.Scan(&id, &p.TeamID, &p.AssignedTo)
		places[id] = p
		return err
	})
	return places, err
}
