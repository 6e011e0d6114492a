package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	shellBlock = regexp.MustCompile("(?s)\n```sh\n(.*?)```")
	jsonBlock  = regexp.MustCompile("(?s)\n```json\n(.*?)```")
	// keyLine is where a reader puts the key that the demo printed.
	keyLine = regexp.MustCompile(`(?m)^export PARLEY_API_KEY=.*$`)
)

// TestDocumentedCommandsWork runs what README.md and the pages show, in their order, as a reader would.
func TestDocumentedCommandsWork(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	for _, name := range []string{"README.md", "docs/messages.md", "docs/webhooks.md"} {
		t.Run(name, func(t *testing.T) { runPage(t, srv.with(t), name) })
	}
}

func runPage(t *testing.T, srv *Server, name string) {
	page, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	dir, blocks := t.TempDir(), shellBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) == 0 {
		t.Fatal("no commands were found")
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "bin", "parley")); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		text := strings.NewReplacer("http://localhost:8080", srv.URL(), "localhost:8080", srv.URL()).Replace(keyLine.ReplaceAllString(block[1], ""))
		run := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", text)
		run.Dir = dir
		run.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "PARLEY_API_URL="+srv.URL(),
			"PARLEY_API_KEY="+demoKey(t, srv), "PARLEY_SIMULATOR_URL="+srv.Ops()+"/simulator")
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s\n%v: %s", block[1], err, out)
		}
	}
}

// TestDocumentedMessagesCanBeSent sends every body of docs/messages.md.
func TestDocumentedMessagesCanBeSent(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	page, err := os.ReadFile(filepath.Join("..", "docs", "messages.md"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := jsonBlock.FindAllStringSubmatch(string(page), -1)
	if len(bodies) < 10 {
		t.Fatalf("only %d bodies were found", len(bodies))
	}
	for _, body := range bodies {
		if r := srv.Post(demoKey(t, srv), "/v1/"+exampleNumber+"/messages", body[1]); r.Status != http.StatusOK {
			t.Errorf("%s\nis answered with %d %s", body[1], r.Status, r.Body)
		}
	}
}

// TestDocumentationIsServed: the pages are in the program, also where it has no dashboard.
func TestDocumentationIsServed(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--role", "api,worker"))
	for path, want := range map[string]string{
		"/docs": "My message failed: why?", "/docs/api": `id="sendMessage"`, "/docs/search?q=outside_24h_window": "/docs/errors#",
	} {
		response, err := http.Get(srv.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v, without %q", path, response.Status, err, want)
		}
	}
}
