package templates_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/templates"
)

// TestNodesShareTheWork: each due synchronization is run once, by one of the nodes, even if they look at the same
// instant; and a failing account holds up no other.
func TestNodesShareTheWork(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		const accounts = 12
		st := storetest.Open(t, engine)
		org := storetest.Org(t, st)
		for i := range accounts {
			connectNth(t, st, org.ID, i)
		}
		read := make(chan string, 10*accounts)
		client := &providertest.Client{OnTemplates: func(n provider.Number, _ provider.TemplateQuery) (provider.TemplatePage, error) {
			read <- n.WABAID
			if n.WABAID == "200300403" {
				return provider.TemplatePage{}, &provider.Error{HTTPStatus: 503, Transient: true}
			}
			return provider.TemplatePage{Templates: []provider.Template{{ID: "1", Name: "hello", Language: "de", Status: "APPROVED"}}}, nil
		}}
		service := &templates.Service{Store: st, Provider: client, Token: func(chat.Account) (string, error) { return "token", nil }}
		var nodes []*templates.Syncer
		for range 3 {
			nodes = append(nodes, parttest.Start(t, templates.NewSyncer(service, slog.New(slog.DiscardHandler))))
		}
		seen := map[string]int{}
		for range accounts {
			seen[<-read]++
		}
		var stopping sync.WaitGroup
		for _, n := range nodes {
			stopping.Go(func() { n.Stop(context.Background()) })
		}
		stopping.Wait()
		close(read)
		for waba := range read {
			seen[waba]++
		}
		for waba, n := range seen {
			if n != 1 {
				t.Errorf("%s was read %d times", waba, n)
			}
		}
		if len(seen) != accounts {
			t.Errorf("%d accounts were read, want %d", len(seen), accounts)
		}
	})
}

func connectNth(t *testing.T, st *store.Store, orgID string, i int) {
	t.Helper()
	err := st.InTx(context.Background(), func(tx *store.Tx) error {
		_, err := core.ConnectAccount(tx, chat.NewAccount{
			OrgID: orgID, PhoneNumberID: fmt.Sprint(100200300 + i), PhoneNumber: fmt.Sprint("+", 4930555000+i), WABAID: fmt.Sprint(200300400 + i),
		}, func(string) string { return "sealed" })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
