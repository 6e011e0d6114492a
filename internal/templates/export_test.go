package templates

import (
	"context"
	"io"

	"github.com/parleyhq/parley/internal/chat"
)

// FindMissed is the second look for a message's template, after the first found nothing.
func FindMissed(ctx context.Context, s *Service, account chat.Account, c *chat.TemplateContent) (chat.Template, error) {
	return s.findMissed(ctx, account, c)
}

// FetchSample reads the file at a sample's address.
func (s *Service) FetchSample(ctx context.Context, sample chat.Sample, to io.Writer) (int64, error) {
	return s.fetch(ctx, sample, to)
}
