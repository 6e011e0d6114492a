package store

import (
	"crypto/rand"
	"encoding/binary"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/parleyhq/parley/internal/chat"
)

type kind = chat.Kind

// idMemory is how many milliseconds an idSource remembers. A transaction that runs longer beside others may
// make ids out of order.
const idMemory = 4096

// idSource makes growing ids: two ids of the same millisecond keep their order, even if ids of other
// milliseconds are made in between by concurrent transactions.
type idSource struct {
	mu   sync.Mutex
	last [idMemory]ulid.ULID // by millisecond, modulo the size
}

func newIDSource() *idSource { return &idSource{} }

func (s *idSource) next(k kind, at time.Time) string {
	ms := ulid.Timestamp(at)
	s.mu.Lock()
	defer s.mu.Unlock()
	id := &s.last[ms%idMemory]
	if id.Time() == ms {
		grow(id)
	} else {
		*id = ulid.MustNew(ms, rand.Reader)
		id[6] &= 0x7f // leaves room to grow: 2^79, in steps below 2^32
	}
	return string(k) + "_" + id.String()
}

// grow adds a random step to the random part of an id.
func grow(id *ulid.ULID) {
	var step [4]byte
	rand.Read(step[:])
	carry := uint64(binary.BigEndian.Uint32(step[:])) + 1
	for i := len(id) - 1; carry > 0 && i >= 6; i-- {
		carry += uint64(id[i])
		id[i] = byte(carry)
		carry >>= 8
	}
}

// firstID is the smallest id of the kind made at t or later.
func firstID(k kind, t time.Time) string {
	var id ulid.ULID
	if err := id.SetTime(ulid.Timestamp(t)); err != nil {
		return string(k) + "_" + strings.Repeat("0", chat.ULIDLength)
	}
	return string(k) + "_" + id.String()
}
