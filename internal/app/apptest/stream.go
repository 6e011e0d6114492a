package apptest

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/live"
)

// Stream is an open stream of live hints.
type Stream struct {
	Hints chan live.Hint // closed when the stream ends
}

// Listen opens the stream, and returns once the server listens.
func (b *Browser) Listen(t testing.TB) *Stream {
	t.Helper()
	client := &http.Client{}
	answer, err := client.Do(b.request(t, http.MethodGet, "/stream", ""))
	must(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the stream answers %s", answer.Status)
	}
	s := &Stream{Hints: make(chan live.Hint, 1000)}
	go func() {
		defer close(s.Hints)
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var hint live.Hint
				if json.Unmarshal([]byte(text), &hint) == nil {
					s.Hints <- hint
				}
			}
		}
	}()
	t.Cleanup(func() { answer.Body.Close() })
	s.Await(t, "hello", "")
	return s
}

// Until returns the next hints, until all of the kinds are among them.
func (s *Stream) Until(t testing.TB, kinds ...string) (hints []live.Hint) {
	t.Helper()
	missing := func(kind string) bool {
		return !slices.ContainsFunc(hints, func(h live.Hint) bool { return h.Kind == kind })
	}
	for slices.ContainsFunc(kinds, missing) {
		hints = append(hints, s.next(t))
	}
	return hints
}

// Await returns the next hint of a kind and an id, and skips others.
func (s *Stream) Await(t testing.TB, kind, id string) live.Hint {
	t.Helper()
	for {
		if hint := s.next(t); hint.Kind == kind && hint.ID == id {
			return hint
		}
	}
}

func (s *Stream) next(t testing.TB) live.Hint {
	t.Helper()
	select {
	case hint, open := <-s.Hints:
		if !open {
			t.Fatal("the stream has ended")
		}
		return hint
	case <-time.After(time.Minute):
		t.Fatal("no hint in a minute")
	}
	return live.Hint{}
}
