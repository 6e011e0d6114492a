package templates_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// world is a business number whose templates come and change.
type world struct {
	t       testing.TB
	st      *store.Store
	clock   *storetest.Clock
	org     storetest.Organization
	account chat.Account
}

var worlds atomic.Int64

// eachWorld runs a test in a world on each engine.
func eachWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		w := &world{t: t, st: storetest.Open(t, engine, storetest.WithClock(clock)), clock: clock}
		w.org = storetest.Org(t, w.st)
		n := worlds.Add(1)
		var err error
		if w.account, err = connect(w.st, chat.NewAccount{
			OrgID: w.org.ID, PhoneNumberID: fmt.Sprint(100_000_000_000 + n), PhoneNumber: "+4930555000", WABAID: fmt.Sprint(200_000_000_000 + n),
		}); err != nil {
			t.Fatal(err)
		}
		test(w)
	})
}

func connect(st *store.Store, in chat.NewAccount) (account chat.Account, err error) {
	err = st.InTx(context.Background(), func(tx *store.Tx) (err error) {
		account, err = core.ConnectAccount(tx, in, func(id string) string { return "sealed for " + id })
		return err
	})
	return account, err
}

// news applies a callback about a template of the world's account.
func (w *world) news(u provider.TemplateUpdate) {
	w.t.Helper()
	u.WABAID = w.account.WABAID
	storetest.InTx(w.t, w.st, func(tx *store.Tx) error {
		return core.Applier{Log: slog.New(slog.DiscardHandler)}.ApplyAll(tx, []provider.Update{u})
	})
}

func (w *world) read() store.Reader { return w.st.Read(context.Background()) }
