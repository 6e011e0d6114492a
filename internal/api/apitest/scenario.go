package apitest

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

// Scenario is one request and all its effects. An effect that it does not name is a failure: a table that is
// not in Changes must stay unchanged, and only the events in Events may be emitted.
type Scenario struct {
	Name string
	// Given prepares the case. Values set with Case.Set can be written as ${name} below.
	Given func(t *testing.T, c *Case)
	// Request is sent with the key of the case's organization, unless Anonymous.
	Request   Request
	Anonymous bool

	Status int    // the status of a success
	Code   string // the code of an error; status and type follow from the contract's table
	Param  string
	Want   string            // the whole body, see expect.go
	Header map[string]string // an empty value: absent
	Change Changes
	Events []string // the payloads of the emitted events, in order, see expect.go
	Then   func(t *testing.T, c *Case, r *Response)
}

// Case is the world of one scenario: an organization of its own on a shared server.
type Case struct {
	*Server
	Org    Org
	others []string
	values map[string]string
}

// NewCase makes a case with an organization on the default plan.
func (s *Server) NewCase(t *testing.T) *Case {
	t.Helper()
	c := &Case{Server: s, Org: s.NewOrg(t), values: map[string]string{}}
	c.Set("org", c.Org.ID)
	c.Set("team", c.Org.Team.ID)
	c.Set("key", c.Org.Key)
	c.Set("key_id", c.Org.KeyID)
	return c
}

// Set sets a variable.
func (c *Case) Set(name, value string) { c.values["${"+name+"}"] = value }

// Get is a variable's value.
func (c *Case) Get(name string) string { return c.values["${"+name+"}"] }

// Stranger makes another organization, which the request must not change either.
func (c *Case) Stranger(t *testing.T) Org {
	t.Helper()
	org := c.NewOrg(t)
	c.others = append(c.others, org.ID)
	return org
}

// Expand replaces the variables in a text.
func (c *Case) Expand(text string) string {
	var pairs []string
	for name, value := range c.values {
		pairs = append(pairs, name, value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Call sends a request of the case's organization, with its variables replaced.
func (c *Case) Call(t *testing.T, r Request) *Response {
	t.Helper()
	return c.Do(t, c.Expanded(r))
}

// Expanded is the request as Call would send it.
func (c *Case) Expanded(r Request) Request {
	if r.Key == "" {
		r.Key = c.Org.Key
	}
	return c.expand(r)
}

func (c *Case) expand(r Request) Request {
	r.Path, r.Body, r.Key = c.Expand(r.Path), c.Expand(r.Body), c.Expand(r.Key)
	header := http.Header{}
	for name, values := range r.Header {
		for _, value := range values {
			header.Add(name, c.Expand(value))
		}
	}
	r.Header = header
	return r
}

// Make sends a POST that must create an object, and sets the variable to its id.
func (c *Case) Make(t *testing.T, variable, path, body string) {
	t.Helper()
	var made struct{ ID string }
	c.Call(t, Request{Method: http.MethodPost, Path: path, Body: body}).RequireStatus(t, http.StatusCreated).Data(t, &made)
	c.Set(variable, made.ID)
}

// EachCase runs test in a case on a fresh server of each engine.
func EachCase(t *testing.T, given func(*testing.T, *Case), test func(t *testing.T, c *Case), options ...Option) {
	t.Helper()
	Each(t, func(t *testing.T, s *Server) {
		c := s.NewCase(t)
		given(t, c)
		test(t, c)
	}, options...)
}

// RunEach runs scenarios on a fresh server of each engine.
func RunEach(t *testing.T, scenarios []Scenario, options ...Option) {
	t.Helper()
	Each(t, func(t *testing.T, s *Server) { Run(t, s, scenarios) }, options...)
}

// Run runs scenarios side by side on one server.
func Run(t *testing.T, s *Server, scenarios []Scenario) {
	t.Helper()
	names := map[string]bool{}
	for _, scenario := range scenarios {
		if names[scenario.Name] {
			t.Errorf("two scenarios are called %q", scenario.Name)
		}
		names[scenario.Name] = true
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			scenario.run(t, s.NewCase(t))
		})
	}
}

func (sc Scenario) run(t *testing.T, c *Case) {
	if sc.Given != nil {
		sc.Given(t, c)
	}
	orgs := append([]string{c.Org.ID}, c.others...)
	before := c.tables.snapshot(t, orgs)
	last := lastEvent(c.Events(t, ""))
	response := sc.send(t, c)
	sc.checkStatus(t, response)
	sc.checkBody(t, c, response)
	sc.checkHeader(t, c, response)
	sc.checkEvents(t, c, c.Events(t, last))
	expected := Changes{}
	maps.Copy(expected, sc.Change)
	if n := len(sc.Events); n > 0 {
		expected["events"] = fmt.Sprint("+", n)
	}
	if d := cmp.Diff(expected, before.changes(c.tables.snapshot(t, orgs))); d != "" {
		t.Errorf("the store changed otherwise (-want +got):\n%s", d)
	}
	if sc.Then != nil {
		sc.Then(t, c, response)
	}
}

func (sc Scenario) send(t *testing.T, c *Case) *Response {
	t.Helper()
	if sc.Anonymous {
		return c.Do(t, c.expand(sc.Request))
	}
	return c.Call(t, sc.Request)
}

func (sc Scenario) checkStatus(t *testing.T, r *Response) {
	t.Helper()
	want := sc.Status
	if sc.Code != "" {
		want = Codes[sc.Code].Status
	}
	if want == 0 {
		t.Fatal("the scenario says neither Status nor Code")
	}
	if r.Status != want {
		t.Errorf("got %d %s, want %d", r.Status, r.Body, want)
	}
}

func (sc Scenario) checkBody(t *testing.T, c *Case, r *Response) {
	t.Helper()
	if sc.Code != "" {
		got := r.Failure(t)
		want := Failure{Type: Codes[sc.Code].Type, Code: sc.Code, Message: got.Message, Param: sc.Param}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("another error (-want +got):\n%s", d)
		}
	}
	if sc.Want == "" {
		return
	}
	d, err := diff(c.Expand(sc.Want), r.Body, c.Clock.Now())
	if err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
	if d != "" {
		t.Errorf("another body (-want +got):\n%s", d)
	}
}

// Events are the events of the case's organization after the given one.
func (c *Case) Events(t *testing.T, after string) []chat.Event {
	t.Helper()
	events, err := c.Store.Read(t.Context()).EventsAfter(c.Org.ID, after, 10_000)
	must(t, err)
	return events
}

func lastEvent(events []chat.Event) string {
	if len(events) == 0 {
		return ""
	}
	return events[len(events)-1].ID
}

func (sc Scenario) checkEvents(t *testing.T, c *Case, events []chat.Event) {
	t.Helper()
	for _, e := range events {
		for _, problem := range c.document.EventProblems(string(e.Type), e.Payload) {
			t.Errorf("the event %s %s: %s", e.Type, e.Payload, problem)
		}
	}
	if sc.Events == nil {
		return // Changes checks how many there are
	}
	if len(events) != len(sc.Events) {
		t.Fatalf("it emitted %d events, want %d", len(events), len(sc.Events))
	}
	for i, e := range events {
		d, err := diff(c.Expand(sc.Events[i]), e.Payload, c.Clock.Now())
		if err != nil {
			t.Fatalf("%v in %s", err, e.Payload)
		}
		if d != "" {
			t.Errorf("another event (-want +got):\n%s", d)
		}
	}
}

func (sc Scenario) checkHeader(t *testing.T, c *Case, r *Response) {
	t.Helper()
	for name, want := range sc.Header {
		if got := r.Header.Get(name); got != c.Expand(want) {
			t.Errorf("the header %s is %q, want %q", name, got, c.Expand(want))
		}
	}
}
