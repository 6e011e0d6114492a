package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"syscall"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
)

const (
	// maxDrain is how much of an answer is read so that its connection can be reused.
	maxDrain = 64 << 10
	// maxIdle is how many idle connections are kept. Above it the one that is unused for longest is closed.
	maxIdle = 2048
)

// poster makes HTTP requests to endpoints.
type poster struct {
	secure, plain *http.Transport
	timeout       time.Duration
	tracer        *tracing.Tracer
}

func newPoster(cfg Config) *poster {
	p := &poster{secure: cfg.Guard.Transport(), plain: cfg.Guard.Transport(), timeout: cfg.Timeout, tracer: cfg.Tracer}
	p.plain.DialContext = cfg.Guard.DialOpened
	for _, t := range []*http.Transport{p.secure, p.plain} {
		t.MaxIdleConns, t.MaxIdleConnsPerHost = maxIdle, maxIdle // many subscriptions may use one host
		t.ReadBufferSize, t.WriteBufferSize = 2<<10, 2<<10       // enough for most; there may be thousands
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.Roots, ClientSessionCache: tls.NewLRUClientSessionCache(maxIdle)}
		// A connection that died unnoticed must not block all its streams for long.
		t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 5 * time.Second}
	}
	return p
}

func (p *poster) close() {
	p.secure.CloseIdleConnections()
	p.plain.CloseIdleConnections()
}

// answer is how an attempt ended.
type answer struct {
	attempt    chat.DeliveryAttempt
	verdict    verdict
	gone       bool
	retryAfter time.Duration // the wait that the endpoint asked for
	aborted    bool          // aborted by us: it does not count
}

// post makes an attempt. It calls written, perhaps more than once, when the request has been written.
func (p *poster) post(ctx context.Context, to *endpoint, j *store.DeliveryJob, at time.Time, written func()) answer {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	headers := chat.SignedDelivery{
		ID: j.ID, EventID: j.EventID, EventType: j.EventType, Source: j.Source, Attempt: j.Attempts + 1, Signature: to.sign(at, j.Payload),
		Test: core.IsSampleSubject(j.Subject),
	}.Headers()
	ctx, span := p.tracer.Begin(ctx, "deliver event")
	defer span.End()
	span.Text(tracing.DeliveryID, j.ID)
	span.Text(tracing.EventType, string(j.EventType))
	span.Count(tracing.Attempt, int(j.Attempts)+1)
	span.Inject(headers)
	response, err := p.send(ctx, to, headers, j.Payload, written)
	var a answer
	if err == nil {
		a = readAnswer(response, at)
	} else {
		a = answer{attempt: explain(err), verdict: verdictOn(err), aborted: errors.Is(err, context.Canceled)}
	}
	if a.attempt.ErrorCode != nil {
		span.Fail(*a.attempt.ErrorCode)
	}
	a.attempt.At, a.attempt.DurationMS = at.UnixMilli(), new(time.Since(begin).Milliseconds())
	return a
}

// send makes the request. It sends it once more if it went into a connection that the other side had closed: nobody can
// have seen it.
func (p *poster) send(ctx context.Context, to *endpoint, headers http.Header, body []byte, written func()) (*http.Response, error) {
	line := lineTrace{written: written}
	response, err := p.roundTrip(ctx, &line, to, headers, body)
	if err != nil && line.stale() && ctx.Err() == nil && broken(err) {
		response, err = p.roundTrip(ctx, &line, to, headers, body)
	}
	return response, err
}

// lineTrace watches the connection of a request.
type lineTrace struct {
	written          func()
	mu               sync.Mutex
	reused, answered bool
}

// stale tells whether the connection was reused and no answer began on it. It locks, because the transport may still be
// reading from the connection after the request was given up.
func (l *lineTrace) stale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reused && !l.answered
}

func (p *poster) roundTrip(ctx context.Context, line *lineTrace, to *endpoint, headers http.Header, body []byte) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) {
			line.mu.Lock()
			defer line.mu.Unlock()
			line.reused = c.Reused
		},
		WroteRequest: func(httptrace.WroteRequestInfo) { line.written() },
		GotFirstResponseByte: func() {
			line.mu.Lock()
			defer line.mu.Unlock()
			line.answered = true
		},
	})
	reader := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request := &http.Request{
		Method: http.MethodPost, URL: to.url, Host: to.url.Host, Header: headers, ContentLength: int64(len(body)), GetBody: reader,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	request.Body, _ = reader()
	transport := p.secure
	if to.url.Scheme == "http" {
		transport = p.plain
	}
	return transport.RoundTrip(request.WithContext(ctx))
}

// broken tells whether a connection ended where an answer should begin.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// readAnswer judges an answer. It reads enough of the body to show, and enough to keep the connection usable, both
// within the attempt's time limit.
func readAnswer(response *http.Response, at time.Time) answer {
	defer response.Body.Close()
	var snippet string
	var err error
	if response.StatusCode != http.StatusSwitchingProtocols { // then the body is a bare connection without a deadline
		snippet, err = readSnippet(response.Body)
	}
	a := judge(response, at)
	if isTimeout(err) { // an answer that does not end counts as none
		a = answer{attempt: explain(err), verdict: choking}
	}
	if errors.Is(err, context.Canceled) {
		a.aborted = true
	}
	a.attempt.ResponseStatus = new(int64(response.StatusCode))
	if snippet != "" {
		a.attempt.ResponseBodySnippet = &snippet
	}
	return a
}

var buffers = sync.Pool{New: func() any { return new([maxSnippet]byte) }}

// readSnippet reads the beginning of a body. The error is about that part; the rest is only drained.
func readSnippet(body io.Reader) (string, error) {
	if body == http.NoBody {
		return "", nil
	}
	buffer := buffers.Get().(*[maxSnippet]byte)
	defer buffers.Put(buffer)
	n, err := io.ReadFull(body, buffer[:])
	if err == nil {
		_, _ = io.CopyN(io.Discard, body, maxDrain-maxSnippet) // an error here only costs the connection
	}
	return clean(buffer[:n]), err
}
