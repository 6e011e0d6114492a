package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
)

const (
	// leastOwnFiles and mostOwnFiles bound how many of the process's files are kept from the clients' connections: for the
	// store, calls to the provider, deliveries, stored files, and the operator's address.
	leastOwnFiles, mostOwnFiles = 96, 2048
	// mostFiles stands for no limit at all.
	mostFiles = 1 << 20
	// shortFor is how long a lack of files counts after the last connection that could not be accepted because of it.
	shortFor = 5 * time.Second
)

// moreFiles tells an operator how to get more files for the process.
const moreFiles = "raise the limit (LimitNOFILE= in the systemd unit, --ulimit nofile= for a container, ulimit -n in a shell) and start the program again, or find who keeps so many connections open"

// filesAllowed is how many files and connections the process may have open.
func filesAllowed() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > mostFiles {
		return mostFiles
	}
	return int(limit.Cur)
}

// clientsAllowed is how many of those files clients may take: at least a quarter, so that a small limit leaves them some.
func clientsAllowed(files int) int {
	own := min(max(files/4, leastOwnFiles), mostOwnFiles)
	return max(files-own, files/4, 1)
}

// doors accept the connections of both addresses. They limit those of clients, so that files are left for everything else:
// without a limit, one address would starve the other, the store and the calls to the provider. Further connections wait in
// the system's queue.
type doors struct {
	files   int
	slots   chan struct{} // has an item for each connection of a client
	full    atomic.Bool   // until a quarter of the slots is free again
	crowded *logging.Episode
	closing sync.Once
	closed  chan struct{}

	short *logging.Episode
	mu    sync.Mutex
	lack  error     // why the last connection could not be accepted
	at    time.Time // when that was; zero if connections are accepted again
}

func newDoors(files, clients int, log *slog.Logger, reg prometheus.Registerer) *doors {
	return &doors{
		files: files, slots: make(chan struct{}, clients), closed: make(chan struct{}),
		crowded: logging.NewEpisode(log, reg, "connections", "too many connections are open, further ones wait", "connections are taken at once again"),
		short:   logging.NewEpisode(log, reg, "open_files", "connections cannot be taken, they wait", "connections can be taken again"),
	}
}

// why tells what keeps connections waiting, or nil.
func (d *doors) why() error {
	if d.full.Load() {
		return d.crowdedError()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.at.IsZero() && time.Since(d.at) < shortFor {
		return d.lack
	}
	return nil
}

func (d *doors) crowdedError() error {
	return fmt.Errorf("clients have %d connections open, of the %d files and connections that this process may have: %s", cap(d.slots), d.files, moreFiles)
}

// enter waits until another client may come in.
func (d *doors) enter() error {
	select {
	case d.slots <- struct{}{}:
		return nil
	default:
	}
	d.full.Store(true)
	d.crowded.Report(d.crowdedError())
	select {
	case d.slots <- struct{}{}:
		return nil
	case <-d.closed:
		return net.ErrClosed
	}
}

// leave makes room for another client. The line that the crowd is gone waits for a quarter of the room, or the log would
// have one for each that comes and goes.
func (d *doors) leave() {
	<-d.slots
	if d.full.Load() && len(d.slots) <= cap(d.slots)*3/4 {
		d.full.Store(false)
		d.crowded.Report(nil)
	}
}

// taken notes whether a connection could be accepted.
func (d *doors) taken(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case errors.Is(err, syscall.EMFILE):
		d.lack = fmt.Errorf("this process has all of its %d files and connections open: %s: %w", d.files, moreFiles, err)
	case errors.Is(err, syscall.ENFILE):
		d.lack = fmt.Errorf("the programs of this machine have too many files open: raise fs.file-max (sysctl), or find the program that has them: %w", err)
	case err == nil && !d.at.IsZero() && time.Since(d.at) >= shortFor:
		d.at = time.Time{}
		d.short.Report(nil)
		return
	default:
		return
	}
	d.at = time.Now()
	d.short.Report(d.lack)
}

// forClients is the listener of the address that clients use, whose connections are counted by the HTTP server.
type forClients struct {
	net.Listener
	*doors
}

func (l forClients) Accept() (net.Conn, error) {
	if err := l.enter(); err != nil {
		return nil, err
	}
	conn, err := l.Listener.Accept()
	if l.taken(err); err != nil {
		l.leave()
	}
	return conn, err
}

func (l forClients) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// forOperator is the listener of the operator's address.
type forOperator struct {
	net.Listener
	*doors
}

func (l forOperator) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	l.taken(err)
	return conn, err
}

// countConnections counts the open connections.
func (s *Server) countConnections(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connected.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.connected.Add(-1)
		s.doors.leave()
	}
}
