package store

import "github.com/parleyhq/parley/internal/chat"

const labelColumns = "org_id, id, team_id, name, color, created_at, updated_at"

func scanLabel(row scanner) (l chat.Label, err error) {
	var createdAt, updatedAt int64
	err = row.Scan(&l.OrgID, &l.ID, &l.TeamID, &l.Name, &l.Color, &createdAt, &updatedAt)
	l.CreatedAt, l.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	return l, err
}

// LabelFilter narrows a list of labels.
type LabelFilter struct {
	TeamID string // empty: every team
}

var labelsByAge = order[chat.Label]{"created_at", func(l chat.Label) Position { return Position{l.CreatedAt, l.ID} }}

// Label returns a label of the organization, or ErrNotFound.
func (r Reader) Label(orgID, id string) (chat.Label, error) {
	return one(r, scanLabel, "SELECT "+labelColumns+" FROM labels WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}

// Labels returns one page of the organization's labels.
func (r Reader) Labels(orgID string, f LabelFilter, p Page) (Slice[chat.Label], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	if f.TeamID != "" {
		c.add("team_id = ?", f.TeamID)
	}
	return newestFirst(r, scanLabel, "SELECT "+labelColumns+" FROM labels", c, labelsByAge, p)
}

// InsertLabel stores a new label; ErrDuplicate when the team has one of that name.
func (tx *Tx) InsertLabel(l chat.Label) error {
	return tx.insert(`INSERT INTO labels (org_id, id, team_id, name, name_key, color, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (org_id, team_id, name_key) DO NOTHING`,
		l.OrgID, l.ID, l.TeamID, l.Name, chat.FoldCase(l.Name), l.Color, l.CreatedAt.UnixMilli(), l.UpdatedAt.UnixMilli())
}

// UpdateLabel stores what may change of a label; ErrDuplicate when the new name is taken.
func (tx *Tx) UpdateLabel(l chat.Label) error {
	return tx.execOne("UPDATE labels SET name = $3, name_key = $4, color = $5, updated_at = $6 WHERE org_id = $1 AND id = $2",
		l.OrgID, l.ID, l.Name, chat.FoldCase(l.Name), l.Color, l.UpdatedAt.UnixMilli())
}

// DeleteLabel removes a label, or returns ErrNotFound.
func (tx *Tx) DeleteLabel(orgID, id string) error {
	return tx.execOne("DELETE FROM labels WHERE org_id = $1 AND id = $2", orgID, id)
}
