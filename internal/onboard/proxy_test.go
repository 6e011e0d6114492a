package onboard_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// TestVisitorsBehindAProxy checks that behind a trusted proxy a visitor who hammers locks out nobody else,
// whatever address they make up.
func TestVisitorsBehindAProxy(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	page := clientaddr.Behind([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, r.page("https://chat.example.com"))
	guess := func(peer, forwardedFor string) int {
		request := httptest.NewRequest(http.MethodGet, "/onboard/"+chat.NewLinkToken(), nil)
		request.RemoteAddr = peer
		request.Header.Set("X-Forwarded-For", forwardedFor)
		response := httptest.NewRecorder()
		page.ServeHTTP(response, request)
		return response.Code
	}
	const proxy, stranger = "10.0.0.1:4711", "192.0.2.9:4711"
	for range 50 {
		guess(proxy, "198.51.100.1")
		guess(proxy, "2001:db8::1")
		guess(stranger, "198.51.100.3")
	}
	for _, test := range []struct {
		peer, forwardedFor string
		want               int
	}{
		{proxy, "198.51.100.1", http.StatusTooManyRequests},
		{proxy, "203.0.113.7, 198.51.100.1", http.StatusTooManyRequests}, // a made-up hop
		{proxy, "2001:db8::ffff:2", http.StatusTooManyRequests},          // another address of the same network
		{stranger, "203.0.113.7", http.StatusTooManyRequests},            // a made-up address, past the proxy
		{proxy, "198.51.100.2", http.StatusNotFound},
		{proxy, "198.51.100.3", http.StatusNotFound}, // the stranger has spoilt nothing for it
		{proxy, "2001:db8:0:1::1", http.StatusNotFound},
	} {
		if got := guess(test.peer, test.forwardedFor); got != test.want {
			t.Errorf("%s through %s gets %d, want %d", test.forwardedFor, test.peer, got, test.want)
		}
	}
}
