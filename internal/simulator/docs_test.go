package simulator

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/simulator/templates"
)

const docsPath = "../../docs/simulator.md"

func readDocs(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(docsPath)
	must(t, err)
	return string(b)
}

var (
	shellBlock  = regexp.MustCompile("(?s)```sh\n(.*?)```")
	curlCommand = regexp.MustCompile(`(?s)curl(?: -X (\w+))? \$SIM(/\S+)(?: -H '[^']*')*(?: -d '(.*?)')?\n`)
)

// Every curl example of the documentation works as written.
func TestDocumentedExamplesWork(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	n := 0
	for _, block := range shellBlock.FindAllStringSubmatch(readDocs(t), -1) {
		// '$NUM' ends the shell's quotes and starts them again.
		text := strings.NewReplacer("'$NUM'", testNumber, "$NUM", testNumber).Replace(block[1])
		for _, m := range curlCommand.FindAllStringSubmatch(text, -1) {
			method, body := m[1], any(nil)
			if m[3] != "" {
				body = m[3]
			}
			if method == "" {
				method = http.MethodGet
				if body != nil {
					method = http.MethodPost
				}
			}
			if got := r.do(method, m[2], body); got.status != http.StatusOK {
				t.Errorf("%s %s %v: %d %s", method, m[2], body, got.status, got.raw)
			}
			n++
		}
	}
	if n < 15 {
		t.Errorf("only %d examples were found", n)
	}
}

func TestDocumentationIsComplete(t *testing.T) {
	t.Parallel()
	docs := readDocs(t)
	for control := range New(Config{}).controls() {
		_, path, _ := strings.Cut(control, " ")
		path, _, _ = strings.Cut(path, "/")
		if !strings.Contains(docs, "/_sim/"+path) {
			t.Errorf("the control %s is not documented", control)
		}
	}
	for _, rule := range templates.ReviewRules {
		if !strings.Contains(docs, "`"+rule.Word+"`") {
			t.Errorf("the review rule %s is not documented", rule.Word)
		}
	}
	for _, tpl := range templates.Builtins {
		if !strings.Contains(docs, "`"+tpl.Name+"`") {
			t.Errorf("the template %s is not documented", tpl.Name)
		}
	}
}
