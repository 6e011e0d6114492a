package tracing

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Handler traces requests. A request with a traceparent header continues that trace. name is the name of a request
// until its handler sets a better one; it must not contain ids.
func (t *Tracer) Handler(next http.Handler, name func(*http.Request) string) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, name(r), trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", r.Method)))
		defer span.End()
		answer := &answer{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r.WithContext(ctx))
		span.SetAttributes(attribute.Int("http.response.status_code", answer.status))
		if answer.status >= http.StatusInternalServerError {
			recording(span).Fail(http.StatusText(answer.status))
		}
	})
}

// answer records the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (a *answer) WriteHeader(status int) {
	if !a.begun && status >= http.StatusOK { // 1xx statuses come before the answer
		a.status, a.begun = status, true
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
