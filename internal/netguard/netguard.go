// Package netguard reaches addresses that users name: webhook endpoints, media links, template samples. It
// keeps them out of networks that only this machine can reach. It checks the address of each connection when it
// is dialled, so that a name which resolves differently the second time, a redirect or an unusual spelling
// cannot get around it.
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
	// ErrBlocked means that an address is not public. It never says which address was found.
	ErrBlocked = errors.New("the address is not public")
	// ErrLookup means that the host name has no address, or could not be resolved. It does not say which server
	// was asked.
	ErrLookup = errors.New("the host name could not be resolved")
	// ErrPlain means that http was used outside of the networks that the operator opened.
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

// New makes a guard that refuses every address that is not public, except for the given ranges.
func New(opened ...netip.Prefix) *Guard {
	g := &Guard{resolver: net.DefaultResolver}
	for _, p := range opened {
		g.opened = append(g.opened, unmapped(p))
	}
	return g
}

// unmapped turns an IPv4 range in IPv6 form into an IPv4 range, which is the form of the compared addresses.
func unmapped(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p
}

// WithResolver is the same guard with another resolver.
func (g *Guard) WithResolver(r *net.Resolver) *Guard { return &Guard{opened: g.opened, resolver: r} }

// Opened reports whether an address is in a range that the operator opened.
func (g *Guard) Opened(a netip.Addr) bool {
	a = a.Unmap()
	return slices.ContainsFunc(g.opened, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Allowed reports whether an address may be reached.
func (g *Guard) Allowed(a netip.Addr) bool { return public(a.Unmap()) || g.Opened(a) }

// DialContext connects to an allowed address.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return g.dial(ctx, network, address, func(a netip.Addr) error {
		if !g.Allowed(a) {
			return ErrBlocked
		}
		return nil
	})
}

// DialOpened connects only to opened ranges. It is for connections without TLS.
func (g *Guard) DialOpened(ctx context.Context, network, address string) (net.Conn, error) {
	return g.dial(ctx, network, address, g.plain)
}

// plain returns an error if the address must not be reached without TLS.
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

// withoutAddress replaces errors that would reveal the address or the name server.
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

// CheckURL reports whether a URL could be reached now. It returns ErrBlocked if any address of the host is
// refused, ErrPlain if it is http and not all addresses are in opened ranges, and ErrLookup if there is none.
// It helps whoever enters the URL; only the check of each connection protects.
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

// asciiHost is the host to which an HTTP client connects. A client converts other letters and digits to ASCII,
// so that ①②⑦.⓪.⓪.① is an address.
func asciiHost(host string) (string, error) {
	if !strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return host, nil
	}
	return idna.Lookup.ToASCII(host)
}

// neverPublic reports a name that public name servers will never know.
func neverPublic(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last == host || slices.Contains([]string{"localhost", "local", "internal", "invalid", "onion", "arpa"}, last)
}

// all reports whether every address is in an opened range.
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

// numeric reports whether a host ends like an address although it is none: some programs read 0177.1,
// 0x7f000001, 2130706433 and 127.0.0.1. as addresses. No public name ends like that.
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

// Transport is an HTTP transport that reaches only allowed addresses. It ignores the environment's proxy,
// speaks TLS 1.2 or newer, and neither requests nor undoes compression.
func (g *Guard) Transport() *http.Transport {
	return &http.Transport{
		DialContext:            g.DialContext,
		ForceAttemptHTTP2:      true, // a custom dialer turns it off
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        90 * time.Second,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHeader,
	}
}

// Client fetches files. It follows no redirects and returns the answer as it came. Without TLS it reaches only
// opened ranges. The caller bounds the body.
func (g *Guard) Client(timeout time.Duration) *http.Client {
	plain := g.Transport()
	plain.DialContext = g.DialOpened
	return &http.Client{
		Transport:     byScheme{secure: g.Transport(), plain: plain},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// byScheme uses a transport of its own for requests without TLS.
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
