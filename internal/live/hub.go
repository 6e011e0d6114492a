// Package live tells open dashboards what has changed, as hints: what, and which. The browser fetches what it
// shows. So nothing is told to anybody who may not see it, and a hint that is lost does little harm. Changes
// on other nodes come by the store's wake-ups.
package live

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// gather is how long changes are collected before they are told: a message makes several.
	gather = 50 * time.Millisecond
	// checkEvery is how often it is looked whether those who listen may still do so.
	checkEvery = time.Second
	// maxHints bounds what waits for a browser that reads slowly. Past it the browser fetches everything.
	maxHints = 500
	// maxListeners is how many windows a user can have open on a node. One more ends the eldest.
	maxListeners = 64
	// storeTimeout bounds a look at the store.
	storeTimeout = 5 * time.Second
)

// Hint is one thing that has changed.
type Hint struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	// Users are those at a conversation, where Kind is presence.
	Users []Present `json:"users,omitempty"`
}

// Kinds of hints that are no kinds of changes.
const (
	// KindInbox: something that the listener cannot be told of by its id.
	KindInbox = "inbox"
	// KindAll: fetch everything that is shown.
	KindAll      = "all"
	KindPresence = "presence"
	KindPhone    = "phone"
)

// Config is what a hub needs.
type Config struct {
	Store *store.Store
	// Node is this process's name among those on the store.
	Node func() string
	// Visible are those of the conversations that a user may see.
	Visible func(ctx context.Context, u chat.User, ids []string) ([]string, error)
	Log     *slog.Logger
}

// Hub passes changes on to listeners.
type Hub struct {
	cfg      Config
	wanted   atomic.Bool // somebody listens, here or on another node
	others   atomic.Pointer[store.Moment]
	mu       sync.Mutex
	orgs     map[string]map[*Listener]bool
	changes  map[store.Change]bool // to be told
	armed    bool
	present  presence
	listened uint64       // how many have listened so far
	watching store.Moment // when others were last told that somebody listens here

	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start makes a hub and has the store tell it of changes.
func Start(cfg Config) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Hub{
		cfg: cfg, orgs: map[string]map[*Listener]bool{}, changes: map[store.Change]bool{}, present: presence{},
		ctx: ctx, cancel: cancel,
	}
	cfg.Store.HandTo(func(hands *store.Hands) { hands.Changed = h.Changed })
	h.done.Go(h.check)
	return h
}

// Stop sends all listeners home.
func (h *Hub) Stop() {
	h.cancel()
	h.mu.Lock()
	for _, listeners := range h.orgs {
		for l := range listeners {
			l.end()
		}
	}
	h.mu.Unlock()
	h.done.Wait()
}

// Changed takes what a transaction has changed. It costs next to nothing where nobody listens.
func (h *Hub) Changed(changes []store.Change) {
	if !h.wanted.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range changes {
		h.changes[c] = true
	}
	if !h.armed && h.ctx.Err() == nil {
		h.armed = true
		h.done.Go(h.tellSoon)
	}
}

// tellSoon tells what was collected, here and on other nodes.
func (h *Hub) tellSoon() {
	select {
	case <-time.After(gather):
	case <-h.ctx.Done():
		return
	}
	h.mu.Lock()
	changes := h.changes
	h.changes, h.armed = map[store.Change]bool{}, false
	h.mu.Unlock()
	byOrg := map[string][]store.Change{}
	for c := range changes {
		byOrg[c.OrgID] = append(byOrg[c.OrgID], c)
	}
	for org, of := range byOrg {
		h.tellHere(org, of)
	}
	if h.othersListen() {
		h.tellOthers(byOrg)
	}
}

// tellHere tells those who listen on this node.
func (h *Hub) tellHere(org string, changes []store.Change) {
	for _, l := range h.listeners(org) {
		hints, ids := []Hint{}, []string{}
		for _, c := range changes {
			if c.Kind == store.ChangedConversation {
				ids = append(ids, c.ID)
			} else {
				hints = append(hints, Hint{Kind: string(c.Kind), ID: c.ID})
			}
		}
		l.add(append(hints, h.conversationHints(l.User(), ids)...))
	}
}

// conversationHints name what a user may see, and say of the rest only that there is something: a
// conversation may just have been taken from the user.
func (h *Hub) conversationHints(u chat.User, ids []string) (hints []Hint) {
	visible := ids
	if u.Sees != chat.SeesAll && len(ids) > 0 {
		ctx, cancel := context.WithTimeout(h.ctx, storeTimeout)
		defer cancel()
		var err error
		if visible, err = h.cfg.Visible(ctx, u, ids); err != nil {
			h.cfg.Log.Debug("what a user may see could not be read", "error", err)
			visible = nil
		}
		if len(visible) < len(ids) {
			hints = append(hints, Hint{Kind: KindInbox})
		}
	}
	for _, id := range visible {
		hints = append(hints, Hint{Kind: string(store.ChangedConversation), ID: id})
	}
	return hints
}

func (h *Hub) listeners(org string) (all []*Listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.orgs[org] {
		all = append(all, l)
	}
	return all
}

// Publish tells everybody in an organization on this node of something that is not in the store.
func (h *Hub) Publish(org string, hint Hint) {
	for _, l := range h.listeners(org) {
		l.add([]Hint{hint})
	}
}

// PublishAll tells everybody on this node.
func (h *Hub) PublishAll(hint Hint) {
	h.mu.Lock()
	orgs := slices.Collect(maps.Keys(h.orgs))
	h.mu.Unlock()
	for _, org := range orgs {
		h.Publish(org, hint)
	}
}

// check ends the listening of those who have been signed out, and forgets those who have gone from a
// conversation.
func (h *Hub) check() {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.checkSessions()
			h.forgetGone()
			h.watch()
		case <-h.ctx.Done():
			return
		}
	}
}

func (h *Hub) checkSessions() {
	byHash := map[string][]*Listener{}
	h.mu.Lock()
	for _, listeners := range h.orgs {
		for l := range listeners {
			byHash[l.session.Hash] = append(byHash[l.session.Hash], l)
		}
	}
	h.mu.Unlock()
	if len(byHash) == 0 {
		return
	}
	hashes := make([]string, 0, len(byHash))
	for hash := range byHash {
		hashes = append(hashes, hash)
	}
	ctx, cancel := context.WithTimeout(h.ctx, storeTimeout)
	defer cancel()
	users, err := h.cfg.Store.Read(ctx).UsersOfSessions(hashes)
	if err != nil { // the next look is in a second
		return
	}
	for hash, listeners := range byHash {
		u, alive := users[hash]
		for _, l := range listeners {
			if !alive || u.DisabledAt != nil || l.session.Over(h.cfg.Store.Now()) {
				l.end()
			} else {
				l.setUser(u)
			}
		}
	}
}
