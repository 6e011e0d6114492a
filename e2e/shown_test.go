package e2e

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var (
	// varying matches what differs from run to run: ids, times, secrets, provider ids.
	varying = regexp.MustCompile(`\b(?:[a-z]{2,4}|team|svc_live|whsec)_[0-9A-Za-z_-]{16,}|wamid\.[0-9A-Za-z=+/]+|\b\d{4}-\d\d-\d\dT[0-9:.]+Z|\b\d\d:\d\d:\d\d\b`)
	columns = regexp.MustCompile(` {2,}`)
	leftOut = regexp.MustCompile(`(?m),?\s*^\s*…$`)
)

// outputMatches tells whether a page shows the printed output. "…" stands for any text within a line, and on a line of
// its own for any lines. Ids and times may differ, and so may the width of columns. JSON may be laid out differently;
// "…" on a line of its own inside an object means that there are more members.
func outputMatches(shown, got string) bool {
	if strings.HasPrefix(shown, "{") {
		return jsonMatches(shown, got)
	}
	var pattern strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(shown), "\n") {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(linePattern(line) + ` *\n`)
	}
	return regexp.MustCompile(`^\s*` + pattern.String() + `\s*$`).MatchString(got + "\n")
}

func linePattern(line string) string {
	line = varying.ReplaceAllString(strings.TrimRight(line, " "), "…")
	parts := strings.Split(line, "…")
	for i, part := range parts {
		parts[i] = columns.ReplaceAllString(regexp.QuoteMeta(part), ` {2,}`)
	}
	return strings.Join(parts, `.*`)
}

func jsonMatches(shown, got string) bool {
	more := leftOut.MatchString(shown)
	var want, have any
	if json.Unmarshal([]byte(leftOut.ReplaceAllString(shown, "")), &want) != nil || json.Unmarshal([]byte(got), &have) != nil {
		return false
	}
	return valueMatches(want, have, more)
}

// valueMatches compares values. With more, objects may have members that are not shown.
func valueMatches(want, have any, more bool) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok || !more && len(object) != len(want) {
			return false
		}
		for name, value := range want {
			if member, found := object[name]; !found || !valueMatches(value, member, more) {
				return false
			}
		}
		return true
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !valueMatches(want[i], list[i], more) {
				return false
			}
		}
		return true
	case string:
		text, ok := have.(string)
		return ok && regexp.MustCompile(`^`+linePattern(want)+`$`).MatchString(text)
	}
	return reflect.DeepEqual(want, have)
}

func TestShownOutput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shown, got string
		same       bool
	}{
		{"id  msg_01M7HF0F293J0R8ZE2XCK45ZC1\nto  +1", "id               msg_01M7HF0F7Q6D9MHYY9W0WMNC2X\nto               +1\n", true},
		{"id  msg_…\nto  +1", "id  msg_01M7HF0F7Q6D9MHYY9W0WMNC2X\nto  +2\n", false},
		{"A\n…\nZ", "A\nB\nC\nZ\n", true},
		{"A\n…\nZ", "A\nB\n", false},
		{"A", "A\nB\n", false},
		{"at 2026-11-16T05:59:17.321Z", "at 2027-01-01T00:00:00.000Z", true},
		{"{\"a\": 1,\n…\n}", `{"a":1,"b":2}`, true},
		{"{\"a\": 1}", `{"a":1,"b":2}`, false},
		{"{\"a\": 2,\n…\n}", `{"a":1,"b":2}`, false},
		{`{"id": "msg_…", "l": [1, 2]}`, `{"id":"msg_01M7HF0F7Q6D9MHYY9W0WMNC2X","l":[1,2]}`, true},
	} {
		if got := outputMatches(c.shown, c.got); got != c.same {
			t.Errorf("%q and %q: %v", c.shown, c.got, got)
		}
	}
}
