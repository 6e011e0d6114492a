package clientaddr_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// inside draws an address of a range.
func inside(t *rapid.T, ranges ...string) netip.Addr {
	p := netip.MustParsePrefix(rapid.SampledFrom(ranges).Draw(t, "range"))
	bytes := p.Addr().AsSlice()
	for i := (p.Bits() + 7) / 8; i < len(bytes); i++ {
		bytes[i] = rapid.Byte().Draw(t, "byte")
	}
	a, _ := netip.AddrFromSlice(bytes)
	return a
}

// way is the path of a request through proxies, with its headers.
type way struct {
	header   http.Header
	separate bool // proxies add header lines of their own
}

func (w *way) add(t *rapid.T, name string, hop netip.Addr) {
	element := written(t, name, hop)
	lines := w.header.Values(name)
	if len(lines) == 0 || w.separate {
		w.header.Add(name, element)
		return
	}
	lines[len(lines)-1] += rapid.SampledFrom([]string{", ", ","}).Draw(t, "comma") + element
}

// written is a hop in one of the forms that proxies write.
func written(t *rapid.T, name string, hop netip.Addr) string {
	bare, ported := hop.String(), fmt.Sprintf("%s:%d", hop, rapid.Uint16().Draw(t, "port"))
	if hop.Is6() {
		bare, ported = "["+bare+"]", fmt.Sprintf("[%s]:%d", hop, rapid.Uint16().Draw(t, "port"))
	}
	text := rapid.SampledFrom([]string{bare, ported}).Draw(t, "form")
	if name == "X-Forwarded-For" {
		return text
	}
	return rapid.SampledFrom([]string{"", "by=_proxy;", `proto=https;host="a;for=203.0.113.7,for=203.0.113.7";`}).Draw(t, "more") + `for="` + text + `"`
}

// lies are texts that a client may put into a header.
func lies() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[ -~]{0,40}`),
		rapid.StringMatching(`(for=|"|\\|,|;| |203\.0\.113\.7|10\.0\.0\.3|\[|\]|:|=){0,20}`),
	)
}

// A client is seen under its own address through any number of trusted proxies, whatever it sends. If it sends
// the header that the proxies do not write, it may be seen under the nearest proxy's address, and under no
// other.
func TestNobodyChoosesTheirAddress(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name, other := "X-Forwarded-For", "Forwarded"
		if rapid.Bool().Draw(t, "swap") {
			name, other = other, name
		}
		w := &way{header: http.Header{}, separate: rapid.Bool().Draw(t, "separate")}
		for range rapid.IntRange(0, 2).Draw(t, "lies") {
			w.header.Add(name, lies().Draw(t, "lie"))
		}
		foreign := rapid.Bool().Draw(t, "foreign")
		if foreign {
			w.header.Add(other, lies().Draw(t, "foreign lie"))
		}
		client := inside(t, "192.0.2.0/24", "2001:db8::/32")
		hop := client
		for range rapid.IntRange(1, 4).Draw(t, "proxies") {
			w.add(t, name, hop)
			hop = inside(t, "10.0.0.0/8", "fd00::/8")
		}
		got := seen(netip.AddrPortFrom(hop, 4711).String(), w.header)
		if got != client.String() && !(foreign && got == hop.String()) {
			t.Fatalf("%s through %s is seen as %s: %q", client, hop, got, w.header)
		}
	})
}

// A client without a proxy is always seen under its own address.
func TestStrangersAreNotBelieved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		peer := inside(t, "192.0.2.0/24", "2001:db8::/32")
		header := http.Header{"X-Forwarded-For": rapid.SliceOf(lies()).Draw(t, "x"), "Forwarded": rapid.SliceOf(lies()).Draw(t, "f")}
		if got := seen(netip.AddrPortFrom(peer, 1).String(), header); got != peer.String() {
			t.Fatalf("%s is seen as %s: %q", peer, got, header)
		}
	})
}

// For any headers of a trusted proxy, the result is an address that can be logged and stored.
func FuzzHeaders(f *testing.F) {
	f.Add("198.51.100.1, 10.0.0.1", "")
	f.Add("", `for="[2001:db8::1]:80";by=_x, for=unknown`)
	f.Add("fe80::1%\xff", `for="\"`)
	f.Fuzz(func(t *testing.T, forwardedFor, forwarded string) {
		header := http.Header{}
		if forwardedFor != "" {
			header.Set("X-Forwarded-For", forwardedFor)
		}
		if forwarded != "" {
			header.Set("Forwarded", forwarded)
		}
		a, err := netip.ParseAddr(seen(fromHere, header))
		if err != nil || a.Zone() != "" || a.Is4In6() {
			t.Errorf("%q and %q: %s %v", forwardedFor, forwarded, a, err)
		}
	})
}
