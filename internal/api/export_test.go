package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	MaxInFlight  = maxInFlight
	MaxPerOrg    = maxPerOrg
	MaxBody      = maxBody
	MaxURL       = maxURL
	LimiterIdle  = limiterIdle
	HealthLimit  = healthTimeout
	DefaultLimit = defaultLimit
)

// Hook runs inside a probe. In the probe that reads, tx is nil.
type Hook func(ctx context.Context, tx *store.Tx) error

// Hooks are named by the probes' callers.
type Hooks map[string]Hook

// ProbeBody has a field of every sort that bodies have.
type ProbeBody struct {
	Name  string       `json:"name" minLength:"1" maxLength:"10"`
	Kind  string       `json:"kind" enum:"a,b"`
	Count int64        `json:"count,omitzero" minimum:"-5" maximum:"1000"`
	Small int8         `json:"small,omitzero"`
	Big   int64        `json:"big,omitzero"`
	Ratio float64      `json:"ratio,omitzero"`
	Flag  bool         `json:"flag,omitzero"`
	Note  *string      `json:"note,omitzero" nullable:"true" maxLength:"10"`
	Email string       `json:"email,omitzero" format:"email"`
	At    string       `json:"at,omitzero" format:"date-time"`
	Link  string       `json:"link,omitzero" format:"uri"`
	Code  string       `json:"code,omitzero" pattern:"^[a-z]{2}$"`
	Tags  []string     `json:"tags,omitzero" minItems:"1" maxItems:"3"`
	Inner *ProbeInner  `json:"inner,omitzero"`
	Items []ProbeInner `json:"items,omitzero"`
	Free  any          `json:"free,omitzero"`
	Hook  string       `json:"hook,omitzero"`
}

// ProbeInner is an object inside a body.
type ProbeInner struct {
	ID    string `json:"id"`
	Title string `json:"title,omitzero" maxLength:"5"`
}

type probePatch struct {
	Name  *string `json:"name,omitempty" minLength:"1" maxLength:"10"`
	Count *int64  `json:"count,omitempty"`
}

type probeView struct {
	Object string `json:"object" enum:"probe"`
	Echo   any    `json:"echo"`
}

type probeInput struct{ Body ProbeBody }

type probeReadInput struct {
	Hook string `query:"hook"`
}

type probePatchInput struct {
	ID   string `path:"id" pattern:"^[a-z]{1,8}$"`
	Body probePatch
}

type probeNumberInput struct {
	Number string `path:"number" pattern:"^[0-9]{6,20}$"`
	Word   string `path:"word"`
}

type probeWordInput struct {
	Word string `path:"word"`
}

// Probes adds operations that only tests have, with hooks to run inside them.
func Probes(hooks Hooks) func(*API) {
	return func(a *API) {
		write(a, operation{method: http.MethodPost, path: "/probe", id: "createProbe", tag: "Probe", summary: "Probe", status: http.StatusCreated,
			errors: []chat.Code{chat.CodeProviderFailure}},
			func(tx *store.Tx, c *call, in *probeInput) (probeView, error) {
				return probeView{"probe", in.Body}, hooks.run(c.ctx, in.Body.Hook, tx)
			})
		read(a, operation{method: http.MethodGet, path: "/probe", id: "getProbe", tag: "Probe", summary: "Probe"},
			func(c *call, in *probeReadInput) (probeView, error) {
				return probeView{"probe", in.Hook}, hooks.run(c.ctx, in.Hook, nil)
			})
		write(a, operation{method: http.MethodPatch, path: "/probe/{id}", id: "updateProbe", tag: "Probe", summary: "Probe"},
			func(_ *store.Tx, _ *call, in *probePatchInput) (probeView, error) {
				return probeView{"probe", in.Body}, nil
			})
		read(a, operation{method: http.MethodGet, path: "/{number}/{word}", id: "getProbeOfNumber", tag: "Probe", summary: "Probe"},
			func(_ *call, in *probeNumberInput) (probeView, error) {
				return probeView{"probe", in.Number + " " + in.Word}, nil
			})
		read(a, operation{method: http.MethodGet, path: "/{number}/{word}/deep", id: "getDeepProbe", tag: "Probe", summary: "Probe"},
			func(_ *call, in *probeNumberInput) (probeView, error) {
				return probeView{"probe", "deep " + in.Number + " " + in.Word}, nil
			})
		read(a, operation{method: http.MethodGet, path: "/777777/{word}", id: "getSevens", tag: "Probe", summary: "Probe"},
			func(_ *call, in *probeWordInput) (probeView, error) {
				return probeView{"probe", "sevens " + in.Word}, nil
			})
		a.document.finish()
	}
}

func (h Hooks) run(ctx context.Context, name string, tx *store.Tx) error {
	if hook := h[name]; hook != nil {
		return hook(ctx, tx)
	}
	return nil
}

// DecodeProbe decodes a body as the API does.
func DecodeProbe(text []byte) (body ProbeBody, err error) {
	err = probeBinder.body.decode(text, &body)
	return body, err
}

var probeBinder = newInputBinder[probeInput](newDocument("test"))

// FillSlots takes every place for a request in flight; it waits for those that are taken.
func (a *API) FillSlots() (release func()) {
	for range maxInFlight {
		a.inFlight <- struct{}{}
	}
	return func() {
		for range maxInFlight {
			<-a.inFlight
		}
	}
}

// Crowd takes n of an organization's places.
func (a *API) Crowd(orgID string, n int) (release func()) {
	var leave []func()
	for range n {
		one, ok := a.perOrg.enter(orgID)
		if !ok {
			panic("the organization has no place left")
		}
		leave = append(leave, one)
	}
	return func() {
		for _, one := range leave {
			one()
		}
	}
}

// CrowdFeed takes all of an organization's places to wait for events.
func (a *API) CrowdFeed(orgID string) (leave func()) {
	var all []func()
	for range feedWaiters {
		one, ok := a.feedWaiters.enter(orgID)
		if !ok {
			panic("the organization has no place left")
		}
		all = append(all, one)
	}
	return func() {
		for _, one := range all {
			one()
		}
	}
}

// CrowdSize is how many organizations have requests in flight.
func (a *API) CrowdSize() int {
	a.perOrg.mu.Lock()
	defer a.perOrg.mu.Unlock()
	return len(a.perOrg.inside)
}

// LogCall puts a line into the API log, as a request does at its end.
func (a *API) LogCall(c store.APICall) { a.requests.add(c) }

// ClaimsHeld is how many idempotency keys are being worked on.
func (a *API) ClaimsHeld() int {
	a.claims.mu.Lock()
	defer a.claims.mu.Unlock()
	return len(a.claims.held)
}

// Buckets is how many rate limit buckets the node remembers.
func (a *API) Buckets() int {
	a.limiter.mu.Lock()
	defer a.limiter.mu.Unlock()
	return len(a.limiter.buckets)
}

// Catalogue is the place of a code in the API's catalogue.
func Catalogue(code chat.Code) (status int, kind string, ok bool) {
	e, ok := catalogue[code]
	return e.status, e.kind, ok
}

// CatalogueSize is how many codes it holds.
func CatalogueSize() int { return len(catalogue) }

// CursorScope is where a cursor is valid.
type CursorScope struct{ OrgID, List, Filters string }

// EncodeCursor makes a cursor.
func EncodeCursor(key []byte, s CursorScope, p store.Position) string {
	return cursorCodec{key}.encode(cursorScope{s.OrgID, s.List, s.Filters}, p)
}

// DecodeCursor opens a cursor.
func DecodeCursor(key []byte, s CursorScope, text string) (store.Position, error) {
	return cursorCodec{key}.decode(cursorScope{s.OrgID, s.List, s.Filters}, text)
}

// Bounds are the limits of what requests may hold, small enough for a test to reach.
type Bounds struct {
	Requests, RequestsPerOrg int
	Bodies, BodiesPerOrg     int
	Uploads, UploadsPerOrg   int
}

// Within has an API keep to other bounds than its own, where they are set.
func Within(b Bounds) func(*API) {
	return func(a *API) {
		if b.Requests > 0 {
			a.inFlight, a.perOrg = make(chan struct{}, b.Requests), newCrowd(b.RequestsPerOrg, b.Requests)
		}
		if b.Bodies > 0 {
			a.bodies = newCrowd(b.BodiesPerOrg, b.Bodies)
		}
		if b.Uploads > 0 {
			a.uploads = newCrowd(b.UploadsPerOrg, b.Uploads)
		}
	}
}

// FreeBody is how large a body may be without being counted.
const FreeBody = freeBody

// Held is how much requests hold: slots, bytes and files.
func (a *API) Held() (slots, bytes, files int) {
	count := func(c *crowd) int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.inAll + len(c.inside)
	}
	return len(a.inFlight) + count(a.perOrg), count(a.bodies), count(a.uploads)
}

// NewCrowd and its methods, for the property that they have.
func NewCrowd(most, mostInAll int) *crowd      { return newCrowd(most, mostInAll) }
func (c *crowd) Take(orgID string, n int) bool { return c.take(orgID, n) }
func (c *crowd) Give(orgID string, n int)      { c.give(orgID, n) }
func (c *crowd) Inside() (inAll int, orgs int) { return c.inAll, len(c.inside) }

// TimeAfterArrival is how much time a request has for its work whose body came when all its time was over.
func (a *API) TimeAfterArrival() time.Duration {
	over, cancel := context.WithTimeout(context.Background(), 0)
	c := &call{
		api: a, w: httptest.NewRecorder(), r: httptest.NewRequest(http.MethodPost, "/", nil),
		ctx: over, cancel: cancel, start: time.Now().Add(-requestTimeout),
	}
	defer func() { c.finish(); c.cancel() }()
	if err := c.arriving(func() error { return nil }); err != nil || c.ctx.Err() != nil {
		return 0
	}
	deadline, _ := c.ctx.Deadline()
	return time.Until(deadline)
}
