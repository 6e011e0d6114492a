package api

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// accountPath is embedded, first, by the input of every operation under /{phone_number_id}.
type accountPath struct {
	PhoneNumberID string `path:"phone_number_id" pattern:"^[0-9]{6,20}$" doc:"The business number, by the provider's id of it."`
}

// account loads the account that the path names. An operation under /{phone_number_id} starts
// with it: a number that is absent or another organization's is 404.
func (c *call) account(r store.Reader) (chat.Account, error) {
	return core.AccountByNumber(r, c.key.Key.OrgID, c.path[0])
}
