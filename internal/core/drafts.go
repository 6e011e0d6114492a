package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// SaveDraft keeps what a user has begun to write. A draft of nothing is none.
func SaveDraft(tx *store.Tx, u chat.User, conversationID, body string, note bool) (chat.Draft, error) {
	conversation, _, err := SeenConversation(tx.Reader, u, conversationID)
	if err != nil {
		return chat.Draft{}, err
	}
	d := chat.Draft{OrgID: u.OrgID, UserID: u.ID, ConversationID: conversation.ID, Body: body, Note: note, UpdatedAt: tx.Now()}
	if body == "" {
		return d, tx.DeleteDraft(u.OrgID, u.ID, conversation.ID)
	}
	if err := d.Check(); err != nil {
		return chat.Draft{}, err
	}
	return d, tx.PutDraft(d)
}

// Draft returns what a user has begun to write; it is empty where that is nothing.
func Draft(r store.Reader, u chat.User, conversationID string) (chat.Draft, error) {
	conversation, err := seen(r, u, conversationID, r.SeenConversation)
	if err != nil {
		return chat.Draft{}, err
	}
	d, err := r.Draft(u.OrgID, u.ID, conversation.ID)
	return d, ignoreNotFound(err)
}
