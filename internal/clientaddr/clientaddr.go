// Package clientaddr finds out which address a request comes from. Behind a proxy that is not the
// address of the connection; the proxy tells it in a header, and only a proxy that the operator
// trusts is believed.
package clientaddr

import (
	"iter"
	"net"
	"net/http"
	"net/netip"
	"slices"
)

// Of is the address that a request comes from, without a port. It is not valid where the server
// could not tell one.
func Of(r *http.Request) netip.Addr {
	if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return at.Addr().Unmap()
	}
	a, _ := netip.ParseAddr(r.RemoteAddr)
	return a.Unmap()
}

// Behind has next see each request as coming from its client. What proxies in the given ranges say
// about the client is believed; what anybody else says is not.
func Behind(proxies []netip.Prefix, next http.Handler) http.Handler {
	if len(proxies) == 0 {
		return next
	}
	trusted := make(trust, len(proxies))
	for i, p := range proxies {
		trusted[i] = unmapped(p)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer := Of(r)
		if client := trusted.client(peer, r.Header); client != peer {
			r = r.WithContext(r.Context()) // a copy
			r.RemoteAddr = net.JoinHostPort(client.String(), "0")
		}
		next.ServeHTTP(w, r)
	})
}

// trust is the addresses of the proxies that are believed.
type trust []netip.Prefix

// unmapped is an IPv4 range that was written in its IPv6 form as what addresses are compared with.
func unmapped(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p
}

func (t trust) has(a netip.Addr) bool {
	a = a.WithZone("")
	return slices.ContainsFunc(t, func(p netip.Prefix) bool { return p.Contains(a) })
}

// client is who sent the request that arrived from peer.
//
// Most proxies write one of the two headers and pass the other on as the client sent it, and nobody
// can tell from outside which one they write. So where both are there, they must name the same
// client; else neither is believed, and nobody can choose their own address.
func (t trust) client(peer netip.Addr, h http.Header) netip.Addr {
	forwardedFor, forwarded := h.Values("X-Forwarded-For"), h.Values("Forwarded")
	switch {
	case len(forwardedFor) == 0:
		return t.follow(peer, forwardedHops(forwarded))
	case len(forwarded) == 0:
		return t.follow(peer, forwardedForHops(forwardedFor))
	}
	client := t.follow(peer, forwardedForHops(forwardedFor))
	if client != t.follow(peer, forwardedHops(forwarded)) {
		return peer
	}
	return client
}

// follow goes from one hop to the one before it, as long as a proxy that is trusted tells of it. A hop
// that has no address ends the way: the proxy that hides it, or does not know it, is all we know.
func (t trust) follow(at netip.Addr, hops iter.Seq[netip.Addr]) netip.Addr {
	for hop := range hops {
		if !t.has(at) || !hop.IsValid() {
			break
		}
		at = hop
	}
	return at
}
