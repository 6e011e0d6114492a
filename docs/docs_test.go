package docs

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

const description = `{"info":{"description":"Send ` + "`now`" + `."},"tags":[{"name":"Messages","description":"Sending."},{"name":"None","description":""}],
	"paths":{"/{phone_number_id}/messages":{"post":{"operationId":"sendMessage","summary":"Send a message","description":"It sends.","tags":["Messages"],
	"parameters":[{"name":"phone_number_id","in":"path","required":true,"description":"The number.","schema":{"type":"string","pattern":"^[0-9]+$"}}],
	"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SendBody"}}}},
	"responses":{"200":{"description":"Success.","content":{"application/json":{"schema":{"type":"object","required":["id","at"],"properties":{"id":{"type":"string","pattern":"^msg_[0-9A-Z]{26}$"},"at":{"type":["string","null"],"format":"date-time"}}}}}},
	"400":{"$ref":"#/components/responses/Bad","description":"` + "`invalid_json`" + `"}}}}},
	"components":{"schemas":{"SendBody":{"type":"object","required":["type"],"properties":{"type":{"type":"string","enum":["text","image"],"description":"Its <kind>."},"to":{"type":"string"}}}},
	"responses":{"Bad":{"description":"Bad Request."}}}}`

// get asks the handler for a path.
func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("%s: the policy is %q", path, csp)
	}
	return w.Code, w.Body.String()
}

func TestMain(m *testing.M) {
	Repository = embedded()
	m.Run()
}

// embedded has the files that the program embeds beside this folder.
func embedded() fs.FS {
	program, err := os.ReadFile("../main.go")
	if err != nil {
		panic(err)
	}
	all, names := fstest.MapFS{}, regexp.MustCompile(`(?m)^//go:embed (.*)$`).FindSubmatch(program)
	for name := range strings.FieldsSeq(string(names[1])) {
		err := filepath.WalkDir(filepath.Join("..", name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			all[strings.TrimPrefix(filepath.ToSlash(path), "../")] = &fstest.MapFile{Data: text}
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	return all
}

// No page leads to a file of the repository on the network.
func TestNoNetworkIsNeeded(t *testing.T) {
	t.Parallel()
	h := newTestHandler()
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "files/README.md", "files/examples/README.md") {
		if status, body := get(t, h, "/docs/"+strings.TrimSuffix(name, ".md")); status != http.StatusOK || strings.Contains(body, network) {
			t.Errorf("%s: %d, or a link leads to %s", name, status, network)
		}
	}
	if status, body := get(t, h, "/docs/files/deploy/nginx.conf?raw"); status != http.StatusOK || !strings.HasPrefix(body, "# For /etc/nginx") {
		t.Errorf("the file is %d %s", status, body)
	}
}

func newTestHandler() http.Handler { return Handler(func() []byte { return []byte(description) }) }

var localLink = regexp.MustCompile(`(?:href|src)="(/docs[^"]*)"`)

// Every page is shown, and every link between pages leads to a page, and to a place in it.
func TestEveryPageAndLink(t *testing.T) {
	t.Parallel()
	h := newTestHandler()
	names, err := fs.Glob(files, "*.md")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	seen := map[string]string{}
	queue := []string{"/docs", "/docs/api", "/docs/decisions"}
	for _, name := range names {
		queue = append(queue, "/docs/"+strings.TrimSuffix(name, ".md"))
	}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if _, done := seen[path]; done {
			continue
		}
		status, body := get(t, h, path)
		if seen[path] = body; status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
			continue
		}
		if strings.HasPrefix(path, "/docs/decisions/") || strings.HasPrefix(path, "/docs/pictures/") || path == "/docs/style.css" {
			continue // their links are checked where people read them
		}
		for _, link := range localLink.FindAllStringSubmatch(body, -1) {
			page, _, _ := strings.Cut(link[1], "#")
			queue = append(queue, page)
		}
	}
	for path, body := range seen {
		for _, link := range localLink.FindAllStringSubmatch(body, -1) {
			page, anchor, found := strings.Cut(link[1], "#")
			if found && anchor != "" && seen[page] != "" && !strings.Contains(seen[page], `id="`+anchor+`"`) {
				t.Errorf("%s links to %s, which has no such place", path, link[1])
			}
		}
	}
}

func TestReference(t *testing.T) {
	t.Parallel()
	status, body := get(t, newTestHandler(), "/docs/api")
	for _, want := range []string{
		"Send <code>now</code>.", `<h3 id="sendMessage">Send a message</h3>`, "/v1/{phone_number_id}/messages", "<code>phone_number_id</code> *",
		"http://localhost:8080/v1/100200300400500/messages", "&#34;to&#34;: &#34;+12025550100&#34;", "Its &lt;kind&gt;. One of <code>text</code>, <code>image</code>.",
		"&#34;id&#34;: &#34;msg_01M7H5K9QGF8MMPFW6812SEYV1&#34;", "<code>invalid_json</code>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the reference lacks %q", want)
		}
	}
	if status != http.StatusOK || strings.Contains(body, ">None<") {
		t.Errorf("%d: a tag without operations is shown", status)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	h := newTestHandler()
	for asked, want := range map[string]string{
		"outside_24h_window": "/docs/errors#outside_24h_window", "quick start": "<li><a href=\"/docs/start#", "dead letter": "/docs/webhooks#", "settings": "/docs/files/README#settings", "Caddy proxy": "/docs/operating#", "send a message": "/docs/api#sendMessage", "": "Write a word",
		"xyzzy-nowhere": "0 found", "<script>": "0 found for “&lt;script&gt;”",
	} {
		status, body := get(t, h, "/docs/search?q="+strings.ReplaceAll(asked, " ", "+"))
		if status != http.StatusOK || !strings.Contains(body, want) || strings.Contains(body, "<script") {
			t.Errorf("%q: %d, without %q", asked, status, want)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	h := newTestHandler()
	for _, path := range []string{"/docs/nowhere", "/docs/../docs.go", "/docs/docs.go", "/docs/pictures/nowhere.png", "/docs/files/nowhere", "/docs/files/nowhere?raw", "/docs/files/../main.go"} {
		if status, _ := get(t, h, path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/docs", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}

// Whoever asks with a thousand words is answered for the first of them.
func TestLongQuestions(t *testing.T) {
	t.Parallel()
	status, body := get(t, newTestHandler(), "/docs/search?q=caddy"+strings.Repeat("+caddy", 5000)+"+xyzzy-nowhere")
	if status != http.StatusOK || !strings.Contains(body, "/docs/operating#") || len(body) > 100_000 {
		t.Errorf("%d, %d bytes", status, len(body))
	}
}

// The threat model names tests. Each of them must exist, and so must each folder.
func TestThreatModelNamesRealTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist" || strings.HasPrefix(d.Name(), ".git")) {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			there[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 40 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, name := range named {
		if !there[name[1]] {
			t.Errorf("there is no test %s", name[1])
		}
	}
	for _, place := range regexp.MustCompile("`(internal/[a-z/.]+)`").FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join("..", place[1])); err != nil {
			t.Error(err)
		}
	}
}

// Lines of the log that going-live.md tells people to look for. Each must be one that the program writes.
var namedLogLines = []string{
	"the callbacks of a connected number are on, and its templates are read", "will be tried again", "a connected number could not be completed",
	"callbacks are refused: their signature is not made with --provider-app-secret",
}

func TestGoingLiveNamesLogLinesThatExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("going-live.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, folder := range []string{"onboard", "inbound"} {
		names, err := filepath.Glob(filepath.Join("..", "internal", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				sources.Write(text)
			}
		}
	}
	words := strings.Join(strings.Fields(string(page)), " ")
	for _, line := range namedLogLines {
		if !strings.Contains(words, "`"+line+"`") || !strings.Contains(sources.String(), `"`+line+`"`) {
			t.Errorf("%q is not on the page, or not in the program", line)
		}
	}
}
