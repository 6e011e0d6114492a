package cli

import (
	"bytes"
	"strings"
	"testing"
)

// typed runs a command with this standard input.
func (s site) typed(t *testing.T, input string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := runOn(t.Context(), strings.NewReader(input), append(args, s.flags...), nil, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// Tokens and passwords need not be on the command line, where others on the machine can read them.
func TestSecretsFromTheStandardInput(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	org := s.newOrg(t)
	user := []string{"user", "create", "--org", org, "--email", "a@acme.example", "--name", "A", "--password"}
	for _, args := range [][]string{append(user, "-"), connect(org, "--token", "-"), {"account", "update", "100200300400500", "--org", org, "--token=-"}} {
		if o := s.typed(t, "", args...); o.code != exitFailed || !strings.Contains(o.stderr, "nothing came on the standard input") {
			t.Errorf("without input, %v: %+v", args, o)
		}
	}
	if o := s.typed(t, "short\n", append(user, "-")...); o.code != exitFailed {
		t.Errorf("a short password is taken: %+v", o)
	}
	for input, args := range map[string][]string{
		"correct horse battery\r\nand more": append(user, "-"), "EAAGm0": connect(org, "--token", "-"),
	} {
		if o := s.typed(t, input, args...); o.code != exitOK || strings.Contains(o.stdout+o.stderr, input) {
			t.Errorf("%v: %+v", args, o)
		}
	}
	if o := s.typed(t, "EAAGm1\n", "account", "update", "100200300400500", "--org", org, "--token=-"); o.code != exitOK {
		t.Errorf("another token: %+v", o)
	}
}

func TestReadSecret(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ given, input, want string }{
		{"EAAGm0", "another", "EAAGm0"}, {"", "another", ""}, {"-", "EAAGm0", "EAAGm0"}, {"-", "correct horse\r\nand more", "correct horse"},
	} {
		var asked bytes.Buffer
		got, err := secret(test.given).read(&console{stdin: strings.NewReader(test.input), stderr: &asked}, "Token")
		if err != nil || got != test.want || asked.Len() > 0 { // nobody reads a question there
			t.Errorf("%+v: got %q, %v, asked %q", test, got, err, &asked)
		}
	}
}
