package store

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/parleyhq/parley/internal/fair"
)

// BatchWithoutLimit lets the embedded store's writer take all waiting jobs into one transaction, however long
// it lasts.
func BatchWithoutLimit(s *Store) { s.engine.(*sqliteEngine).writer.time = time.Hour }

// GatherWithoutLimit lets a batch of the embedded store's writer wait for others as long as a sync lasts.
func GatherWithoutLimit(s *Store) { s.engine.(*sqliteEngine).writer.pause = time.Hour }

// ExplainDisk explains a failure of SQLite by what the system says of the folder.
func ExplainDisk(err error, dir string, system error) error {
	return explainDisk(err, func(string) error { return system }, dir)
}

// CountTime makes each transaction of the embedded store's writer take exactly that long.
func CountTime(s *Store, each time.Duration) {
	now := time.Time{}
	s.engine.(*sqliteEngine).writer.clock = func() time.Time {
		now = now.Add(each)
		return now
	}
}

// Batch is a batch of the embedded store's writer.
type Batch struct {
	Ran, Waiting []Turn
	Took         time.Duration
	Synced       bool // the batch before is on the disk
	Busiest      Turn // has used most of the writer's time; the zero: nobody has
}

// Ends reports whether the writer commits the batch.
func (b Batch) Ends() bool {
	w := &sqliteWriter{time: writerTime, journal: &sqliteJournal{}, queue: fair.NewTurns[Turn, *sqliteJob]()}
	if b.Busiest != (Turn{}) {
		w.queue.Add(b.Busiest, &sqliteJob{})
		w.queue.Take()
		w.queue.Charge(b.Busiest, time.Second)
	}
	var parties company
	for _, t := range b.Ran {
		parties.add(t)
	}
	for _, t := range b.Waiting {
		w.queue.Add(t, &sqliteJob{})
	}
	if !b.Synced {
		w.journal.unsaved.Add(1)
	}
	return w.enough(b.Took, parties)
}

// OnSync calls fn in place of each sync of the embedded store's journal.
func OnSync(s *Store, fn func(sync func() error) error) {
	s.engine.(*sqliteEngine).journal.syncFile = func(f *os.File) error {
		return fn(func() error { return syncData(f) })
	}
}

// Journal is the embedded store's journal without a store.
type Journal struct{ *sqliteJournal }

// StartJournal starts a journal that syncs by calling sync.
func StartJournal(sync func() error) Journal {
	file, err := os.Open(os.DevNull)
	if err != nil {
		panic(err)
	}
	j := &sqliteJournal{
		file: file, syncFile: func(*os.File) error { return sync() }, broken: newBreakdown(), copier: &sqliteCopier{},
		commits: make(chan []*sqliteJob, 64), synced: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go j.run()
	return Journal{j}
}

// Commit hands over a batch of n transactions. The returned function lists the answers so far.
func (j Journal) Commit(n int) (told func() []error) {
	batch := make([]*sqliteJob, n)
	for i := range batch {
		batch[i] = &sqliteJob{done: make(chan struct{})}
	}
	j.commits <- batch
	return func() (errs []error) {
		for _, job := range batch {
			select {
			case <-job.done:
				errs = append(errs, job.err)
			default:
			}
		}
		return errs
	}
}

// Stop ends it after what was committed.
func (j Journal) Stop() {
	close(j.commits)
	<-j.done
}

// LimitJournal makes the embedded store's journal short.
func LimitJournal(cfg *Config, restart int, size int64) {
	cfg.journal = journalLimits{restart: restart, size: size}
}

// ReadUntil is a read that ends when it is released.
func ReadUntil(ctx context.Context, s *Store, released <-chan struct{}) error {
	return s.engine.query(ctx, "SELECT 1", nil, func(scanner) error {
		<-released
		return nil
	})
}

// DropCache makes the embedded store read from its files again.
func (tx *Tx) DropCache() { tx.db.(*sqliteConn).run("PRAGMA shrink_memory") }

// FillUp asks for more pages than the embedded store may have.
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

// run runs a statement, even after the transaction was lost.
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

// Memory is the embedded store's cache.
type Memory struct{ *sqliteMemory }

// OpenMemory returns an empty cache of the store in a folder.
func OpenMemory(t *testing.T, dir string) Memory {
	memory, err := openMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(memory.close)
	return Memory{memory}
}

// Change says that the process of this cache has changed a row.
func (m Memory) Change() { m.changed() }

// Keep caches a value.
func (m Memory) Keep(key, value string) {
	_, now, _ := m.get(key)
	m.put(key, now, value)
}

// Recall returns the cached value, or nil.
func (m Memory) Recall(key string) any {
	if value, _, ok := m.get(key); ok {
		return value
	}
	return nil
}

// Pause blocks readers of the cache until the returned function is called.
func (m Memory) Pause() (goOn func()) {
	m.mu.Lock()
	return m.mu.Unlock
}

// CopiesBeforeRestart is how often a journal is copied whose length is each time the next of lengths.
func CopiesBeforeRestart(restart int, lengths []int) (copies int) {
	_, _ = journalLimits{restart: restart}.approach(func() (progress, error) {
		copies++
		return progress{length: lengths[copies-1]}, nil
	})
	return copies
}
