package core

import (
	"context"

	"github.com/parleyhq/parley/internal/chat"
)

// FindMissed is what follows when the first look for a message's template found nothing.
func FindMissed(ctx context.Context, s *Templates, account chat.Account, c *chat.TemplateContent) (chat.Template, error) {
	return s.findMissed(ctx, account, c)
}
