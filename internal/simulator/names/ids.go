// Package names makes the names that the upstream uses: the shapes of its ids, and people's ids from phone numbers.
package names

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
)

// Source makes ids that never repeat within a run. A seed makes them repeatable.
type Source struct {
	Seed uint64
	n    atomic.Uint64
}

func (s *Source) Next() uint64 { return mix64(s.Seed + s.n.Add(1)*0x9E3779B97F4A7C15) }

// mix64 is the finalizer of splitmix64: a bijection, so distinct inputs give distinct ids.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Chance returns true for the given share of calls.
func (s *Source) Chance(rate float64) bool {
	if rate <= 0 {
		return false
	}
	return rate >= 1 || float64(s.Next()>>11)/(1<<53) < rate
}

// Each kind of object has ids of its own shape, so that an id cannot be mistaken for another kind. Only ids that have
// no other kind's shape become numbers on the fly.
const (
	Number   = '1'
	WABA     = '2'
	Business = '3'
	Template = '8'
	Media    = '9'
)

const IDSpace = 1_000_000_000_000_000 // templates and media have 16 digits, accounts and numbers 15

// Object is an id of 16 digits. The step is coprime to the space, so ids do not repeat.
func (s *Source) Object(prefix byte) string {
	n := (s.n.Add(1)*792_606_555_396_977 + s.Seed%IDSpace) % IDSpace
	return fmt.Sprintf("%c%015d", prefix, n)
}

func (s *Source) Account(prefix byte) string {
	n := (s.n.Add(1)*79_260_655_539_697 + s.Seed%(IDSpace/10)) % (IDSpace / 10)
	return fmt.Sprintf("%c%014d", prefix, n)
}

// DerivedID is an account id derived from another id, so that it is the same after a restart.
func DerivedID(prefix byte, from string) string {
	return fmt.Sprintf("%c%014d", prefix, HashString(string(prefix)+from)%(IDSpace/10))
}

// HashString is FNV-1a, mixed so that all bits are good.
func HashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix64(h)
}

const (
	Outbound = 0x11
	Inbound  = 0x12
)

const hexUpper = "0123456789ABCDEF"

// Wamid makes a message id in the upstream's layout: the person, the direction, and an id of 18 hexadecimal digits
// outbound, 20 inbound.
func (s *Source) Wamid(user string, direction byte) string {
	var buf [192]byte
	b := append(buf[:0], 0x1C, 0x18, byte(min(len(user), 140)))
	b = append(b, user[:min(len(user), 140)]...)
	b = append(b, 0x15, 0x02, 0x00, direction, 0x18)
	n := s.Next()
	if direction == Inbound {
		b = append(b, 20, '3', 'A', hexUpper[n>>4&15], hexUpper[n>>12&15])
	} else {
		b = append(b, 18, '3', 'E')
	}
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, hexUpper[n>>shift&15])
	}
	b = append(b, 0)
	var out [272]byte
	return string(base64.StdEncoding.AppendEncode(append(out[:0], "wamid."...), b))
}

// Trace is the upstream's fbtrace_id.
func (s *Source) Trace() string {
	n := s.Next()
	b := make([]byte, 0, 12)
	for range 8 {
		b = append(b, byte(n))
		n >>= 8
	}
	return "A" + base64.RawURLEncoding.EncodeToString(b)
}

// IsInboundID tells whether an unknown id has the layout of a message from a person.
func IsInboundID(id string) bool {
	raw, found := strings.CutPrefix(id, "wamid.")
	b, err := base64.StdEncoding.DecodeString(raw)
	if !found || err != nil || len(b) < 8 || b[0] != 0x1C || b[1] != 0x18 {
		return false
	}
	at := 3 + int(b[2]) + 3
	return at < len(b) && b[at] == Inbound
}

// IsUploadHandle tells whether a text can be the handle of an uploaded file.
func IsUploadHandle(s string) bool { return strings.HasPrefix(s, "4:") }
