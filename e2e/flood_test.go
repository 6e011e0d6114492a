package e2e

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	attackers   = 1000
	floodBody   = 16 << 20
	floodPiece  = 16 << 10
	floodRounds = 12
	// mostFlooded is how much memory attackers may cost.
	mostFlooded = 64 << 20
)

// TestCallbackFlood: connections that send a lot, slowly and not as the provider, cost little memory, and callbacks
// that arrive at the same time are applied.
func TestCallbackFlood(t *testing.T) {
	t.Parallel()
	// With a limit, the result does not include garbage that a busy machine had no time to collect.
	n := newWorld(t, func(s *Server) {
		OnFolder(t.TempDir())(s)
		WithEnv("GOMEMLIMIT=88MiB")(s)
	}).number(t)
	person := newPerson()
	n.receiveText(person, "before")
	before := goMemory(t, n.srv)
	f := startFlood(t, strings.TrimPrefix(n.srv.URL(), "http://"))
	f.await(floodRounds)
	for i := range 6 {
		id := fmt.Sprintf("wamid.beside.%s.%d", n.ID, i)
		begin, rounds := time.Now(), f.rounds.Load()
		body := textCallback(n, person, id, "beside the flood")
		body += strings.Repeat(" ", []int{0, 20 << 10, 60 << 10}[i%3]) // one of each size that callbacks have
		reply, err := n.srv.callBack(body, sign(body))
		if err != nil || reply.Status != http.StatusOK {
			t.Fatalf("a callback beside the flood got %+v, %v", reply, err)
		}
		t.Logf("a callback of %d bytes took %v, and the attackers %d rounds", len(body), time.Since(begin), f.rounds.Load()-rounds)
		n.find(id)
		f.await(f.rounds.Load() + 1) // the attackers are still there
	}
	grown := goMemory(t, n.srv) - before
	t.Logf("%d attackers made %d connections, sent %d MiB and cost %d MiB beyond %d", attackers, f.dialled.Load(), f.sent.Load()>>20, grown>>20, before>>20)
	if grown > mostFlooded {
		t.Errorf("the attackers cost %d MiB", grown>>20)
	}
	f.stop()
	n.receiveText(person, "after")
}

// goMemory is how much memory the program has taken from the system so far. It does not shrink.
func goMemory(t *testing.T, srv *Server) int {
	t.Helper()
	for line := range strings.Lines(fetch(t, srv.Ops()+"/metrics").Body) {
		if value, found := strings.CutPrefix(line, "go_memstats_sys_bytes "); found {
			bytes, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			must(t, err)
			return int(bytes)
		}
	}
	t.Fatal("the program does not tell of its memory")
	return 0
}

// flood is a group of attackers that send piece after piece, all in step, and reconnect when they are cut off.
type flood struct {
	t             *testing.T
	address       string
	piece         string
	rounds        atomic.Int64
	dialled, sent atomic.Int64
	conns         [attackers]net.Conn
	end           chan struct{}
	ended         sync.WaitGroup
}

func startFlood(t *testing.T, address string) *flood {
	f := &flood{t: t, address: address, piece: strings.Repeat("x", floodPiece), end: make(chan struct{})}
	f.ended.Go(f.run)
	t.Cleanup(f.stop)
	return f
}

// stop ends the flood; a second call does nothing.
func (f *flood) stop() {
	select {
	case <-f.end:
	default:
		close(f.end)
	}
	f.ended.Wait()
}

// await waits until the attackers have done the given number of rounds.
func (f *flood) await(rounds int64) {
	f.t.Helper()
	if !eventually(func() bool { return f.rounds.Load() >= rounds }) {
		f.t.Fatalf("the attackers do not get on: %d rounds", f.rounds.Load())
	}
}

// run sends a piece from each attacker, ten times a second at most.
func (f *flood) run() {
	pace := time.NewTicker(100 * time.Millisecond)
	defer pace.Stop()
	for {
		var round sync.WaitGroup
		const workers = 50
		for w := range workers {
			round.Go(func() {
				for i := w; i < attackers; i += workers {
					f.attack(i)
				}
			})
		}
		round.Wait()
		f.rounds.Add(1)
		select {
		case <-pace.C:
		case <-f.end:
			for _, conn := range f.conns {
				if conn != nil {
					conn.Close()
				}
			}
			return
		}
	}
}

// attack sends an attacker's next piece, on a new connection if it has none.
func (f *flood) attack(i int) {
	if f.conns[i] == nil && !f.dial(i) {
		return
	}
	if err := f.write(i, fmt.Sprintf("%x\r\n%s\r\n", len(f.piece), f.piece)); err != nil {
		f.conns[i].Close()
		f.conns[i] = nil
	}
}

// dial begins a callback: unsigned or wrongly signed, with or without its length.
func (f *flood) dial(i int) bool {
	conn, err := net.Dial("tcp", f.address)
	if err != nil {
		return false // the system has no more connections at the moment
	}
	f.dialled.Add(1)
	f.conns[i] = conn
	conn.(*net.TCPConn).SetWriteBuffer(4 * floodPiece) // so that unread data does not pile up in the system
	signature := "X-Hub-Signature-256: " + sign("something else") + "\r\n"
	head := []string{
		fmt.Sprintf("Content-Length: %d\r\n", floodBody),
		"Transfer-Encoding: chunked\r\n",
		fmt.Sprintf("Content-Length: %d\r\n", 3<<20) + signature,
		"Transfer-Encoding: chunked\r\n" + signature,
		fmt.Sprintf("Content-Length: %d\r\n", 60<<10) + signature,
	}[i%5]
	return f.write(i, "POST /provider/webhook HTTP/1.1\r\nHost: parley\r\n"+head+"\r\n") == nil
}

// write sends as many bytes as are accepted. An attacker that is made to wait stays.
func (f *flood) write(i int, text string) error {
	f.conns[i].SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
	written, err := f.conns[i].Write([]byte(text))
	f.sent.Add(int64(written))
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		return nil
	}
	return err
}
