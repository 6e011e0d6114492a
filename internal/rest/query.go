package rest

import (
	"net/url"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// query is a parsed query string.
type query struct {
	values     map[string]queryValue
	brokenName bool // a name cannot be decoded
}

// queryValue is the value of a parameter: decoded, or as written if it cannot be decoded.
type queryValue struct {
	text     string
	broken   bool
	repeated bool // the name is there again
}

// query parses the query string once.
func (c *Call) query() *query {
	if c.parsed == nil {
		c.parsed = parseQuery(c.R.URL.RawQuery)
	}
	return c.parsed
}

// parseQuery parses a query string. Only & separates parameters; a semicolon is an ordinary character.
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
		if first, given := q.values[name]; given {
			first.repeated = true
			q.values[name] = first
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

// checkNames refuses a query with a name that cannot be decoded.
func (q *query) checkNames() error {
	if q.brokenName {
		return chat.Invalid("query", "The name of a parameter cannot be decoded: %s", escapes)
	}
	return nil
}

// once refuses a parameter that is given more than once: nobody could say which of the values counts.
func (v queryValue) once(code chat.Code, name string) error {
	if !v.repeated {
		return nil
	}
	return &chat.Error{Code: code, Param: name, Message: "Is given more than once. Give it once."}
}

// check checks a parameter against its rule. A value that cannot be decoded gets the code of any other wrong
// value.
func (p param) check(v queryValue) error {
	failure := p.rule.checkText(v.text, p.name)
	switch {
	case v.repeated:
		return v.once(chat.CodeInvalidFieldValue, p.name)
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
