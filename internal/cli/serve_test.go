package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/part"
)

// testKey is a master key.
var testKey = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))

// printed is an output on which a test can wait.
type printed struct {
	loggingtest.Book
	changed part.Bell
}

func newPrinted() *printed { return &printed{changed: part.NewBell()} }

func (p *printed) Write(b []byte) (int, error) {
	defer p.changed.Wake()
	return p.Book.Write(b)
}

// wait returns the groups of the first match of pattern.
func (p *printed) wait(t *testing.T, pattern string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		if match := regexp.MustCompile(pattern).FindStringSubmatch(p.String()); match != nil {
			return match
		}
		select {
		case <-p.changed:
		case <-ctx.Done():
			t.Fatalf("%s was not printed, only %q", pattern, p.String())
		}
	}
}

// node is a server inside the test's process.
type node struct {
	stdout, stderr *printed
	stop           func() int
}

func serve(t *testing.T, args ...string) node {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n := node{stdout: newPrinted(), stderr: newPrinted()}
	code := make(chan int, 1)
	args = append([]string{"serve", "--listen=127.0.0.1:0", "--ops-listen=127.0.0.1:0", "--log-format=json"}, args...)
	go func() { code <- run(ctx, args, nil, n.stdout, n.stderr) }()
	n.stop = sync.OnceValue(func() int {
		cancel()
		return <-code
	})
	t.Cleanup(func() { n.stop() })
	n.stderr.wait(t, `"msg":"serving"`)
	return n
}

// TestDemo shows the same organization at every start, and the printed address and key work.
func TestDemo(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		flags := append([]string{"--demo", "--demo-empty", "--secret-key", testKey}, s.flags...)
		first := demoOf(t, flags)
		if second := demoOf(t, flags); second.key != first.key || second.login != first.login {
			t.Errorf("got %v, then %v", first, second)
		}
		if orgs := s.rows(t, "org", "list"); len(orgs) != 1 || orgs[0]["name"] != "Demo" {
			t.Errorf("organizations %v", orgs)
		}
	})
}

type shownDemo struct{ dashboard, login, key string }

func demoOf(t *testing.T, flags []string) shownDemo {
	t.Helper()
	n := serve(t, flags...)
	found := n.stdout.wait(t, `(?s)Dashboard +(\S+)\n +Login +(.*?)\n +API key +(\S+)\n.* curl (\S+) -H "Authorization: Bearer (\S+)"`)
	d := shownDemo{dashboard: found[1], login: found[2], key: found[3]}
	if found[4] != d.dashboard+"/v1/100200300400500/messages" || found[5] != d.key {
		t.Errorf("the command is for %v", found[4:])
	}
	checkControls(t, n)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, found[4], nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+d.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("the printed request got %s", response.Status)
	}
	if code := n.stop(); code != exitOK {
		t.Errorf("exit %d: %s", code, n.stderr)
	}
	for _, secret := range []string{d.key, strings.Fields(d.login)[2]} {
		if strings.Contains(n.stderr.String(), secret) {
			t.Errorf("the log shows %s", secret)
		}
	}
	return d
}

// checkControls uses the printed address of the simulator's control API.
func checkControls(t *testing.T, n node) {
	t.Helper()
	response, err := http.Get(n.stdout.wait(t, `Provider .*?(http://\S+) lists`)[1])
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the controls: %s", response.Status)
	}
}

func TestServeRefusesTakenAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().String()
	for _, flags := range [][]string{{"--listen", taken, "--ops-listen", "127.0.0.1:0"}, {"--listen", "127.0.0.1:0", "--ops-listen", taken}} {
		args := append([]string{"serve", "--log-level", "error", "--data", filepath.Join(t.TempDir(), "data")}, flags...)
		flag := flags[0]
		if flags[1] != taken {
			flag = flags[2]
		}
		parley(t, args...).refused(t, exitFailed, "cannot listen on "+taken, "address already in use", "choose another address with "+flag)
	}
}

func TestServeRefusesSecondServerOnAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, "--data", dir)
	parley(t, "serve", "--listen=127.0.0.1:0", "--ops-listen=127.0.0.1:0", "--data", dir).
		refused(t, exitFailed, "another server runs on the data folder "+dir, "--data")
	parley(t, "rekey", "--data", dir).refused(t, exitFailed, "a server runs on the data folder "+dir+": stop it first")
}

func execute(t *testing.T, database string, statements ...string) {
	t.Helper()
	ctx := context.Background() // also used when the test is over
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

func asUser(t *testing.T, database, name string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(name)
	return u.String()
}
