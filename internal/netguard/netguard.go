// Package netguard is how the program reaches addresses that its users name: webhook endpoints,
// media links, template samples. It keeps them out of the networks that only we can reach. What
// counts is the address a connection is dialled to, so a name that resolves to something else the
// second time, a redirect or an unusual spelling gain nothing.
package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/net/idna"
)

var (
	// ErrBlocked: an address is not for the public. It never says which address was found.
	ErrBlocked = errors.New("the address is not public")
	// ErrLookup: the host name has no address, or could not be resolved. It does not tell which
	// server was asked.
	ErrLookup = errors.New("the host name could not be resolved")
	// ErrPlain: without TLS only networks that were opened explicitly are reached.
	ErrPlain = errors.New("http is only for networks that were opened; use https")
)

const (
	dialTimeout     = 10 * time.Second
	maxAnswerHeader = 32 << 10
)

// Guard decides which addresses may be reached. It is safe for concurrent use.
type Guard struct {
	opened   []netip.Prefix
	resolver *net.Resolver
}

// New makes a guard that refuses every address that is not public, but for the given ranges.
func New(opened ...netip.Prefix) *Guard {
	g := &Guard{resolver: net.DefaultResolver}
	for _, p := range opened {
		g.opened = append(g.opened, unmapped(p))
	}
	return g
}

// unmapped is an IPv4 range that was written in its IPv6 form as what addresses are compared with.
func unmapped(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p
}

// WithResolver is the same guard asking another resolver.
func (g *Guard) WithResolver(r *net.Resolver) *Guard { return &Guard{opened: g.opened, resolver: r} }

// Opened tells whether an address is in a range that was opened explicitly.
func (g *Guard) Opened(a netip.Addr) bool {
	a = a.Unmap()
	return slices.ContainsFunc(g.opened, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Allowed tells whether an address may be reached.
func (g *Guard) Allowed(a netip.Addr) bool { return public(a.Unmap()) || g.Opened(a) }

// DialContext connects to an address that is allowed.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return g.dial(ctx, network, address, func(a netip.Addr) error {
		if !g.Allowed(a) {
			return ErrBlocked
		}
		return nil
	})
}

// DialOpened connects only into ranges that were opened explicitly: for what goes without TLS.
func (g *Guard) DialOpened(ctx context.Context, network, address string) (net.Conn, error) {
	return g.dial(ctx, network, address, g.plain)
}

// plain is what keeps an address from being reached without TLS.
func (g *Guard) plain(a netip.Addr) error {
	switch {
	case g.Opened(a):
		return nil
	case g.Allowed(a):
		return ErrPlain
	default:
		return ErrBlocked
	}
}

func (g *Guard) dial(ctx context.Context, network, address string, check func(netip.Addr) error) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Resolver: g.resolver, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return ErrBlocked
		}
		return check(to.Addr())
	}}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, withoutAddress(ctx, err)
	}
	return conn, nil
}

// withoutAddress replaces errors that would tell the address found, or who was asked for it.
func withoutAddress(ctx context.Context, err error) error {
	var unresolved *net.DNSError
	switch {
	case errors.Is(err, ErrBlocked):
		return ErrBlocked
	case errors.Is(err, ErrPlain):
		return ErrPlain
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &unresolved):
		return ErrLookup
	default:
		return err
	}
}

// CheckURL tells whether a URL could be reached now: it fails with ErrBlocked when any address of
// the host is refused, with ErrPlain when it is http and not all addresses are in opened ranges, and
// with ErrLookup when there is none. It is a courtesy to whoever enters the URL: only the check of
// each connection protects.
func (g *Guard) CheckURL(ctx context.Context, rawURL string) error {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ErrBlocked
	}
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return ErrBlocked
	}
	addrs, err := g.lookup(ctx, host)
	if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !g.Allowed(a) }) || err == ErrLookup && neverPublic(host) {
		return ErrBlocked
	}
	if u.Scheme == "http" && (err == ErrLookup || !g.all(addrs)) {
		return ErrPlain
	}
	return err
}

// asciiHost is the host that an HTTP client connects to: it writes other letters and digits in ASCII, so
// that ①②⑦.⓪.⓪.① is an address.
func asciiHost(host string) (string, error) {
	if !strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return host, nil
	}
	return idna.Lookup.ToASCII(host)
}

// neverPublic tells of a name that public name servers will never know.
func neverPublic(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last == host || slices.Contains([]string{"localhost", "local", "internal", "invalid", "onion", "arpa"}, last)
}

// all tells whether every address is in an opened range.
func (g *Guard) all(addrs []netip.Addr) bool {
	return !slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !g.Opened(a) })
}

func (g *Guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	if host == "" || numeric(host) {
		return nil, ErrBlocked
	}
	addrs, err := g.resolver.LookupNetIP(ctx, "ip", host)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || len(addrs) == 0:
		return nil, ErrLookup
	default:
		return addrs, nil
	}
}

// numeric tells whether a host that is no address ends like one: 0177.1, 0x7f000001, 2130706433 and
// 127.0.0.1. are addresses to some programs. No public name ends so.
func numeric(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits, isHex := strings.CutPrefix(last, "0x")
	set := "0123456789"
	if isHex {
		set += "abcdef"
	}
	return strings.Trim(digits, set) == ""
}

// Transport is an HTTP transport that reaches only what the guard allows. It uses no proxy of the
// environment, speaks TLS 1.2 or newer, and neither asks for compression nor undoes it.
func (g *Guard) Transport() *http.Transport {
	return &http.Transport{
		DialContext:            g.DialContext,
		ForceAttemptHTTP2:      true, // a dialer of one's own turns it off
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        90 * time.Second,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHeader,
	}
}

// Client fetches files. It follows no redirects: the caller gets the answer as it came. Without TLS it reaches
// opened ranges only. The body is the caller's to bound.
func (g *Guard) Client(timeout time.Duration) *http.Client {
	plain := g.Transport()
	plain.DialContext = g.DialOpened
	return &http.Client{
		Transport:     byScheme{secure: g.Transport(), plain: plain},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// byScheme has a transport for requests without TLS of their own.
type byScheme struct{ secure, plain *http.Transport }

func (b byScheme) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "http" {
		return b.plain.RoundTrip(r)
	}
	return b.secure.RoundTrip(r)
}

// CloseIdleConnections is called by http.Client's method of that name.
func (b byScheme) CloseIdleConnections() {
	b.secure.CloseIdleConnections()
	b.plain.CloseIdleConnections()
}
