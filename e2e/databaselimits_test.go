//go:build torture

package e2e

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/pgtest"
)

// TestTortureDatabaseDiskFull fills the disk of PostgreSQL under load. First PostgreSQL refuses what needs room; then it
// needs room for its log and ends, and the operator starts it again. It needs the right to mount.
func TestTortureDatabaseDiskFull(t *testing.T) {
	dir := smallDisk(t, "400m")
	t.Setenv("TMPDIR", dir)
	database := pgtest.NewInstance(t)
	t.Setenv("TMPDIR", "")
	l := threeNodes(t, database.URL())
	book := l.listen()
	l.more(ledgerPerRound)
	filler := filepath.Join(dir, "filler")
	fillDisk(t, filler)
	within(fullFor, t.Failed)
	for _, node := range l.nodes {
		requireUnready(t, node, "No space left on device")
	}
	must(t, os.Remove(filler))
	l.goesOn("there was room again")

	fillDisk(t, filler)
	if conn, err := pgx.Connect(t.Context(), database.URL()); err == nil {
		_, err = conn.Exec(t.Context(), "SELECT pg_switch_wal()") // what is written next needs a new file
		t.Logf("the next file of the log: %v", err)
		conn.Close(t.Context())
	}
	within(fullFor, t.Failed)
	must(t, os.Remove(filler))
	if !database.Running() {
		t.Log("PostgreSQL has ended")
		database.Start()
	}
	l.goesOn("PostgreSQL had been without room for its log")
	l.close()
	l.check()
	book.check(l)
	l.checkQuiet()
}

// smallDisk mounts a disk of a given size that every user may write to, PostgreSQL's too.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "parley-small-disk-") // the folder of a test is closed to other users
	must(t, err)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=1777,size="+size); err != nil {
		t.Fatalf("mount a small disk: %v; run this as root", err)
	}
	t.Cleanup(func() {
		must(t, syscall.Unmount(dir, syscall.MNT_DETACH))
		must(t, os.Remove(dir))
	})
	return dir
}

// goesOn requires that all clients soon go on after something.
func (l *ledger) goesOn(after string) {
	l.t.Helper()
	back := time.Now()
	if l.more(ledgerNumbers * ledgerClients); time.Since(back) > recoverWithin {
		l.t.Errorf("it took %v to go on after %s", time.Since(back), after)
	}
	l.t.Logf("%v after %s all clients went on", time.Since(back).Round(time.Millisecond), after)
	l.more(ledgerPerRound)
}

// mostLines is how many lines a node may log of a database that fails in two ways.
const mostLines = 80

func (l *ledger) checkQuiet() {
	l.t.Helper()
	for i, node := range l.nodes {
		n := strings.Count(node.Log(), "\n")
		l.t.Logf("node %d logged %d lines", i, n)
		if n > mostLines {
			l.t.Errorf("node %d logged %d lines:\n%s", i, n, node.Log())
		}
	}
}

// requireUnready requires that a node says soon why it is not ready.
func requireUnready(t *testing.T, node *Server, why string) {
	t.Helper()
	asked := time.Now()
	response, err := client.Get(node.Ops() + "/ready")
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	if took := time.Since(asked); response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), why) || took > 5*time.Second {
		t.Errorf("/ready answers %d %s after %v, want %q", response.StatusCode, text, took, why)
	}
}

// TestTortureDatabaseConnections lets others take all connections of PostgreSQL, those of the nodes too.
func TestTortureDatabaseConnections(t *testing.T) {
	t.Parallel()
	database := pgtest.NewInstance(t)
	l := threeNodes(t, database.URL())
	book := l.listen()
	l.more(ledgerPerRound)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var taken []*pgx.Conn
	for range 4 {
		for err := error(nil); err == nil; {
			var conn *pgx.Conn
			if conn, err = pgx.Connect(ctx, database.URL()); err == nil {
				taken = append(taken, conn)
			}
		}
		_, err := taken[0].Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley'`)
		must(t, err)
	}
	within(fullFor, t.Failed)
	for _, conn := range taken {
		conn.Close(ctx)
	}
	l.goesOn("connections were free again")
	l.close()
	l.check()
	book.check(l)
	l.checkQuiet()
}
