// Package parttest starts parts for tests.
package parttest

import (
	"context"
	"testing"

	"github.com/parleyhq/parley/internal/part"
)

// Start starts a part, and stops it when the test ends.
func Start[P part.Part](t testing.TB, p P) P {
	t.Helper()
	if err := p.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p
}
