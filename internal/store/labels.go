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

var labelsByAge = order[chat.Label]{alias: "", column: "created_at", position: func(l chat.Label) Position { return Position{l.CreatedAt, l.ID} }}

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
	tx.noteChange(ChangedLabels, l.OrgID, "")
	return tx.insert(`INSERT INTO labels (org_id, id, team_id, name, name_key, color, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (org_id, team_id, name_key) DO NOTHING`,
		l.OrgID, l.ID, l.TeamID, l.Name, chat.FoldCase(l.Name), l.Color, l.CreatedAt.UnixMilli(), l.UpdatedAt.UnixMilli())
}

// UpdateLabel stores the changeable fields of a label; ErrDuplicate when the new name is taken.
func (tx *Tx) UpdateLabel(l chat.Label) error {
	tx.noteChange(ChangedLabels, l.OrgID, "")
	return tx.execOne("UPDATE labels SET name = $3, name_key = $4, color = $5, updated_at = $6 WHERE org_id = $1 AND id = $2",
		l.OrgID, l.ID, l.Name, chat.FoldCase(l.Name), l.Color, l.UpdatedAt.UnixMilli())
}

// DeleteLabel deletes a label and its links, or returns ErrNotFound. The label's row is deleted first:
// attaching locks it, so that no link can be added during the deletion.
func (tx *Tx) DeleteLabel(orgID, id string) error {
	tx.noteChange(ChangedLabels, orgID, "")
	if err := tx.execOne("DELETE FROM labels WHERE org_id = $1 AND id = $2", orgID, id); err != nil {
		return err
	}
	if err := tx.later("DELETE FROM contact_labels WHERE org_id = $1 AND label_id = $2", orgID, id); err != nil {
		return err
	}
	return tx.later("DELETE FROM conversation_labels WHERE org_id = $1 AND label_id = $2", orgID, id)
}

// DetachSome detaches a label from up to limit contacts and as many conversations, and returns from how many.
func (tx *Tx) DetachSome(orgID, labelID string, limit int) (int64, error) {
	var total int64
	for links, owner := range map[string]string{"contact_labels": "contact_id", "conversation_labels": "conversation_id"} {
		n, err := tx.exec("DELETE FROM "+links+" WHERE "+tx.dialect.oneOfThose("org_id, label_id, "+owner, links+" WHERE org_id = $1 AND label_id = $2 LIMIT $3"), orgID, labelID, limit)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// LabelsOfContacts returns the labels of each contact that has some, by name.
func (r Reader) LabelsOfContacts(orgID string, contactIDs []string) (map[string][]chat.Label, error) {
	return r.labelsOf("contact_labels", "contact_id", orgID, contactIDs)
}

// LabelsOfConversations is LabelsOfContacts for conversations.
func (r Reader) LabelsOfConversations(orgID string, conversationIDs []string) (map[string][]chat.Label, error) {
	return r.labelsOf("conversation_labels", "conversation_id", orgID, conversationIDs)
}

func (r Reader) labelsOf(links, owner, orgID string, ids []string) (map[string][]chat.Label, error) {
	labels := map[string][]chat.Label{}
	if len(ids) == 0 {
		return labels, nil
	}
	text := "SELECT k." + owner + ", " + prefixed("l", labelColumns) + " FROM " + links +
		" k JOIN labels l ON l.org_id = k.org_id AND l.id = k.label_id WHERE k.org_id = $1 AND " +
		r.dialect.oneOf("k."+owner, "$2") + " ORDER BY l.name_key"
	err := r.db.query(r.ctx, text, []any{orgID, r.dialect.list(ids)}, func(row scanner) error {
		var id string
		label, err := scanLabel(columnsAround{row: row, first: []any{&id}})
		labels[id] = append(labels[id], label)
		return err
	})
	return labels, err
}

// AttachToConversation attaches a label, and reports whether it was not attached before.
func (tx *Tx) AttachToConversation(orgID, conversationID, labelID string) (bool, error) {
	tx.foreseen.labelsChanged()
	n, err := tx.exec(`INSERT INTO conversation_labels (org_id, conversation_id, label_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		orgID, conversationID, labelID)
	return n > 0, err
}

// DetachFromConversation detaches a label, and reports whether it was attached.
func (tx *Tx) DetachFromConversation(orgID, conversationID, labelID string) (bool, error) {
	tx.foreseen.labelsChanged()
	n, err := tx.exec("DELETE FROM conversation_labels WHERE org_id = $1 AND conversation_id = $2 AND label_id = $3",
		orgID, conversationID, labelID)
	return n > 0, err
}

// AttachToContacts attaches a label to contacts, and returns the ids of those that did not have it.
func (tx *Tx) AttachToContacts(orgID, labelID string, contactIDs []string) ([]string, error) {
	return many(tx.Reader, scanText, `INSERT INTO contact_labels (org_id, contact_id, label_id)
			SELECT org_id, id, $2 FROM contacts WHERE org_id = $1 AND `+tx.dialect.oneOf("id", "$3")+`
		ON CONFLICT DO NOTHING RETURNING contact_id`, orgID, labelID, tx.dialect.list(contactIDs))
}

// DetachFromContacts detaches a label from contacts, and returns the ids of those that had it.
func (tx *Tx) DetachFromContacts(orgID, labelID string, contactIDs []string) ([]string, error) {
	return many(tx.Reader, scanText, "DELETE FROM contact_labels WHERE org_id = $1 AND label_id = $2 AND "+
		tx.dialect.oneOf("contact_id", "$3")+" RETURNING contact_id", orgID, labelID, tx.dialect.list(contactIDs))
}

// LabelsOfTeam returns all labels of a team.
func (r Reader) LabelsOfTeam(orgID, teamID string) ([]chat.Label, error) {
	return many(r, scanLabel, "SELECT "+labelColumns+" FROM labels WHERE org_id = $1 AND team_id = $2 ORDER BY id", orgID, teamID)
}

// LabelIsUsed reports whether any row carries a label.
func (r Reader) LabelIsUsed(orgID, id string) (bool, error) {
	found, err := many(r, scanText, `SELECT contact_id FROM contact_labels WHERE org_id = $1 AND label_id = $2
		UNION ALL SELECT conversation_id FROM conversation_labels WHERE org_id = $1 AND label_id = $2 LIMIT 1`, orgID, id)
	return len(found) > 0, err
}
