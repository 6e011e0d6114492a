package e2e

import (
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var jsonBlock = regexp.MustCompile("(?s)\n```json\n(.*?)```")

// TestDocumentedCommandsWork follows README.md and every page as a reader would, each with its own demo, and compares
// the output with the one on the page.
func TestDocumentedCommandsWork(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	demo := seededDemo(t)
	for _, path := range append(pages, "../README.md", "../examples/README.md") {
		t.Run(strings.TrimPrefix(path, "../"), func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile(path)
			must(t, err)
			run, unrun := snippets(t, string(page))
			for _, s := range unrun {
				if out, err := exec.CommandContext(t.Context(), "bash", "-n", "-c", s.commands[0]).CombinedOutput(); err != nil {
					t.Errorf("line %d: %v: %s", s.line, err, out)
				}
			}
			if len(run) == 0 {
				return
			}
			folder := filepath.Join(t.TempDir(), "data")
			must(t, os.CopyFS(folder, os.DirFS(demo)))
			r := newReader(t, Start(t, OnFolder(folder), WithFlags("--demo")))
			for _, s := range run {
				r.follow(s)
			}
		})
	}
}

var (
	envBlock = regexp.MustCompile("(?sm)^ *```env\n(.*?)^ *```$")
	// envLine is a line that systemd, compose and a shell read alike.
	envLine = regexp.MustCompile(`^[A-Z][A-Z0-9_]*=[^\s'"\\$#` + "`" + `]+$`)
)

// Files of settings are for systemd and compose, which run no shell: systemd leaves out a line with more than a name and a
// value, and the server would start without it.
func TestDocumentedSettingsFilesAreRead(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	must(t, err)
	var env []string
	for _, path := range pages {
		page, err := os.ReadFile(path)
		must(t, err)
		for _, block := range envBlock.FindAllStringSubmatch(string(page), -1) {
			for line := range strings.Lines(block[1]) {
				if line = strings.TrimSpace(line); !envLine.MatchString(line) {
					t.Errorf("%s: %q is not a name and a value", path, line)
				}
				env = append(env, line)
			}
		}
	}
	settings := runProgram(t, env, "config")
	for _, line := range env {
		if name, _, _ := strings.Cut(line, "="); settings.Code != 0 || !strings.Contains(settings.Stdout, " "+name+" ") {
			t.Errorf("%s is not taken: %+v", name, settings)
		}
	}
	if len(env) < 6 {
		t.Errorf("only %d settings were found", len(env))
	}
}

// seededDemo is the folder of a demo with its week of conversations, as make run creates it. Tests copy it.
func seededDemo(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "data")
	srv := Start(t, OnFolder(folder), WithFlags("--demo"))
	demoKey(t, srv)
	srv.Stop()
	return folder
}

// TestDocumentedMessagesCanBeSent sends every body of docs/messages.md.
func TestDocumentedMessagesCanBeSent(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	page, err := os.ReadFile(filepath.Join("..", "docs", "messages.md"))
	must(t, err)
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

// The reference's requests that need nothing but the demo, and the statuses of their answers.
var referenceRequests = map[string]int{
	"sendMessage": http.StatusOK, "createLabel": http.StatusCreated, "createTemplate": http.StatusCreated, "createBroadcast": http.StatusCreated,
	"createCustomer": http.StatusCreated, "createWebhookSubscription": http.StatusCreated, "createContact": http.StatusCreated,
}

var referenceRequest = regexp.MustCompile(`(?s)<h3 id="(\w+)">.*?<pre><code>curl http://localhost:8080(/[^ ]*).*? -d &#39;(.*?)&#39;</code>`)

// TestReferenceExamplesWork sends examples of the API reference as a reader would copy them.
func TestReferenceExamplesWork(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	response, err := http.Get(srv.URL() + "/docs/api")
	must(t, err)
	page, err := io.ReadAll(response.Body)
	response.Body.Close()
	must(t, err)
	sent := 0
	for section := range strings.SplitSeq(string(page), "</section>") {
		example := referenceRequest.FindStringSubmatch(section)
		if example == nil || referenceRequests[example[1]] == 0 {
			continue
		}
		sent++
		body := html.UnescapeString(example[3])
		if r := srv.Post(demoKey(t, srv), example[2], body); r.Status != referenceRequests[example[1]] {
			t.Errorf("%s: %s\nis answered with %d %s", example[1], body, r.Status, r.Body)
		} else if example[1] == "createBroadcast" && !strings.Contains(string(r.Body), `"skipped":0`) {
			t.Errorf("the example of a broadcast leaves people out: %s", r.Body)
		}
	}
	if sent != len(referenceRequests) {
		t.Errorf("%d examples were found, of %d", sent, len(referenceRequests))
	}
}

// TestDocumentationIsServed: the program contains the pages, even if it has no dashboard.
func TestDocumentationIsServed(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--role", "api,worker"))
	for path, want := range map[string]string{
		"/docs": "My message failed: why?", "/docs/api": `id="sendMessage"`, "/docs/search?q=outside_24h_window": "/docs/errors#outside_24h_window",
		"/docs/files/deploy/Caddyfile": "header_up -Forwarded", "/docs/files/README": `id="settings"`, "/docs/files/examples/README": "/docs/files/examples/echo-go",
	} {
		response, err := http.Get(srv.URL() + path)
		must(t, err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v, without %q", path, response.Status, err, want)
		}
	}
}
