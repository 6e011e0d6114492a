package templates_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// world is a business number with templates that change.
type world struct {
	*worldtest.World
	t testing.TB
}

// eachWorld runs a test in a world on each engine.
func eachWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		test(&world{worldtest.New(t, storetest.Open(t, engine, storetest.WithClock(clock)), clock), t})
	})
}

// news applies a callback about a template of the world's account.
func (w *world) news(u provider.TemplateUpdate) {
	w.t.Helper()
	u.WABAID = w.Account.WABAID
	w.Apply(u)
}
