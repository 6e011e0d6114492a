package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/logging/loggingtest"
)

// exampleNumber is the demo's number.
const exampleNumber = "100200300400500"

// example is a program in examples/, and the command that starts it. The command is empty if this machine cannot run
// it.
type example struct {
	name    string
	command []string
	echoes  bool
}

func examples(t *testing.T) []example {
	t.Helper()
	root := filepath.Join("..", "examples")
	bot := filepath.Join(t.TempDir(), "echo-go")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bot, "github.com/parleyhq/parley/examples/echo-go").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	list := []example{{"Go", []string{bot}, true}}
	if python, err := exec.LookPath("python3"); err == nil {
		list = append(list, example{"Python", []string{python, filepath.Join(root, "echo-python", "echo.py")}, true})
	}
	if command := typescript(t, filepath.Join(root, "receiver-typescript", "receiver.ts")); command != nil {
		list = append(list, example{"TypeScript", command, false})
	}
	return list
}

// typescript is the command that runs a TypeScript file: directly if Node can, otherwise through the dashboard's
// compiler. It is empty if neither is available.
func typescript(t *testing.T, file string) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		return nil
	}
	if exec.CommandContext(t.Context(), node, "--check", file).Run() == nil && exec.CommandContext(t.Context(), node, "-e", "process.exit(process.features.typescript ? 0 : 1)").Run() == nil {
		return []string{node, file}
	}
	compiler := filepath.Join("..", "web", "node_modules", ".bin", "tsc")
	if _, err := os.Stat(compiler); err != nil {
		return nil
	}
	out := t.TempDir()
	compile := exec.CommandContext(t.Context(), compiler, "--noCheck", "--target", "es2022", "--module", "es2022", "--outDir", out, file)
	if text, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("tsc: %v\n%s", err, text)
	}
	script := filepath.Join(out, "receiver.mjs")
	must(t, os.Rename(filepath.Join(out, "receiver.js"), script))
	return []string{node, script}
}

// TestExamples runs every example against the demo, with a person who has a phone number and one known only by user id.
func TestExamples(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty", "--allow-network=127.0.0.0/8"))
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) { e.run(t, srv.with(t)) }) // one at a time, because all would answer
	}
}

func (e example) run(t *testing.T, srv *Server) {
	key := demoKey(t, srv)
	printed, at := e.listen(t, srv, key)
	for strings.Contains(printed.String(), "already in use") { // somebody else was given the port in the meantime
		printed, at = e.listen(t, srv, key)
	}
	if !strings.Contains(printed.String(), "listening on") {
		t.Fatalf("it does not listen: %s", printed)
	}
	for i, from := range []any{"+4915510000001", map[string]any{"user_id": "DE.7x", "name": "Nobody"}} {
		said := fmt.Sprintf("%s %d, is it ready?", e.name, i)
		srv.Sim().do(http.MethodPost, "inbound", map[string]any{"phone_number_id": exampleNumber, "from": from, "text": said})
		if !e.echoes {
			if !eventually(func() bool { return strings.Contains(printed.String(), said) }) {
				t.Errorf("it prints %s", printed)
			}
			continue
		}
		if !eventually(func() bool {
			return strings.Contains(srv.Get(key, "/v1/"+exampleNumber+"/messages?direction=outbound").Body, said)
		}) {
			t.Errorf("%v has no answer; the bot prints %s", from, printed)
		}
	}
	refused, err := http.Post("http://"+at+"/webhooks", "application/json", strings.NewReader(`{}`))
	must(t, err)
	refused.Body.Close()
	if refused.StatusCode != http.StatusBadRequest {
		t.Errorf("what nobody signed is answered with %s", refused.Status)
	}
}

// listen starts the example as an endpoint of the demo's organization, and returns what it prints and its address.
func (e example) listen(t *testing.T, srv *Server, key string) (printed *loggingtest.Book, at string) {
	t.Helper()
	at = freeAddress(t)
	hook := srv.Post(key, "/v1/webhook_subscriptions", fmt.Sprintf(`{"url":"http://%s/webhooks","events":["message.received"]}`, at))
	expect(t, hook, http.StatusCreated, "")
	t.Cleanup(func() {
		srv.Try(Call{Method: http.MethodDelete, Path: "/v1/webhook_subscriptions/" + hook.ID(), Key: key})
	})
	printed = start(t, e.command, "PARLEY_API_URL="+srv.URL(), "PARLEY_API_KEY="+key, "LISTEN="+at,
		"WEBHOOK_SECRET="+parseObject(t, []byte(hook.Body)).str("data", "initial_secret"))
	eventually(func() bool {
		return strings.Contains(printed.String(), "listening on") || strings.Contains(printed.String(), "already in use")
	})
	return printed, at
}

// start runs a program until the test ends, and returns its output.
func start(t *testing.T, command []string, env ...string) *loggingtest.Book {
	t.Helper()
	printed := &loggingtest.Book{}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = printed, printed, dieWithParent()
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()         // it was killed
	})
	return printed
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}
