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
	version atomic.Uint64 // grows with each change
	trusted atomic.Bool   // nobody else can write

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

// writing says that no other process can change the store; changed, whether one has.
func (m *sqliteMemory) writing(changed bool) {
	if changed {
		m.version.Add(1)
	}
	m.trusted.Store(true)
}

// endWriting comes before the store is free for others to change.
func (m *sqliteMemory) endWriting() { m.trusted.Store(false) }

// changed says that this process has changed a steady table. It comes before anybody hears of it.
func (m *sqliteMemory) changed() { m.version.Add(1) }

// get returns what is remembered, and under which version to keep what is read instead.
func (m *sqliteMemory) get(key string) (value any, version uint64, ok bool) {
	version = m.version.Load()
	if !m.trusted.Load() {
		return nil, version, false
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	row, ok := m.rows[key]
	return row.value, version, ok && row.version == version
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

// recall returns what is remembered under a name and what it was asked for with, or what read finds.
// In a transaction, and on PostgreSQL, that is always the latter. Callers share what they get.
func recall[T any](r Reader, name string, args []string, read func() (T, error)) (T, error) {
	engine, ok := r.db.(*sqliteEngine)
	if !ok {
		return read()
	}
	key := name + "\x00" + strings.Join(args, "\x00")
	known, version, ok := engine.memory.get(key)
	if ok {
		return known.(T), nil
	}
	value, err := read()
	if err == nil {
		engine.memory.put(key, version, value)
	}
	return value, err
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
