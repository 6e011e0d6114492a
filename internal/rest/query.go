package rest

import (
	"net/url"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// query is a request's query string. Of a name that is given twice the first counts.
type query struct {
	values     map[string]queryValue
	brokenName bool // a name cannot be decoded
}

// queryValue is the text of a parameter: as it was written, where it cannot be decoded.
type queryValue struct {
	text   string
	broken bool
}

// query takes the query string apart, once.
func (c *Call) query() *query {
	if c.parsed == nil {
		c.parsed = parseQuery(c.R.URL.RawQuery)
	}
	return c.parsed
}

// parseQuery reads a query string. Only & separates parameters; a semicolon is a character like any other.
func parseQuery(raw string) *query {
	q := &query{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		written, text, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(written)
		if err != nil {
			q.brokenName = true
			continue
		}
		if _, given := q.values[name]; given {
			continue
		}
		value := queryValue{text: text, broken: true}
		if decoded, err := url.QueryUnescape(text); err == nil {
			value = queryValue{text: decoded}
		}
		if q.values == nil {
			q.values = map[string]queryValue{}
		}
		q.values[name] = value
	}
	return q
}

func (q *query) has(name string) bool {
	_, given := q.values[name]
	return given
}

// checkNames refuses a query with a name that nobody can know.
func (q *query) checkNames() error {
	if q.brokenName {
		return chat.Invalid("query", "The name of a parameter cannot be decoded: %s", escapes)
	}
	return nil
}

// check holds a parameter against its rule. What cannot be decoded has the code of any other wrong value.
func (p param) check(v queryValue) error {
	failure := p.rule.checkText(v.text, p.name)
	switch {
	case v.broken && failure == nil:
		return chat.Invalid(p.name, "The value cannot be decoded: %s", escapes)
	case v.broken:
		return &chat.Error{Code: failure.Code, Param: p.name, Message: "The value cannot be decoded: " + escapes}
	case failure != nil:
		return failure
	}
	return nil
}

// escapes says how to write a percent sign.
const escapes = "after a percent sign there must be two hexadecimal digits. The sign itself is written %25."
