// Package blobtest is object storage in memory, for tests: it answers the requests that the program makes as an
// S3 server does, and fails in the same ways. The long tests use a real server.
package blobtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The bucket and the credentials that the server accepts.
const (
	Bucket    = "parley-media"
	AccessKey = "AKIATEST"
	Secret    = "s3-test-secret"
)

// Server is a bucket.
type Server struct {
	URL string

	mu      sync.Mutex
	objects map[string][]byte
	fail    func(http.ResponseWriter, *http.Request) bool
}

// Start starts a server that ends with the test.
func Start(t *testing.T) *Server {
	t.Helper()
	s := &Server{objects: map[string][]byte{}}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	s.URL = web.URL
	return s
}

// Address is the setting for a part of the bucket.
func (s *Server) Address(prefix string) string {
	return fmt.Sprintf("s3://%s/%s?endpoint=%s&region=us-east-1", Bucket, prefix, s.URL)
}

// Environment is the credentials as environment variables.
func Environment() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + AccessKey, "AWS_SECRET_ACCESS_KEY=" + Secret}
}

// Fail answers requests with the function, if it returns true; nil ends that.
func (s *Server) Fail(f func(http.ResponseWriter, *http.Request) (answered bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = f
}

// Down answers like an overloaded server.
func Down(w http.ResponseWriter, _ *http.Request) bool {
	refuse(w, http.StatusServiceUnavailable, "SlowDown")
	return true
}

// Hang never answers.
func Hang(_ http.ResponseWriter, r *http.Request) bool {
	_, err := io.Copy(io.Discard, r.Body) // only afterwards the server notices that the client left
	if err == nil {
		<-r.Context().Done()
	}
	return true
}

// Keys are the names of the objects.
func (s *Server) Keys() (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.objects {
		keys = append(keys, key)
	}
	return keys
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	fail := s.fail
	s.mu.Unlock()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case fail != nil && fail(w, r):
	case !strings.Contains(r.Header.Get("Authorization"), "Credential="+AccessKey+"/"):
		refuse(w, http.StatusForbidden, "AccessDenied")
	case bucket != Bucket:
		refuse(w, http.StatusNotFound, "NoSuchBucket")
	case key != "":
		s.object(w, r, key)
	}
}

func (s *Server) object(w http.ResponseWriter, r *http.Request, key string) {
	body, err := content(r)
	if err != nil {
		return // the client left, so its object does not appear
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, there := s.objects[key]
	switch {
	case r.Method == http.MethodPut:
		s.objects[key] = body
		w.Header().Set("ETag", `"0"`)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", `"0"`)
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(stored))
	}
}

// content is a request's body. Without TLS it comes in chunks, each with its size and a signature.
func content(r *http.Request) (body []byte, err error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	in := bufio.NewReader(r.Body)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseInt(digits, 16, 64)
		if err != nil {
			return nil, err
		}
		chunk := make([]byte, size+2) // with its line break
		if _, err := io.ReadFull(in, chunk); err != nil || size == 0 {
			return body, err
		}
		body = append(body, chunk[:size]...)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, code)
}
