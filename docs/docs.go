// Package docs has the pages of this folder and serves them as part of the program: rendered, searchable, with
// a reference made of the API's own description, and without any network.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// base is the path below which the pages are.
const base = "/docs"

//go:embed *.md decisions/*.md pictures
var files embed.FS

//go:embed page.html style.css
var dress embed.FS

// page is one page, ready to be shown.
type page struct {
	Path     string // below base, with a slash; empty for the first
	Title    string
	Body     template.HTML
	Sections []section
	rows     []section // rows of tables that begin with a code
}

// section is a part of a page that a search can find.
type section struct {
	Title  string
	Anchor string
	Text   string // without marks
}

// order is that of the pages in the list beside them, by what a reader does first. Pages that are not in it
// come behind, by name.
var order = []string{
	"start", "messages", "errors", "events", "webhooks", "client", "templates", "broadcasts", "platform", "dashboard", "simulator",
	"going-live", "operating", "backup", "threat-model", "messaging", "architecture", "licences",
}

// handler serves the pages.
type handler struct {
	describe func() []byte // the OpenAPI document
	layout   *template.Template
	style    []byte

	once    sync.Once
	pages   map[string]*page
	list    []*page // for the list, in order
	failure error
}

// Handler serves the pages below base. describe is asked for the API's description, once, when the first
// page is wanted: nothing is rendered at the start of a server.
func Handler(describe func() []byte) http.Handler {
	style, err := dress.ReadFile("style.css")
	if err != nil {
		panic(err) // it is part of the program
	}
	return &handler{describe: describe, layout: template.Must(template.ParseFS(dress, "page.html")), style: style}
}

// Owns tells whether a path is one of these pages'.
func Owns(path string) bool { return path == base || strings.HasPrefix(path, base+"/") }

// ServeHTTP serves a page, a picture, or what a search finds.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	head := w.Header()
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, base), "/")
	switch {
	case name == "/style.css":
		head.Set("Content-Type", "text/css; charset=utf-8")
		head.Set("Cache-Control", "max-age=300")
		w.Write(h.style)
	case strings.HasPrefix(name, "/pictures/"):
		head.Set("Cache-Control", "max-age=300")
		http.ServeFileFS(w, r, files, strings.TrimPrefix(name, "/"))
	case strings.HasPrefix(name, filesPath) && r.URL.Query().Has("raw"):
		serveRaw(w, name)
	default:
		h.servePage(w, r, name)
	}
}

func (h *handler) servePage(w http.ResponseWriter, r *http.Request, name string) {
	h.once.Do(func() { h.failure = h.build() })
	if h.failure != nil {
		http.Error(w, "The pages cannot be shown: "+h.failure.Error(), http.StatusInternalServerError)
		return
	}
	status, shown, asked := http.StatusOK, h.pages[strings.TrimSuffix(name, ".md")], r.URL.Query().Get("q")
	switch {
	case shown == nil && repositoryPage(name) != nil:
		shown = repositoryPage(name)
	case name == "/search":
		shown = &page{Path: "/search", Title: "Search", Body: h.search(asked)}
	case shown == nil:
		status, shown = http.StatusNotFound, &page{Title: "No such page", Body: "<h1>No such page</h1><p>Look at the list, or search for it.</p>"}
	}
	var out bytes.Buffer
	err := h.layout.Execute(&out, map[string]any{"Page": shown, "List": h.list, "Base": base, "Asked": asked})
	if err != nil {
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(out.Bytes())
}

// build renders every page.
func (h *handler) build() error {
	h.pages = map[string]*page{}
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		return err
	}
	decisions, err := fs.Glob(files, "decisions/*.md")
	if err != nil {
		return err
	}
	for _, name := range append(names, decisions...) {
		source, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		p, err := render(path.Dir(name), source)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.Path = "/" + strings.TrimSuffix(name, ".md")
		h.pages[p.Path] = p
	}
	if err := h.renderRepository(); err != nil {
		return err
	}
	reference, err := newReference(h.describe())
	if err != nil {
		return err
	}
	h.pages["/api"] = reference
	h.arrange(names)
	h.pages["/decisions"] = h.pages["/decisions/README"]
	h.pages[""] = h.first()
	return nil
}

// arrange makes the list of pages.
func (h *handler) arrange(names []string) {
	h.list = []*page{h.pages["/api"]}
	listed := map[string]bool{}
	for _, name := range order {
		if p := h.pages["/"+name]; p != nil {
			h.list, listed[name] = append(h.list, p), true
		}
	}
	for _, file := range names {
		if name := strings.TrimSuffix(file, ".md"); !listed[name] {
			h.list = append(h.list, h.pages["/"+name])
		}
	}
	if p := h.pages["/decisions/README"]; p != nil {
		h.list = append(h.list, p)
	}
}

// first is the page that leads to the others.
func (h *handler) first() *page {
	var body strings.Builder
	body.WriteString("<h1>Documentation</h1><p>Every page of this version, from the program that you run. No network is needed.</p><ul class=\"first\">")
	for _, p := range h.list {
		fmt.Fprintf(&body, `<li><a href="%s%s">%s</a><p>%s</p></li>`, base, p.Path, template.HTMLEscapeString(p.Title), template.HTMLEscapeString(p.lead()))
	}
	body.WriteString("</ul>")
	return &page{Title: "Documentation", Body: template.HTML(body.String())}
}

// lead is the beginning of a page's text.
func (p *page) lead() string {
	if len(p.Sections) == 0 {
		return ""
	}
	sentence, _, found := strings.Cut(p.Sections[0].Text, ". ")
	if found {
		sentence += "."
	}
	return cut(sentence, 200)
}

func cut(text string, most int) string {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}
