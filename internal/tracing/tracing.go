// Package tracing reports to an OpenTelemetry collector how long each part of the work took. Without a collector there
// is no Tracer, and nothing is allocated.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const scope = "github.com/parleyhq/parley"

// The names of our own attributes.
const (
	RequestID  = "parley.request_id"
	MessageID  = "parley.message_id"
	DeliveryID = "parley.delivery_id"
	EventType  = "parley.event_type"
	Number     = "parley.phone_number_id"
	Attempt    = "parley.attempt"
)

// Config is what a Tracer needs.
type Config struct {
	// Endpoint is the collector's base address, without /v1/traces. Empty: nothing is traced.
	Endpoint string
	// Headers are sent with every export, as "name=value,other=value".
	Headers string
	// Share is the share of the traces begun here that are kept, from 0 to 1. A trace that a caller began is kept if
	// the caller keeps it.
	Share   float64
	Version string
	Log     *slog.Logger
}

// Tracer begins traces. A nil Tracer does nothing, at no cost.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// New makes a tracer, or nil if there is no endpoint. Stop sends the remaining spans.
func New(cfg Config) (*Tracer, error) {
	if cfg.Endpoint == "" {
		return nil, nil
	}
	headers, err := parseHeaders(cfg.Headers)
	if err != nil {
		return nil, err
	}
	to := &exporter{url: strings.TrimSuffix(cfg.Endpoint, "/") + "/v1/traces", headers: headers, client: &http.Client{Timeout: exportTimeout}, log: cfg.Log}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(to, sdktrace.WithBatchTimeout(2*time.Second)), // a full queue drops spans
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(cfg.Share))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "parley"), attribute.String("service.version", cfg.Version))),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer(scope)}, nil
}

// CheckHeaders checks whether a text is valid for Config.Headers.
func CheckHeaders(text string) error {
	_, err := parseHeaders(text)
	return err
}

func parseHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, found := strings.Cut(part, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || strings.TrimSpace(name) == "" || strings.ContainsAny(name+value, "\r\n") {
			return nil, fmt.Errorf("must be like authorization=Bearer%%20abc,other=value")
		}
		headers.Set(strings.TrimSpace(name), value)
	}
	return headers, nil
}

// Stop sends the spans that were not sent yet.
func (t *Tracer) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Span is a piece of work. The zero Span is work that is not traced.
type Span struct{ span trace.Span }

// Begin begins a piece of work that is not part of a request.
func (t *Tracer) Begin(ctx context.Context, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, recording(span)
}

// Child begins a part of the work that ctx belongs to, if that work is traced.
func Child(ctx context.Context, name string) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name)
	return ctx, recording(span)
}

// Current is the work that ctx belongs to.
func Current(ctx context.Context) Span { return recording(trace.SpanFromContext(ctx)) }

// recording returns the zero Span for a span that is not recorded.
func recording(span trace.Span) Span {
	if !span.IsRecording() {
		return Span{}
	}
	return Span{span}
}

// Name renames the work, once it is known what it is.
func (s Span) Name(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Text adds a text attribute. No secret, and nothing that people wrote, may go into a trace.
func (s Span) Text(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Count adds a number attribute.
func (s Span) Count(key string, n int) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int(key, n))
	}
}

// Fail marks the work as failed, with a text that may leave the machine.
func (s Span) Fail(why string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, why)
	}
}

// End ends the work.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// Inject adds the trace to the headers of a request, so that its receiver can continue it.
func (s Span) Inject(headers http.Header) {
	if s.span != nil {
		propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), s.span), propagation.HeaderCarrier(headers))
	}
}
