package core

import (
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// AddNote writes a note into a conversation that the user sees.
func AddNote(tx *store.Tx, u chat.User, conversationID, body string, mentions []string) (chat.Note, error) {
	conversation, _, err := SeenConversation(tx.Reader, u, conversationID)
	if err != nil {
		return chat.Note{}, err
	}
	at := tx.After(conversation.LastMessageAt)
	note := chat.Note{
		ID: tx.NewIDAt(chat.KindNote, at), OrgID: u.OrgID, ConversationID: conversation.ID, AuthorID: u.ID,
		Body: body, Mentions: mentions, CreatedAt: at,
	}
	if err := checkNote(tx.Reader, note); err != nil {
		return chat.Note{}, err
	}
	return note, tx.InsertNote(note)
}

func checkNote(r store.Reader, n chat.Note) error {
	if err := n.Check(); err != nil || len(n.Mentions) == 0 {
		return err
	}
	names, err := r.UserNames(n.OrgID)
	if err != nil {
		return err
	}
	for _, user := range n.Mentions {
		if _, there := names[user]; !there {
			return chat.Invalid("mentions", "There is no user %s.", user)
		}
	}
	return nil
}

// NotePatch changes the fields that are given.
type NotePatch struct {
	Body     *string
	Mentions *[]string
}

// EditNote changes one of the user's own notes.
func EditNote(tx *store.Tx, u chat.User, conversationID, id string, patch NotePatch) (chat.Note, error) {
	note, err := ownNote(tx, u, conversationID, id)
	if err != nil {
		return chat.Note{}, err
	}
	before := note
	if patch.Body != nil {
		note.Body = *patch.Body
	}
	if patch.Mentions != nil {
		note.Mentions = *patch.Mentions
	}
	if note.Body == before.Body && slices.Equal(note.Mentions, before.Mentions) {
		return note, nil
	}
	if err := checkNote(tx.Reader, note); err != nil {
		return chat.Note{}, err
	}
	note.EditedAt = new(tx.Now())
	return note, tx.UpdateNote(note)
}

// DeleteNote removes one of the user's own notes.
func DeleteNote(tx *store.Tx, u chat.User, conversationID, id string) error {
	note, err := ownNote(tx, u, conversationID, id)
	if err != nil {
		return err
	}
	return tx.DeleteNote(note)
}

func ownNote(tx *store.Tx, u chat.User, conversationID, id string) (chat.Note, error) {
	conversation, _, err := SeenConversation(tx.Reader, u, conversationID)
	if err != nil {
		return chat.Note{}, err
	}
	note, err := tx.Note(u.OrgID, conversation.ID, id)
	if err != nil {
		return chat.Note{}, orNotFound(err, "note")
	}
	if note.AuthorID != u.ID {
		return chat.Note{}, chat.Fail(chat.CodeForbidden, "Only who wrote a note can change it.")
	}
	return note, nil
}
