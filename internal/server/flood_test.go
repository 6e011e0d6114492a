package server

import (
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var repeated = regexp.MustCompile(` repeated=(\d+)`)

// Requests that the store cannot serve are logged once a minute, and all of them are counted.
func TestRefusedRequestsDoNotFloodTheLog(t *testing.T) {
	t.Parallel()
	const requests = 300
	s, lines := open(t, settings(t))
	request := httptest.NewRequest("GET", "/v1/labels", nil)
	request.Header.Set("Authorization", "Bearer "+newKey(t, s))
	must(t, s.store.Close())
	begin := time.Now()
	for range requests {
		response := httptest.NewRecorder()
		s.routes().ServeHTTP(response, request)
		if response.Code != 503 {
			t.Fatalf("got %d %s", response.Code, response.Body)
		}
	}
	if err := s.Close(); err != nil { // logs the count
		t.Fatal(err)
	}
	minutes := int(time.Since(begin)/time.Minute) + 1
	logged, told := 0, 0
	for line := range strings.Lines(lines.String()) {
		if !strings.Contains(line, `msg="store unavailable"`) {
			continue
		}
		told++
		count := 1
		if match := repeated.FindStringSubmatch(line); match != nil {
			count, _ = strconv.Atoi(match[1])
		}
		logged += count
	}
	if logged != requests || told > 1+minutes {
		t.Errorf("%d requests in %d lines, want %d in at most %d:\n%s", logged, told, requests, 1+minutes, lines)
	}
}
