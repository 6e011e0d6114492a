package store

import (
	"strings"
	"sync"
	"sync/atomic"
)

// steadyTables are read by every request and hardly ever change.
var steadyTables = []string{"api_keys", "organizations", "plans", "accounts", "customers", "templates"}

// memorySize bounds the cache.
const memorySize = 10_000

// sqliteMemory caches rows of the steady tables while nobody can have changed them. Each commit resets a
// reading connection's page cache, and under load the same few rows would be fetched thousands of times a
// second.
//
// This process sees its own changes by their statements. Commands change the store from other processes: they
// cannot while the writer is in a transaction, and when it begins one it checks whether any did. Between
// transactions nothing is cached, so an idle server reads its store each time.
type sqliteMemory struct {
	// now is the version, which grows with each change, and the bit that says whether it can be trusted because
	// nobody else can write. One word holds both, so that nobody sees the version of one transaction with the
	// trust of another. Only the writer changes it.
	now atomic.Uint64

	mu   sync.RWMutex
	rows map[string]remembered
}

type remembered struct {
	version uint64
	value   any
}

func newSQLiteMemory() *sqliteMemory {
	return &sqliteMemory{rows: map[string]remembered{}}
}

// trusted is the bit of sqliteMemory.now, and versionStep the unit of the version.
const (
	trusted     = 1
	versionStep = 2
)

// writing says that no other process can change the store now; changed, whether one has.
func (m *sqliteMemory) writing(changed bool) {
	now := m.now.Load() | trusted
	if changed {
		now += versionStep
	}
	m.now.Store(now)
}

// endWriting is called before other processes can change the store again.
func (m *sqliteMemory) endWriting() { m.now.Store(m.now.Load() &^ trusted) }

// changed says that this process has changed a steady table. It is called before anybody hears of the change.
func (m *sqliteMemory) changed() { m.now.Add(versionStep) }

// get returns the cached value, and the version under which to cache a value read instead. It checks the
// version last, so that a pause before that cannot bring back an old value.
func (m *sqliteMemory) get(key string) (value any, version uint64, ok bool) {
	m.mu.RLock()
	row, ok := m.rows[key]
	m.mu.RUnlock()
	now := m.now.Load()
	version = now &^ trusted
	return row.value, version, ok && row.version == version && now&trusted != 0
}

// put caches a value that was read while version was current. A change in between has made it outdated.
func (m *sqliteMemory) put(key string, version uint64, value any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rows) >= memorySize {
		clear(m.rows)
	}
	m.rows[key] = remembered{version, value}
}

// recall returns the cached value for a name and arguments, or the result of read. In a transaction it always
// reads; on PostgreSQL simultaneous callers share the result. Callers must not change it.
func recall[T any](r Reader, name string, args []string, read func() (T, error)) (T, error) {
	key := name + "\x00" + strings.Join(args, "\x00")
	switch engine := r.db.(type) {
	case *sqliteEngine:
		known, version, ok := engine.memory.get(key)
		if ok {
			return known.(T), nil
		}
		value, err := read()
		if err == nil {
			engine.memory.put(key, version, value)
		}
		return value, err
	case *postgresEngine:
		value, err := engine.sharing.do(key, func() (any, error) { return read() })
		found, _ := value.(T)
		return found, err
	default:
		return read()
	}
}

// changesSteady reports whether a statement may change a steady table.
func changesSteady(text string) bool {
	for _, table := range steadyTables {
		if strings.Contains(text, table) {
			return true
		}
	}
	return false
}
