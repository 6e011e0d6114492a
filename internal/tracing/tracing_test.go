package tracing_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/parleyhq/parley/internal/tracing"
)

// receiver is a collector that stores what it receives.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	spans   map[string]*tracepb.Span // by name
	headers http.Header
}

func newReceiver(t *testing.T, status int) *receiver {
	r := &receiver{spans: map[string]*tracepb.Span{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		var batch collector.ExportTraceServiceRequest
		body, err := io.ReadAll(q.Body)
		if err != nil || proto.Unmarshal(body, &batch) != nil || q.URL.Path != "/v1/traces" || q.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %v: %q, %v", q.URL.Path, q.Header, body, err)
		}
		for _, s := range batch.ResourceSpans[0].ScopeSpans[0].Spans {
			r.spans[s.Name] = s
		}
		r.headers = q.Header
		w.WriteHeader(status)
	}))
	t.Cleanup(r.Close)
	return r
}

func newTracer(t *testing.T, cfg tracing.Config) *tracing.Tracer {
	t.Helper()
	tracer, err := tracing.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestSpansReachTheCollector(t *testing.T) {
	t.Parallel()
	to := newReceiver(t, http.StatusOK)
	tracer := newTracer(t, tracing.Config{Endpoint: to.URL + "/", Headers: "authorization=Bearer%20abc", Share: 0, Version: "v1", Log: slog.Default()})
	var out http.Header
	h := tracer.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, span := tracing.Child(r.Context(), "part")
		span.Text(tracing.MessageID, "msg_1")
		span.Count(tracing.Attempt, 2)
		tracing.Current(ctx).Fail("it broke")
		out = http.Header{}
		span.Inject(out)
		span.End()
		tracing.Current(r.Context()).Name("whole")
		w.WriteHeader(http.StatusBadGateway)
	}), func(*http.Request) string { return "request" })
	for _, traceparent := range []string{caller, ""} { // we begin no traces ourselves, because the share is 0
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Traceparent", traceparent)
		h.ServeHTTP(httptest.NewRecorder(), r)
		if kept := out.Get("Traceparent") != ""; kept != (traceparent != "") {
			t.Errorf("called with %q, called others with %v", traceparent, out)
		}
	}
	if err := tracer.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, part := to.spans["whole"], to.spans["part"]
	if len(to.spans) != 2 || whole == nil || part == nil || to.headers.Get("Authorization") != "Bearer abc" {
		t.Fatalf("got %v, %v", to.spans, to.headers)
	}
	if !bytes.Equal(part.ParentSpanId, whole.SpanId) || whole.Kind != tracepb.Span_SPAN_KIND_SERVER || part.Status.Message != "it broke" || whole.Status.Code != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("whole %v, part %v", whole, part)
	}
	if id := strings.Split(caller, "-")[1]; hex.EncodeToString(part.TraceId) != id {
		t.Errorf("the trace is %x, the caller's %s", part.TraceId, id)
	}
}

// A collector that refuses is reported in the log, and has no other effect.
func TestCollectorThatRefuses(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	tracer := newTracer(t, tracing.Config{Endpoint: newReceiver(t, http.StatusForbidden).URL, Share: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, span := tracer.Begin(t.Context(), "work")
	span.End()
	if err := tracer.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "--otel-endpoint") || !strings.Contains(log.String(), "403") {
		t.Errorf("the log says %s", &log)
	}
}

// Without a collector, tracing costs nothing.
func TestNothingWithoutACollector(t *testing.T) { // not parallel, because the allocations of other tests would be counted
	tracer := newTracer(t, tracing.Config{})
	if tracer != nil || tracer.Stop(t.Context()) != nil {
		t.Fatal("there is a tracer")
	}
	next := http.NewServeMux()
	if tracer.Handler(next, nil) != http.Handler(next) {
		t.Error("the handler is wrapped")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	headers := http.Header{}
	if n := testing.AllocsPerRun(100, func() { untraced(ctx, tracer, headers) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(headers) != 0 {
		t.Errorf("headers %v", headers)
	}
}

// untraced makes all calls for traces that the program makes.
func untraced(ctx context.Context, tracer *tracing.Tracer, headers http.Header) {
	inside, part := tracing.Child(ctx, "part")
	tracing.Current(inside).Name("other")
	part.End()
	_, call := tracer.Begin(inside, "call")
	call.Text(tracing.MessageID, "msg_1")
	call.Count(tracing.Attempt, 1)
	call.Fail("no")
	call.Inject(headers)
	call.End()
}

func BenchmarkUntraced(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		untraced(ctx, nil, nil)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{"": true, "a=b": true, "a=b, c=d": true, "a": false, "=b": false, "a=%0a": false, "a=%zz": false} {
		if err := tracing.CheckHeaders(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}
