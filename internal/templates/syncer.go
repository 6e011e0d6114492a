package templates

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	every = 2 * time.Second
	// atOnce is how many accounts are read at the same time; batch is how many are looked up for that.
	atOnce = 4
	batch  = 64
)

// Syncer reads templates from the provider when that is due: a number was connected, a callback reported something
// unknown, or hours have passed. Rows in the store say what is due. A node claims a row by moving its due time, so
// that nodes share the work without a leader.
type Syncer struct {
	part.Life
	service *Service
	log     *slog.Logger
}

// NewSyncer makes a syncer.
func NewSyncer(service *Service, log *slog.Logger) *Syncer {
	return &Syncer{Life: part.NewLife(), service: service, log: log}
}

// Start starts the sweeps. A synchronization that Stop interrupts is due again when its claim ends.
func (s *Syncer) Start(context.Context) error {
	s.SweepEvery(every, nil, s, func(err error) {
		if err != nil {
			s.log.Warn("synchronizing templates", "error", err)
		}
	})
	return nil
}

// Sweep runs the synchronizations that are due now.
func (s *Syncer) Sweep(ctx context.Context) error {
	due, err := s.service.Due(ctx, batch)
	if err != nil {
		return err
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
	return nil
}

func (s *Syncer) sync(ctx context.Context, due store.TemplateSync) {
	if ctx.Err() != nil {
		return
	}
	if err := s.service.SyncDue(ctx, due); err != nil && ctx.Err() == nil {
		s.log.Warn("templates could not be read from the provider", "organization", due.OrgID, "waba", due.WABAID, "error", err)
	}
}
