package sender

import (
	"context"
	"encoding/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// templateMedia uploads the files in a template's parameters to the provider. It returns the provider's id for each of
// our media ids.
func (s *Sender) templateMedia(ctx context.Context, from provider.Number, account chat.Account, content json.RawMessage) (map[string]string, error) {
	var ids map[string]string
	for _, file := range chat.TemplateMedia(content) {
		ours := file.ID
		if ids[ours] != "" {
			continue
		}
		theirs, _, err := s.cfg.Media(ctx, from, account, ours)
		if err != nil {
			return nil, err
		}
		if ids == nil {
			ids = map[string]string{}
		}
		ids[ours] = theirs
	}
	return ids, nil
}
