//go:build torture

package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// torture is how hard a run is. make test uses the small numbers, make torture the large ones.
var torture = struct {
	kills   int    // per engine
	clients int    // clients that send a byte at a time
	memory  int    // the most memory the program may use, in MiB
	seed    uint64 // decides when the kills come
}{
	numberFrom("PARLEY_TORTURE_KILLS", 6), numberFrom("PARLEY_TORTURE_CLIENTS", 300), numberFrom("PARLEY_TORTURE_MEMORY", 256),
	uint64(numberFrom("PARLEY_TORTURE_SEED", int(time.Now().UnixNano()&0xffffff))),
}

func numberFrom(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

const (
	longRun         = 100                    // from this number of kills on, a run may take minutes longer
	killAtMost      = 400 * time.Millisecond // a kill comes within this time after a start
	startKilledIn   = 5                      // one of this many starts is killed before it is ready
	heldFor         = 8 * time.Second        // how long another process holds the store
	troubleFor      = 5 * time.Second        // how long the provider has trouble
	slowClientWrite = 2 * time.Second        // between two bytes of a slow client
)

// TestTorture kills a server again and again, while an endpoint hangs and its memory is limited. Then come clients that
// hardly send anything, another process holds the store, and the provider hangs and drops answers. In the end the books
// must balance, and are printed.
func TestTorture(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		l := openLedger(t, func(s *Server) { engine(s); limitedMemory(s) })
		book := l.listen()
		l.listenNever()
		begin := time.Now()
		r := &rack{ledger: l, random: rand.New(rand.NewPCG(torture.seed, 1))}
		for l.more(1) && len(l.kills) < torture.kills {
			r.killOnce()
		}
		r.slowClients()
		if l.srv.setting("--database-url") == "" {
			r.holdStore()
		}
		r.provider()
		l.more(ledgerPerRound)
		r.look()
		l.close()
		l.check()
		book.check(l)
		t.Logf("seed %d, %v: %d kills, %d of them during a start; %d slow clients made %d connections; at most %d MiB; slowest start %v",
			torture.seed, time.Since(begin).Round(time.Second), len(l.kills), r.early, torture.clients, r.dialled.Load(), r.most, r.slowest.Round(time.Millisecond))
		if r.most > torture.memory*2 {
			t.Errorf("the program took %d MiB, with GOMEMLIMIT at %d", r.most, torture.memory)
		}
	})
}

// limitedMemory tells the program how much memory it may use.
func limitedMemory(s *Server) {
	WithFlags("--allow-network=127.0.0.0/8")(s)
	WithEnv(fmt.Sprintf("GOMEMLIMIT=%dMiB", torture.memory))(s)
}

// rack does things to a ledger's server that must not matter.
type rack struct {
	*ledger
	random  *rand.Rand
	early   int // how often it was killed before it was ready
	most    int // in MiB
	slowest time.Duration
	dialled atomic.Int64
}

// killOnce kills the server at some instant, and starts it again. Some starts are killed as well.
func (r *rack) killOnce() {
	r.t.Helper()
	r.wait(time.Duration(r.random.Int64N(int64(killAtMost))))
	r.look()
	r.kill()
	for r.random.IntN(startKilledIn) == 0 {
		r.killStart()
	}
	r.srv.Restart()
	r.slowest = max(r.slowest, r.srv.proc.Load().startup)
}

func (r *rack) wait(d time.Duration) { within(d, r.t.Failed) }

func (r *rack) killStart() {
	r.t.Helper()
	p, err := launch(r.srv.env, r.srv.serveArgs()...)
	must(r.t, err)
	r.wait(time.Duration(r.random.Int64N(int64(killAtMost))))
	_ = p.cmd.Process.Kill() // fails if it has ended already, which await reports
	code, err := p.await()
	if err != nil || code >= 0 {
		r.t.Errorf("a start ended with %d, %v:\n%s", code, err, &p.stderr)
	}
	r.early++
	r.p.door.quiet(r.t)
	r.kills = append(r.kills, time.Now())
}

var peakMemory = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// look notes the most memory that the process has used. If the system does not report it, there is no check.
func (r *rack) look() {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.srv.proc.Load().cmd.Process.Pid))
	if err != nil {
		return
	}
	if match := peakMemory.FindSubmatch(status); match != nil {
		kilobytes, _ := strconv.Atoi(string(match[1])) // the expression matches only numbers
		r.most = max(r.most, kilobytes>>10)
	}
}

// listenNever subscribes an endpoint that never answers.
func (l *ledger) listenNever() {
	l.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			<-r.Context().Done()
		}
	}))
	l.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	r := l.srv.Post(l.numbers[0].org.Key, "/v1/webhook_subscriptions", fmt.Sprintf(`{"url":%q,"events":["message.sent"]}`, server.URL))
	expect(l.t, r, http.StatusCreated, "")
}

// slowClients starts many clients that send a request byte by byte, while the others continue.
func (r *rack) slowClients() {
	r.t.Helper()
	quit := make(chan struct{})
	var done sync.WaitGroup
	address := strings.TrimPrefix(r.srv.URL(), "http://")
	for range torture.clients {
		done.Go(func() {
			for r.sendSlowly(address, quit) {
			}
		})
	}
	begin := time.Now()
	all := eventually(func() bool { return r.dialled.Load() >= int64(torture.clients) })
	if !r.more(ledgerPerRound) || !all {
		r.t.Errorf("of %d slow clients %d were connected, and beside them nothing goes on", torture.clients, r.dialled.Load())
	}
	r.t.Logf("beside %d slow clients %d messages took %v", torture.clients, ledgerPerRound, time.Since(begin).Round(time.Millisecond))
	r.look()
	close(quit)
	done.Wait()
}

// sendSlowly is one connection, until the server closes it. It tells whether to continue.
func (r *rack) sendSlowly(address string, quit <-chan struct{}) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		defer conn.Close()
		r.dialled.Add(1)
		_, err = io.WriteString(conn, "POST /v1/labels HTTP/1.1\r\nHost: parley\r\nX-Slow: ")
	}
	tick := time.NewTicker(slowClientWrite)
	defer tick.Stop()
	for err == nil {
		select {
		case <-quit:
			return false
		case <-tick.C:
			_, err = io.WriteString(conn, "x")
		}
	}
	select {
	case <-quit:
		return false
	case <-tick.C:
		return true
	}
}

// holdStore makes a connection of another process hold the write lock of the embedded store.
func (r *rack) holdStore() {
	r.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(r.srv.setting("--data"), "parley.db"), sqlite.OpenReadWrite)
	must(r.t, err)
	defer conn.Close()
	conn.SetBusyTimeout(patience)
	must(r.t, sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil))
	before := r.accepted.Load()
	r.wait(heldFor)
	if after := r.accepted.Load(); after > before+ledgerNumbers*ledgerClients {
		r.t.Errorf("%d messages were accepted while another process held the store", after-before)
	}
	must(r.t, sqlitex.ExecuteTransient(conn, "COMMIT", nil))
	back := time.Now()
	if r.more(ledgerNumbers * ledgerClients); time.Since(back) > recoverWithin {
		r.t.Errorf("it took %v to go on after another process had held the store", time.Since(back))
	}
	r.t.Logf("another process held the store for %v; %v later all clients went on", heldFor, time.Since(back).Round(time.Millisecond))
}

// provider makes the provider hang at times, and drop answers. It reports the accepted messages later.
func (r *rack) provider() {
	r.t.Helper()
	faults := map[string]any{"latency": "200ms", "drop_answer_rate": 0.05, "duplicate_rate": 0.1, "reorder_rate": 0.1}
	if torture.kills >= longRun {
		faults["hang_rate"] = 0.02 // such a message waits for half a minute, and another minute for its retry
	}
	r.p.do(http.MethodPut, "faults", faults)
	r.wait(troubleFor)
	r.p.do(http.MethodPut, "faults", map[string]any{})
}
