package onboard

import "strings"

// shortCodes are the country codes of one and two digits; all others have three.
var shortCodes = strings.Fields("1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58" +
	" 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98")

// readable formats a number (+628125550100) in groups: +62 812 555 0100. It formats the stored number, so that
// it always looks the same, whatever the provider wrote.
func readable(number string) string {
	rest, ok := strings.CutPrefix(number, "+")
	if !ok || len(rest) <= 4 {
		return number
	}
	code := rest[:3]
	for _, short := range shortCodes {
		if strings.HasPrefix(rest, short) {
			code = short
		}
	}
	written, rest := "+"+code, rest[len(code):]
	for groups := max(1, len(rest)/3); groups > 0; groups-- {
		size := len(rest) / groups
		written, rest = written+" "+rest[:size], rest[size:]
	}
	return written
}
