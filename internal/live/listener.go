package live

import (
	"slices"
	"sync"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Listener is an open dashboard.
type Listener struct {
	hub     *Hub
	session chat.Session
	userID  string
	number  uint64 // a later listener has a larger one
	// Ready signals waiting hints, and Ended that no more will come.
	Ready chan struct{}
	Ended chan struct{}

	mu    sync.Mutex
	user  chat.User
	hints []Hint
	ended bool
}

// Listen starts sending hints to a session, until Leave.
func (h *Hub) Listen(s store.SessionContext) *Listener {
	l := &Listener{hub: h, session: s.Session, user: s.User, userID: s.User.ID, Ready: make(chan struct{}, 1), Ended: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	org := s.User.OrgID
	h.listened++
	l.number = h.listened
	h.makeRoom(org, l.userID)
	if h.orgs[org] == nil {
		h.orgs[org] = map[*Listener]bool{}
	}
	h.orgs[org][l] = true
	h.wanted.Store(true)
	h.tellWatching()
	if h.Ended() {
		l.end()
	}
	return l
}

// makeRoom ends the oldest listener of a user at the limit.
func (h *Hub) makeRoom(org, user string) {
	var eldest *Listener
	count := 0
	for l := range h.orgs[org] {
		if l.userID != user {
			continue
		}
		count++
		if eldest == nil || l.number < eldest.number {
			eldest = l
		}
	}
	if count >= maxListeners {
		eldest.end()
		delete(h.orgs[org], eldest)
	}
}

// Leave ends the listener.
func (l *Listener) Leave() {
	h, org := l.hub, l.session.OrgID
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.orgs[org], l)
	if len(h.orgs[org]) == 0 {
		delete(h.orgs, org)
	}
}

// User is the listening user, at most a second old.
func (l *Listener) User() chat.User {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.user
}

func (l *Listener) setUser(u chat.User) {
	l.mu.Lock()
	changed := l.user.Sees != u.Sees
	l.user = u
	l.mu.Unlock()
	if changed {
		l.add([]Hint{{Kind: KindAll}})
	}
}

// add queues hints. Of several about the same object the last is enough.
func (l *Listener) add(hints []Hint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	for _, hint := range hints {
		l.hints = slices.DeleteFunc(l.hints, func(old Hint) bool { return old.Kind == hint.Kind && old.ID == hint.ID })
		l.hints = append(l.hints, hint)
	}
	if len(l.hints) > maxHints {
		l.hints = []Hint{{Kind: KindAll}}
	}
	if len(l.hints) > 0 {
		select {
		case l.Ready <- struct{}{}:
		default:
		}
	}
}

// Take returns the waiting hints.
func (l *Listener) Take() []Hint {
	l.mu.Lock()
	defer l.mu.Unlock()
	hints := l.hints
	l.hints = nil
	return hints
}

func (l *Listener) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended = true
		close(l.Ended)
	}
}
