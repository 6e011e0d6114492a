package store_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"zombiezen.com/go/sqlite"

	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// The journal of these tests is restarted after restartPages and keeps journalBytes.
const (
	restartPages = 50
	journalBytes = 400 << 10
)

// copying is a store whose journal is looked at.
type copying struct {
	t        *testing.T
	cfg      store.Config
	st       *store.Store
	log      loggingtest.Book
	registry *prometheus.Registry
	written  int
}

func openCopying(t *testing.T) *copying {
	t.Helper()
	c := &copying{t: t, cfg: storetest.NewConfig(t, storetest.SQLite), registry: prometheus.NewRegistry()}
	store.LimitJournal(&c.cfg, restartPages, journalBytes)
	c.cfg.Log = slog.New(slog.NewTextHandler(&c.log, nil))
	c.cfg.Metrics = c.registry
	c.st = storetest.OpenAt(t, c.cfg)
	return c
}

// write stores n rows of some KiB, each in a transaction of its own.
func (c *copying) write(n int) {
	c.t.Helper()
	for range n {
		c.written++ // SQLite skips a write of the same value
		storetest.InTx(c.t, c.st, putSetting(fmt.Sprint(c.written%100), strings.Repeat(fmt.Sprint(c.written), 2<<10)))
	}
}

// writeSlowly stores some rows in a time, at other instants than the journal is copied.
func (c *copying) writeSlowly(long time.Duration) {
	c.t.Helper()
	const pause = 1300 * time.Millisecond
	for range long / pause {
		<-time.After(pause)
		c.write(1)
	}
}

func (c *copying) size() int64 {
	c.t.Helper()
	info, err := os.Stat(filepath.Join(c.cfg.Dir, journalFile))
	requireNoError(c.t, err)
	return info.Size()
}

// metric is a gauge's or counter's value; labels is empty or the only label's value.
func (c *copying) metric(name, label string) float64 {
	c.t.Helper()
	families, err := c.registry.Gather()
	requireNoError(c.t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	c.t.Fatalf("there is no metric %s %s", name, label)
	return 0
}

// foreignReader is another process that reads the database.
type foreignReader struct {
	pid int
	end func()
}

func startReader(t *testing.T, cfg store.Config) foreignReader {
	t.Helper()
	cmd := child("read", cfg)
	stdin, err := cmd.StdinPipe()
	requireNoError(t, err)
	stdout, err := cmd.StdoutPipe()
	requireNoError(t, err)
	requireNoError(t, cmd.Start())
	end := sync.OnceFunc(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "reading\n" {
		t.Fatalf("the reader says %q, %v", line, err)
	}
	return foreignReader{pid: cmd.Process.Pid, end: end}
}

// readUntilEnded is the child's part: it begins a read and does not end it, like a shell that was left open.
func readUntilEnded() error {
	conn, err := sqlite.OpenConn(filepath.Join(os.Getenv(envDir), databaseFile), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	stmt, _, err := conn.PrepareTransient("SELECT name FROM settings")
	if err != nil {
		return err
	}
	if _, err := stmt.Step(); err != nil {
		return err
	}
	fmt.Println("reading")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// A reader in another process makes the journal grow. The log names it once, and when it ends the space is
// given back.
func TestForeignReaderIsNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := openCopying(t)
		c.write(3)
		reader := startReader(t, c.cfg)
		since := time.Now()
		c.write(200)
		for range 20 {
			<-time.After(time.Second)
			c.write(1)
		}
		lines := c.log.Take()
		for _, want := range []string{"level=WARN", "another process keeps reading the database", fmt.Sprintf("process %d (", reader.pid), since.UTC().Format("2006-01-02T15:04:0")} {
			if strings.Count(lines, "\n") != 1 || !strings.Contains(lines, want) {
				t.Fatalf("logged %q, want one line with %q", lines, want)
			}
		}
		requireEqual(t, c.metric("parley_trouble", "journal held"), nil, 1)
		if size := c.size(); size < 2*journalBytes || c.metric("parley_store_journal_bytes", "") != float64(size) {
			t.Fatalf("the journal has %d bytes; the metric says %v", size, c.metric("parley_store_journal_bytes", ""))
		}
		reader.end()
		c.writeSlowly(2 * time.Minute)
		if size := c.size(); size > journalBytes {
			t.Errorf("the journal still has %d bytes", size)
		}
		if lines := c.log.Take(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, "nobody holds the journal any more") {
			t.Errorf("logged %q", lines)
		}
		requireEqual(t, c.metric("parley_trouble", "journal held"), nil, 0)
	})
}

// A file that is cut back is slow to grow again, so it keeps its size while it is needed.
func TestJournalKeepsTheSizeThatItNeeds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := openCopying(t)
		c.write(150)
		full := c.size()
		if full < 2*journalBytes {
			t.Fatalf("the journal has only %d bytes", full)
		}
		for range 150 {
			<-time.After(time.Second)
			c.write(120)
			if size := c.size(); size < full {
				t.Fatalf("the journal was cut back to %d bytes", size)
			}
		}
		c.writeSlowly(2 * time.Minute)
		if size := c.size(); size > journalBytes {
			t.Errorf("the journal still has %d bytes", size)
		}
	})
}

// Under constant writes, only the writer can make an instant at which the whole journal is copied.
func TestJournalStaysShortUnderLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := openCopying(t)
		for i := range 40 {
			first := hold(t, c.st, putSetting("held", fmt.Sprint(i)))
			<-time.After(1100 * time.Millisecond) // the committed pages are copied while this transaction is open
			requireNoError(t, first.release())
			c.write(10)
			if size := c.size(); size > 3*journalBytes {
				t.Fatalf("the journal has %d bytes", size)
			}
		}
		requireEqual(t, c.log.Take(), nil, "")
	})
}

// Before a restart, for which everybody waits, little is left to copy.
func TestCopyingApproachesTheWriter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		lengths []int // of the journal at each copying
		copies  int
	}{
		{"short", []int{49, 400}, 1},
		{"nothing was written meanwhile", []int{5000, 5000}, 2},
		{"each copying is shorter", []int{5000, 5600, 5700, 5720, 5721}, 4},
		{"the writer is faster", []int{5000, 6000, 7000, 8000, 9000, 10000, 11000, 12000, 13000}, 8},
		{"restarted meanwhile", []int{5000, 10}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireEqual(t, store.CopiesBeforeRestart(restartPages, c.lengths), nil, c.copies)
		})
	}
}

func TestCopyingThatFailsIsToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := openCopying(t)
		disk := storetest.DiskOf(t, c.cfg.Dir)
		disk.Fail(storetest.Write, databaseFile, syscall.ENOSPC)
		for range 5 {
			c.write(1) // goes into the journal
			<-time.After(time.Second)
		}
		synctest.Wait()
		if lines := c.log.Take(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, "the journal cannot be copied") || !strings.Contains(lines, "the disk is full") {
			t.Errorf("logged %q", lines)
		}
		requireEqual(t, c.metric("parley_trouble", "journal copy"), nil, 1)
		if n := c.metric("parley_trouble_failures_total", "journal copy"); n < 4 {
			t.Errorf("%v failures are counted", n)
		}
		disk.Mend()
		<-time.After(2 * time.Second) // without writes the rest is copied
		if lines := c.log.Take(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, "is copied into the database again") {
			t.Errorf("logged %q", lines)
		}
		requireEqual(t, c.metric("parley_trouble", "journal copy"), nil, 0)
	})
}
