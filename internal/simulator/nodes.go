package simulator

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// node is an object of the graph with all its fields. A request picks some of them.
type node struct {
	kind      string // used in error messages
	id        string
	anonymous bool // the id is ours, only for cursors, and not shown
	defaults  []string
	fields    map[string]any
}

// pick returns the requested fields, and the id.
func (n node) pick(fields string) (map[string]any, *wire.Error) {
	names := n.defaults
	if fields != "" {
		names = splitFields(fields)
	}
	out := map[string]any{}
	if !n.anonymous {
		out["id"] = n.id
	}
	for _, name := range names {
		v, known := n.fields[name]
		if !known && (name != "id" || n.anonymous) {
			return nil, wire.BadParam("Tried accessing nonexisting field (%s) on node type (%s)", name, n.kind)
		}
		if v != nil {
			out[name] = v
		}
	}
	return out, nil
}

// splitFields splits a,b{c,d},e.f(g) at its outer commas and drops the part behind each name.
func splitFields(fields string) []string {
	var names []string
	depth, start := 0, 0
	add := func(end int) {
		name := fields[start:end]
		if i := strings.IndexAny(name, "{.("); i >= 0 {
			name = name[:i]
		}
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
		start = end + 1
	}
	for i := range len(fields) {
		switch fields[i] {
		case '{', '(':
			depth++
		case '}', ')':
			depth--
		case ',':
			if depth == 0 {
				add(i)
			}
		}
	}
	if start < len(fields) {
		add(len(fields))
	}
	return names
}

// getNode answers GET /{id} for an id of any kind.
func (s *Simulator) getNode(c *call) (answer, *wire.Error) {
	n, err := s.resolve(c)
	if err != nil {
		return answer{}, err
	}
	out, err := n.pick(c.param("fields"))
	if err != nil {
		return answer{}, err
	}
	return ok(out), nil
}

// resolve finds the object with an id. An unknown id becomes a number, unless its shape or the request shows that
// another kind was meant.
func (s *Simulator) resolve(c *call) (node, *wire.Error) {
	unknown := wire.UnknownObject(c.Method, c.id)
	if f := s.media.Find(c.id, s.now()); f != nil {
		return s.mediaNode(c, f)
	}
	if t, w, found := s.findTemplate(c.id); found {
		if !c.token.maySee(w) {
			return node{}, unknown
		}
		return templateNode(t), nil
	}
	if w := s.accounts.waba(c.id); w != nil {
		if !c.token.maySee(w) {
			return node{}, unknown
		}
		return w.node(), nil
	}
	if isObjectID(c.id) || c.param("phone_number_id") != "" {
		return node{}, unknown
	}
	n, err := c.number()
	if err != nil {
		return node{}, err
	}
	return s.numberNode(n), nil
}

// listAnswer is a page of nodes, with cursors.
func listAnswer(c *call, nodes []node) (answer, *wire.Error) {
	page, paging, err := paginate(c, nodes)
	if err != nil {
		return answer{}, err
	}
	data := make([]map[string]any, 0, len(page))
	for _, n := range page {
		item, err := n.pick(c.param("fields"))
		if err != nil {
			return answer{}, err
		}
		data = append(data, item)
	}
	out := map[string]any{"data": data}
	if len(page) > 0 {
		out["paging"] = paging
	}
	return ok(out), nil
}

func cursorOf(id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte("QVFI" + id))
}

func idOfCursor(cursor string) (string, bool) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(string(b), "QVFI")
}

// paginate cuts out the page that limit, after and before ask for. Cursors name the first and last items, so a list may
// change between pages.
func paginate(c *call, nodes []node) ([]node, map[string]any, *wire.Error) {
	limit := 25
	if raw := c.param("limit"); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 1 {
			return nil, nil, wire.BadParam("Param limit must be a positive number.")
		}
		limit = min(n, 1000)
	}
	from, to := 0, min(limit, len(nodes))
	if cursor := c.param("after"); cursor != "" {
		i, err := positionOf(nodes, cursor)
		if err != nil {
			return nil, nil, err
		}
		from, to = i+1, min(i+1+limit, len(nodes))
	} else if cursor := c.param("before"); cursor != "" {
		i, err := positionOf(nodes, cursor)
		if err != nil {
			return nil, nil, err
		}
		from, to = max(0, i-limit), i
	}
	page := nodes[from:to]
	if len(page) == 0 {
		return page, nil, nil
	}
	return page, pagingOf(c, page, from > 0, to < len(nodes)), nil
}

func positionOf(nodes []node, cursor string) (int, *wire.Error) {
	id, valid := idOfCursor(cursor)
	i := slices.IndexFunc(nodes, func(n node) bool { return n.id == id })
	if !valid || i < 0 {
		return 0, wire.Refuse(131059, "The cursor is invalid or has expired")
	}
	return i, nil
}

func pagingOf(c *call, page []node, hasPrevious, hasNext bool) map[string]any {
	before, after := cursorOf(page[0].id), cursorOf(page[len(page)-1].id)
	paging := map[string]any{"cursors": map[string]string{"before": before, "after": after}}
	link := func(key, cursor string) string {
		q := url.Values{}
		for k, v := range c.query {
			if k != "after" && k != "before" && k != "access_token" {
				q[k] = v
			}
		}
		q.Set(key, cursor)
		return c.base() + c.URL.Path + "?" + q.Encode()
	}
	if hasNext {
		paging["next"] = link("after", after)
	}
	if hasPrevious {
		paging["previous"] = link("before", before)
	}
	return paging
}

// base is the address at which the caller reaches the simulator.
func (c *call) base() string {
	if c.sim.cfg.BaseURL != "" && c.prefix == "" {
		return strings.TrimRight(c.sim.cfg.BaseURL, "/")
	}
	scheme := "http"
	if c.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + c.Host + c.prefix
}

// postNode answers POST /{id}: it changes the settings of a number, or edits a template.
func (s *Simulator) postNode(c *call) (answer, *wire.Error) {
	if _, _, found := s.findTemplate(c.id); found {
		return s.editTemplate(c)
	}
	if isObjectID(c.id) || s.accounts.waba(c.id) != nil {
		return answer{}, wire.UnknownObject(http.MethodPost, c.id)
	}
	return ofNumber(s.setNumber).handle(c)
}
