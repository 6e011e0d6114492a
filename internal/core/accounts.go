package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// AccountByNumber returns the organization's account with that number.
func AccountByNumber(r store.Reader, orgID, phoneNumberID string) (chat.Account, error) {
	account, err := r.AccountByNumber(orgID, phoneNumberID)
	return account, orNotFound(err, "business number")
}
