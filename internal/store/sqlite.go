package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // for goose

	"github.com/parleyhq/parley/internal/fair"
)

// besideOthers is how many requests of one organization wait for the writer at a time, while others come too.
const besideOthers = 8

// sqliteEngine is the embedded store: any number of readers and one writer, which commits the
// work of many requests at once (see sqlite_writer.go).
type sqliteEngine struct {
	cfg     Config
	readers *sqlitePool
	copier  *sqliteCopier
	journal *sqliteJournal
	writer  *sqliteWriter
	doors   *fair.Doors[string] // by organization
	memory  *sqliteMemory
	broken  *breakdown
	release func() // releases the serving process's lock
	made    bool   // see Store.Made
	closing sync.Once
	closed  chan struct{}
	watcher sync.WaitGroup
}

func openSQLite(cfg Config) (engine, error) {
	if err := prepareFolder(cfg); err != nil {
		return nil, err
	}
	release := func() {}
	if cfg.Exclusive {
		var err error
		if release, err = lockServing(cfg); err != nil {
			return nil, err
		}
	}
	memory, err := openMemory(cfg.Dir)
	if err != nil {
		release()
		return nil, err
	}
	return &sqliteEngine{cfg: cfg, memory: memory, doors: fair.NewDoors[string](besideOthers), broken: newBreakdown(), release: release, closed: make(chan struct{})}, nil
}

func (e *sqliteEngine) path() string { return filepath.Join(e.cfg.Dir, sqliteFile) }

func (e *sqliteEngine) dialect() dialect { return sqliteDialect }

// place is the whole path of the folder: the working folder may be the mistake.
func (e *sqliteEngine) place() string {
	if whole, err := filepath.Abs(e.cfg.Dir); err == nil {
		return whole
	}
	return e.cfg.Dir
}

func (e *sqliteEngine) isNew() bool { return e.made }

// migrate also opens the connections, which prepare statements against the finished schema.
func (e *sqliteEngine) migrate(ctx context.Context) error {
	unlock, err := lockFile(filepath.Join(e.cfg.Dir, migrateLockFile), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer unlock()
	if e.cfg.Exclusive {
		if err := checkAtStart(ctx, e.path()); err != nil {
			return err
		}
	}
	if err = e.migrateFile(ctx); err == nil {
		err = e.start(ctx)
	}
	if isCorrupt(err) {
		return damaged(e.path(), err)
	}
	return explainDisk(err, tryDisk, e.cfg.Dir)
}

// migrateFile uses database/sql, which goose needs. A new file is created so that it can shrink. A file of an earlier
// version stays as it is, and the setting would be written into every other at each start.
func (e *sqliteEngine) migrateFile(ctx context.Context) error {
	settings := "?_pragma=busy_timeout(10000)"
	if fileSize(e.path()) == 0 {
		settings += "&_pragma=auto_vacuum(incremental)"
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: e.path()}).EscapedPath()+settings)
	if err != nil {
		return err
	}
	if err = e.requireOurs(ctx, db); err == nil {
		e.made, err = migrateUp(ctx, goose.DialectSQLite3, db, e.cfg.MustExist)
	}
	return errors.Join(err, db.Close())
}

// requireOurs refuses another program's database, to which the migrations would add tables. One with nothing but the
// table of versions is that of a first start that was cut off: only a start goes on with it.
func (e *sqliteEngine) requireOurs(ctx context.Context, db *sql.DB) error {
	tables, err := texts(ctx, db, tableNames)
	switch {
	case err != nil || hasSchema(tables):
		return err
	case slices.ContainsFunc(tables, func(name string) bool { return name != goose.DefaultTablename }):
		return fmt.Errorf("%w: %s has other tables (%s): name the server's folder with --data (PARLEY_DATA), or bring its file back", ErrNoStore, e.path(), strings.Join(tables[:min(len(tables), mostComplaints)], ", "))
	case e.cfg.MustExist:
		return noStoreIn(e.cfg.Dir)
	default:
		return nil
	}
}

func (e *sqliteEngine) start(ctx context.Context) (err error) {
	if err := e.startWriter(); err != nil {
		return err
	}
	e.watcher.Go(e.watch)
	e.readers, err = newSQLitePool(seatsKept+max(4, 2*runtime.GOMAXPROCS(0)), e.openReader)
	return err
}

// openReader looks for the files first, because SQLite would open others in their place.
func (e *sqliteEngine) openReader() (*sqliteConn, error) {
	if err := e.journal.files.check(); err != nil {
		e.broken.set(err)
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	conn, err := openSQLiteConn(e.path())
	if err != nil {
		return nil, err
	}
	if _, err := conn.exec(context.Background(), "PRAGMA query_only = ON", nil); err != nil {
		return nil, errors.Join(err, conn.close())
	}
	return conn, nil
}

// startWriter opens the copier, the journal and the writer. The copier comes first, because it creates the
// journal file.
func (e *sqliteEngine) startWriter() (err error) {
	if e.copier, err = openCopier(e.path(), e.cfg, e.broken); err != nil {
		return err
	}
	if e.journal, err = openJournal(e.path(), e.broken, e.copier); err != nil {
		return errors.Join(err, e.copier.conn.close())
	}
	conn, err := openSQLiteConn(e.path())
	if err != nil {
		return errors.Join(err, e.journal.file.Close(), e.copier.conn.close())
	}
	e.copier.show(e.cfg.Metrics)
	go e.copier.run()
	go e.journal.run()
	e.writer = startSQLiteWriter(conn, e.journal, e.memory)
	return nil
}

// watch checks the files even while nobody writes.
func (e *sqliteEngine) watch() {
	tick := time.NewTicker(filesEvery)
	defer tick.Stop()
	for {
		select {
		case <-e.closed:
			return
		case <-tick.C:
			if err := e.journal.files.check(); err != nil {
				e.broken.set(err)
				return
			}
		}
	}
}

// query borrows a reader. A statement whose caller gives up still runs to its end: reads are short by design,
// and interrupting costs more than finishing.
func (e *sqliteEngine) query(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	return e.readers.use(ctx, func(conn *sqliteConn) error { return conn.query(ctx, sql, args, each) })
}

func (e *sqliteEngine) exec(context.Context, string, []any) (int64, error) {
	return 0, errors.New("store: a write outside a transaction")
}

func (e *sqliteEngine) later(context.Context, string, []any) error {
	return errors.New("store: a write outside a transaction")
}

func (e *sqliteEngine) forget() {}

func (e *sqliteEngine) tell(Topic) {}

func (e *sqliteEngine) listen(ctx context.Context, _ func(Topic)) { <-ctx.Done() }

func (e *sqliteEngine) inTx(ctx context.Context, body func(session) error) error {
	return e.writer.do(ctx, body)
}

func (e *sqliteEngine) trouble() error {
	select {
	case <-e.closed:
		return ErrClosed
	default:
		return e.broken.err()
	}
}

func (e *sqliteEngine) breaks() <-chan error { return e.broken.told }

func (e *sqliteEngine) close() (err error) {
	e.closing.Do(func() { err = e.shutDown() })
	return err
}

func (e *sqliteEngine) shutDown() error {
	defer e.release()
	defer e.memory.close()
	if e.writer == nil {
		return nil
	}
	e.writer.stop()
	close(e.closed)
	e.watcher.Wait()
	e.copier.close(e.journal.unsynced.Load(), e.journal.files.moved())
	if e.readers != nil {
		e.readers.close()
	}
	return e.journal.files.setAside()
}

// lockServing claims the folder for the process that serves on it, or for a command that changes what a server has in
// memory.
func lockServing(cfg Config) (release func(), err error) {
	release, err = lockFile(filepath.Join(cfg.Dir, serveLockFile), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return release, nil
	case !errors.Is(err, syscall.EWOULDBLOCK): // such as a folder that this user may not write to
		return nil, err
	case cfg.MustExist:
		return nil, fmt.Errorf("a server runs on the data folder %s: stop it first (%w)", cfg.Dir, err)
	default:
		return nil, fmt.Errorf("another server runs on the data folder %s: stop it, or give this one a folder of its own with --data (%w)", cfg.Dir, err)
	}
}

// lockFile locks the file at path as flock does; the kernel drops the lock with the process.
func lockFile(path string, how int) (unlock func(), err error) {
	f, err := openPrivate(path, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// inGroup is inTx: waiting transactions share a commit anyway, and reads cost no round trip. But while other
// organizations come too, few requests of one are in the queue at a time. All that a commit ends become runnable at once,
// and Go serves them before whoever comes then.
func (e *sqliteEngine) inGroup(ctx context.Context, _ Foresight, body func(session, *foreseen) error) error {
	if org := turnOf(ctx).OrgID; org != "" {
		if !e.doors.Enter(ctx, org) {
			return ctx.Err()
		}
		defer e.doors.Leave(org)
	}
	return e.inTx(ctx, func(s session) error { return body(s, nil) })
}
