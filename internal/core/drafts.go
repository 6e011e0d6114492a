package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// SaveDraft stores what a user has begun to write, an answer or a note. An empty draft is deleted.
func SaveDraft(tx *store.Tx, u chat.User, conversationID, body string, note bool) (chat.Draft, error) {
	conversation, _, err := SeenConversation(tx.Reader, u, conversationID)
	if err != nil {
		return chat.Draft{}, err
	}
	d := chat.Draft{OrgID: u.OrgID, UserID: u.ID, ConversationID: conversation.ID, Body: body, Note: note, UpdatedAt: tx.Now()}
	if body == "" {
		return d, tx.DeleteDraft(d)
	}
	if err := d.Check(); err != nil {
		return chat.Draft{}, err
	}
	return d, tx.PutDraft(d)
}

// Drafts are a user's unfinished texts in a conversation. An empty draft was not begun.
type Drafts struct{ Reply, Note chat.Draft }

// DraftsOf returns a user's drafts in a conversation.
func DraftsOf(r store.Reader, u chat.User, conversationID string) (drafts Drafts, err error) {
	conversation, err := seen(r, u, conversationID, r.SeenConversation)
	if err != nil {
		return drafts, err
	}
	found, err := r.Drafts(u.OrgID, u.ID, conversation.ID)
	for _, d := range found {
		if d.Note {
			drafts.Note = d
		} else {
			drafts.Reply = d
		}
	}
	return drafts, err
}
