// Package files holds uploaded and sent media, and samples of each kind.
package files

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"
)

// File is media that someone uploaded or sent.
type File struct {
	ID       string
	Number   string // phone_number_id of the owner
	MimeType string // with parameters, as given
	Name     string
	Data     []byte
	Sum      [sha256.Size]byte
	Expires  time.Time
	Slow     time.Duration // how long a download takes
}

const (
	UploadedLife = 30 * 24 * time.Hour
	ReceivedLife = 7 * 24 * time.Hour
	MediaURLLife = 5 * time.Minute
)

type Limit struct {
	Kind  string
	Types []string
	Max   int
}

const (
	Kib = 1 << 10
	Mib = 1 << 20
)

// Limits are the types that can be sent, and their largest sizes.
var Limits = []Limit{
	{"audio", []string{"audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"}, 16 * Mib},
	{"document", []string{
		"text/plain", "application/pdf", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	}, 100 * Mib},
	{"image", []string{"image/jpeg", "image/png"}, 5 * Mib},
	{"sticker", []string{"image/webp"}, 500 * Kib},
	{"video", []string{"video/mp4", "video/3gpp"}, 16 * Mib},
}

// BaseType drops parameters such as a codec.
func BaseType(mimeType string) string {
	base, _, _ := strings.Cut(mimeType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

func LimitFor(mimeType string) (Limit, bool) {
	i := slices.IndexFunc(Limits, func(l Limit) bool { return slices.Contains(l.Types, BaseType(mimeType)) })
	if i < 0 {
		return Limit{}, false
	}
	return Limits[i], true
}

// Suits tells whether the file may be sent as that kind. Any file may be sent as a document.
func (f *File) Suits(kind string) bool {
	l, known := LimitFor(f.MimeType)
	return known && (kind == "document" || l.Kind == kind && len(f.Data) <= l.Max)
}

// maxFiles bounds the number of files, which may be too small to reach the limit of bytes.
const maxFiles = 100_000

// Store holds files up to a number of bytes. The oldest are dropped first.
type Store struct {
	mu    sync.Mutex
	files map[string]*File
	order []string
	Bytes int64
	limit int64
}

func NewStore(limit int64) *Store {
	return &Store{files: map[string]*File{}, limit: limit}
}

func (m *Store) Add(f *File) {
	f.Sum = sha256.Sum256(f.Data)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[f.ID] = f
	m.order = append(m.order, f.ID)
	m.Bytes += int64(len(f.Data))
	for len(m.order) > 1 && (m.Bytes > m.limit || len(m.order) > maxFiles) {
		m.drop(m.order[0])
		m.order = m.order[1:]
	}
}

func (m *Store) drop(id string) bool {
	f := m.files[id]
	if f == nil {
		return false
	}
	m.Bytes -= int64(len(f.Data))
	delete(m.files, id)
	return true
}

// Find returns a file that has not expired.
func (m *Store) Find(id string, now time.Time) *File {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[id]
	if f != nil && !now.Before(f.Expires) {
		m.drop(id)
		return nil
	}
	return f
}

func (m *Store) Remove(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.order, id); i >= 0 {
		m.order = slices.Delete(m.order, i, i+1)
	}
	return m.drop(id)
}

func (m *Store) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files, m.order, m.Bytes = map[string]*File{}, nil, 0
}
