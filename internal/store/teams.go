package store

import "github.com/parleyhq/parley/internal/chat"

const teamColumns = "org_id, id, name, created_at"

func scanTeam(row scanner) (t chat.Team, err error) {
	var createdAt int64
	err = row.Scan(&t.OrgID, &t.ID, &t.Name, &createdAt)
	t.CreatedAt = toTime(createdAt)
	return t, err
}

// Teams returns an organization's teams, oldest first.
func (r Reader) Teams(orgID string) ([]chat.Team, error) {
	return many(r, scanTeam, "SELECT "+teamColumns+" FROM teams WHERE org_id = $1 ORDER BY id", orgID)
}

// InsertTeam stores a new team; ErrDuplicate when the organization has one of that name.
func (tx *Tx) InsertTeam(t chat.Team) error {
	tx.noteChange(ChangedPeople, t.OrgID, "")
	return tx.insert(`INSERT INTO teams (org_id, id, name, name_key, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (org_id, name_key) DO NOTHING`,
		t.OrgID, t.ID, t.Name, chat.FoldCase(t.Name), t.CreatedAt.UnixMilli())
}

// UpdateTeam renames a team; ErrDuplicate when the organization has another of that name.
func (tx *Tx) UpdateTeam(t chat.Team) error {
	tx.noteChange(ChangedPeople, t.OrgID, "")
	n, err := tx.exec(`UPDATE teams SET name = $3, name_key = $4 WHERE org_id = $1 AND id = $2
		AND NOT EXISTS (SELECT 1 FROM teams WHERE org_id = $1 AND name_key = $4 AND id <> $2)`, t.OrgID, t.ID, t.Name, chat.FoldCase(t.Name))
	if err == nil && n == 0 {
		return ErrDuplicate
	}
	return err
}
