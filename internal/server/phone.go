package server

import (
	"context"
	"errors"
	"sync"

	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// phones are the handsets of simulated people; nil where the provider is a real one.
func (s *Server) phones() *simulator.Phones {
	if s.messaging.simulator == nil {
		return nil
	}
	return s.messaging.simulator.Phones()
}

// phoneNews tells open dashboards what happens on handsets. The simulator does not wait for it.
type phoneNews struct {
	mu      sync.Mutex
	numbers map[string]bool // to be told of
	wake    chan struct{}
	cancel  context.CancelFunc
	done    chan struct{}
}

func (s *Server) startPhoneNews() *phoneNews {
	ctx, cancel := context.WithCancel(context.Background())
	p := &phoneNews{numbers: map[string]bool{}, wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	s.phones().Watch(p.note)
	go func() {
		defer close(p.done)
		for {
			select {
			case <-p.wake:
				s.tellPhoneNews(ctx, p.take())
			case <-ctx.Done():
				return
			}
		}
	}()
	return p
}

func (p *phoneNews) stop() {
	p.cancel()
	<-p.done
}

func (p *phoneNews) note(phoneNumberID string) {
	p.mu.Lock()
	p.numbers[phoneNumberID] = true
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *phoneNews) take() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	numbers := p.numbers
	p.numbers = map[string]bool{}
	return numbers
}

// tellPhoneNews tells the organizations of the numbers; what concerns no number concerns all.
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
