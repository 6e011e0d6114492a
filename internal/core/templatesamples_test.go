package core_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/netguard"
)

// slowFailure is a network on which every request fails after some time.
type slowFailure struct {
	after time.Duration
	err   error
}

func (f slowFailure) RoundTrip(*http.Request) (*http.Response, error) {
	<-time.After(f.after) // in a bubble, where it takes no time
	return nil, f.err
}

// Whether a host is inside our network or does not exist at all shows neither in what is said nor in how
// long that takes.
func TestRefusedSamplesAreAlike(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refuse := func(ctx context.Context, f slowFailure) (string, time.Duration) {
			templates := &core.Templates{Fetch: &http.Client{Transport: f}, RefuseAfter: time.Second}
			begun := time.Now()
			_, err := templates.FetchSample(ctx, chat.Sample{URL: "https://db.example/a.png", Format: "IMAGE", Param: "url"}, io.Discard)
			if err == nil {
				t.Fatal("there is a file")
			}
			return err.Error(), time.Since(begun)
		}
		first, took := refuse(t.Context(), slowFailure{0, netguard.ErrBlocked})
		if took != time.Second {
			t.Errorf("it took %v", took)
		}
		for _, f := range []slowFailure{{30 * time.Millisecond, netguard.ErrBlocked}, {0, netguard.ErrLookup}, {300 * time.Millisecond, netguard.ErrLookup}} {
			if text, after := refuse(t.Context(), f); text != first || after != took {
				t.Errorf("%v says %q after %v; another says %q after %v", f, text, after, first, took)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, after := refuse(gone, slowFailure{0, netguard.ErrBlocked}); after != 0 {
			t.Errorf("somebody who has gone is waited for: %v", after)
		}
	})
}
