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
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	fetchers   = 8
	fetchQueue = 256
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
	cfg   Config
	queue chan store.MediaJob

	mu   sync.Mutex
	held map[string]bool // message ids in memory
}

// New makes a mover.
func New(cfg Config) *Mover {
	return &Mover{Life: part.NewLife(), Bell: part.NewBell(), cfg: cfg, queue: make(chan store.MediaJob, fetchQueue), held: map[string]bool{}}
}

// Start begins the work. Fetches that Stop cuts off begin anew at the next start.
func (m *Mover) Start(context.Context) error {
	for range fetchers {
		m.Go(m.run)
	}
	m.SweepEvery(sweepEvery, m.Bell, m, func(err error) {
		if err != nil {
			m.cfg.Log.Warn("files to fetch could not be claimed", "error", err)
		}
	})
	m.Every(sweepEvery, nil, m.releaseEvents)
	return nil
}

// Fetch takes a job that was just committed. If there is no room, a sweep finds it later.
func (m *Mover) Fetch(job store.MediaJob) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held[job.MessageID] {
		return
	}
	select {
	case m.queue <- job:
		m.held[job.MessageID] = true
	default:
	}
}

func (m *Mover) run(ctx context.Context) {
	for {
		select {
		case job := <-m.queue:
			m.handle(job)
			m.mu.Lock()
			delete(m.held, job.MessageID)
			m.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// Sweep takes over the files of dead nodes, and picks up own ones that are due again or did not fit
// into memory.
func (m *Mover) Sweep(ctx context.Context) error {
	lease := m.cfg.Lease()
	if !lease.Holds(m.cfg.Store.Moment(), 0) {
		return nil
	}
	err := m.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.ClaimMediaJobs(lease.Node, fetchQueue)
		return err
	})
	var jobs []store.MediaJob
	if err == nil {
		jobs, err = m.cfg.Store.Read(ctx).DueMediaJobs(lease.Node, m.cfg.Store.Now(), fetchQueue)
	}
	for _, job := range jobs {
		m.Fetch(job)
	}
	return err
}
