package server

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

func TestAPILogTellsTheClientsAddress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		trusted []netip.Prefix
		want    string
	}{
		"trusted": {[]netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, "2001:db8::1"},
		"not":     {[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := settings(t)
			cfg.TrustedProxy = test.trusted
			s, _ := open(t, cfg)
			start(t, s)
			key := newKey(t, s)
			request, err := http.NewRequest(http.MethodGet, s.PublicURL()+"/v1/me", nil)
			must(t, err)
			request.Header.Set("Authorization", "Bearer "+key)
			request.Header.Set("X-Forwarded-For", "[2001:db8::1]:443")
			response, err := http.DefaultClient.Do(request)
			must(t, err)
			response.Body.Close()
			s.api.Stop(t.Context()) // writes the pending calls
			context, err := s.store.Read(t.Context()).KeyContext(chat.HashToken(key))
			must(t, err)
			calls, err := s.store.Read(t.Context()).APICalls(context.Key.OrgID, store.CallFilter{}, store.Page{Limit: 10})
			if err != nil || len(calls.Rows) != 1 || calls.Rows[0].IP != test.want {
				t.Errorf("logged %+v, %v, want %s", calls, err, test.want)
			}
		})
	}
}
