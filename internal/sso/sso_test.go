package sso_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/sso"
)

// Strangers who come while the provider is broken do not wait for one another, and have it asked once.
func TestBrokenProviderIsAskedOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(broken.Close)
	provider := sso.New(sso.Config{Issuer: broken.URL})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, _, err := provider.Begin(t.Context(), time.Now()); err == nil {
				t.Error("a sign-in begins")
			}
		})
	}
	all.Wait()
	if n := asked.Load(); n > 2 { // a machine may be so slow that it is asked again
		t.Errorf("it was asked %d times", n)
	}
}
