package clientaddr

import (
	"iter"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// forwardedForHops are the hops of X-Forwarded-For, the nearest first. One that is not an address is
// the zero Addr.
func forwardedForHops(lines []string) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for element := range fromRight(lines) {
			if !yield(node(element)) {
				return
			}
		}
	}
}

// forwardedHops are the hops of Forwarded (RFC 7239), the nearest first. One whose address is hidden,
// unknown or not well-formed is the zero Addr.
func forwardedHops(lines []string) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for element := range fromRight(lines) {
			if !yield(forParameter(element)) {
				return
			}
		}
	}
}

// fromRight yields the elements of a list header, the last one first. Each proxy adds its own at the
// end, so what a client wrote is on the left. Quotes are matched from the right for the same reason: a
// quote that a client leaves open swallows nothing that a proxy has added.
func fromRight(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range slices.Backward(lines) {
			for more := true; more; {
				var element string
				if line, element, more = cutLast(line, ','); !yield(strings.Trim(element, " \t")) {
					return
				}
			}
		}
	}
}

// cutLast cuts text at the last separator that is not between quotes.
func cutLast(text string, separator byte) (before, after string, found bool) {
	quoted := false
	for i := len(text) - 1; i >= 0; i-- {
		switch {
		case text[i] == '"' && !(quoted && escaped(text[:i])):
			quoted = !quoted
		case text[i] == separator && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return "", text, false
}

// escaped tells whether what follows before is escaped: a proxy may quote what a client sent, like the
// name of the host, and the quotes in there end nothing.
func escaped(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

// forParameter is the address in an element like for="[2001:db8::1]:443";proto=https.
func forParameter(element string) (found netip.Addr) {
	seen := false
	for more := true; more; {
		var pair string
		element, pair, more = cutLast(element, ';')
		name, value, _ := strings.Cut(strings.Trim(pair, " \t"), "=")
		if !strings.EqualFold(name, "for") {
			continue
		}
		if seen { // which one would count is anybody's guess
			return netip.Addr{}
		}
		found, seen = node(unquoted(value)), true
	}
	return found
}

func unquoted(value string) string {
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		return value[1 : len(value)-1]
	}
	return value
}

// node reads an address with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1],
// [2001:db8::1]:80. A zone means something to the machine that wrote it alone, and can hold any
// text: an address with one is none.
func node(text string) netip.Addr {
	a, err := netip.ParseAddr(text)
	if err != nil {
		a, err = netip.ParseAddr(withoutPort(text))
	}
	if err != nil || a.Zone() != "" {
		return netip.Addr{}
	}
	return a.Unmap()
}

func withoutPort(text string) string {
	if inner, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inner, "]") {
		return strings.TrimSuffix(inner, "]")
	}
	host, _, _ := net.SplitHostPort(text)
	return host
}
