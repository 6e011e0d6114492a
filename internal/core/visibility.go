package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// VisibleConversations are the given conversations that a user sees.
func VisibleConversations(r store.Reader, u chat.User, ids []string) ([]string, error) {
	return r.SeenOf(u, ids)
}

// MayReachNumber is MaySeeNumber, but also admits a user who sees only assigned conversations and has one of the
// number. The caller checks afterwards whether the user sees the conversation in question.
func MayReachNumber(r store.Reader, account chat.Account, u chat.User) error {
	err := MaySeeNumber(r, account, u)
	if err == nil || u.Sees != chat.SeesAssigned {
		return err
	}
	if assigned, failed := r.IsAssignedIn(account, u.ID); failed != nil || assigned {
		return failed
	}
	return err
}

// SeenNumber finds a number by its phone_number_id, if the user may see it.
func SeenNumber(r store.Reader, u chat.User, phoneNumberID string) (chat.Account, error) {
	account, err := AccountByNumber(r, u.OrgID, phoneNumberID)
	if err == nil {
		err = MaySeeNumber(r, account, u)
	}
	return account, err
}

// MaySeeNumber refuses a user who sees neither everything nor the number's team.
func MaySeeNumber(r store.Reader, account chat.Account, u chat.User) error {
	if u.Sees == chat.SeesAll {
		return nil
	}
	member, err := r.IsMember(account.OrgID, account.TeamID, u.ID)
	if err == nil && !member {
		return noSuchNumber()
	}
	return err
}
