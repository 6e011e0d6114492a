package store

import (
	"strings"
	"sync"
	"sync/atomic"
)

// steadyTables hold what every request asks for and hardly anything changes.
var steadyTables = []string{"api_keys", "organizations", "plans", "accounts", "customers", "templates"}

// memorySize bounds what is remembered.
const memorySize = 10_000

// sqliteMemory remembers rows of the steady tables while nobody can have changed them: each commit
// resets what a reading connection has of the file, and under load the same few rows would be fetched
// again thousands of times a second.
//
// This process's own changes are seen by their statements. Commands change the store from other
// processes: while the writer is in a transaction none can, and when it begins one it looks whether any
// did. Between transactions nothing is remembered: a server that does not write reads its store each time.
type sqliteMemory struct {
	// now is the version, which grows with each change, and the bit that tells whether it can be trusted:
	// nobody else can write. One word holds both, so that nobody sees the version of one transaction with
	// the trust of another. The writer alone changes it.
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

// trusted is the bit of sqliteMemory.now, versionStep the version's unit.
const (
	trusted     = 1
	versionStep = 2
)

// writing says that no other process can change the store; changed, whether one has.
func (m *sqliteMemory) writing(changed bool) {
	now := m.now.Load() | trusted
	if changed {
		now += versionStep
	}
	m.now.Store(now)
}

// endWriting comes before the store is free for others to change.
func (m *sqliteMemory) endWriting() { m.now.Store(m.now.Load() &^ trusted) }

// changed says that this process has changed a steady table. It comes before anybody hears of it.
func (m *sqliteMemory) changed() { m.now.Add(versionStep) }

// get returns what is remembered, and under which version to keep what is read instead. It looks last
// whether that still counts: a pause before that cannot bring back what was changed meanwhile.
func (m *sqliteMemory) get(key string) (value any, version uint64, ok bool) {
	m.mu.RLock()
	row, ok := m.rows[key]
	m.mu.RUnlock()
	now := m.now.Load()
	version = now &^ trusted
	return row.value, version, ok && row.version == version && now&trusted != 0
}

// put keeps what was read after version was current: a change in between has made it another.
func (m *sqliteMemory) put(key string, version uint64, value any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rows) >= memorySize {
		clear(m.rows)
	}
	m.rows[key] = remembered{version, value}
}

// recall returns what is remembered under a name and what it was asked for with, or what read finds. In a
// transaction that is always the latter; on PostgreSQL it is shared with those who ask at the same time. Callers
// share what they get.
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

// changesSteady tells whether a statement may change a steady table.
func changesSteady(text string) bool {
	for _, table := range steadyTables {
		if strings.Contains(text, table) {
			return true
		}
	}
	return false
}
