package templates_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/templates"
	"github.com/parleyhq/parley/internal/worldtest"
)

// hanging is a provider that never answers with its list of templates.
type hanging struct {
	providertest.Client
	asked int
}

func (h *hanging) Templates(ctx context.Context, _ provider.Number, _ provider.TemplateQuery) (provider.TemplatePage, error) {
	h.asked++
	<-ctx.Done()
	return provider.TemplatePage{}, ctx.Err()
}

// A message with a known template never waits for the network. One with an unknown template waits for the first
// synchronization, but not for long, and is then sent unchecked; for the next minute at once.
func TestOnlyAnUnknownTemplateWaitsForTheNetwork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := storetest.Open(t, storetest.SQLite)
		account := worldtest.New(t, st, nil).Account
		storetest.InTx(t, st, func(tx *store.Tx) error {
			_, err := core.ApplyTemplates(tx, account, newShelf(1).list, tx.Now(), nil)
			return err
		})
		network := &hanging{}
		service := &templates.Service{Store: st, Provider: network, Token: func(chat.Account) (string, error) { return "token", nil }}
		const patience = templates.FirstSyncPatience
		for _, c := range []struct {
			name   string
			after  time.Duration
			leaves time.Duration // the client does not wait longer
			waits  time.Duration
			asked  int
		}{
			{"template_0", 0, time.Minute, 0, 0},
			{"unknown", 0, time.Second, time.Second, 1},
			{"unknown", 0, time.Minute, patience, 2},
			{"unknown", 59 * time.Second, time.Minute, 0, 2},
			{"unknown", 2 * time.Second, time.Minute, patience, 3},
		} {
			worldtest.Pass(c.after)
			ctx, cancel := context.WithTimeout(t.Context(), c.leaves)
			defer cancel()
			begun := time.Now()
			choice := service.Choose(ctx, account, &chat.TemplateContent{Name: c.name, Language: chat.TemplateLanguage{Code: "de"}}, true)
			if choice.Err != nil || choice.Unknown != (c.asked > 0) {
				t.Errorf("%s: %+v", c.name, choice)
			}
			if took := time.Since(begun); took != c.waits || network.asked != c.asked {
				t.Errorf("%s: it took %v and %d questions, want %v and %d", c.name, took, network.asked, c.waits, c.asked)
			}
		}
	})
}
