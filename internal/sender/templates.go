package sender

import (
	"context"
	"encoding/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
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

// forgetFiles makes the next attempt upload a message's library files anew, if the provider refuses the message because it
// may no longer have them. It returns false if that cannot be the reason.
func (s *Sender) forgetFiles(account chat.Account, m chat.Message, said *provider.Error) bool {
	var files []string
	if m.MediaID != "" {
		files = append(files, m.MediaID)
	}
	if m.Type == chat.TypeTemplate {
		for _, file := range chat.TemplateMedia(m.Content) {
			files = append(files, file.ID)
		}
	}
	if len(files) == 0 || !said.MayMissFile() {
		return false
	}
	ctx, cancel := context.WithTimeout(store.WithTurn(context.WithoutCancel(s.ctx), store.Turn{OrgID: account.OrgID}), lookTimeout)
	defer cancel()
	forgotten, err := s.cfg.ForgetMedia(ctx, account, files)
	if err != nil {
		s.warn("uploads that the provider may have deleted could not be forgotten", err)
	}
	return forgotten
}
