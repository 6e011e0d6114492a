// Package media moves files between the provider and our own store: it fetches, checks and stores inbound
// files, and uploads library files when they are first sent.
package media

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// fetchers is how many files are fetched at once, and ofOne how many of one organization: its files may be large, or come
	// slowly, or not at all.
	fetchers, ofOne = 16, 8
	// maxWaiting is how many jobs wait in memory, and waitingOfOne how many of one organization. The others wait in the table.
	maxWaiting, waitingOfOne = 1024, 128
	// claimLimit is how many jobs a sweep takes over.
	claimLimit = 256
	sweepEvery = time.Second
)

// Config configures the mover.
type Config struct {
	Store     *store.Store
	Lease     func() store.Lease // this process's right to the files that it fetches
	Provider  provider.Client
	Token     func(chat.Account) (string, error)
	Blobs     blob.Store
	PublicURL string
	Log       *slog.Logger
}

// Mover moves the files of one node.
type Mover struct {
	part.Life
	part.Bell
	cfg Config

	mu       sync.Mutex
	held     map[string]bool // message ids in memory
	waiting  fair.Rounds[string, store.MediaJob]
	underWay map[string]int // by organization
	running  int            // in all
}

// New makes a mover.
func New(cfg Config) *Mover {
	return &Mover{Life: part.NewLife(), Bell: part.NewBell(), cfg: cfg, held: map[string]bool{}, underWay: map[string]int{}}
}

// Start begins the work. Fetches that Stop cuts off begin anew at the next start.
func (m *Mover) Start(context.Context) error {
	m.SweepEvery(sweepEvery, m.Bell, m, func(err error) {
		if err != nil {
			m.cfg.Log.Warn("files to fetch could not be claimed", "error", err)
		}
	})
	m.Every(sweepEvery, nil, m.releaseEvents)
	return nil
}

// Stop ends the work, and waits for it until ctx ends.
func (m *Mover) Stop(ctx context.Context) {
	m.mu.Lock() // no fetch is about to begin
	m.End()
	m.mu.Unlock()
	m.Life.Stop(ctx)
}

// Fetch takes a job that was just committed. If there is no room, a sweep finds it later.
func (m *Mover) Fetch(job store.MediaJob) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held[job.MessageID] || m.waiting.Len() >= maxWaiting || m.waiting.Waits(job.OrgID) >= waitingOfOne {
		return
	}
	m.held[job.MessageID] = true
	m.waiting.Add(job.OrgID, job)
	m.begin()
}

// begin begins fetches while there is room for them. Organizations take turns.
func (m *Mover) begin() {
	for m.running < fetchers && !m.Ended() {
		org, jobs := m.waiting.Next(1, func(org string) bool { return m.underWay[org] < ofOne })
		if len(jobs) == 0 {
			return
		}
		m.running++
		m.underWay[org]++
		m.Go(func(context.Context) {
			m.handle(jobs[0])
			m.end(jobs[0])
		})
	}
}

func (m *Mover) end(job store.MediaJob) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.held, job.MessageID)
	m.running--
	if m.underWay[job.OrgID]--; m.underWay[job.OrgID] == 0 {
		delete(m.underWay, job.OrgID)
	}
	m.begin()
}

// Sweep takes over the files of dead nodes, and picks up own ones that are due again or did not fit
// into memory.
func (m *Mover) Sweep(ctx context.Context) error {
	lease := m.cfg.Lease()
	if !lease.Holds(m.cfg.Store.Moment(), 0) {
		return nil
	}
	err := m.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.ClaimMediaJobs(lease.Node, claimLimit)
		return err
	})
	var jobs []store.MediaJob
	if err == nil {
		jobs, err = m.cfg.Store.Read(ctx).DueMediaJobs(lease.Node, m.cfg.Store.Now(), ofOne+waitingOfOne, maxWaiting)
	}
	for _, job := range jobs {
		m.Fetch(job)
	}
	return err
}
