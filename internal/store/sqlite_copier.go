package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
)

const (
	// copyEvery is how often the journal is copied into the database.
	copyEvery = time.Second
	// heldAfter is how long a reader may hold up the copying before it is logged. Our own reads never take that
	// long.
	heldAfter = 5 * time.Second
	// restartPatience is how long the writer waits for readers when it restarts the journal.
	restartPatience = 10 * time.Millisecond
	// shrinkEvery is how often the journal's file is cut back, if less than a quarter of it was used meanwhile. Cutting takes the
	// writer tens of milliseconds, and syncing a file that grows again takes longer, so a busy journal keeps its size.
	shrinkEvery = time.Minute
	// frameBytes is the size of a page in the journal.
	frameBytes = 4096 + 24
	// fewPages may be left to copy when the journal is restarted, because everybody waits until the writer has copied
	// and synced them. mostCopies bounds how often copying is repeated to reach that.
	fewPages, mostCopies = 64, 8
)

// journalLimits bound the journal.
type journalLimits struct {
	restart int   // pages after which it is restarted, if nobody reads it
	size    int64 // bytes up to which the file is left as it is; beyond them a reader is logged as well
}

var defaultJournalLimits = journalLimits{restart: 8000, size: 64 << 20}

// sqliteCopier copies the journal into the database on a connection of its own, so that reads stay fast and the
// writer need not do it. The writer restarts a long journal, because only between two transactions is all of it
// copied.
type sqliteCopier struct {
	conn    *sqliteConn
	journal string // the file's name
	limits  journalLimits
	broken  *breakdown
	due     atomic.Bool // the journal has pages to copy
	restart atomic.Bool // the writer must restart the journal
	shrink  atomic.Bool // it must cut its file back then

	failing *logging.Episode
	held    *logging.Episode

	copied     int       // pages, at the last look
	looked     time.Time // when that was
	stuckSince time.Time // zero while the copying makes progress
	isHeld     bool
	longest    int       // pages of the journal since it was last decided about its size
	decided    time.Time // when that was

	stop, done chan struct{}
}

// progress is how far the journal is copied, in pages.
type progress struct{ blocked, length, copied int }

// openCopier also creates the journal, because SQLite does so when it reads.
func openCopier(path string, cfg Config, broken *breakdown) (*sqliteCopier, error) {
	conn, err := openSQLiteConn(path)
	if err != nil {
		return nil, err
	}
	if _, err := conn.exec(context.Background(), "SELECT 1 FROM sqlite_schema LIMIT 1", nil); err != nil {
		return nil, errors.Join(err, conn.close())
	}
	limits := cfg.journal
	if limits == (journalLimits{}) {
		limits = defaultJournalLimits
	}
	return &sqliteCopier{
		conn: conn, journal: journalPath(path), limits: limits, broken: broken,
		failing: logging.NewEpisode(cfg.Log, cfg.Metrics, "journal copy",
			"the journal cannot be copied into the database and grows", "the journal is copied into the database again"),
		held: logging.NewEpisode(cfg.Log, cfg.Metrics, "journal held",
			"another process keeps reading the database, so that the journal grows: end it, or its transaction",
			"nobody holds the journal any more"),
		stop: make(chan struct{}), done: make(chan struct{}),
	}, nil
}

func (c *sqliteCopier) run() {
	defer close(c.done)
	tick := time.NewTicker(copyEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
			if c.broken.err() == nil && c.due.Swap(false) {
				c.copy()
			}
		}
	}
}

// copy copies the pages that nobody reads any more. The rest is copied later.
func (c *sqliteCopier) copy() {
	p, err := c.limits.approach(func() (progress, error) { return checkpoint(c.conn, "PASSIVE") })
	if err != nil || p.blocked != 0 { // the writer is restarting it
		if err != nil {
			c.failing.Report(err)
		}
		c.due.Store(true)
		return
	}
	if p.copied < p.length { // a reader holds it up; that says nothing about the disk
		c.due.Store(true)
	} else {
		c.failing.Report(nil)
	}
	c.judge(p, time.Now())
}

// approach copies, and copies a journal that is long enough for a restart again until few pages were written meanwhile.
func (l journalLimits) approach(copy func() (progress, error)) (p progress, err error) {
	for range mostCopies {
		before := p.length
		p, err = copy()
		if err != nil || p.blocked != 0 || p.length < l.restart || p.length-before <= fewPages {
			break
		}
	}
	return p, err
}

// judge finds out whether a reader holds up the copying, and asks for a restart of a long journal.
func (c *sqliteCopier) judge(p progress, now time.Time) {
	c.considerSize(p, now)
	switch stuck := p.copied < p.length && p.copied == c.copied; {
	case !stuck:
		c.stuckSince, c.isHeld = time.Time{}, false
		c.restart.Store(p.length >= c.limits.restart || c.shrink.Load())
	case c.stuckSince.IsZero():
		c.stuckSince = c.looked
	case now.Sub(c.stuckSince) >= heldAfter && c.size() > c.limits.size:
		c.isHeld = true
	}
	c.copied, c.looked = p.copied, now
	if c.isHeld {
		c.held.Report(c.heldError())
	} else {
		c.held.Report(nil)
	}
}

// considerSize decides whether the next restart cuts the file back, because most of it is not needed.
func (c *sqliteCopier) considerSize(p progress, now time.Time) {
	c.longest = max(c.longest, p.length)
	if now.Sub(c.decided) < shrinkEvery {
		return
	}
	if size := c.size(); size > c.limits.size && size > 4*frameBytes*int64(c.longest) {
		c.shrink.Store(true)
	}
	c.longest, c.decided = p.length, now
}

func (c *sqliteCopier) heldError() error {
	who := "the system does not say which"
	if readers := otherReaders(strings.TrimSuffix(c.journal, "-wal") + "-shm"); len(readers) > 0 {
		who = "process " + strings.Join(readers, ", ")
	}
	return fmt.Errorf("%s, since %s; %s is %d MiB long", who, c.stuckSince.UTC().Format(time.RFC3339), c.journal, c.size()>>20)
}

// size is the size of the journal in bytes.
func (c *sqliteCopier) size() int64 {
	info, err := os.Stat(c.journal)
	if err != nil {
		return 0
	}
	return info.Size()
}

// show makes the journal's size a metric.
func (c *sqliteCopier) show(reg prometheus.Registerer) {
	if reg == nil {
		return
	}
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "parley_store_journal_bytes", Help: "Size of the embedded store's journal (write-ahead log).",
	}, func() float64 { return float64(c.size()) }))
}

// beginAnew restarts the journal if it is time. The writer calls it between two transactions.
func (c *sqliteCopier) beginAnew(writer *sqliteConn) {
	if !c.restart.CompareAndSwap(true, false) {
		return
	}
	writer.conn.SetBusyTimeout(restartPatience)
	defer writer.conn.SetBusyTimeout(busyTimeout)
	mode := "RESTART"
	if c.shrink.Load() {
		mode = "TRUNCATE"
	}
	p, err := checkpoint(writer, mode)
	if err != nil {
		c.failing.Report(err)
	} else if p.blocked == 0 {
		c.shrink.Store(false)
	}
}

func checkpoint(conn *sqliteConn, mode string) (p progress, err error) {
	err = conn.query(context.Background(), "PRAGMA wal_checkpoint("+mode+")", nil, func(row scanner) error {
		return row.Scan(&p.blocked, &p.length, &p.copied)
	})
	return p, err
}

// close ends the copying. After a failed sync the connection stays open, because closing the last one would
// copy a journal of unknown state; the next start uses its intact part.
func (c *sqliteCopier) close(unsynced, moved bool) {
	close(c.stop)
	<-c.done
	if unsynced {
		return
	}
	if moved {
		// SQLite does not do it when it closes a database that is not in its place. Half copied, and without its journal,
		// the database would be damaged if somebody puts it back.
		if _, err := checkpoint(c.conn, "PASSIVE"); err != nil {
			c.failing.Report(err)
		}
	}
	c.conn.close()
}
