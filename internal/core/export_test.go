package core

import (
	"context"
	"io"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// ConnectAgain is a signup with the number of an account that exists.
func ConnectAgain(tx *store.Tx, account chat.Account) error {
	account.Status = chat.AccountConnected
	_, err := takeUpAgain(tx, account, func(string) string { return "token" })
	return err
}

// FindMissed is what follows when the first look for a message's template found nothing.
func FindMissed(ctx context.Context, s *Templates, account chat.Account, c *chat.TemplateContent) (chat.Template, error) {
	return s.findMissed(ctx, account, c)
}

// FetchSample reads the file at a sample's address.
func (s *Templates) FetchSample(ctx context.Context, sample chat.Sample, to io.Writer) (int64, error) {
	return s.fetch(ctx, sample, to)
}
