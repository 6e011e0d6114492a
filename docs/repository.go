package docs

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"
)

// Repository has the files beside this folder that pages lead to, by their path in the repository: README.md,
// deploy/Caddyfile. The program sets it before it serves, because a package can embed only what is below it.
// Without it, such links lead to the repository on the network.
var Repository fs.FS

const (
	// filesPath is where those files are, below base.
	filesPath = "/files/"
	// network is where they are without Repository.
	network = "https://github.com/parleyhq/parley/blob/main/"
)

// inRepository is the address of a file beside this folder.
func inRepository(file string) string {
	if Repository != nil {
		if _, err := fs.Stat(Repository, file+"/README.md"); err == nil {
			file += "/README.md" // what a folder says of itself
		}
		if _, err := fs.Stat(Repository, file); err == nil {
			return base + filesPath + strings.TrimSuffix(file, ".md")
		}
	}
	return network + file
}

// renderRepository renders the repository's pages, so that a search finds them too.
func (h *handler) renderRepository() error {
	if Repository == nil {
		return nil
	}
	return fs.WalkDir(Repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		source, err := fs.ReadFile(Repository, name)
		if err != nil {
			return err
		}
		p, err := render(path.Join("..", path.Dir(name)), source)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.Path = filesPath + strings.TrimSuffix(name, ".md")
		h.pages[p.Path] = p
		return nil
	})
}

// repositoryPage shows a file as it is, or what a folder has. It is nil if there is no such file.
func repositoryPage(name string) *page {
	file, ok := strings.CutPrefix(name, filesPath)
	if !ok || Repository == nil || !fs.ValidPath(file) {
		return nil
	}
	title := template.HTMLEscapeString(file)
	if entries, err := fs.ReadDir(Repository, file); err == nil {
		var list strings.Builder
		for _, entry := range entries {
			at := path.Join(file, entry.Name())
			fmt.Fprintf(&list, `<li><a href="%s">%s</a></li>`, template.HTMLEscapeString(inRepository(at)), template.HTMLEscapeString(entry.Name()))
		}
		return &page{Path: name, Title: file, Body: template.HTML("<h1>" + title + "</h1><ul>" + list.String() + "</ul>")}
	}
	text, err := fs.ReadFile(Repository, file)
	if err != nil || !utf8.Valid(text) {
		return nil
	}
	return &page{Path: name, Title: file, Body: template.HTML(fmt.Sprintf(`<h1>%s</h1><p><a href="%s%s?raw" download="%s">Download</a></p><pre><code>%s</code></pre>`,
		title, base, template.HTMLEscapeString(name), template.HTMLEscapeString(path.Base(file)), template.HTMLEscapeString(string(text))))}
}

// serveRaw answers with a file itself.
func serveRaw(w http.ResponseWriter, name string) {
	text, err := []byte(nil), errors.New("no repository")
	if file := strings.TrimPrefix(name, filesPath); Repository != nil && fs.ValidPath(file) {
		text, err = fs.ReadFile(Repository, file)
	}
	if err != nil {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write(text)
}
