package store

import (
	"encoding/json"
	"errors"

	"github.com/parleyhq/parley/internal/chat"
)

const noteColumns = "org_id, id, conversation_id, author_id, body, mentions, created_at, edited_at"

func scanNote(row scanner) (n chat.Note, err error) {
	var mentions string
	var createdAt int64
	var editedAt *int64
	if err := row.Scan(&n.OrgID, &n.ID, &n.ConversationID, &n.AuthorID, &n.Body, &mentions, &createdAt, &editedAt); err != nil {
		return n, err
	}
	n.CreatedAt, n.EditedAt = toTime(createdAt), toTimePtr(editedAt)
	return n, json.Unmarshal([]byte(mentions), &n.Mentions)
}

// Note returns a note of a conversation, or ErrNotFound.
func (r Reader) Note(orgID, conversationID, id string) (chat.Note, error) {
	return one(r, scanNote, "SELECT "+noteColumns+" FROM notes WHERE org_id = $1 AND id = $2 AND conversation_id = $3"+r.forUpdate(), orgID, id, conversationID)
}

// InsertNote stores a new note.
func (tx *Tx) InsertNote(n chat.Note) error {
	tx.noteConversation(n.OrgID, n.ConversationID)
	mentions, err := mentionsText(n)
	if err != nil {
		return err
	}
	err = tx.later("INSERT INTO notes ("+noteColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		n.OrgID, n.ID, n.ConversationID, n.AuthorID, n.Body, mentions, n.CreatedAt.UnixMilli(), msPtr(n.EditedAt))
	if err != nil {
		return err
	}
	return tx.insertMentions(n)
}

// UpdateNote stores the changeable fields of a note.
func (tx *Tx) UpdateNote(n chat.Note) error {
	tx.noteConversation(n.OrgID, n.ConversationID)
	mentions, err := mentionsText(n)
	if err != nil {
		return err
	}
	err = tx.execOne("UPDATE notes SET body = $3, mentions = $4, edited_at = $5 WHERE org_id = $1 AND id = $2",
		n.OrgID, n.ID, n.Body, mentions, msPtr(n.EditedAt))
	if err != nil {
		return err
	}
	if err := errors.Join(tx.deleteMentions(n), tx.SearchAgain(n.OrgID, n.ID)); err != nil {
		return err
	}
	return tx.insertMentions(n)
}

// DeleteNote removes a note.
func (tx *Tx) DeleteNote(n chat.Note) error {
	tx.noteConversation(n.OrgID, n.ConversationID)
	if err := tx.execOne("DELETE FROM notes WHERE org_id = $1 AND id = $2", n.OrgID, n.ID); err != nil {
		return err
	}
	return errors.Join(tx.deleteMentions(n), tx.SearchAgain(n.OrgID, n.ID))
}

func mentionsText(n chat.Note) (string, error) {
	text, err := json.Marshal(append([]string{}, n.Mentions...))
	return string(text), err
}

func (tx *Tx) insertMentions(n chat.Note) error {
	for _, user := range n.Mentions {
		err := tx.later(`INSERT INTO note_mentions (org_id, user_id, note_id, conversation_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			n.OrgID, user, n.ID, n.ConversationID)
		if err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) deleteMentions(n chat.Note) error {
	return tx.later("DELETE FROM note_mentions WHERE org_id = $1 AND note_id = $2", n.OrgID, n.ID)
}

const happeningColumns = "org_id, id, conversation_id, what, by_user, to_user, label_name, label_color, until, why"

func scanHappening(row scanner) (h chat.Happening, err error) {
	var until *int64
	var why *chat.Why
	err = row.Scan(&h.OrgID, &h.ID, &h.ConversationID, &h.What, &h.By, &h.To, &h.LabelName, &h.LabelColor, &until, &why)
	h.Until = toTimePtr(until)
	if why != nil {
		h.Why = *why
	}
	return h, err
}

// InsertHappening stores a happening of a conversation.
func (tx *Tx) InsertHappening(h chat.Happening) error {
	tx.noteConversation(h.OrgID, h.ConversationID)
	return tx.later("INSERT INTO happenings ("+happeningColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
		h.OrgID, h.ID, h.ConversationID, string(h.What), h.By, h.To, h.LabelName, h.LabelColor, msPtr(h.Until), orNull(string(h.Why)))
}
