package apitest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is an OpenAPI description against which responses are checked.
type Document struct {
	Root map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const documentURL = "mem:///openapi.json"

// documents caches parsed descriptions. A description follows from the code and the server's options, so all
// servers without options share one.
var documents = struct {
	mu     sync.Mutex
	byText map[string]*Document
	common *Document
}{byText: map[string]*Document{}}

func (s *Server) loadDocument(t testing.TB) *Document {
	t.Helper()
	documents.mu.Lock()
	defer documents.mu.Unlock()
	if documents.common != nil && len(s.options) == 0 {
		return documents.common
	}
	text := s.fetchDocument(t)
	document := documents.byText[text]
	if document == nil {
		var err error
		if document, err = ParseDocument([]byte(text)); err != nil {
			t.Fatal(err)
		}
		documents.byText[text] = document
	}
	if len(s.options) == 0 {
		documents.common = document
	}
	return document
}

func (s *Server) fetchDocument(t testing.TB) string {
	t.Helper()
	response, err := s.client.Get(s.URL + "/v1/openapi.json")
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return string(text)
}

// ParseDocument reads a description. Its schemas are strict: an unknown property is an error, although clients
// are told to expect new ones.
func ParseDocument(text []byte) (*Document, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	root, ok := parsed.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the document is a %T", parsed)
	}
	forbidMore(root)
	d := &Document{Root: root, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	return d, d.compiler.AddResource(documentURL, root)
}

// forbidMore closes every object schema that does not mention additional properties.
func forbidMore(node any) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			forbidMore(item)
		}
	case map[string]any:
		for _, item := range node {
			forbidMore(item)
		}
		_, isSchema := node["properties"].(map[string]any)
		_, decided := node["additionalProperties"]
		if isSchema && !decided && node["type"] == "object" {
			node["additionalProperties"] = false
		}
	}
}

// Schema compiles the schema at a place in the document, given as the names on the path to it.
func (d *Document) Schema(way ...string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	where := documentURL + "#" + pointer(d.resolved(way))
	if schema := d.compiled[where]; schema != nil {
		return schema, nil
	}
	schema, err := d.compiler.Compile(where)
	if err != nil {
		return nil, err
	}
	d.compiled[where] = schema
	return schema, nil
}

// resolved is the path to the same place without references.
func (d *Document) resolved(way []string) (direct []string) {
	for _, name := range way {
		direct = append(direct, name)
		if ref, ok := d.raw(direct)["$ref"].(string); ok {
			direct = strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		}
	}
	return direct
}

// raw returns the node at a place in the document, without following a reference there.
func (d *Document) raw(way []string) map[string]any {
	node := d.Root
	for _, name := range way {
		node, _ = node[name].(map[string]any)
	}
	return node
}

func pointer(way []string) string {
	var b strings.Builder
	for _, name := range way {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		b.WriteString("/" + url.PathEscape(name))
	}
	return b.String()
}

// At returns the node at a place in the document and follows a reference there; nil if there is none.
func (d *Document) At(way ...string) map[string]any {
	node := d.Root
	for _, name := range way {
		next, _ := node[name].(map[string]any)
		if ref, ok := next["$ref"].(string); ok {
			next = d.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
		if next == nil {
			return nil
		}
		node = next
	}
	return node
}

// base is the path prefix of the operations.
func (d *Document) base() string {
	servers, _ := d.Root["servers"].([]any)
	base, _ := lookup(servers[0], "url").(string)
	return base
}

// route is the document's entry for a request's path.
type route struct {
	inside    bool   // under the base path
	template  string // empty when no path of the document matches
	operation map[string]any
	method    string // in the document's spelling
}

func (d *Document) route(method, target string) route {
	path, _, _ := strings.Cut(target, "?")
	rest, inside := strings.CutPrefix(path, d.base())
	r := route{method: strings.ToLower(method)}
	r.inside = inside && (rest == "" || rest[0] == '/')
	if method == http.MethodHead {
		r.method = "get"
	}
	if !r.inside {
		return r
	}
	for template := range d.At("paths") {
		if matches(template, rest) && (r.template == "" || moreFixed(template, r.template)) {
			r.template = template
		}
	}
	if method == strings.ToUpper(method) { // methods are told apart by case
		r.operation = d.At("paths", r.template, r.method)
	}
	return r
}

func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i, segment := range want {
		decoded, err := url.PathUnescape(got[i])
		if err != nil {
			return false
		}
		if variable := strings.HasPrefix(segment, "{"); variable && decoded == "" || !variable && decoded != segment {
			return false
		}
	}
	return true
}

// moreFixed prefers a fixed word to a variable, from the left.
func moreFixed(a, b string) bool {
	return strings.ReplaceAll(a, "{", "\x7f") < strings.ReplaceAll(b, "{", "\x7f")
}

// open reports whether the path needs no key.
func (d *Document) open(r route) bool {
	if security, ok := r.operation["security"].([]any); ok {
		return len(security) == 0
	}
	for _, operation := range d.At("paths", r.template) {
		if operation, ok := operation.(map[string]any); ok && len(operation["security"].([]any)) == 0 {
			return true
		}
	}
	return false
}

// takesKeys reports whether the operation has an Idempotency-Key among its parameters.
func (d *Document) takesKeys(r route) bool {
	parameters, _ := r.operation["parameters"].([]any)
	return slices.ContainsFunc(parameters, func(p any) bool {
		parameter, _ := p.(map[string]any)
		ref, _ := parameter["$ref"].(string)
		return parameter["name"] == "Idempotency-Key" || strings.HasSuffix(ref, "/Idempotency-Key")
	})
}

// allowed are the methods of a path.
func (d *Document) allowed(r route) []string {
	var methods []string
	for method := range d.At("paths", r.template) {
		methods = append(methods, strings.ToUpper(method))
		if method == "get" {
			methods = append(methods, http.MethodHead)
		}
	}
	return methods
}
