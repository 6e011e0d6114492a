package cli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
)

// object runs a command against the demo, and returns the object that it prints with --json.
func (d demoSite) object(t *testing.T, args ...string) map[string]any {
	t.Helper()
	o := parleyWith(t, []string{"PARLEY_API_KEY=" + d.key, "PARLEY_API_URL=" + d.url, "PARLEY_FROM=" + demoNumber}, append(args, "--json")...)
	var object map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &object); o.code != 0 || err != nil || o.stderr != "" {
		t.Fatalf("parley %s: %+v, %v", strings.Join(args, " "), o, err)
	}
	return object
}

func (d demoSite) list(t *testing.T, args ...string) (rows []map[string]any) {
	t.Helper()
	for _, row := range d.object(t, args...)["data"].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// table runs a command without --json, and returns its output.
func (d demoSite) table(t *testing.T, args ...string) string {
	t.Helper()
	o := parleyWith(t, []string{"PARLEY_API_KEY=" + d.key, "PARLEY_API_URL=" + d.url, "PARLEY_FROM=" + demoNumber}, args...)
	if o.code != 0 || o.stderr != "" {
		t.Fatalf("parley %s: %+v", strings.Join(args, " "), o)
	}
	return o.stdout
}

// The commands of a user's first hour, from the command line alone.
func TestCommandsOfTheService(t *testing.T) {
	t.Parallel()
	d := newDemoSite(t)
	d.messages(t)
	d.people(t)
	d.endpoints(t)
	d.broadcasts(t)
	d.requests(t)
}

func (d demoSite) messages(t *testing.T) {
	t.Helper()
	body := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(body, []byte(`{"messaging_product":"chat","to":"+4915510000001","type":"text","text":{"body":"From a file"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := d.writes(t, "--from", "+4915510000001", "--text", "Hello", "--name", "Bea"); o.code != 0 { // it opens the window
		t.Fatalf("nobody wrote: %+v", o)
	}
	to := []string{"send", "--to", "+4915510000001"}
	for want, args := range map[string][]string{
		"Sure?":       append(to, "--text", "Sure?", "--button", "y=Yes", "--button", "No", "--title", "Question", "--footer", "Small"),
		"Which?":      append(to, "--text", "Which?", "--row", "r=Red|Like a rose", "--row", "Blue", "--menu", "Colours"),
		"Open":        append(to, "--text", "Open", "--link", "Page=https://acme.example/a=b"),
		"Look":        append(to, "--text", "Look", "--button", "Ok", "--header", "https://acme.example/bird.jpg"),
		"From a file": {"send", "--body", body},
	} {
		sent := d.object(t, args...)
		m := d.object(t, "message", "get", sent["id"].(string))
		content, _ := json.Marshal(m)
		if m["id"] != sent["id"] || !strings.Contains(string(content), `"`+want+`"`) {
			t.Errorf("%s: %s", want, content)
		}
		if shown := d.table(t, "message", "get", sent["id"].(string)); !strings.Contains(shown, want) || !strings.Contains(shown, "status") {
			t.Errorf("%s is shown as %s", want, shown)
		}
	}
	var inbound []map[string]any
	for deadline := time.Now().Add(time.Minute); len(inbound) == 0 && time.Now().Before(deadline); {
		inbound = d.list(t, "message", "list", "--direction", "inbound", "--limit", "1")
	}
	if found := d.object(t, "message", "get", inbound[0]["message_id"].(string)); found["id"] != inbound[0]["id"] {
		t.Errorf("found %v", found)
	}
	if out := d.list(t, "message", "list", "--direction", "outbound", "--limit", "3"); len(out) != 3 || out[0]["direction"] != "outbound" {
		t.Errorf("listed %v", out)
	}
	if all := d.list(t, "message", "list", "--limit", "-1"); len(all) < 5 {
		t.Errorf("listed %d", len(all))
	}
	if shown := d.table(t, "message", "list"); !strings.HasPrefix(shown, "ID ") || !strings.Contains(shown, "+4915510000001") {
		t.Errorf("shown %s", shown)
	}
	parleyWith(t, nil, "message", "get", "msg_01ARZ3NDEKTSV4RRFFQ69G5FAV", "--url", d.url, "--key", d.key, "--from", demoNumber).refused(t, exitFailed, "check --from")
}

func (d demoSite) people(t *testing.T) {
	t.Helper()
	created := d.object(t, "contact", "create", "--phone", "+4915510000055", "--name", "Cora", "--email", "cora@acme.example")
	id := created["id"].(string)
	if got := d.object(t, "contact", "get", id); got["name"] != "Cora" || got["phone_number"] != "+4915510000055" {
		t.Errorf("got %v", got)
	}
	if found := d.list(t, "contact", "list", "--search", "cora"); len(found) != 1 || found[0]["id"] != id {
		t.Errorf("found %v", found)
	}
	for list, want := range map[string]string{"contact": "cora", "conversation": "+4915510000001", "template": "image"} {
		shown := d.table(t, list, "list")
		if !strings.Contains(strings.ToLower(shown), want) {
			t.Errorf("a %s is listed as %s", list, shown)
		}
		for line := range strings.Lines(shown) {
			if width := utf8.RuneCountInString(line); list != "template" && width > 120 { // the text of a template is the last column
				t.Errorf("the list of %ss is %d wide: %s", list, width, line)
			}
		}
	}
	open := d.list(t, "conversation", "list")
	if len(open) == 0 {
		t.Fatal("there is no conversation")
	}
	talk := open[0]["id"].(string)
	if closed := d.object(t, "conversation", "update", talk, "--status", "resolved"); closed["status"] != "resolved" {
		t.Errorf("got %v", closed)
	}
	if shown := d.table(t, "conversation", "get", talk); !strings.Contains(shown, "resolved") {
		t.Errorf("shown %s", shown)
	}
}

func (d demoSite) endpoints(t *testing.T) {
	t.Helper()
	hook := d.object(t, "webhook", "create", "https://acme.example/hooks", "--events", "message.received,contact.created", "--description", "Ours")
	id := hook["id"].(string)
	if !strings.HasPrefix(hook["initial_secret"].(string), "whsec_") || len(hook["events"].([]any)) != 2 {
		t.Errorf("made %v", hook)
	}
	if listed := d.list(t, "webhook", "list"); len(listed) != 1 || listed[0]["id"] != id {
		t.Errorf("listed %v", listed)
	}
	if paused := d.object(t, "webhook", "update", id, "--status", "paused", "--events", "contact.created"); paused["status"] != "paused" || len(paused["events"].([]any)) != 1 {
		t.Errorf("paused %v", paused)
	}
	moved := d.object(t, "webhook", "update", id, "--status", "active", "--endpoint", "https://acme.example/moved", "--events", "message.received,contact.created")
	if moved["status"] != "active" || moved["url"] != "https://acme.example/moved" || len(moved["events"].([]any)) != 2 {
		t.Errorf("moved %v", moved)
	}
	second := d.object(t, "webhook", "secrets", "create", id, "--expire-others-in", "2d")
	if !strings.HasPrefix(second["secret"].(string), "whsec_") {
		t.Errorf("made %v", second)
	}
	if secrets := d.list(t, "webhook", "secrets", "list", id); len(secrets) != 2 {
		t.Errorf("secrets %v", secrets)
	}
	if gone := d.object(t, "webhook", "secrets", "revoke", id, second["id"].(string)); gone["revoked"] != true {
		t.Errorf("got %v", gone)
	}
	sample := d.object(t, "webhook", "test", id, "--event", "contact.created")
	delivery := sample["id"].(string)
	if shown := d.table(t, "delivery", "list"); strings.Count(shown, "\n") != 2 || !strings.Contains(shown, delivery) || len(strings.Split(shown, "\n")[1]) > 110 {
		t.Errorf("listed as %s", shown)
	} else if at, err := time.Parse(time.RFC3339, sample["created_at"].(string)); err != nil || !strings.Contains(shown, chat.FormatTime(at)) {
		t.Errorf("the time is not what --after takes and other commands print: %s", shown)
	}
	if listed := d.list(t, "delivery", "list", "--subscription", id); len(listed) != 1 || listed[0]["id"] != delivery {
		t.Errorf("deliveries %v", listed)
	}
	if shown := d.table(t, "delivery", "show", delivery); !strings.Contains(shown, "contact.created") || !strings.Contains(shown, `payload`) ||
		!strings.Contains(shown, "response_body_snippet") || !strings.Contains(shown, "replayed_from") || !strings.Contains(shown, "replayed  ") {
		t.Errorf("shown %s", shown)
	}
	if none := d.object(t, "delivery", "replay", "--subscription", id); none["replayed"] != 0.0 {
		t.Errorf("replayed %v", none)
	}
	if gone := d.object(t, "webhook", "delete", id); gone["deleted"] != true {
		t.Errorf("got %v", gone)
	}
}

// broadcasts fills a template's header from the command line.
func (d demoSite) broadcasts(t *testing.T) {
	t.Helper()
	create := []string{"broadcast", "create", "--name", "News", "--template", "new_arrivals"}
	env := []string{"PARLEY_API_KEY=" + d.key, "PARLEY_API_URL=" + d.url, "PARLEY_FROM=" + demoNumber}
	parleyWith(t, env, create...).refused(t, exitFailed, "missing_required_field", "--header gives the file of its header")
	create = append(create, "--header", "https://acme.example/bird.jpg")
	made := d.object(t, create...)
	if made["status"] != "draft" || made["template"] != "new_arrivals" {
		t.Errorf("made %v", made)
	}
	before := len(d.list(t, "broadcast", "list"))
	create = append(create, "--csv", filepath.Join(t.TempDir(), "people.csv"))
	parleyWith(t, env, create...).refused(t, exitFailed, "people.csv")
	if after := len(d.list(t, "broadcast", "list")); after != before {
		t.Errorf("a table that is not there makes %d broadcasts of %d", after, before)
	}
	if err := os.WriteFile(create[len(create)-1], []byte("Phone;name\n+4915510000001;Ada\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := parleyWith(t, env, append(create, "--at", "2099-01-01T00:00:00Z")...); o.code != 0 {
		t.Errorf("with a table and a time it says %+v", o)
	}
	if made = d.list(t, "broadcast", "list")[0]; made["status"] != "scheduled" || made["total"] != 1.0 {
		t.Errorf("with a table and a time it is %v", made)
	}
	parleyWith(t, env, append(create, "--at", "2020-01-01T00:00:00Z")...).refused(t, exitUsage, "in the future")
}

// requests finds the failed request of messages in the API log, which is written in the background.
func (d demoSite) requests(t *testing.T) {
	t.Helper()
	org := d.rows(t, "org", "list")[0]["id"].(string)
	var failed []map[string]any
	for deadline := time.Now().Add(time.Minute); len(failed) == 0 && time.Now().Before(deadline); {
		failed = d.rows(t, "log", "--org", org, "--status", "404")
	}
	if len(failed) == 0 || failed[0]["code"] != "resource_not_found" || failed[0]["method"] != "GET" {
		t.Fatalf("the log has %v", failed)
	}
	one := d.fields(t, "log", failed[0]["request_id"].(string), "--org", org)
	if one["status"] != 404.0 || one["message"] == nil {
		t.Errorf("the request is %v", one)
	}
	d.run(t, "log", "req_1", "--org", org).refused(t, exitFailed, "no such request")
	if alone := d.fields(t, "log", failed[0]["request_id"].(string)); alone["status"] != 404.0 {
		t.Errorf("the request without its organization is %v", alone)
	}
	d.run(t, "log", "req_1").refused(t, exitFailed, "no such request")
	d.run(t, "log").refused(t, exitUsage, "--org", "req_")
}

func TestLogin(t *testing.T) {
	t.Parallel()
	d := newDemoSite(t)
	home := t.TempDir()
	environ := []string{"HOME=" + home}
	parleyWith(t, environ, "message", "list").refused(t, exitUsage, "missing flags: --from=ID, --key=KEY", "parley login", "PARLEY_API_KEY")
	o := parleyWith(t, environ, "login", "--url", d.url, "--key", d.key)
	if o.code != 0 || !strings.Contains(o.stdout, demoNumber) || strings.Contains(o.stdout, d.key) {
		t.Fatalf("got %+v", o)
	}
	kept := filepath.Join(home, ".config", "parley", "profile.json")
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the profile is %v, %v", info, err)
	}
	if o := parleyWith(t, environ, "message", "list"); o.code != 0 {
		t.Errorf("with the profile: %+v", o)
	}
	if o := parleyWith(t, environ, "account", "list"); o.code != 0 || !strings.Contains(o.stdout, demoNumber) || len(strings.Split(o.stdout, "\n")[0]) > 80 {
		t.Errorf("the numbers of the profile's key: %+v", o)
	}
	// In the README people export the key before they log in with it, and the number is known anyway.
	if o := parleyWith(t, append(environ, "PARLEY_API_KEY="+d.key), "message", "list"); o.code != 0 {
		t.Errorf("with the profile and the same key: %+v", o)
	}
	// A key is sent only to the service for which it was stored.
	parleyWith(t, append(environ, "PARLEY_API_URL=http://"+deadAddress(t)), "message", "list", "--from", "1").refused(t, exitUsage, "missing flags: --key=KEY")
	parleyWith(t, environ, "login", "--url", d.url, "--key", "svc_live_0123456789abcdefghijklmn").refused(t, exitFailed, "invalid_api_key")
	if o := parleyWith(t, environ, "logout"); o.code != 0 {
		t.Errorf("got %+v", o)
	}
	parleyWith(t, environ, "message", "list").refused(t, exitUsage, "--key=KEY")
	if err := os.WriteFile(kept, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	parleyWith(t, environ, "message", "list", "--from=1", "--key="+d.key).refused(t, exitUsage, "profile.json cannot be read", "parley login")
}

// The completion scripts offer the program's commands, as far as this machine's shells can tell.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		o := parley(t, "completion", shell)
		if o.code != 0 || !strings.Contains(o.stdout, "'simulate inbound'") || !strings.Contains(o.stdout, "--idempotency-key") {
			t.Errorf("%s: %+v", shell, o)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return
	}
	script := parley(t, "completion", "bash").stdout + `
COMP_WORDS=(parley webhook se); COMP_CWORD=2; _parley; echo "${COMPREPLY[@]}"
COMP_WORDS=(parley send --idem); COMP_CWORD=2; _parley; echo "${COMPREPLY[@]}"
COMP_WORDS=(parley mess); COMP_CWORD=1; _parley; echo "${COMPREPLY[@]}"`
	out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", script).CombinedOutput()
	if err != nil || string(out) != "secrets\n--idempotency-key\nmessage\n" {
		t.Errorf("bash completes %s, %v", out, err)
	}
}

// Without an address to forward to, listen shows events.
func TestListenShows(t *testing.T) {
	t.Parallel()
	d := newDemoSite(t)
	n := listen(t, d)
	n.stdout.wait(t, "Showing events until interrupted")
	d.writes(t, "--from", "+4915510000001", "--text", "Is it ready?\nI wait.")
	n.stdout.wait(t, `message.received +100200300400500  \+4915510000001  Is it ready\? I wait\.  msg_\w+\n`)
	if code := n.stop(); code != exitOK {
		t.Errorf("exit %d: %s", code, n.stderr)
	}
}

// listen starts parley listen inside the test's process.
func listen(t *testing.T, d demoSite, args ...string) node {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n := node{stdout: newPrinted(), stderr: newPrinted()}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"listen"}, args...), []string{"PARLEY_API_URL=" + d.url, "PARLEY_API_KEY=" + d.key}, n.stdout, n.stderr)
	}()
	n.stop = sync.OnceValue(func() int {
		cancel()
		return <-code
	})
	t.Cleanup(func() { n.stop() })
	return n
}
