package clientaddr

import (
	"iter"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// forwardedForHops are the hops of X-Forwarded-For, nearest first. A hop that is not an address is the zero
// Addr.
func forwardedForHops(lines []string) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for element := range fromRight(lines) {
			if !yield(node(element)) {
				return
			}
		}
	}
}

// forwardedHops are the hops of Forwarded (RFC 7239), nearest first. A hop whose address is hidden, unknown or
// malformed is the zero Addr.
func forwardedHops(lines []string) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for element := range fromRight(lines) {
			if !yield(forParameter(element)) {
				return
			}
		}
	}
}

// fromRight yields the elements of a list header, last one first. Each proxy appends its own, so a client's
// elements are on the left. Quotes are matched from the right for the same reason: a quote that a client leaves
// open cannot swallow a proxy's element.
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

// escaped reports whether the character after before is escaped. A proxy may quote a client's text, such as the
// host name, and the quotes inside it do not end it.
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
		if seen { // ambiguous
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

// node parses an address with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1],
// [2001:db8::1]:80. It refuses an address with a zone, which has a meaning only on the machine that wrote it
// and can contain any text.
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
