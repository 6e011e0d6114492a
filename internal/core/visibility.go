package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// VisibleConversations are those of the conversations that a user sees.
func VisibleConversations(r store.Reader, u chat.User, ids []string) ([]string, error) {
	return r.SeenOf(u, ids)
}
