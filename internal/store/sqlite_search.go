package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"zombiezen.com/go/sqlite"

	"github.com/parleyhq/parley/internal/chat"
)

const (
	searchFile    = "search.db"
	searchReaders = seatsKept + 4
)

// sqliteSearch is the index in a file beside the store. A text's row number contains the organization, the kind
// and the time, so that a search walks the newest rows of one organization only.
type sqliteSearch struct {
	store *Store
	path  string

	using   sync.RWMutex // opening and closing hold the write lock
	writing sync.Mutex
	writer  *sqliteConn // nil: there is no index, because it could not be made anew
	readers *sqlitePool
	made    int // how often it was opened
	closed  bool
}

// The index stores only trigrams; the texts are in the store. "case_sensitive" because letters are folded
// before.
var searchSchema = []string{
	"CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')",
	"CREATE TABLE docs (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, account INTEGER NOT NULL)",
	"CREATE TABLE orgs (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)",
	"CREATE TABLE accounts (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)",
	"CREATE TABLE marks (org INTEGER NOT NULL, kind TEXT NOT NULL, head TEXT NOT NULL, settled TEXT NOT NULL, PRIMARY KEY (org, kind))",
	"PRAGMA user_version = " + strconv.Itoa(searchVersion),
}

func (e *sqliteEngine) openSearch(ctx context.Context, s *Store) (searchEngine, error) {
	x := &sqliteSearch{store: s, path: filepath.Join(e.cfg.Dir, searchFile)}
	err := x.open(ctx)
	if err != nil {
		err = x.makeAnew(ctx)
	}
	return x, err
}

// errNoIndex means that the index must be made anew first.
var errNoIndex = fmt.Errorf("%w: there is no search index", ErrUnavailable)

// mended makes the index anew after an error of its own, unless that was done since. Until it is filled again, searches find
// less.
func (x *sqliteSearch) mended(ctx context.Context, made int, err error) error {
	x.using.Lock()
	defer x.using.Unlock()
	if x.closed || x.made != made {
		return err
	}
	return errors.Join(err, x.makeAnew(context.WithoutCancel(ctx)))
}

// makeAnew replaces the index by an empty one.
func (x *sqliteSearch) makeAnew(ctx context.Context) error {
	x.close()
	if err := removeSearch(x.path); err != nil {
		return err
	}
	return x.open(ctx)
}

// removeSearch deletes an index.
func removeSearch(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the search index cannot be made anew: %w", err)
		}
	}
	return nil
}

func (x *sqliteSearch) open(ctx context.Context) (err error) {
	x.made++
	defer func() {
		if err != nil {
			err = errors.Join(err, x.close())
		}
	}()
	if err := createPrivate(x.path); err != nil {
		return err
	}
	if x.writer, err = openSQLiteConn(x.path); err != nil {
		return err
	}
	if err := x.prepare(ctx); err != nil {
		return err
	}
	x.readers, err = newSQLitePool(searchReaders, func() (*sqliteConn, error) { return openSQLiteConn(x.path) })
	return err
}

// prepare creates the tables if they are missing. The journal has no copier of its own.
func (x *sqliteSearch) prepare(ctx context.Context) error {
	for _, setting := range []string{"PRAGMA wal_autocheckpoint = 1000", "PRAGMA journal_size_limit = 16777216"} {
		if _, err := x.writer.exec(ctx, setting, nil); err != nil {
			return err
		}
	}
	version, err := one(x.reader(ctx, x.writer), scanInt, "PRAGMA user_version")
	if err != nil || version == searchVersion {
		return err
	}
	if version != 0 {
		return fmt.Errorf("the search index is of version %d", version)
	}
	return x.inTx(ctx, func() error {
		for _, statement := range searchSchema {
			if _, err := x.writer.exec(ctx, statement, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *sqliteSearch) reader(ctx context.Context, conn *sqliteConn) Reader {
	return Reader{ctx: ctx, db: conn, dialect: sqliteDialect}
}

// inTx runs fn in a transaction. It does not wait for the disk: the indexer finds what a crash loses, and adds
// it again.
func (x *sqliteSearch) inTx(ctx context.Context, fn func() error) error {
	if _, err := x.writer.exec(context.WithoutCancel(ctx), "BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		_, err = x.writer.exec(context.WithoutCancel(ctx), "COMMIT", nil)
	}
	if err != nil && !x.writer.conn.AutocommitEnabled() {
		_, undoErr := x.writer.exec(context.WithoutCancel(ctx), "ROLLBACK", nil)
		err = errors.Join(err, undoErr)
	}
	return err
}

// Close waits for running searches and updates.
func (x *sqliteSearch) Close() error {
	x.using.Lock()
	defer x.using.Unlock()
	x.closed = true
	return x.close()
}

func (x *sqliteSearch) close() (err error) {
	if x.readers != nil {
		err = x.readers.close()
		x.readers = nil
	}
	if x.writer != nil {
		err = errors.Join(err, x.writer.close())
		x.writer = nil
	}
	return err
}

// Update runs fn. A broken index is rebuilt.
func (x *sqliteSearch) Update(ctx context.Context, fn func(SearchUpdate) error) (bool, error) {
	made, followed, err := x.update(ctx, fn)
	if isCorrupt(err) || errors.Is(err, errNoIndex) {
		return true, x.mended(ctx, made, err)
	}
	if err == nil && len(followed) > 0 {
		err = x.store.InTx(ctx, func(tx *Tx) error { return tx.dropSearchChanges(followed) })
	}
	return true, err
}

func (x *sqliteSearch) update(ctx context.Context, fn func(SearchUpdate) error) (made int, followed []string, err error) {
	x.using.RLock()
	defer x.using.RUnlock()
	x.writing.Lock()
	defer x.writing.Unlock()
	if err := x.missing(); err != nil {
		return x.made, nil, err
	}
	u := &sqliteSearchUpdate{Reader: x.reader(ctx, x.writer), index: x}
	err = x.inTx(ctx, func() error { return fn(u) })
	return x.made, u.followed, err
}

// missing is why there is no index.
func (x *sqliteSearch) missing() error {
	switch {
	case x.closed:
		return ErrClosed
	case x.writer == nil:
		return errNoIndex
	}
	return nil
}

// isCorrupt reports a broken database file.
func isCorrupt(err error) bool {
	code := resultOf(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}

// read runs fn on a reading connection. Some damage is met by readers alone, so they have a broken index rebuilt too.
func (x *sqliteSearch) read(ctx context.Context, fn func(Reader) error) error {
	made, err := x.tryRead(ctx, fn)
	switch {
	case isCorrupt(err):
		return x.mended(ctx, made, fmt.Errorf("%w: %w", ErrUnavailable, err))
	case errors.Is(err, errNoIndex):
		return x.mended(ctx, made, err)
	}
	return err
}

func (x *sqliteSearch) tryRead(ctx context.Context, fn func(Reader) error) (made int, err error) {
	x.using.RLock()
	defer x.using.RUnlock()
	if err := x.missing(); err != nil {
		return x.made, err
	}
	return x.made, x.readers.use(ctx, func(conn *sqliteConn) error { return fn(x.reader(ctx, conn)) })
}

// Marks returns how far the index reaches.
func (x *sqliteSearch) Marks(ctx context.Context, kind chat.Kind, orgID string) (m SearchMarks, err error) {
	err = x.read(ctx, func(r Reader) (err error) {
		m, err = sqliteSearchMarks(r, kind, orgID)
		return err
	})
	return m, err
}

func sqliteSearchMarks(r Reader, kind chat.Kind, orgID string) (SearchMarks, error) {
	m, err := one(r, scanSearchMarks, "SELECT m.head, m.settled FROM marks m JOIN orgs o ON o.n = m.org WHERE o.id = $1 AND m.kind = $2", orgID, string(kind))
	return m, orNone(err)
}

func scanSearchMarks(row scanner) (m SearchMarks, err error) {
	err = row.Scan(&m.Head, &m.Settled)
	return m, err
}

// orNone treats ErrNotFound as no error.
func orNone(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// errEnough ends a walk.
var errEnough = errors.New("store: enough was found")

// Find walks the matching texts, newest first, until there are enough.
func (x *sqliteSearch) Find(ctx context.Context, q SearchQuery) (found SearchFound, err error) {
	err = x.read(ctx, func(r Reader) error {
		org, err := one(r, scanInt64, "SELECT n FROM orgs WHERE id = $1", q.OrgID)
		if err != nil {
			return orNone(err)
		}
		within, err := searchAccounts(r, q.Within)
		if err != nil {
			return err
		}
		walk := sqliteWalk{query: q, within: within}
		err = r.db.query(ctx, `SELECT d.n, d.id, d.account FROM texts t CROSS JOIN docs d ON d.n = t.rowid
			WHERE texts MATCH $1 AND t.rowid >= $2 AND t.rowid < $3 ORDER BY t.rowid DESC`, q.sqliteArgs(org), walk.meet)
		if errors.Is(err, errEnough) {
			err = nil
		}
		found = walk.found
		return err
	})
	return found, err
}

// sqliteWalk collects the hits of a search.
type sqliteWalk struct {
	query  SearchQuery
	within map[int64]bool // nil: all
	passed int
	found  SearchFound
}

func (w *sqliteWalk) meet(row scanner) error {
	var n, account int64
	var hit SearchHit
	if err := row.Scan(&n, &hit.ID, &account); err != nil {
		return err
	}
	hit.At = strconv.FormatInt(n, 10)
	if w.within == nil || w.within[account] {
		w.found.Hits = append(w.found.Hits, hit)
	} else {
		w.passed++
	}
	if len(w.found.Hits) < w.query.Limit && w.passed < mostPassedOver {
		return nil
	}
	w.found.Next = hit.At
	return errEnough
}

func searchAccounts(r Reader, ids *[]string) (map[int64]bool, error) {
	if ids == nil {
		return nil, nil
	}
	numbers, err := many(r, scanInt64, "SELECT n FROM accounts WHERE "+r.dialect.oneOf("id", "$1"), r.dialect.list(*ids))
	within := map[int64]bool{}
	for _, n := range numbers {
		within[n] = true
	}
	return within, err
}

func scanInt64(row scanner) (n int64, err error) {
	err = row.Scan(&n)
	return n, err
}

// sqliteArgs are the match, the first row and the row after the last.
func (q SearchQuery) sqliteArgs(org int64) []any {
	from, until := searchRow(org, q.Kind, q.From), searchRow(org, q.Kind, lastSearchInstant)+searchPerInstant
	if !q.Until.IsZero() {
		until = searchRow(org, q.Kind, q.Until)
	}
	if at, err := strconv.ParseInt(q.After, 10, 64); err == nil {
		until = min(until, at)
	}
	return []any{ftsMatch(q.Words, q.Or), from, until}
}

// ftsMatch matches all words, or the alternative one. Each is quoted, so that it has no special meaning.
func ftsMatch(words []string, or string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ftsQuote(word)
	}
	match := strings.Join(quoted, " AND ")
	switch {
	case or == "":
		return match
	case match == "":
		return ftsQuote(or)
	default:
		return "(" + match + ") OR " + ftsQuote(or)
	}
}

func ftsQuote(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }
