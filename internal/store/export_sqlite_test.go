package store

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

// BatchWithoutLimit lets the embedded store's writer take all that waits into one transaction, however
// long that lasts.
func BatchWithoutLimit(s *Store) { s.engine.(*sqliteEngine).writer.time = time.Hour }

// DropCache makes the embedded store read from its files again.
func (tx *Tx) DropCache() { tx.db.(*sqliteConn).run("PRAGMA shrink_memory") }

// FillUp asks for more pages than the embedded store is let have.
func (tx *Tx) FillUp() error {
	conn := tx.db.(*sqliteConn)
	conn.run("PRAGMA max_page_count = 1") // as many as there are
	defer conn.run(fmt.Sprintf("PRAGMA max_page_count = %d", 1<<30))
	return tx.PutSetting("much", strings.Repeat("x", 1<<20))
}

// Interrupt writes until it is interrupted.
func (tx *Tx) Interrupt() error {
	conn := tx.db.(*sqliteConn)
	interrupt := make(chan struct{})
	conn.conn.SetInterrupt(interrupt)
	defer conn.conn.SetInterrupt(nil)
	stop := sync.OnceFunc(func() { close(interrupt) })
	if err := conn.conn.CreateFunction("interrupt", &sqlite.FunctionImpl{NArgs: 0, Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
		stop()
		return sqlite.IntegerValue(0), nil
	}}); err != nil {
		return err
	}
	_, err := tx.exec(`WITH RECURSIVE n (i) AS (SELECT interrupt() UNION ALL SELECT i + 1 FROM n)
		INSERT INTO settings (name, value) SELECT 'interrupted ' || i, '' FROM n`)
	return err
}

// run runs a statement whatever has become of the transaction.
func (c *sqliteConn) run(text string) {
	stmt, _, err := c.conn.PrepareTransient(text)
	for more := true; err == nil && more; {
		more, err = stmt.Step()
	}
	if err != nil {
		panic(err)
	}
	stmt.Finalize()
}

// Memory is what the embedded store remembers.
type Memory struct{ *sqliteMemory }

// NewMemory returns one that remembers nothing.
func NewMemory() Memory { return Memory{newSQLiteMemory()} }

// Begin begins a transaction; changed, after another process has changed something.
func (m Memory) Begin(changed bool) { m.writing(changed) }

// End ends the transaction.
func (m Memory) End() { m.endWriting() }

// Keep remembers a value.
func (m Memory) Keep(key, value string) {
	_, version, _ := m.get(key)
	m.put(key, version, value)
}

// Recall returns what is remembered, or nil.
func (m Memory) Recall(key string) any {
	if value, _, ok := m.get(key); ok {
		return value
	}
	return nil
}

// Pause holds whoever asks for something until the function that it returns is called.
func (m Memory) Pause() (goOn func()) {
	m.mu.Lock()
	return m.mu.Unlock
}
