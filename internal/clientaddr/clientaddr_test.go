package clientaddr_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/clientaddr"
)

var proxies = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("::ffff:172.16.0.0/108"),
}

// seen is the address that a handler behind the proxies sees.
func seen(peer string, header http.Header) string {
	var got string
	handler := clientaddr.Behind(proxies, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = clientaddr.Of(r).String() }))
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.RemoteAddr, request.Header = peer, header
	handler.ServeHTTP(httptest.NewRecorder(), request)
	return got
}

// headers are lines like "Forwarded: for=192.0.2.1".
func headers(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

const (
	proxy    = "10.0.0.1"
	fromHere = proxy + ":4711"
)

func TestClient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		peer   string
		header http.Header
		want   string
	}{
		"no header":                        {fromHere, nil, proxy},
		"a stranger":                       {"192.0.2.9:80", headers("X-Forwarded-For: 198.51.100.1", "Forwarded: for=198.51.100.1"), "192.0.2.9"},
		"an IPv6 stranger":                 {"[2001:db8::9]:80", headers("X-Forwarded-For: 198.51.100.1"), "2001:db8::9"},
		"an IPv6 proxy":                    {"[fd00::1]:80", headers("X-Forwarded-For: 198.51.100.1"), "198.51.100.1"},
		"a proxy in its mapped form":       {"[::ffff:10.0.0.1]:80", headers("X-Forwarded-For: 198.51.100.1"), "198.51.100.1"},
		"a range in its mapped form":       {"172.17.0.1:80", headers("X-Forwarded-For: 198.51.100.1"), "198.51.100.1"},
		"a proxy with a zone":              {"[fd00::1%eth0]:80", headers("X-Forwarded-For: 198.51.100.1"), "198.51.100.1"},
		"a peer without an address":        {"@", headers("X-Forwarded-For: 198.51.100.1"), "invalid IP"},
		"X-Forwarded-For":                  {fromHere, headers("X-Forwarded-For: 198.51.100.1"), "198.51.100.1"},
		"with a port":                      {fromHere, headers("X-Forwarded-For: 198.51.100.1:65000"), "198.51.100.1"},
		"IPv6":                             {fromHere, headers("X-Forwarded-For: 2001:db8::1"), "2001:db8::1"},
		"IPv6 in brackets":                 {fromHere, headers("X-Forwarded-For: [2001:db8::1]"), "2001:db8::1"},
		"IPv6 with a port":                 {fromHere, headers("X-Forwarded-For: [2001:DB8::1]:443"), "2001:db8::1"},
		"a mapped address":                 {fromHere, headers("X-Forwarded-For: ::ffff:198.51.100.1"), "198.51.100.1"},
		"several hops":                     {fromHere, headers("X-Forwarded-For: 198.51.100.1, 10.0.0.3,fd00::2"), "198.51.100.1"},
		"several headers":                  {fromHere, headers("X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 10.0.0.3"), "198.51.100.1"},
		"an address that a client made up": {fromHere, headers("X-Forwarded-For: 203.0.113.7, 198.51.100.1"), "198.51.100.1"},
		"a proxy that a client made up":    {fromHere, headers("X-Forwarded-For: 203.0.113.7, 10.0.0.3, 198.51.100.1"), "198.51.100.1"},
		"a header that a client made up":   {fromHere, headers("X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 198.51.100.1"), "198.51.100.1"},
		"proxies alone":                    {fromHere, headers("X-Forwarded-For: 10.0.0.4, 10.0.0.3"), "10.0.0.4"},
		"an empty header":                  {fromHere, headers("X-Forwarded-For: "), proxy},
		"an empty hop":                     {fromHere, headers("X-Forwarded-For: 198.51.100.1, "), proxy},
		"a hop that is a name":             {fromHere, headers("X-Forwarded-For: 198.51.100.1, example.com"), proxy},
		"unknown behind a known hop":       {fromHere, headers("X-Forwarded-For: unknown, 10.0.0.3"), "10.0.0.3"},
		"an address with a zone":           {fromHere, headers("X-Forwarded-For: fe80::1%\xff<b>"), proxy},
		"two colons":                       {fromHere, headers("X-Forwarded-For: 198.51.100.1:1:2"), proxy},

		"Forwarded":                   {fromHere, headers("Forwarded: for=198.51.100.1"), "198.51.100.1"},
		"Forwarded with more":         {fromHere, headers(`Forwarded: by=10.0.0.1;For="198.51.100.1:80"; proto=https;host="a,b;for=203.0.113.7"`), "198.51.100.1"},
		"Forwarded IPv6":              {fromHere, headers(`Forwarded: for="[2001:db8::1]"`), "2001:db8::1"},
		"Forwarded IPv6, port":        {fromHere, headers(`Forwarded: for="[2001:db8::1]:_x"`), "2001:db8::1"},
		"Forwarded several":           {fromHere, headers(`Forwarded: for=203.0.113.7, for=198.51.100.1`, `Forwarded: for="[fd00::2]:1", for=10.0.0.3`), "198.51.100.1"},
		"hidden":                      {fromHere, headers("Forwarded: for=_hidden"), proxy},
		"hidden behind a known hop":   {fromHere, headers("Forwarded: for=198.51.100.1, for=_hidden, for=10.0.0.3"), "10.0.0.3"},
		"unknown":                     {fromHere, headers("Forwarded: for=unknown"), proxy},
		"nobody named":                {fromHere, headers("Forwarded: proto=https;host=example.com"), proxy},
		"named twice":                 {fromHere, headers("Forwarded: for=203.0.113.7;for=198.51.100.1"), proxy},
		"without a value":             {fromHere, headers("Forwarded: for"), proxy},
		"half a quote":                {fromHere, headers(`Forwarded: for="198.51.100.1`), proxy},
		"a quote left open":           {fromHere, headers(`Forwarded: for=203.0.113.7;by=", for="[2001:db8::1]"`), "2001:db8::1"},
		"a quote in another header":   {fromHere, headers(`Forwarded: for="`, `Forwarded: for=198.51.100.1`), "198.51.100.1"},
		"quotes that a proxy escaped": {fromHere, headers(`Forwarded: for=198.51.100.1;host="a\",for=203.0.113.7,\"b"`), "198.51.100.1"},
		"an escaped backslash":        {fromHere, headers(`Forwarded: for=203.0.113.7;host="a\\", for=198.51.100.1`), "198.51.100.1"},

		"both agree":              {fromHere, headers("X-Forwarded-For: 203.0.113.7, 198.51.100.1", "Forwarded: for=198.51.100.1"), "198.51.100.1"},
		"both, one made up":       {fromHere, headers("X-Forwarded-For: 198.51.100.1", "Forwarded: for=203.0.113.7"), proxy},
		"both, the other made up": {fromHere, headers("X-Forwarded-For: 203.0.113.7", "Forwarded: for=198.51.100.1"), proxy},
		"both, one empty":         {fromHere, headers("X-Forwarded-For: 198.51.100.1", "Forwarded: "), proxy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := seen(test.peer, test.header); got != test.want {
				t.Errorf("from %s with %q: %s, want %s", test.peer, test.header, got, test.want)
			}
		})
	}
}

// Without trusted proxies the headers are ignored, whoever sends them.
func TestNobodyIsTrustedByDefault(t *testing.T) {
	t.Parallel()
	var got *http.Request
	handler := clientaddr.Behind(nil, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.RemoteAddr, request.Header = "127.0.0.1:80", headers("X-Forwarded-For: 198.51.100.1", "Forwarded: for=198.51.100.1")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if got != request || clientaddr.Of(got).String() != "127.0.0.1" {
		t.Errorf("comes from %s", clientaddr.Of(got))
	}
}
