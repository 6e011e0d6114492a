package templates_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/provider"
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
	worldtest.Each(t, func(t *testing.T, w *worldtest.World) { test(&world{w, t}) })
}

// news applies a callback about a template of the world's account.
func (w *world) news(u provider.TemplateUpdate) {
	w.t.Helper()
	u.WABAID = w.Account.WABAID
	w.Apply(u)
}
