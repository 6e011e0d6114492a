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
	cfg   Config
	queue chan store.MediaJob
	wake  chan struct{}

	mu   sync.Mutex
	held map[string]bool // ids of the messages whose jobs are in memory

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// Start starts the work.
func Start(cfg Config) *Mover {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Mover{cfg: cfg, queue: make(chan store.MediaJob, fetchQueue), wake: make(chan struct{}, 1), held: map[string]bool{}, ctx: ctx, cancel: cancel}
	for range fetchers {
		m.work.Go(m.run)
	}
	m.work.Go(func() { m.everySweep(m.sweep, m.wake) })
	m.work.Go(func() { m.everySweep(m.releaseEvents, nil) })
	return m
}

// Stop ends the work. Running fetches are cut off and start again at the next start.
func (m *Mover) Stop() {
	m.cancel()
	m.work.Wait()
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

func (m *Mover) run() {
	for {
		select {
		case job := <-m.queue:
			m.handle(job)
			m.mu.Lock()
			delete(m.held, job.MessageID)
			m.mu.Unlock()
		case <-m.ctx.Done():
			return
		}
	}
}

// Wake makes the mover look for files without an owner now.
func (m *Mover) Wake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

func (m *Mover) everySweep(look func(), now <-chan struct{}) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		look()
		select {
		case <-tick.C:
		case <-now:
		case <-m.ctx.Done():
			return
		}
	}
}

// sweep takes over the files of dead nodes, and resumes own ones that are due or did not fit into memory.
func (m *Mover) sweep() {
	lease := m.cfg.Lease()
	if !lease.Holds(m.cfg.Store.Moment(), 0) {
		return
	}
	err := m.cfg.Store.InTx(m.ctx, func(tx *store.Tx) error {
		_, err := tx.ClaimMediaJobs(lease.Node, fetchQueue)
		return err
	})
	var jobs []store.MediaJob
	if err == nil {
		jobs, err = m.cfg.Store.Read(m.ctx).DueMediaJobs(lease.Node, m.cfg.Store.Now(), fetchQueue)
	}
	if err != nil && m.ctx.Err() == nil {
		m.cfg.Log.Warn("files to fetch could not be claimed", "error", err)
	}
	for _, job := range jobs {
		m.Fetch(job)
	}
}
