package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// router finds an operation by path and method. The standard library's mux cannot hold this
// API's paths: /labels/{id} and /{phone_number_id}/messages overlap, and here the fixed word wins.
type router struct {
	base string
	root routeNode
}

type routeNode struct {
	fixed     map[string]*routeNode
	variable  *routeNode
	operation map[string]*Operation // by method
}

// pathValues are the variable segments of a path, in order.
type pathValues []string

// routeMatch is the router's result for a request.
type routeMatch struct {
	op     *Operation
	values pathValues
	node   *routeNode
}

func (rt *router) add(op *Operation) {
	n := &rt.root
	for _, segment := range strings.Split(op.Path, "/")[1:] {
		n = n.child(segment)
	}
	if n.operation == nil {
		n.operation = map[string]*Operation{}
	}
	if n.operation[op.Method] != nil {
		panic("two operations for " + op.Method + " " + op.Path)
	}
	n.operation[op.Method] = op
}

func (n *routeNode) child(segment string) *routeNode {
	if strings.HasPrefix(segment, "{") {
		if n.variable == nil {
			n.variable = &routeNode{}
		}
		return n.variable
	}
	if n.fixed == nil {
		n.fixed = map[string]*routeNode{}
	}
	if n.fixed[segment] == nil {
		n.fixed[segment] = &routeNode{}
	}
	return n.fixed[segment]
}

// match finds the operation of a request. inside reports whether its path is under the base.
func (rt *router) match(r *http.Request) (m routeMatch, inside bool) {
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), rt.base)
	if !ok || (rest != "" && rest[0] != '/') {
		return routeMatch{}, false
	}
	if rest == "" {
		return routeMatch{}, true
	}
	segments := strings.Split(rest[1:], "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || decoded == "" {
			return routeMatch{}, true
		}
		segments[i] = decoded
	}
	m.node = rt.root.find(segments, &m.values)
	if m.node != nil {
		m.op = m.node.operation[methodOf(r)]
	}
	return m, true
}

// find walks down the tree, tries fixed words before variables, and backs out of dead ends.
func (n *routeNode) find(segments []string, values *pathValues) *routeNode {
	if len(segments) == 0 {
		if n.operation == nil {
			return nil
		}
		return n
	}
	if next := n.fixed[segments[0]]; next != nil {
		if found := next.find(segments[1:], values); found != nil {
			return found
		}
	}
	if n.variable == nil {
		return nil
	}
	kept := len(*values)
	*values = append(*values, segments[0])
	if found := n.variable.find(segments[1:], values); found != nil {
		return found
	}
	*values = (*values)[:kept]
	return nil
}

// methodOf treats HEAD as GET; net/http leaves the body out.
func methodOf(r *http.Request) string {
	if r.Method == http.MethodHead {
		return http.MethodGet
	}
	return r.Method
}

// open reports whether the operation needs no authentication. For a wrong method the path's other operations
// decide.
func (m routeMatch) open() bool {
	if m.op != nil {
		return m.op.Open
	}
	if m.node == nil {
		return false
	}
	for _, op := range m.node.operation {
		if op.Open {
			return true
		}
	}
	return false
}

func (m routeMatch) check(c *Call) error {
	switch {
	case m.op != nil:
		return nil
	case m.node == nil:
		return chat.Fail(chat.CodeResourceNotFound, "There is nothing at this path. GET %s/openapi.json describes the API.", c.surface.base)
	default:
		c.W.Header().Set("Allow", m.node.allowed())
		return chat.Fail(chat.CodeMethodNotAllowed, "This path does not take %s, only %s.", LoggedMethod(c.R.Method), m.node.allowed())
	}
}

func (n *routeNode) allowed() string {
	var methods []string
	for method := range n.operation {
		methods = append(methods, method)
		if method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}
