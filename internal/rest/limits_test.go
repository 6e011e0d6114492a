package rest

import (
	"context"
	"errors"
	"testing"

	"github.com/parleyhq/parley/internal/store/storetest"
)

// A request whose time is over when its turn comes leaves the lease to the next.
func TestLateRequestsTakeNoTokens(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	l, key := newLimiter(st), bucketKey{storetest.Org(t, st).ID, classRead}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.take(late, key, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a late request got %v", err)
	}
	if a, err := l.take(t.Context(), key, 1); !a.ok || err != nil {
		t.Errorf("the next one got %+v, %v", a, err)
	}
}
