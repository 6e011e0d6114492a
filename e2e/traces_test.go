package e2e

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// traces is an OpenTelemetry collector.
type traces struct {
	mu    sync.Mutex
	spans []*tracepb.Span
}

func (c *traces) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var batch collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &batch) != nil {
		return // the test notices what is missing
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range batch.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// find waits for a matching span of the given name.
func (c *traces) find(t *testing.T, name string, fits func(*tracepb.Span) bool) *tracepb.Span {
	t.Helper()
	var found *tracepb.Span
	if !eventually(func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.spans {
			if s.Name == name && fits(s) {
				found = s
				return true
			}
		}
		return false
	}) {
		t.Fatalf("there is no such span %q", name)
	}
	return found
}

func attributeOf(s *tracepb.Span, key string) string {
	for _, kv := range s.Attributes {
		if kv.Key == key {
			return kv.Value.GetStringValue()
		}
	}
	return ""
}

// TestTraces: a collector receives the request, its transaction, the call to the provider, the provider's callback and
// the delivery, and the caller and the endpoint see the same traces.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := &traces{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	hooks := make(chan string, 100)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { hooks <- r.Header.Get("Traceparent") }))
	t.Cleanup(endpoint.Close)
	srv := Start(t, WithFlags("--demo", "--demo-empty", "--allow-network=127.0.0.0/8"), WithEnv("OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL))
	key := demoKey(t, srv)
	expect(t, srv.Post(key, "/v1/webhook_subscriptions", `{"url":"`+endpoint.URL+`","events":["message.sent"]}`), http.StatusCreated, "")

	const trace = "0af7651916cd43dd8448eb211c80319c"
	sent := srv.Do(Call{Method: http.MethodPost, Path: "/v1/" + exampleNumber + "/messages", Key: key, Traceparent: "00-" + trace + "-b7ad6b7169203331-01",
		Body: `{"messaging_product":"chat","to":"+12025550100","type":"text","text":{"body":"Hello"}}`})
	expect(t, sent, http.StatusOK, "")

	inTrace := func(id string) func(*tracepb.Span) bool {
		return func(s *tracepb.Span) bool { return hex.EncodeToString(s.TraceId) == id }
	}
	request := c.find(t, "sendMessage", inTrace(trace))
	if hex.EncodeToString(request.ParentSpanId) != "b7ad6b7169203331" || !strings.HasPrefix(attributeOf(request, "parley.request_id"), "req_") {
		t.Errorf("the request is %v", request)
	}
	c.find(t, "transaction", inTrace(trace))
	c.find(t, "send to provider", func(s *tracepb.Span) bool { return attributeOf(s, "parley.message_id") == sent.ID() })
	callback := c.find(t, "callback", func(*tracepb.Span) bool { return true })
	c.find(t, "apply callback", inTrace(hex.EncodeToString(callback.TraceId)))
	parent := <-hooks
	c.find(t, "deliver event", inTrace(strings.Split(parent+"--", "-")[1]))
}
