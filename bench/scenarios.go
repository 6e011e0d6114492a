package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// scenario is one line of the table. A new one is one entry in scenarios.
type scenario struct {
	name   string
	want   int
	bare   string // the row of bare HTTP that limits it
	writes bool   // limited by the bare store as well
	sends  bool   // and by the bare path of sends
	// requests is called once per server, after the target was prepared.
	requests func(t target) requestFunc
	// behind, if set, is counted instead of the requests.
	behind *behind
	// inbox means that the scenario needs the large inbox.
	inbox bool
}

// target is a running server and the objects in it that scenarios use.
type target struct {
	addr   string
	key    string
	labels []string // ids of existing labels
	org    string
	deep   map[string]string // cursors far down the lists of the inbox
}

// scenarios come before the rows about webhooks, and laterScenarios after them: an inbox of a million messages stays.
var (
	scenarios      = slices.Concat(labelScenarios, messagingScenarios)
	laterScenarios = listScenarios
)

var labelScenarios = []scenario{
	{
		name: "POST /v1/labels", want: 201, bare: bareHTTPPost, writes: true,
		requests: func(t target) requestFunc { return createLabel(t, "plain", false) },
	},
	{
		name: "POST /v1/labels, Idempotency-Key", want: 201, bare: bareHTTPPost, writes: true,
		requests: func(t target) requestFunc { return createLabel(t, "keyed", true) },
	},
	{
		name: "GET /v1/labels/{id}", want: 200, bare: bareHTTPGet,
		requests: func(t target) requestFunc {
			return rotate(t.labels, func(id string) []byte { return t.get("/v1/labels/" + id) })
		},
	},
	{
		name: "GET /v1/labels?limit=25", want: 200, bare: bareHTTPGet,
		requests: func(t target) requestFunc { return always(t.get("/v1/labels?limit=25")) },
	},
}

// echoScenarios send the same requests to a server that does nothing with them, so they measure net/http, the loopback
// and this generator.
var echoScenarios = []scenario{
	{
		name: bareHTTPPost, want: 200,
		requests: func(t target) requestFunc { return createLabel(t, "echo", false) },
	},
	{
		name: bareHTTPGet, want: 200,
		requests: func(t target) requestFunc { return always(t.get("/v1/labels/lbl_00000000000000000000000000")) },
	},
}

// createLabel makes names and keys of a fixed width, so that the length of the body is known beforehand and only the
// counter changes from request to request.
func createLabel(t target, prefix string, keyed bool) requestFunc {
	const width = 12
	open, shut := `{"name":"`+prefix+" ", `","color":"blue"}`
	start := t.head("POST", "/v1/labels") + "Content-Type: application/json\r\n" +
		"Content-Length: " + strconv.Itoa(len(open)+width+len(shut)) + "\r\n"
	return func(buf []byte, _, i int) []byte {
		buf = append(buf, start...)
		if keyed {
			buf = append(buf, "Idempotency-Key: bench-"...)
			buf = appendPadded(buf, i, width)
			buf = append(buf, "\r\n"...)
		}
		buf = append(buf, "\r\n"...)
		buf = append(buf, open...)
		buf = appendPadded(buf, i, width)
		return append(buf, shut...)
	}
}

func always(request []byte) requestFunc {
	return func(buf []byte, _, _ int) []byte { return append(buf, request...) }
}

// rotate serialises one request per item beforehand and sends them in turn.
func rotate(items []string, serialise func(string) []byte) requestFunc {
	all := make([][]byte, len(items))
	for i, item := range items {
		all[i] = serialise(item)
	}
	return func(buf []byte, _, i int) []byte { return append(buf, all[i%len(all)]...) }
}

// head is a request up to, but without, the empty line that ends its headers.
func (t target) head(method, path string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", method, path, t.addr, t.key)
}

func (t target) get(path string) []byte { return []byte(t.head("GET", path) + "\r\n") }

func appendPadded(buf []byte, i, width int) []byte {
	var digits [20]byte
	n := strconv.AppendInt(digits[:0], int64(i), 10)
	for range width - len(n) {
		buf = append(buf, '0')
	}
	return append(buf, n...)
}

// measured is a scenario of any kind. A long one is left out of the short form.
type measured interface {
	title() string
	long() bool
}

// matching keeps the scenarios whose name contains the filter. Without a filter the short form leaves out the long
// ones; a row that is requested by name is always measured.
func matching[S measured](all []S, o options) []S {
	var kept []S
	for _, r := range all {
		if matches(r.title(), o.filter) && !(o.short && o.filter == "" && r.long()) {
			kept = append(kept, r)
		}
	}
	return kept
}

func (s scenario) title() string         { return s.name }
func (s hookScenario) title() string     { return s.name }
func (s providerScenario) title() string { return s.name }
func (s purgeScenario) title() string    { return s.name }

func (s dashboardScenario) title() string { return s.name }

// The lists and the dashboard first need a million messages, creating 1,000 endpoints takes time, and a purge begins
// only within a minute.
func (s scenario) long() bool         { return s.inbox }
func (s hookScenario) long() bool     { return s.endpoints > 100 || s.perSecond > 100 || s.hanging > 0 }
func (s providerScenario) long() bool { return s.perSecond > 100 }
func (s purgeScenario) long() bool    { return true }

func (s dashboardScenario) long() bool { return true }

func matches(name, filter string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(filter))
}
