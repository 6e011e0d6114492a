package netguard

import "net/netip"

// refused4 are the IPv4 ranges that are not public.
var refused4 = prefixes(
	"0.0.0.0/8",        // this network; 0.0.0.0 is the machine itself
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared by providers' customers; a metadata service
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // a cloud's platform service
	"169.254.0.0/16",   // link-local; metadata services
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments; a metadata service
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // relays of 6to4
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
)

// global6 is the only IPv6 range with public addresses. Everything else is refused: loopback, the forms that
// carry an IPv4 address (::/8, 64:ff9b::/96, 64:ff9b:1::/48), discard-only (100::/64), segment routing
// (5f00::/16), unique local (fc00::/7), link-local (fe80::/10), site-local (fec0::/10) and multicast
// (ff00::/8).
var global6 = netip.MustParsePrefix("2000::/3")

// refused6 are the ranges of global6 that are not public.
var refused6 = prefixes(
	"2001::/23",     // protocol assignments: tunnels that carry an IPv4 address, benchmarks, hashes
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4, which carries an IPv4 address
	"3fff::/20",     // documentation
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// public reports whether an address is public. An address with a zone never is.
func public(a netip.Addr) bool {
	refused := refused4
	if !a.Is4() {
		if !global6.Contains(a) {
			return false
		}
		refused = refused6
	}
	for _, p := range refused {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}
