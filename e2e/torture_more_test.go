//go:build torture

package e2e

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/pgtest"
)

func init() { buildTags = "torture" } // with a clock that can be changed

// clockTurns are the differences between the wall clock and the true time, one after the other.
var clockTurns = []string{"1h", "-1h", "0s", "10s", "-10s", "26h", "0s"}

// TestTortureClock moves the wall clock forwards and backwards under load.
func TestTortureClock(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		clock := filepath.Join(t.TempDir(), "clock")
		turn := func(by string) {
			must(t, os.WriteFile(clock+".new", []byte(by), 0o600))
			must(t, os.Rename(clock+".new", clock))
		}
		turn("0s")
		l := openLedger(t, func(s *Server) { engine(s); limitedMemory(s); WithEnv("TORTURE_CLOCK=" + clock)(s) })
		book := l.listen()
		for _, by := range clockTurns {
			if !l.more(ledgerPerRound) {
				break
			}
			turn(by)
		}
		l.more(ledgerPerRound)
		l.close()
		l.check()
		book.check(l)
		checkTurned(t, l)
		t.Logf("the clock was turned to %v", clockTurns)
	})
}

// TestTortureClocksApart runs three nodes whose clocks are minutes apart, and kills two of them. Each conversation, whose
// messages go to the nodes in turn, keeps its order.
func TestTortureClocksApart(t *testing.T) {
	t.Parallel()
	files, database := t.TempDir(), pgtest.NewDatabase(t)
	var nodes []Option
	for _, by := range []string{"0s", "5m", "-5m"} {
		clock := filepath.Join(t.TempDir(), "clock")
		must(t, os.WriteFile(clock, []byte(by), 0o600))
		nodes = append(nodes, func(s *Server) { OnFolder(files)(s); OnDatabase(database)(s); WithEnv("TORTURE_CLOCK=" + clock)(s) })
	}
	l := openLedger(t, nodes...)
	l.p.do(http.MethodPut, "faults", map[string]any{"latency": "50ms"}) // so that messages wait
	for _, node := range l.nodes[1:] {
		if l.more(2 * ledgerPerRound) {
			l.replace(node)
		}
	}
	l.more(2 * ledgerPerRound)
	l.close()
	l.check()
}

// checkTurned checks that the program did use the changed clock.
func checkTurned(t *testing.T, l *ledger) {
	t.Helper()
	ahead := 0
	for _, m := range l.numbers[0].all("/messages") {
		made, err := time.Parse(time.RFC3339Nano, m.str("created_at"))
		must(t, err)
		if time.Until(made) > time.Hour {
			ahead++
		}
	}
	if ahead == 0 {
		t.Error("no message is from the time at which the clock was a day ahead")
	}
}

const fullFor = 10 * time.Second

// TestTortureDiskFull fills the disk of the embedded store under load. It needs the right to mount.
func TestTortureDiskFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "96m")
	l := openLedger(t, func(s *Server) { OnFolder(filepath.Join(dir, "data"))(s); limitedMemory(s) })
	book := l.listen()
	l.more(ledgerPerRound)
	filler := filepath.Join(dir, "filler")
	fillDisk(t, filler)
	backUpWithoutRoom(t, l.srv, filepath.Join(dir, "copy.tar"))
	before := l.accepted.Load()
	within(fullFor, t.Failed)
	t.Logf("%d messages were accepted while the disk was full", l.accepted.Load()-before)
	must(t, os.Remove(filler))
	back := time.Now()
	if l.more(ledgerNumbers * ledgerClients); time.Since(back) > recoverWithin {
		t.Errorf("it took %v to go on after the disk had been full", time.Since(back))
	}
	t.Logf("%v after there was room again all clients went on", time.Since(back).Round(time.Millisecond))
	l.more(ledgerPerRound)
	l.close()
	l.check()
	book.check(l)
}

// backUpWithoutRoom requires that a copy for which there is no room leaves nothing that takes the rest of it.
func backUpWithoutRoom(t *testing.T, srv *Server, path string) {
	t.Helper()
	if r := srv.CLI("backup", path); r.Code == 0 || !strings.Contains(r.Stderr, path) || !strings.Contains(r.Stderr, "full") {
		t.Errorf("a back-up to a full disk: %+v", r)
	}
	if left, err := filepath.Glob(path + "*"); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}

// fillDisk writes a file until nothing more fits.
func fillDisk(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10} {
		piece := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(piece)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}
