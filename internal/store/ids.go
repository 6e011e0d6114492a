package store

import (
	"crypto/rand"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/parleyhq/parley/internal/chat"
)

type kind = chat.Kind

// idSource makes ids that grow: two made in the same millisecond keep the order they were made in.
type idSource struct {
	mu      sync.Mutex
	entropy io.Reader
}

func newIDSource() *idSource {
	return &idSource{entropy: ulid.Monotonic(rand.Reader, 0)}
}

func (s *idSource) next(k kind, at time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := ulid.New(ulid.Timestamp(at), s.entropy)
	if err != nil {
		// The millisecond's 80 random bits ran over, which takes 2^79 ids on average.
		s.entropy = ulid.Monotonic(rand.Reader, 0)
		id = ulid.MustNew(ulid.Timestamp(at), s.entropy)
	}
	return string(k) + "_" + id.String()
}

// firstID is the smallest id of the kind that an id made at t or later can have.
func firstID(k kind, t time.Time) string {
	var id ulid.ULID
	if err := id.SetTime(ulid.Timestamp(t)); err != nil {
		return string(k) + "_" + strings.Repeat("0", chat.ULIDLength)
	}
	return string(k) + "_" + id.String()
}
