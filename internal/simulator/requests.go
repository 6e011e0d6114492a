package simulator

import (
	"bytes"
	"net/url"
	"sync"
	"time"
)

// requestRecord is one request as it was received and answered.
type requestRecord struct {
	Time   time.Time `json:"time"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Query  string    `json:"query,omitempty"`
	Body   string    `json:"body,omitempty"`
	Status int       `json:"status"` // 0: the connection was closed without an answer
	Code   int       `json:"error_code,omitempty"`
}

// requestRing keeps the last requests.
type requestRing struct {
	mu    sync.Mutex
	ring  []storedRequest
	next  int
	total int64
	limit int
}

// storedRequest keeps the body as bytes, which costs no copy while nobody looks.
type storedRequest struct {
	requestRecord
	body []byte
}

const maxRecordedBody = 8 << 10

func newRequestRing(limit int) *requestRing { return &requestRing{limit: limit} }

func (r *requestRing) add(c *call, a answer, now time.Time) {
	rec := storedRequest{body: c.body, requestRecord: requestRecord{
		Time: now, Method: c.Method, Path: c.URL.Path, Query: redactQuery(c.URL.RawQuery), Status: a.status, Code: a.code,
	}}
	if a.abort {
		rec.Status = 0
	}
	if len(rec.body) > maxRecordedBody {
		rec.body = bytes.Clone(rec.body[:maxRecordedBody])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	if len(r.ring) < r.limit {
		r.ring = append(r.ring, rec)
		return
	}
	r.ring[r.next] = rec
	r.next = (r.next + 1) % r.limit
}

// list returns the newest requests that match, the newest first.
func (r *requestRing) list(limit int, match func(*requestRecord) bool) []requestRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []requestRecord{}
	for i := range r.ring {
		rec := r.ring[((r.next-1-i)%len(r.ring)+len(r.ring))%len(r.ring)]
		if !match(&rec.requestRecord) {
			continue
		}
		rec.Body = string(rec.body)
		if out = append(out, rec.requestRecord); len(out) == limit {
			break
		}
	}
	return out
}

func (r *requestRing) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ring, r.next, r.total = nil, 0, 0
}

// redactQuery keeps tokens and secrets out of what is remembered.
func redactQuery(raw string) string {
	if raw == "" {
		return ""
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return ""
	}
	for _, secret := range []string{"access_token", "client_secret", "input_token", "code"} {
		if q.Has(secret) {
			q.Set(secret, "redacted")
		}
	}
	return q.Encode()
}
