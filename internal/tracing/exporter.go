package tracing

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const exportTimeout = 10 * time.Second

// exporter sends spans by OTLP over HTTP. OpenTelemetry's own exporter does the same, but links gRPC for it.
type exporter struct {
	url     string
	headers http.Header
	client  *http.Client
	log     *slog.Logger
}

// ExportSpans sends a batch. A batch that the collector does not accept is lost: traces are a help, not a record.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.post(ctx, spans)
	if err != nil {
		e.log.Warn("traces could not be sent: check --otel-endpoint", "error", err, "spans", len(spans))
	}
	return nil // the SDK would print the error again
}

func (e *exporter) post(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	body, err := proto.Marshal(request(spans))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	maps.Copy(r.Header, e.headers)
	r.Header.Set("Content-Type", "application/x-protobuf")
	response, err := e.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be reused
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", response.Status)
	}
	return err
}

// Shutdown is part of sdktrace.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// request is a batch in the collector's form. All spans have one resource and one scope.
func request(spans []sdktrace.ReadOnlySpan) *collector.ExportTraceServiceRequest {
	list := make([]*tracepb.Span, len(spans))
	for i, s := range spans {
		list[i] = span(s)
	}
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: attributes(spans[0].Resource().Attributes())},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &common.InstrumentationScope{Name: scope}, Spans: list}},
	}}}
}

func span(s sdktrace.ReadOnlySpan) *tracepb.Span {
	trace, id, parent := s.SpanContext().TraceID(), s.SpanContext().SpanID(), s.Parent().SpanID()
	out := &tracepb.Span{
		TraceId: trace[:], SpanId: id[:], TraceState: s.SpanContext().TraceState().String(), Name: s.Name(), Kind: kinds[s.SpanKind()],
		StartTimeUnixNano: uint64(s.StartTime().UnixNano()), EndTimeUnixNano: uint64(s.EndTime().UnixNano()), Attributes: attributes(s.Attributes()),
	}
	if s.Parent().IsValid() {
		out.ParentSpanId = parent[:]
	}
	if s.Status().Code == codes.Error {
		out.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: s.Status().Description}
	}
	return out
}

var kinds = map[trace.SpanKind]tracepb.Span_SpanKind{
	trace.SpanKindInternal: tracepb.Span_SPAN_KIND_INTERNAL, trace.SpanKindServer: tracepb.Span_SPAN_KIND_SERVER, trace.SpanKindClient: tracepb.Span_SPAN_KIND_CLIENT,
}

// attributes converts texts and whole numbers, the only attributes that this package makes.
func attributes(list []attribute.KeyValue) (out []*common.KeyValue) {
	for _, kv := range list {
		value := &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: kv.Value.String()}}
		if kv.Value.Type() == attribute.INT64 {
			value = &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: kv.Value.AsInt64()}}
		}
		out = append(out, &common.KeyValue{Key: string(kv.Key), Value: value})
	}
	return out
}
