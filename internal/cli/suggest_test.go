package cli

import "testing"

// Names are suggested that were probably meant.
func TestNearNames(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`unexpected argument foo, did you mean "log"?`:                            "unexpected argument foo",
		`unexpected argument kye, did you mean one of "key", "log"?`:              `unexpected argument kye, did you mean "key"?`,
		`unexpected argument sendd, did you mean "send"?`:                         `unexpected argument sendd, did you mean "send"?`,
		`unexpected argument brodcst, did you mean "broadcast"?`:                  `unexpected argument brodcst, did you mean "broadcast"?`,
		`unexpected argument serv, did you mean one of "serve", "serve --quiet"?`: `unexpected argument serv, did you mean one of "serve", "serve --quiet"?`,
		`unknown flag --jsn, did you mean "--json"?`:                              `unknown flag --jsn, did you mean "--json"?`,
		"unexpected argument now":                                                 "unexpected argument now",
	} {
		if got := nearOnly(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
}
