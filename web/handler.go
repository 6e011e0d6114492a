package web

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// pages are the first segments of the addresses that the browser's router knows.
var pages = []string{"", "login", "setup", "invite", "inbox", "contacts", "templates", "broadcasts", "media", "numbers", "customers", "operator", "phone", "settings", "dev"}

// iconPath is where browsers look for an icon of pages that name none.
const iconPath = "/favicon.ico"

// Owns tells whether a path is the dashboard's: one of its pages or of its files.
func Owns(path string) bool {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if first == "media" && rest != "" {
		return false // a stored file, under the address that people outside were given
	}
	return slices.Contains(pages, first) || first == "assets" || first == "favicon.svg" || first == iconPath[1:]
}

// Handler serves the dashboard. Every page is the same document; the browser's router reads the address. Under an
// address that it does not know, the document comes with 404 and says that there is no such page.
func Handler() http.Handler {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return newHandler(root)
}

type handler struct {
	files map[string]*file // by path
	index []byte
	// scripts names the scripts that stand in the document, by their hashes.
	scripts string
}

func newHandler(root fs.FS) *handler {
	h := &handler{files: map[string]*file{}}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == stampName {
			return err
		}
		if name == "index.html" {
			h.index = mustRead(root, name)
			h.scripts = hashes(h.index)
		} else {
			h.files["/"+name] = newFile(root, name)
		}
		return nil
	})
	if err != nil {
		panic(err) // what is embedded can be read
	}
	if icon := h.files["/favicon.svg"]; icon != nil {
		h.files[iconPath] = icon
	}
	return h
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "pages can only be read", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if file := h.files[r.URL.Path]; file != nil {
		file.serve(w, r)
	} else if strings.HasPrefix(r.URL.Path, "/assets/") {
		http.NotFound(w, r)
	} else {
		h.serveIndex(w, Owns(r.URL.Path))
	}
}

var nonceMark = []byte(`name="style-nonce" content=""`)

// serveIndex writes a nonce into the document, with which the page marks the style elements that it makes.
func (h *handler) serveIndex(w http.ResponseWriter, known bool) {
	nonce := rand.Text()
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Security-Policy", h.policy(nonce))
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self)")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Frame-Options", "DENY")
	if !known {
		w.WriteHeader(http.StatusNotFound)
	}
	w.Write(bytes.Replace(h.index, nonceMark, []byte(`name="style-nonce" content="`+nonce+`"`), 1))
}

// policy allows what the pages need and nothing else. Style attributes need no permission: the pages set
// them through the object model, which the policy leaves alone, and those that come as markup stay forbidden.
func (h *handler) policy(nonce string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'" + h.scripts,
		"style-src 'self' 'nonce-" + nonce + "'",
		"img-src 'self' data: blob:",
		"media-src 'self' blob:",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
	}, "; ")
}

var inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

func hashes(document []byte) (sources string) {
	for _, script := range inlineScript.FindAllSubmatch(document, -1) {
		sum := sha256.Sum256(script[1])
		sources += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return sources
}
