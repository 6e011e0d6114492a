package server

import (
	"context"
	"errors"
	"sync"

	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// phones are the handsets of simulated people; nil if the provider is a real one.
func (s *Server) phones() *simulator.Phones {
	if s.messaging.simulator == nil {
		return nil
	}
	return s.messaging.simulator.Phones()
}

// phoneNews notifies open dashboards of events on handsets. The simulator does not wait for it.
type phoneNews struct {
	part.Life
	part.Bell
	server  *Server
	mu      sync.Mutex
	numbers map[string]bool // numbers to notify of
}

func newPhoneNews(s *Server) *phoneNews {
	return &phoneNews{Life: part.NewLife(), Bell: part.NewBell(), server: s, numbers: map[string]bool{}}
}

// Start begins to watch the handsets.
func (p *phoneNews) Start(context.Context) error {
	p.server.phones().Watch(p.note)
	p.Go(func(ctx context.Context) {
		for {
			select {
			case <-p.Bell:
				p.server.tellPhoneNews(ctx, p.take())
			case <-ctx.Done():
				return
			}
		}
	})
	return nil
}

func (p *phoneNews) note(phoneNumberID string) {
	p.mu.Lock()
	p.numbers[phoneNumberID] = true
	p.mu.Unlock()
	p.Wake()
}

func (p *phoneNews) take() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	numbers := p.numbers
	p.numbers = map[string]bool{}
	return numbers
}

// tellPhoneNews notifies the organizations of the numbers. The empty number stands for all organizations.
func (s *Server) tellPhoneNews(ctx context.Context, numbers map[string]bool) {
	hint := live.Hint{Kind: live.KindPhone}
	if numbers[""] {
		s.live.PublishAll(hint)
		return
	}
	for number := range numbers {
		account, err := s.store.Read(ctx).AccountForCallback(number)
		if err == nil {
			s.live.Publish(account.OrgID, hint)
		} else if !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil {
			s.log.Debug("dashboards are not told of a handset", "error", err)
		}
	}
}
