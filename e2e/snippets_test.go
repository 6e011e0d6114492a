package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
)

// snippet is a block of commands in a page, and the output that the page shows for them.
type snippet struct {
	line     int
	commands []string
	shown    string // empty if the page shows no output
}

var fence = regexp.MustCompile("^```([a-z]*)$")

// snippets finds the blocks of a page. ```sh is run, and an ```output below it is compared with its output. ```console
// holds commands that a test cannot run, because they need root, a container engine, or minutes.
func snippets(t *testing.T, page string) (run, unrun []snippet) {
	t.Helper()
	var block *snippet
	language, text := "", []string{}
	for n, line := range strings.Split(page, "\n") {
		mark := fence.FindStringSubmatch(line)
		switch {
		case mark == nil && block == nil && regexp.MustCompile(`^ {4}(parley|curl|make|docker|export|systemctl) `).MatchString(line):
			t.Errorf("line %d: a command stands outside of a ```sh block, where nothing tries it", n+1)
		case mark == nil:
			text = append(text, line)
		case block == nil:
			block, language, text = &snippet{line: n + 2}, mark[1], nil
		default:
			switch joined := strings.Join(text, "\n") + "\n"; language {
			case "sh":
				block.commands = splitCommands(text)
				run = append(run, *block)
			case "console":
				block.commands = []string{joined}
				unrun = append(unrun, *block)
			case "output":
				if len(run) == 0 {
					t.Fatalf("line %d: output of nothing", block.line)
				}
				run[len(run)-1].shown = joined
			}
			block = nil
		}
	}
	return run, unrun
}

// splitCommands joins lines that are one command: after a backslash, and inside of single quotes.
func splitCommands(lines []string) []string {
	var commands []string
	open := ""
	for _, line := range lines {
		open += line
		if strings.HasSuffix(line, `\`) || strings.Count(open, "'")%2 == 1 {
			open += "\n"
			continue
		}
		if strings.TrimSpace(open) != "" {
			commands = append(commands, open)
		}
		open = ""
	}
	return commands
}

// reader follows a page with a shell, as a person would: one command after the other, taking ids from the output
// before.
type reader struct {
	t     *testing.T
	dir   string
	in    io.WriteCloser
	out   *bufio.Reader
	swaps []string          // pairs: the text on the page, and its replacement here
	ids   map[string]string // the last id seen of each kind, by its prefix
}

// theEnd marks the end of a command's output, and is followed by its exit status.
const theEnd = "\x01the end "

// preamble prepares the shell for a test. A command that would start a server shows its settings instead, which finds a
// flag that does not exist. The user of the test takes the place of another. Secrets that a person would paste are given. A command that runs until it is interrupted runs in the background.
const preamble = `set -o pipefail
exec 2>&1
sudo() { shift 2; "$@"; }
curl() { command curl -sS --fail-with-body "$@"; }
parley() {
	case "$1 ${2-}" in
	"serve "*) shift; command parley config "$@" >/dev/null ;;
	"simulate --"*) shift; command parley simulate --help >/dev/null ;;
	"account connect"|"user create") command parley "$@" <<<'correct horse battery' ;;
	"listen "*|"events tail") command parley "$@" >>"$DIR/behind" 2>&1 & PIDS="${PIDS-} $!"
		[ "$1" != listen ] || until grep -q "until interrupted" "$DIR/behind"; do read -rt 0.05 <> <(:) || :; done ;;
	*) command parley "$@" ;;
	esac
}
trap '[ -z "${PIDS-}" ] || { kill $PIDS; wait $PIDS; }' EXIT
`

func newReader(t *testing.T, srv *Server) *reader {
	dir := t.TempDir()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	for _, folder := range []string{"bin", "home", "backups", "backups/parley", "safe"} {
		must(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	must(t, os.Symlink(program, filepath.Join(dir, "bin", "parley")))
	must(t, os.WriteFile(filepath.Join(dir, "photo.jpg"), []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00"), 0o600))
	data := srv.store[1]
	if key, err := os.ReadFile(filepath.Join(data, "secret.key")); err == nil {
		must(t, os.WriteFile(filepath.Join(dir, "safe", "secret.key"), key, 0o600))
	}
	key := demoKey(t, srv)
	host := strings.TrimPrefix(srv.URL(), "http://")
	_, port, _ := strings.Cut(host, ":")
	r := &reader{t: t, dir: dir, ids: map[string]string{"svc_live": key}, swaps: []string{
		"http://localhost:8080", srv.URL(), "localhost:8080", host, "localhost:8080", "localhost:" + port,
		"localhost:9464", strings.TrimPrefix(srv.Ops(), "http://"), "localhost:3000", strings.TrimPrefix(receiver.URL, "http://"),
		"/var/lib/parley-new", filepath.Join(dir, "restored"), "/var/lib/parley", data,
		"/var/backups", filepath.Join(dir, "backups"), "/safe/place", filepath.Join(dir, "safe"),
		"bin/parley", "parley", // so that the function above is called
	}}
	shell := exec.Command("bash", "--noprofile", "--norc") // killed with the test's context, it would leave its commands behind
	shell.Dir = dir
	shell.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "HOME="+filepath.Join(dir, "home"), "XDG_CONFIG_HOME=", "DIR="+dir,
		"PARLEY_API_URL="+srv.URL(), "PARLEY_API_KEY="+key, "PARLEY_SIMULATOR_URL="+srv.Ops()+"/simulator", "PARLEY_DATA="+data)
	in, err := shell.StdinPipe()
	must(t, err)
	out, err := shell.StdoutPipe()
	must(t, err)
	must(t, shell.Start())
	t.Cleanup(func() { in.Close(); _ = shell.Wait() }) // its status is that of the last command, which was already checked
	r.in, r.out = in, bufio.NewReader(out)
	r.run(preamble)
	r.learn(srv.CLI("org", "list").Stdout + srv.CLI("user", "list").Stdout)
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var (
	anyID       = regexp.MustCompile(`\b([a-z]{2,4}|svc_live|team)_[0-9A-Za-z]{20,}\b`)
	placeholder = regexp.MustCompile(`\b([a-z]{2,4}|svc_live|team)_…`)
)

// learn remembers the ids that a person would copy from the screen.
func (r *reader) learn(printed string) {
	for _, id := range anyID.FindAllStringSubmatch(printed, -1) {
		r.ids[id[1]] = id[0]
	}
}

// meant is a command with values in the places that the page leaves open.
func (r *reader) meant(command string) string {
	command = placeholder.ReplaceAllStringFunc(command, func(place string) string {
		id := r.ids[strings.TrimSuffix(place, "_…")]
		if id == "" {
			r.t.Errorf("nothing that the page printed before is a %s, in: %s", place, command)
		}
		return id
	})
	command = strings.ReplaceAll(command, "--password …", "--password 'correct horse battery'")
	return strings.NewReplacer(r.swaps...).Replace(command)
}

// run makes the shell run a command, and returns its output and its exit status.
func (r *reader) run(command string) (string, string) {
	if _, err := fmt.Fprintf(r.in, "%s\nprintf '\\n%s%%d\\n' $?\n", command, theEnd); err != nil {
		r.t.Fatal(err)
	}
	var printed strings.Builder
	for {
		line, err := r.out.ReadString('\n')
		if err != nil {
			r.t.Fatalf("%s\nended the shell: %v\n%s", command, err, &printed)
		}
		if status, found := strings.CutPrefix(line, theEnd); found {
			r.learn(printed.String())
			return strings.TrimSuffix(printed.String(), "\n"), strings.TrimSpace(status)
		}
		printed.WriteString(line)
	}
}

// follow runs a snippet and compares its output. The data that the last command reads may still be on its way, and a
// command in the background prints in its own time.
func (r *reader) follow(s snippet) {
	printed := ""
	for i, command := range s.commands {
		if strings.Contains(command, "postgres://… ") || strings.HasSuffix(command, "postgres://…") {
			if os.Getenv("PARLEY_TEST_DATABASE_URL") == "none" {
				continue
			}
			r.needDatabase()
		}
		text, status := r.run(r.meant(command))
		if status != "0" {
			r.t.Errorf("line %d: %s\nended with status %s: %s", s.line, command, status, text)
			return
		}
		if i == len(s.commands)-1 && s.shown != "" && reads.MatchString(command) {
			r.await(s, printed, command, text)
			return
		}
		printed += text
	}
	if s.shown != "" {
		r.await(s, printed, "", "")
	}
}

// needDatabase creates the PostgreSQL database that the page mentions.
func (r *reader) needDatabase() {
	if slices.Contains(r.swaps, "postgres://…") {
		return
	}
	url := pgtest.NewDatabase(r.t)
	if result := runProgram(r.t, nil, "migrate", "--data", filepath.Join(r.dir, "safe"), "--database-url", url); result.Code != 0 {
		r.t.Fatal(result.Stderr)
	}
	r.swaps = append([]string{"postgres://…", url}, r.swaps...)
}

var reads = regexp.MustCompile(`^(bin/)?parley ([a-z]+ )?(list|get|show|report|preview|held)\b|^curl [^-]*(-H "[^"]*" *)?$`)

func (r *reader) await(s snippet, before, last, text string) {
	got := ""
	if !within(patience/4, func() bool {
		behind, _ := os.ReadFile(filepath.Join(r.dir, "behind")) // missing until something runs there
		got = r.asShown(before + text + string(behind))
		if outputMatches(s.shown, got) {
			return true
		}
		if last != "" {
			text, _ = r.run(r.meant(last))
		}
		return false
	}) {
		r.t.Errorf("line %d: the page shows\n%s\nand it is\n%s", s.line, s.shown, got)
	}
}

// asShown is the output with the names that the page uses.
func (r *reader) asShown(printed string) string {
	for i := 0; i < len(r.swaps)-2; i += 2 {
		printed = strings.ReplaceAll(printed, r.swaps[i+1], r.swaps[i])
	}
	return printed
}
