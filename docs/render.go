package docs

import (
	"bytes"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdown renders what the pages use: tables, check-lists, fenced code, headings that can be linked to. HTML in a page is
// left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// render makes a page of its source. folder is that of the page, below docs/.
func render(folder string, source []byte) (*page, error) {
	tree := markdown.Parser().Parse(text.NewReader(source))
	p := &page{}
	err := ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.Link:
			n.Destination = []byte(target(folder, string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(target(folder, string(n.Destination)))
		case *ast.CodeSpan:
			p.mark(n, source)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	p.collect(tree, source)
	p.Sections = append(p.Sections, p.rows...)
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, tree); err != nil {
		return nil, err
	}
	p.Body = template.HTML(out.String()) // of our own files
	return p, nil
}

// target is where a link of a page leads here.
func target(folder, link string) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "#") || strings.HasPrefix(link, "/") {
		return link
	}
	link, anchor, found := strings.Cut(link, "#")
	if found {
		anchor = "#" + anchor
	}
	file := path.Join("docs", folder, link)
	inside, ok := strings.CutPrefix(file, "docs")
	if !ok || strings.HasPrefix(inside, "..") {
		return inRepository(file) + anchor
	}
	return base + strings.TrimSuffix(inside, ".md") + anchor
}

var codeWord = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)

// mark lets links lead to the row of a table that begins with a code, such as outside_24h_window, and a search find it.
func (p *page) mark(code *ast.CodeSpan, source []byte) {
	cell, ok := code.Parent().(*east.TableCell)
	if !ok || cell.PreviousSibling() != nil {
		return
	}
	var word, row strings.Builder
	plain(code, source, &word)
	anchor := word.String()
	if !codeWord.MatchString(anchor) || slices.ContainsFunc(p.rows, func(s section) bool { return s.Anchor == anchor }) {
		return
	}
	code.SetAttributeString("id", []byte(anchor))
	plain(cell.Parent(), source, &row)
	p.rows = append(p.rows, section{Title: anchor, Anchor: anchor, Text: strings.Join(strings.Fields(row.String()), " ")})
}

// collect notes the title and the sections.
func (p *page) collect(tree ast.Node, source []byte) {
	current := section{}
	var words strings.Builder
	keep := func() {
		current.Text = strings.Join(strings.Fields(words.String()), " ")
		if current.Title != "" || current.Text != "" {
			p.Sections = append(p.Sections, current)
		}
		words.Reset()
	}
	for node := tree.FirstChild(); node != nil; node = node.NextSibling() {
		heading, ok := node.(*ast.Heading)
		if !ok {
			plain(node, source, &words)
			continue
		}
		var title strings.Builder
		plain(heading, source, &title)
		if p.Title == "" {
			p.Title = strings.TrimSpace(title.String())
		}
		if heading.Level > 1 {
			keep()
		}
		id, _ := heading.AttributeString("id")
		anchor, _ := id.([]byte)
		current = section{Title: strings.TrimSpace(title.String()), Anchor: string(anchor)}
	}
	keep()
}

// plain writes the words of a node.
func plain(node ast.Node, source []byte, into *strings.Builder) {
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function below never fails
		if !entering {
			if n.Type() == ast.TypeBlock || n.Kind() == east.KindTableCell {
				into.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			into.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				into.WriteByte(' ')
			}
		case *ast.String:
			into.Write(n.Value)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			into.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
}
