// Package clientaddr finds the address of a request's client. Behind a proxy it is not the address of the
// connection: the proxy sends it in a header, and only proxies that the operator trusts are believed.
package clientaddr

import (
	"iter"
	"net"
	"net/http"
	"net/netip"
	"slices"
)

// Of is the address of a request's client, without a port. It is invalid if it is not known.
func Of(r *http.Request) netip.Addr {
	if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return at.Addr().Unmap()
	}
	a, _ := netip.ParseAddr(r.RemoteAddr)
	return a.Unmap()
}

// Network is what stands for a request's client where requests are counted. Whoever has an IPv6 address has a whole /64
// of them, so it is that network.
func Network(r *http.Request) string {
	a := Of(r).WithZone("")
	if a.Is6() {
		return netip.PrefixFrom(a, 64).Masked().String()
	}
	return a.String()
}

// Behind passes each request to next with its client's address. It believes the headers of proxies in the given
// ranges, and of nobody else.
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

// trust is the ranges of trusted proxies.
type trust []netip.Prefix

// unmapped turns an IPv4 range in IPv6 form into an IPv4 range, which is the form of the compared addresses.
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

// client is the client of a request that arrived from peer.
//
// Most proxies write one of the two headers and pass the other on as the client sent it, and nobody can tell
// from outside which one they write. So if both are present they must name the same client. Otherwise neither
// is believed, so that nobody can choose their own address.
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

// follow goes back from hop to hop, as long as a trusted proxy reports the previous one. It ends at a hop
// without an address, because that proxy is then all we know.
func (t trust) follow(at netip.Addr, hops iter.Seq[netip.Addr]) netip.Addr {
	for hop := range hops {
		if !t.has(at) || !hop.IsValid() {
			break
		}
		at = hop
	}
	return at
}
