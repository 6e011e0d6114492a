package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/internal/store/storetest"
)

// outcome is the result of a run of the program.
type outcome struct {
	code           int
	stdout, stderr string
}

// parley runs the program without any variables.
func parley(t *testing.T, args ...string) outcome {
	t.Helper()
	return parleyWith(t, nil, args...)
}

func parleyWith(t *testing.T, environ []string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, environ, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// refused checks that a run ended with the status, printed no data, and printed these messages.
func (o outcome) refused(t *testing.T, code int, want ...string) {
	t.Helper()
	if o.code != code || o.stdout != "" {
		t.Errorf("exit %d, stdout %q; want exit %d and nothing", o.code, o.stdout, code)
	}
	for _, text := range want {
		if !strings.Contains(o.stderr, text) {
			t.Errorf("stderr %q does not say %q", o.stderr, text)
		}
	}
	for line := range strings.Lines(o.stderr) {
		if !strings.HasPrefix(line, "parley: ") {
			t.Errorf("the line %q does not begin with the program's name", line)
		}
	}
}

// site is a store to run commands on.
type site struct{ flags []string }

// onEachEngine runs a test on an empty SQLite store and on an empty PostgreSQL one.
func onEachEngine(t *testing.T, test func(t *testing.T, s site)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, newSite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, site{[]string{"--database-url", storetest.NewConfig(t, storetest.Postgres).URL, "--data", t.TempDir()}})
	})
}

func newSite(t *testing.T) site {
	t.Helper()
	return site{[]string{"--data", storetest.NewConfig(t, storetest.SQLite).Dir}}
}

func (s site) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return parley(t, append(args, s.flags...)...)
}

// fields runs a command with --json and returns the object it printed.
func (s site) fields(t *testing.T, args ...string) map[string]any {
	t.Helper()
	o := s.run(t, append(args, "--json")...)
	var object map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &object); o.code != 0 || err != nil || o.stderr != "" {
		t.Fatalf("parley %s: exit %d, stdout %q, stderr %q, %v", strings.Join(args, " "), o.code, o.stdout, o.stderr, err)
	}
	if strings.Count(o.stdout, "\n") != 1 {
		t.Errorf("parley %s printed more than one line: %q", strings.Join(args, " "), o.stdout)
	}
	return object
}

// rows runs a list command with --json.
func (s site) rows(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	for _, row := range s.fields(t, args...)["data"].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// newOrg makes an organization and returns its id.
func (s site) newOrg(t *testing.T) string {
	t.Helper()
	return s.fields(t, "org", "create", "--name", "Acme")["id"].(string)
}

var emptyDefault = regexp.MustCompile(`Default:\s+\.\s`)

func TestHelp(t *testing.T) {
	t.Parallel()
	var cmds commands
	parser, err := newParser(&cmds, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []*kong.Node
	for _, leaf := range parser.Model.Leaves(true) {
		nodes = append(nodes, leaf, leaf.Parent)
	}
	if len(nodes) < 30 {
		t.Errorf("only %d commands", len(nodes)/2)
	}
	for _, node := range nodes {
		path := strings.Fields(node.FullPath())[1:]
		if node.Parent != nil {
			path = strings.Fields(node.Path())
		}
		args := commandWords(path)
		o := parley(t, append(args, "--help")...)
		if o.code != 0 || o.stderr != "" || !strings.HasPrefix(o.stdout, "Usage: parley") {
			t.Errorf("parley %s --help: exit %d, stdout %q, stderr %q", strings.Join(args, " "), o.code, o.stdout, o.stderr)
		}
		for _, flag := range node.Flags {
			if flag.Help == "" || !strings.Contains(o.stdout, "--"+flag.Name) || !strings.Contains(o.stdout, flag.Tag.Get(variableTag)) {
				t.Errorf("parley %s --help does not explain --%s", strings.Join(args, " "), flag.Name)
			}
			if emptyDefault.MatchString(o.stdout) || strings.Contains(o.stdout, "--"+flag.Name+"=STRING") {
				t.Errorf("parley %s --help does not say what --%s takes", strings.Join(args, " "), flag.Name)
			}
			if !strings.Contains(o.stdout, flag.Default) {
				t.Errorf("parley %s --help does not show the default of --%s", strings.Join(args, " "), flag.Name)
			}
		}
	}
}

// commandWords drops the arguments from a command's path.
func commandWords(path []string) []string {
	var words []string
	for _, word := range path {
		if !strings.HasPrefix(word, "<") {
			words = append(words, word)
		}
	}
	return words
}

func TestNoArgumentsShowTheHelp(t *testing.T) {
	t.Parallel()
	bare, help := parley(t), parley(t, "--help")
	if bare != help || bare.code != 0 {
		t.Errorf("got %+v", bare)
	}
	if word := parley(t, "help"); word != help {
		t.Errorf("parley help: got %+v", word)
	}
	if word, flag := parley(t, "help", "org", "create"), parley(t, "org", "create", "--help"); word != flag || word.code != 0 {
		t.Errorf("parley help org create: got %+v", word)
	}
	parley(t, "help", "serv").refused(t, exitUsage, `did you mean one of "serve"`)
	for _, command := range []string{"serve", "migrate", "config", "version", "org create", "plan set", "plan create", "simulate inbound", "team create", "user create", "key revoke", "send", "events tail", "simulate"} {
		if !strings.Contains(bare.stdout, "\n  "+command+" ") {
			t.Errorf("%s is not in the list", command)
		}
	}
}

func TestInterruptedCommand(t *testing.T) {
	t.Parallel()
	data := newSite(t)
	file := filepath.Join(t.TempDir(), "copy.tar")
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var stdout, stderr bytes.Buffer
	code := run(ctx, append([]string{"backup", file}, data.flags...), nil, &stdout, &stderr)
	outcome{code, stdout.String(), stderr.String()}.refused(t, exitFailed, "interrupted before it was done")
	if strings.Contains(stderr.String(), "context canceled") {
		t.Errorf("it says %s", &stderr)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	// A command without settings ignores a misspelt one.
	for _, arg := range []string{"version", "--version"} {
		o := parleyWith(t, []string{"PARLEY_TYPO=1"}, arg)
		if o.code != 0 || o.stderr != "" || !strings.HasPrefix(o.stdout, "parley "+version+" (go") {
			t.Errorf("%s: got %+v", arg, o)
		}
	}
}

// sendArgs is a send command that lacks its content.
const sendArgs = "send --key svc_live_0123456789abcdefghijklmn --from 100200300 --to +4915510000001"

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	const id = "org_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, test := range []struct {
		args string
		want []string
	}{
		{"serv", []string{`did you mean one of "serve"`, `see "parley --help"`}},
		{"--verbose", []string{"unknown flag --verbose", `see "parley --help"`}},
		{"org", []string{`expected one of "create", "update", "list"`, `see "parley org --help"`}},
		{"org remove", []string{"unexpected argument remove", `see "parley org --help"`}},
		{"serve now", []string{"unexpected argument now", `see "parley serve --help"`}},
		{"org create", []string{"missing flags: --name=NAME", `see "parley org create --help"`}},
		{"org create --name", []string{"--name: a value is missing"}},
		{"org create --name --json", []string{"--name: a value is missing"}},
		{"org update", []string{`expected "<org>"`}},
		{"org update acme --plan pro", []string{`<org>: "acme" is not an organization's id (org_…)`, "parley org list"}},
		{"org update " + id, []string{"nothing to change: give --plan"}},
		{"org update " + id + " --subscription late", []string{`--subscription must be one of "active","trialing","inactive"`}},
		{"org update " + id + " --trial-ends-at tomorrow", []string{`"tomorrow" is not a time; write one like 2026-01-31T12:00:00Z`}},
		{"org update " + id + " --trial-ends-at 2026-01-31", []string{"is not a time"}},
		{"org update " + id + " --suspended=maybe", []string{"--suspended", "true, 1, yes, false, 0 or no"}},
		{"org update " + id + " --suspended false", []string{"--flag=false"}},
		{"plan set", []string{`expected "<name>"`}},
		{"plan set pro", []string{"nothing to change: give --api"}},
		{"plan set pro --monthly-messages many", []string{`--monthly-messages: "many" is not a whole number`}},
		{"plan set pro --monthly-messages 1.5", []string{`"1.5" is not a whole number`}},
		{"plan set pro --monthly-messages 9223372036854775808", []string{"is not a whole number of at most 18 digits"}},
		{"plan set pro --monthly-messages --api", []string{"--monthly-messages: a value is missing"}},
		{"team create", []string{"--name=NAME, --org=ORG"}},
		{"team list --org General", []string{`--org: "General" is not an organization's id`}},
		{"user create", []string{"--email=EMAIL, --name=NAME, --org=ORG"}},
		{"user create --org " + id + " --email a@b.c --name A --password pw --role king", []string{`--role must be one of "owner","admin","agent"`}},
		{"user create --org " + id + " --email a@b.c --name A --password pw --team General", []string{`--team: "General" is not a team's id (team_…)`}},
		{"key create --org " + id + " --expires-at never", []string{`--expires-at: "never" is not a time`}},
		{"key revoke", []string{`expected "<key-id>"`}},
		{"send", []string{"missing flags: --from=ID, --key=KEY"}},
		{"send --key svc_live_0123456789abcdefghijklmn --to +491 --text a", []string{"missing flags: --from=ID", "parley account list", "PARLEY_FROM"}},
		{sendArgs, []string{"give one of --text, --template, --image"}},
		{sendArgs + " --text a --image b", []string{"give one of --text, --template, --image"}},
		{"send --key svc_live_0123456789abcdefghijklmn --from 100200300 --text a", []string{"missing flags: --to=TO"}},
		{sendArgs + " --text a --param b", []string{"--param and --suffix go with --template"}},
		{sendArgs + " --text a --button b --row c", []string{"give --button, --row or --link"}},
		{sendArgs + " --template a --button b", []string{"go with --text"}},
		{sendArgs + " --text a --header b", []string{"--header goes with"}},
		{sendArgs + " --react x", []string{"--react needs --reply-to"}},
		{"delivery replay --key svc_live_0123456789abcdefghijklmn", []string{"give the id of a delivery, or --subscription"}},
		{"webhook update wbs_1 --key svc_live_0123456789abcdefghijklmn", []string{"nothing to change: give --status"}},
		{"webhook update wbs_1 --key svc_live_0123456789abcdefghijklmn --status off", []string{`"active","paused"`}},
		{"contact create --key svc_live_0123456789abcdefghijklmn --from 1", []string{"give --phone, or --bsuid"}},
		{"key create --org " + id + " --expires-in soon", []string{`"soon" is not a span of time; write one like 12h, 30d or 2w`}},
		{"key create --org " + id + " --expires-in 1d --expires-at 2026-01-31T12:00:00Z", []string{"not both"}},
		{"log --org " + id + " --status 9xx", []string{`"9xx" is not a status; write one like 404, 4xx or failed`}},
		{"completion tcsh", []string{"bash", "fish"}},
		{sendArgs + " --text a --voice", []string{"--voice goes with --audio"}},
		{sendArgs + " --audio a --caption b", []string{"--caption goes with --image, --video or --document"}},
		{sendArgs + " --text a --url localhost:8080", []string{"--url must be like https://chat.example.com"}},
		{"send --key x --from 1 --to 2 --text a", []string{"--key must be an API key (svc_live_…)", "parley key create"}},
		{"move", []string{"--database-url (PARLEY_DATABASE_URL) is missing"}},
		{"move --database-url mysql://db", []string{"--database-url must be a PostgreSQL address"}},
		{"check --database-url mysql://db", []string{"--database-url must be a PostgreSQL address"}},
		{"check --media-url bucket", []string{"--media-url must be like s3://"}},
		{"rekey --new-secret-key " + testKey, []string{"give both keys"}},
		{"events", []string{"expected", "tail", `see "parley events --help"`}},
		{"events tail --org acme", []string{`--org: "acme" is not an organization's id`}},
		{"events tail --types message.sent,tea", []string{`--types "tea" must be a list of message.received, message.status`}},
		{"events tail --last -2", []string{"--last must be between 0 and 100000, or -1 for all"}},
		{"simulate --callback-url localhost:8080", []string{"--callback-url must be like http://localhost:8080/provider/webhook"}},
		{"simulate --log-level loud", []string{`--log-level must be one of "debug","info","warn","error"`}},
		{"key revoke 7", []string{`<key-id>: "7" is not a key's id (key_…)`, "parley key list"}},
	} {
		t.Run(test.args, func(t *testing.T) {
			t.Parallel()
			parley(t, strings.Fields(test.args)...).refused(t, exitUsage, test.want...)
		})
	}
}

func TestMistakesDoNotRepeatSecrets(t *testing.T) {
	t.Parallel()
	const org = "org_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, args := range [][]string{
		{"user", "create", "--org", org, "--email", "a@b.c", "--name", "A", "--password", "-hunter2"},
		{"key", "revoke", "svc_live_hunter2hunter2hunter2xx"},
		{"org", "list", "--database-url", "mysql://u:hunter2@h/db"},
		{"org", "list", "--database-url", "postgres://u:hunter2@127.0.0.1:99999/db"},
		{"org", "list", "--database-url", "postgres://u@127.0.0.1:99999/db?password=hunter2&sslpassword=hunter2"},
		{"serve", "--secret-key", "hunter2"},
		{"send", "--key", "hunter2", "--from", "1", "--to", "2", "--text", "a"},
		append(strings.Fields(sendArgs), "--text", "a", "--url", "https://u:hunter2@chat.example.com"),
		{"serve", "--public-url", "https://u:hunter2@chat.example.com"},
	} {
		o := parley(t, args...)
		if o.code == exitOK || o.stdout != "" {
			t.Errorf("parley %s: exit %d, stdout %q", strings.Join(args, " "), o.code, o.stdout)
		}
		if strings.Contains(o.stderr, "hunter2") {
			t.Errorf("parley %s repeats the secret: %s", strings.Join(args, " "), o.stderr)
		}
	}
}
