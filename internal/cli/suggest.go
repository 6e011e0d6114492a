package cli

import (
	"regexp"
	"strings"
)

// suggested finds what kong says of a name that it does not know, and the names that it suggests instead.
var suggested = regexp.MustCompile(`^((?:unexpected argument|unknown flag) (?:--)?(\S+)), did you mean (?:one of )?(.+)\?$`)

// nearOnly leaves out suggestions that are not near. Kong suggests all names within two changes, which makes a short name of
// any other.
func nearOnly(message string) string {
	found := suggested.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	var names []string
	for name := range strings.SplitSeq(found[3], ", ") {
		if near(strings.Trim(name, `"-`), found[2]) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return found[1]
	case 1:
		return found[1] + ", did you mean " + names[0] + "?"
	}
	return found[1] + ", did you mean one of " + strings.Join(names, ", ") + "?"
}

// near reports whether a name that is at most two changes away is likely to be meant: most of its letters are the same.
func near(name, typed string) bool {
	longer := max(len(name), len(typed))
	differ := 1
	if longer > 5 {
		differ = 2
	}
	return strings.HasPrefix(name, typed) || inCommon(name, typed) >= longer-differ
}

// inCommon counts the letters that two names have in common, in any order.
func inCommon(a, b string) (n int) {
	rest := []byte(b)
	for _, letter := range []byte(a) {
		for i, other := range rest {
			if letter == other {
				rest = append(rest[:i], rest[i+1:]...)
				n++
				break
			}
		}
	}
	return n
}
