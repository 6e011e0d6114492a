package store

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// sqliteMemory caches rows of the steady tables until somebody changes one. Each commit resets a reading
// connection's page cache, and under load the same few rows would be fetched thousands of times a second.
//
// This process knows its own changes by their statements. Commands change the store from other processes and
// then replace the mark, which is compared at each look. A program that does not know the mark, such as SQLite's
// own shell, is noticed by the writer when it begins its next transaction.
type sqliteMemory struct {
	changes atomic.Uint64 // that this process has made or noticed
	mark    *os.File      // markSize bytes at random, new after each change

	mu   sync.RWMutex
	rows map[string]remembered
}

// An edition is a state of the steady tables: a row that was read in one may be outdated in another.
type edition struct {
	changes uint64
	mark    [markSize]byte
}

type remembered struct {
	edition edition
	value   any
}

const markSize = 8

// openMemory returns an empty cache of the store in a folder.
func openMemory(dir string) (*sqliteMemory, error) {
	mark, err := openPrivate(filepath.Join(dir, markFile), 0)
	if err != nil {
		return nil, err
	}
	m := &sqliteMemory{mark: mark, rows: map[string]remembered{}}
	if _, known := m.now(); !known {
		m.changed() // the file is new
	}
	return m, nil
}

func (m *sqliteMemory) close() { m.mark.Close() }

// now returns the current edition, unless the mark cannot be read.
func (m *sqliteMemory) now() (now edition, known bool) {
	now.changes = m.changes.Load()
	_, err := m.mark.ReadAt(now.mark[:], 0)
	return now, err == nil
}

// noticed says that a steady table may have changed.
func (m *sqliteMemory) noticed() { m.changes.Add(1) }

// changed says that this process has changed a steady table. It is called before anybody hears of the change.
// The mark is random, because two processes that counted could write the same number. Should it fail, other
// processes notice the change when they write next.
func (m *sqliteMemory) changed() {
	m.noticed()
	var mark [markSize]byte
	rand.Read(mark[:])
	m.mark.WriteAt(mark[:], 0)
}

// get returns the cached value, and the edition under which to cache a value read instead. It checks the
// edition last, so that a pause before that cannot bring back an old value.
func (m *sqliteMemory) get(key string) (value any, now edition, ok bool) {
	m.mu.RLock()
	row, ok := m.rows[key]
	m.mu.RUnlock()
	now, known := m.now()
	return row.value, now, ok && known && row.edition == now
}

// put caches a value that was read after the edition was.
func (m *sqliteMemory) put(key string, read edition, value any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	makeRoom(m.rows)
	m.rows[key] = remembered{read, value}
}

// recallInTx is recall in a transaction. On SQLite nobody else can write meanwhile, so that what is cached holds until
// the writer's transaction changes a steady table itself. Callers must not change the result.
func recallInTx[T any](tx *Tx, name, arg string, read func() (T, error)) (T, error) {
	conn, ok := tx.db.(*sqliteConn)
	if !ok || conn.memory == nil || conn.unsteady {
		return read()
	}
	return remember(conn.memory, name+"\x00"+arg, read)
}

func remember[T any](m *sqliteMemory, key string, read func() (T, error)) (T, error) {
	known, now, ok := m.get(key)
	if ok {
		return known.(T), nil
	}
	value, err := read()
	if err == nil {
		m.put(key, now, value)
	}
	return value, err
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
