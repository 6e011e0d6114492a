// Package templatesync reads templates from the provider when that is due: a number was connected,
// a callback told of something unknown, or hours have passed. Rows say what is due; a node takes
// one by moving it, so that nodes share the work without one that leads.
package templatesync

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	every = 2 * time.Second
	// atOnce is how many accounts are read at a time; batch how many are looked up for that.
	atOnce = 4
	batch  = 64
)

// Syncer does the synchronizations of one node.
type Syncer struct {
	templates *core.Templates
	log       *slog.Logger
	cancel    context.CancelFunc
	done      sync.WaitGroup
}

// Start begins the work; Stop ends it.
func Start(templates *core.Templates, log *slog.Logger) *Syncer {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Syncer{templates: templates, log: log, cancel: cancel}
	s.done.Go(func() { s.run(ctx) })
	return s
}

// Stop ends what is under way and waits for it; it is due again when its claim ends.
func (s *Syncer) Stop() {
	s.cancel()
	s.done.Wait()
}

func (s *Syncer) run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		s.Sweep(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep does what is due now.
func (s *Syncer) Sweep(ctx context.Context) {
	due, err := s.templates.Due(ctx, batch)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("synchronizing templates", "error", err)
		}
		return
	}
	var running sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, d := range due {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			s.sync(ctx, d)
		})
	}
	running.Wait()
}

func (s *Syncer) sync(ctx context.Context, due store.TemplateSync) {
	if ctx.Err() != nil {
		return
	}
	if err := s.templates.SyncDue(ctx, due); err != nil && ctx.Err() == nil {
		s.log.Warn("templates could not be read from the provider", "organization", due.OrgID, "waba", due.WABAID, "error", err)
	}
}
