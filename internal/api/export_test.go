package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/rest/resttest"
	"github.com/parleyhq/parley/internal/store"
)

var (
	MaxInFlight = rest.DefaultBounds.Requests
	MaxPerOrg   = rest.DefaultBounds.RequestsPerOrg
)

const (
	MaxBody      = rest.MaxBody
	MaxURL       = rest.MaxURL
	FreeBody     = rest.FreeBody
	LimiterIdle  = rest.LimiterIdle
	DefaultLimit = rest.DefaultLimit

	RefusalsLogged = refusalsLogged
)

// Hook runs inside a probe. In the probe that reads, tx is nil.
type Hook func(ctx context.Context, tx *store.Tx) error

// Hooks are named by the probes' callers.
type Hooks map[string]Hook

// ProbeBody has a field of every sort that bodies have.
type ProbeBody = resttest.ProbeBody

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
		rest.Write(a.surface, rest.Operation{Method: http.MethodPost, Path: "/probe", ID: "createProbe", Tag: "Probe", Summary: "Probe", Status: http.StatusCreated,
			Errors: []chat.Code{chat.CodeProviderFailure}},
			func(tx *store.Tx, c *rest.Call, in *probeInput) (probeView, error) {
				return probeView{"probe", in.Body}, hooks.run(c.Ctx, in.Body.Hook, tx)
			})
		rest.Read(a.surface, rest.Operation{Method: http.MethodGet, Path: "/probe", ID: "getProbe", Tag: "Probe", Summary: "Probe"},
			func(c *rest.Call, in *probeReadInput) (probeView, error) {
				return probeView{"probe", in.Hook}, hooks.run(c.Ctx, in.Hook, nil)
			})
		rest.Write(a.surface, rest.Operation{Method: http.MethodPatch, Path: "/probe/{id}", ID: "updateProbe", Tag: "Probe", Summary: "Probe"},
			func(_ *store.Tx, _ *rest.Call, in *probePatchInput) (probeView, error) {
				return probeView{"probe", in.Body}, nil
			})
		rest.Read(a.surface, rest.Operation{Method: http.MethodGet, Path: "/{number}/{word}", ID: "getProbeOfNumber", Tag: "Probe", Summary: "Probe"},
			func(_ *rest.Call, in *probeNumberInput) (probeView, error) {
				return probeView{"probe", in.Number + " " + in.Word}, nil
			})
		rest.Read(a.surface, rest.Operation{Method: http.MethodGet, Path: "/{number}/{word}/deep", ID: "getDeepProbe", Tag: "Probe", Summary: "Probe"},
			func(_ *rest.Call, in *probeNumberInput) (probeView, error) {
				return probeView{"probe", "deep " + in.Number + " " + in.Word}, nil
			})
		rest.Read(a.surface, rest.Operation{Method: http.MethodGet, Path: "/777777/{word}", ID: "getSevens", Tag: "Probe", Summary: "Probe"},
			func(_ *rest.Call, in *probeWordInput) (probeView, error) {
				return probeView{"probe", "sevens " + in.Word}, nil
			})
		a.surface.Finish()
	}
}

func (h Hooks) run(ctx context.Context, name string, tx *store.Tx) error {
	if hook := h[name]; hook != nil {
		return hook(ctx, tx)
	}
	return nil
}

// FillSlots takes every request slot, and waits for those in use.
func (a *API) FillSlots() (release func()) {
	release, _ = a.surface.Occupy("", MaxInFlight)
	return release
}

// Crowd takes n of an organization's slots.
func (a *API) Crowd(orgID string, n int) (release func()) {
	release, ok := a.surface.Occupy(orgID, n)
	if !ok {
		panic("the organization has no place left")
	}
	return release
}

// CrowdFeed takes all of an organization's slots for event followers.
func (a *API) CrowdFeed(orgID string) (leave func()) {
	var all []func()
	for range feedWaiters {
		one, ok := a.feedWaiters.Enter(orgID)
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
func (a *API) CrowdSize() int { return a.surface.Load().Organizations }

// LogCall adds a line to the API log, as a request does at its end.
func (a *API) LogCall(c store.APICall) { a.requests.add(c) }

// LinesLost is how many calls are counted as missing from the API log.
func (a *API) LinesLost() int {
	reg := prometheus.NewRegistry()
	reg.MustRegister(a.requests.metrics.logDropped)
	found, err := reg.Gather()
	if err != nil {
		panic(err)
	}
	return int(found[0].GetMetric()[0].GetCounter().GetValue())
}

// LogRefusals refuses one call of each of so many keys within a minute, and returns how many are logged and how many keys are
// remembered.
func LogRefusals(keys int) (logged, remembered int) {
	l := newRequestLog(nil, nil, NewMetrics(nil))
	for i := range keys {
		if l.room(strconv.Itoa(i), time.Time{}) {
			logged++
		}
	}
	return logged, len(l.refusals)
}

// ClaimsHeld is how many idempotency keys are being worked on.
func (a *API) ClaimsHeld() int { return a.surface.Load().IdempotencyKeys }

// Buckets is how many rate limit buckets the node remembers.
func (a *API) Buckets() int { return a.surface.Load().Buckets }

// Bounds are limits that are small enough for a test to reach.
type Bounds = rest.Bounds

// Within replaces the API's limits by those that are set.
func Within(b Bounds) func(*API) {
	return func(a *API) {
		bounds := rest.DefaultBounds
		if b.Requests > 0 {
			bounds.Requests, bounds.RequestsPerOrg = b.Requests, b.RequestsPerOrg
		}
		if b.Bodies > 0 {
			bounds.Bodies, bounds.BodiesPerOrg = b.Bodies, b.BodiesPerOrg
		}
		if b.Uploads > 0 {
			bounds.Uploads, bounds.UploadsPerOrg = b.Uploads, b.UploadsPerOrg
		}
		a.surface.SetBounds(bounds)
	}
}

// Held is how much requests hold: slots, bytes and files.
func (a *API) Held() (slots, bytes, files int) {
	load := a.surface.Load()
	return load.Requests + load.Organizations, load.BodyBytes, load.Uploads
}
