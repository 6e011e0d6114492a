package core

import (
	"encoding/json"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// Events name users by the id without its prefix; the API takes both forms.

// MarshalJSON writes the users' ids without their prefix.
func (a assignedTo) MarshalJSON() ([]byte, error) {
	type plain assignedTo
	a.UserID, a.PreviousUserID = rawUserID(a.UserID), rawUserID(a.PreviousUserID)
	return json.Marshal(plain(a))
}

// MarshalJSON writes the user's id without its prefix.
func (c closedConversation) MarshalJSON() ([]byte, error) {
	type plain closedConversation
	c.ClosedByUserID = rawUserID(c.ClosedByUserID)
	return json.Marshal(plain(c))
}

func rawUserID(id *string) *string {
	if id == nil {
		return nil
	}
	return new(strings.TrimPrefix(*id, string(chat.KindUser)+"_"))
}
