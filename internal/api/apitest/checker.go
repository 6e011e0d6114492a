package apitest

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Exchange is a request and its answer.
type Exchange struct {
	Method string
	Target string
	Sent   http.Header // the request's header
	Status int
	Header http.Header // the answer's header
	Body   []byte
}

// Require fails the test if the answer differs from the document.
func (d *Document) Require(t testing.TB, x Exchange) {
	t.Helper()
	for _, problem := range d.Check(x) {
		t.Errorf("%s %s answered %d: %s\n%s", x.Method, x.Target, x.Status, problem, x.Body)
	}
}

// Check compares an answer with the document and lists the differences.
func (d *Document) Check(x Exchange) []string {
	c := &check{Exchange: x, document: d, route: d.route(x.Method, x.Target)}
	c.sharedHeaders()
	c.waitingTime()
	c.rateLimit()
	c.replayed()
	if x.Method == http.MethodHead || x.Status == http.StatusNotModified {
		c.noBody()
		c.documented()
		return c.problems
	}
	body := c.decode()
	if c.route.operation == nil {
		c.undocumented(body)
	} else if c.documented() {
		c.schema(body)
	}
	c.requestID(body)
	c.failure(body)
	return c.problems
}

type check struct {
	Exchange
	document *Document
	route    route
	problems []string
}

func (c *check) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

var requestIDPattern = regexp.MustCompile(`^req_[0-9A-HJKMNP-TV-Z]{26}$`)

func (c *check) sharedHeaders() {
	for name, want := range map[string]string{
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		"Referrer-Policy":         "no-referrer",
	} {
		if got := c.Header.Get(name); got != want {
			c.problem("the header %s is %q", name, got)
		}
	}
	if c.Header.Get("Cache-Control") == "" {
		c.problem("nothing is said about caching")
	}
	for name, values := range c.Header {
		if len(values) > 1 && name != "Set-Cookie" { // the one header that may repeat: each cookie has its own
			c.problem("the header %s comes %d times", name, len(values))
		}
	}
	if id := c.Header.Get("X-Request-Id"); !requestIDPattern.MatchString(id) {
		c.problem("X-Request-Id is %q", id)
	}
}

// waitingTime checks that Retry-After is on exactly the answers that ask the client to come back.
func (c *check) waitingTime() {
	wait, given := c.Header.Get("Retry-After"), c.Header["Retry-After"] != nil
	due := c.Status == http.StatusTooManyRequests || c.Status == http.StatusServiceUnavailable ||
		c.Status == http.StatusConflict && bytes.Contains(c.Body, []byte(`"code":"idempotency_in_progress"`))
	if n, err := strconv.Atoi(wait); given != due || given && (err != nil || n < 1) {
		c.problem("Retry-After is %q", wait)
	}
}

// rateLimit checks that every answer to a known key shows the state of its bucket. When the store is down the
// state is unknown.
func (c *check) rateLimit() {
	var figures []int
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if n, err := strconv.Atoi(c.Header.Get(name)); err == nil && n >= 0 {
			figures = append(figures, n)
		}
	}
	public := !c.route.inside || c.document.open(c.route)
	switch {
	case public || c.Status == http.StatusUnauthorized:
		if len(figures) != 0 {
			c.problem("it shows a rate limit to a stranger")
		}
	case c.Status >= http.StatusInternalServerError, bytes.Contains(c.Body, []byte(`"code":"forbidden"`)): // refused before the bucket was read
	case len(figures) != 3 || figures[1] > figures[0]:
		c.problem("the rate limit headers are missing or wrong: %v", c.Header)
	}
}

func (c *check) replayed() {
	value, given := c.Header.Get("Idempotent-Replayed"), c.Header["Idempotent-Replayed"] != nil
	asked := c.Method == http.MethodPost && c.Sent["Idempotency-Key"] != nil && c.document.takesKeys(c.route)
	settled := c.Status < 300 || c.Status == http.StatusConflict || c.Status == http.StatusUnprocessableEntity
	switch {
	case given && value != "true" && value != "false":
		c.problem("Idempotent-Replayed is %q", value)
	case given && !asked:
		c.problem("Idempotent-Replayed without an Idempotency-Key")
	case !given && asked && settled:
		c.problem("Idempotent-Replayed is missing")
	}
}

func (c *check) noBody() {
	if len(c.Body) > 0 {
		c.problem("there is a body")
	}
}

func (c *check) decode() any {
	if got := c.Header.Get("Content-Type"); got != "application/json" {
		c.problem("Content-Type is %q", got)
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Body))
	if err != nil {
		c.problem("the body is not JSON: %v", err)
	}
	return body
}

// documented reports whether the document has the status for the operation, with its headers.
func (c *check) documented() bool {
	if c.route.operation == nil {
		return false
	}
	status := strconv.Itoa(c.Status)
	response := c.document.At("paths", c.route.template, c.route.method, "responses", status)
	if response == nil {
		c.problem("the document does not know the status")
		return false
	}
	headers, _ := response["headers"].(map[string]any)
	for name := range headers {
		switch {
		case name == "Idempotent-Replayed", name == "Retry-After", strings.HasPrefix(name, "X-RateLimit-"):
			// Checked above, because these headers are not always due.
		case c.Header.Get(name) == "":
			c.problem("the documented header %s is missing", name)
		}
	}
	for _, name := range []string{"Etag", "Location", "Retry-After", "Idempotent-Replayed"} {
		if c.Header.Get(name) != "" && !hasHeader(headers, name) {
			c.problem("the header %s is not documented", name)
		}
	}
	return true
}

func hasHeader(headers map[string]any, name string) bool {
	for documented := range headers {
		if strings.EqualFold(documented, name) {
			return true
		}
	}
	return false
}

func (c *check) schema(body any) {
	schema, err := c.document.Schema("paths", c.route.template, c.route.method, "responses",
		strconv.Itoa(c.Status), "content", "application/json", "schema")
	if err != nil {
		c.problem("the schema is broken: %v", err)
		return
	}
	if err := schema.Validate(body); err != nil {
		c.problem("the body breaks its schema: %v", err)
	}
	codes, _ := c.route.operation["x-error-codes"].([]any)
	if code := lookup(body, "error", "code"); c.Status >= http.StatusBadRequest && !slices.Contains(codes, code) {
		c.problem("the document does not name the code %v, but %v", code, codes)
	}
}

// undocumented checks requests that no operation answers: their errors come from the router.
func (c *check) undocumented(body any) {
	codes := []string{"internal_error", "service_unavailable"}
	if c.route.inside && !c.document.open(c.route) {
		codes = append(codes, "missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key", "not_signed_in")
	}
	if c.route.template == "" {
		codes = append(codes, "resource_not_found")
	} else {
		codes = append(codes, "method_not_allowed")
	}
	code, _ := lookup(body, "error", "code").(string)
	if !slices.Contains(codes, code) {
		c.problem("a request without an operation got %q, not one of %v", code, codes)
	}
	c.allow(code)
}

func (c *check) allow(code string) {
	want := c.document.allowed(c.route)
	slices.Sort(want)
	if code != "method_not_allowed" {
		want = nil
	}
	if got := c.Header.Get("Allow"); got != strings.Join(want, ", ") {
		c.problem("Allow is %q, want %q", got, want)
	}
}

// requestID checks that header and body name the same request.
func (c *check) requestID(body any) {
	inBody := lookup(body, "request_id")
	if c.Status >= http.StatusBadRequest {
		inBody = lookup(body, "error", "request_id")
	}
	if c.route.template == "/openapi.json" && c.Status == http.StatusOK {
		return // it has no envelope
	}
	if inBody != c.Header.Get("X-Request-Id") {
		c.problem("request_id is %v in the body and %s in the header", inBody, c.Header.Get("X-Request-Id"))
	}
}

// inside matches words that tell a stranger how the service is built.
var inside = regexp.MustCompile(`(?i)\bsql|postgres|pgx|panic|goroutine|\.go\b|store:|context (canceled|deadline)`)

// goValue matches Go's own notation of values: a list, a struct, a map, nil, a type, a broken format.
var goValue = regexp.MustCompile(`\[[^\[\],]+ [^\[\],]+\]|\[\w+/[\w.+-]+\]|\{[^{},]+ [^{},]+\}|\{[A-Z]\w*:|map\[|<nil>|%!|&\{|\b0x[0-9a-f]{6}|` +
	`\b(u?int(8|16|32|64)|float(32|64)|interface|struct)\b|\b(api|chat|core|errors|fs|http|io|json|jsontext|net|netip|os|provider|reflect|regexp|store|strconv|time|url|utf8)\.[A-Z]|\b(json|jsontext|mime|multipart|net|strconv): `)

// naming are the codes of errors in the request, which always name a field.
var naming = []string{
	"missing_required_field", "invalid_field_value", "invalid_phone_number", "invalid_template_name", "invalid_limit",
	"invalid_cursor", "invalid_webhook_url", "invalid_event_type", "template_already_exists", "contact_already_exists", "media_not_found",
}

// failure compares an error with the contract's table, which the document might misquote.
func (c *check) failure(body any) {
	if c.Status < http.StatusBadRequest {
		return
	}
	fields, _ := lookup(body, "error").(map[string]any)
	code, _ := fields["code"].(string)
	kind, _ := fields["type"].(string)
	if got := (Code{c.Status, kind}); got != codeOf(code) {
		c.problem("%s comes as %v, want %v", code, got, codeOf(code))
	}
	message, _ := fields["message"].(string)
	if message == "" || inside.MatchString(message) {
		c.problem("the message is not for its reader: %q", message)
	}
	if goValue.MatchString(message) {
		c.problem("the message shows a value as Go writes it: %q", message)
	}
	param, named := fields["param"]
	if !named && slices.Contains(naming, code) {
		c.problem("%s does not say what is wrong: there is no param", code)
	}
	if text, _ := param.(string); named && text == "" {
		c.problem("param is %v", param)
	}
	for name := range fields {
		if !slices.Contains([]string{"type", "code", "message", "param", "request_id"}, name) {
			c.problem("the error has a field %s", name)
		}
	}
}

func lookup(node any, way ...string) any {
	for _, name := range way {
		object, _ := node.(map[string]any)
		node = object[name]
	}
	return node
}
