package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// VisibleConversations are those of the conversations that a user sees.
func VisibleConversations(r store.Reader, u chat.User, ids []string) ([]string, error) {
	return r.SeenOf(u, ids)
}

// MaySeeNumber refuses a user who sees neither everything nor the team that a number is of.
func MaySeeNumber(r store.Reader, account chat.Account, u chat.User) error {
	if u.Sees == chat.SeesAll {
		return nil
	}
	member, err := r.IsMember(account.OrgID, account.TeamID, u.ID)
	if err == nil && !member {
		return chat.NotFound("business number")
	}
	return err
}
