package simulator

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"
)

// file is media that someone uploaded or sent.
type file struct {
	id       string
	number   string // phone_number_id of the owner
	mimeType string // with parameters, as given
	name     string
	data     []byte
	sum      [sha256.Size]byte
	expires  time.Time
	slow     time.Duration // how long a download takes
}

const (
	uploadedLife = 30 * 24 * time.Hour
	receivedLife = 7 * 24 * time.Hour
	mediaURLLife = 5 * time.Minute
)

type mediaLimit struct {
	kind  string
	types []string
	max   int
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// mediaLimits are the types that can be sent, and how large they may be.
var mediaLimits = []mediaLimit{
	{"audio", []string{"audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"}, 16 * mib},
	{"document", []string{
		"text/plain", "application/pdf", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	}, 100 * mib},
	{"image", []string{"image/jpeg", "image/png"}, 5 * mib},
	{"sticker", []string{"image/webp"}, 500 * kib},
	{"video", []string{"video/mp4", "video/3gpp"}, 16 * mib},
}

// baseType drops parameters such as a codec.
func baseType(mimeType string) string {
	base, _, _ := strings.Cut(mimeType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

func limitFor(mimeType string) (mediaLimit, bool) {
	i := slices.IndexFunc(mediaLimits, func(l mediaLimit) bool { return slices.Contains(l.types, baseType(mimeType)) })
	if i < 0 {
		return mediaLimit{}, false
	}
	return mediaLimits[i], true
}

// suits reports whether the file may be sent as that kind. Any file may be sent as a document.
func (f *file) suits(kind string) bool {
	l, known := limitFor(f.mimeType)
	return known && (kind == "document" || l.kind == kind && len(f.data) <= l.max)
}

// maxFiles bounds files that are too small to reach the limit of bytes.
const maxFiles = 100_000

// mediaStore holds files up to a number of bytes; the oldest go first.
type mediaStore struct {
	mu    sync.Mutex
	files map[string]*file
	order []string
	bytes int64
	limit int64
}

func newMediaStore(limit int64) *mediaStore {
	return &mediaStore{files: map[string]*file{}, limit: limit}
}

func (m *mediaStore) add(f *file) {
	f.sum = sha256.Sum256(f.data)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[f.id] = f
	m.order = append(m.order, f.id)
	m.bytes += int64(len(f.data))
	for len(m.order) > 1 && (m.bytes > m.limit || len(m.order) > maxFiles) {
		m.drop(m.order[0])
		m.order = m.order[1:]
	}
}

func (m *mediaStore) drop(id string) bool {
	f := m.files[id]
	if f == nil {
		return false
	}
	m.bytes -= int64(len(f.data))
	delete(m.files, id)
	return true
}

// find returns a file that has not expired.
func (m *mediaStore) find(id string, now time.Time) *file {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[id]
	if f != nil && !now.Before(f.expires) {
		m.drop(id)
		return nil
	}
	return f
}

func (m *mediaStore) remove(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.order, id); i >= 0 {
		m.order = slices.Delete(m.order, i, i+1)
	}
	return m.drop(id)
}

func (m *mediaStore) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files, m.order, m.bytes = map[string]*file{}, nil, 0
}
