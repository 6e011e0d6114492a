// Package live tells open dashboards about changes, as hints: the kind of what changed, and which conversation. The browser
// then fetches what it shows. So nobody is told anything that they may not see, and a lost hint does little
// harm. Changes on other nodes arrive by the store's wake-ups.
package live

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// gather is how long changes are collected before they are sent, because one message makes several.
	gather = 50 * time.Millisecond
	// checkEvery is how often the listeners' sessions are checked, if the configuration does not say otherwise. Their
	// end is told like any change; this is for what is not told: a session that expires, and a command in the shell.
	checkEvery = time.Second
	// forgetEvery is how often users who have left a conversation are forgotten.
	forgetEvery = time.Second
	// maxHints bounds the hints that wait for a slow browser. Beyond it the browser fetches everything.
	maxHints = 500
	// maxListeners is how many windows a user may have open on a node. One more closes the oldest.
	maxListeners = 64
	// storeTimeout bounds a read of the store.
	storeTimeout = 5 * time.Second
)

// Hint says that one object has changed.
type Hint struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	// Users are the users at a conversation, if Kind is presence.
	Users []Present `json:"users,omitempty"`
}

// Kinds of hints beside the kinds of changes.
const (
	// kindInbox is a change of an object whose id the listener must not know.
	kindInbox = "inbox"
	// KindAll asks the browser to fetch everything that it shows.
	KindAll      = "all"
	KindPresence = "presence"
	KindPhone    = "phone"
)

// leastRoles are the roles that may read what has changed, where not everybody may.
var leastRoles = map[store.ChangeKind]chat.Role{
	store.ChangedBroadcast: chat.RoleAdmin, store.ChangedCustomers: chat.RoleAdmin, store.ChangedKeys: chat.RoleAdmin, store.ChangedWebhooks: chat.RoleAdmin,
}

// Config configures a hub.
type Config struct {
	Store *store.Store
	// Node is this process's name among the nodes on the store.
	Node func() string
	// Visible returns the conversations that a user may see.
	Visible func(ctx context.Context, u chat.User, ids []string) ([]string, error)
	Log     *slog.Logger
	// CheckEvery is how often the listeners' sessions are checked: every second if it is 0.
	CheckEvery time.Duration
}

// Hub passes changes on to listeners.
type Hub struct {
	part.Life
	cfg      Config
	wanted   atomic.Bool // there is a listener, here or on another node
	others   atomic.Pointer[store.Moment]
	untold   atomic.Bool // other nodes were not told of a change, because none was known to listen
	mu       sync.Mutex
	orgs     map[string]map[*Listener]bool
	news     map[string]*news // by organization; not told yet, or being told
	present  presence
	listened uint64       // how many have listened so far
	watching store.Moment // when others were last told that somebody listens here
}

// New makes a hub.
func New(cfg Config) *Hub {
	return &Hub{Life: part.NewLife(), cfg: cfg, orgs: map[string]map[*Listener]bool{}, news: map[string]*news{}, present: presence{}}
}

// Start has the store tell the hub of changes.
func (h *Hub) Start(context.Context) error {
	h.cfg.Store.HandTo(func(hands *store.Hands) { hands.Changed = h.changed })
	h.Go(h.check)
	return nil
}

// Stop ends the hub.
func (h *Hub) Stop(ctx context.Context) {
	h.Drain()
	h.Life.Stop(ctx)
}

// Drain sends all listeners home, and takes no more.
func (h *Hub) Drain() {
	h.End()
	h.mu.Lock()
	for _, listeners := range h.orgs {
		for l := range listeners {
			l.end()
		}
	}
	h.mu.Unlock()
}

// changed takes the changes of a transaction. Without listeners it costs next to nothing.
func (h *Hub) changed(changes []store.Change) {
	if !h.wanted.Load() {
		// Another node may have a listener of which this one has not heard yet; it is told when it is heard of.
		if h.untold.Store(true); !h.wanted.Load() {
			return
		}
	}
	for _, c := range changes {
		h.collect(c.OrgID, func(n *news) { n.made[c] = true })
	}
}

// news is what an organization's listeners were not told yet.
type news struct {
	made   map[store.Change]bool // here, so that other nodes must be told as well
	heard  map[store.Change]bool // from other nodes
	people map[string]bool       // conversations that users have come to or left
}

func newNews() *news {
	return &news{made: map[store.Change]bool{}, heard: map[store.Change]bool{}, people: map[string]bool{}}
}

// collect notes news, which are told a moment later. It does not block: telling may have to read the store, and whoever
// brings the news has others to serve. Each organization has a goroutine while there are news of it, so that none waits
// for another's listeners.
func (h *Hub) collect(org string, note func(*news)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Ended() {
		return
	}
	n := h.news[org]
	if n == nil {
		n = newNews()
		h.news[org] = n
		h.Go(func(ctx context.Context) { h.tellSoon(ctx, org) })
	}
	note(n)
}

// take takes the news of an organization. If there are none, its goroutine ends.
func (h *Hub) take(org string) *news {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.news[org]
	if len(n.made)+len(n.heard)+len(n.people) == 0 {
		delete(h.news, org)
		return nil
	}
	h.news[org] = newNews()
	return n
}

// tellSoon sends the collected news of an organization, here and to other nodes, until there are none.
func (h *Hub) tellSoon(ctx context.Context, org string) {
	for {
		select {
		case <-time.After(gather):
		case <-ctx.Done():
			return
		}
		n := h.take(org)
		if n == nil {
			return
		}
		h.tellOthers(org, slices.Collect(maps.Keys(n.made)))
		maps.Copy(n.heard, n.made)
		h.tellHere(org, slices.Collect(maps.Keys(n.heard)))
		h.tellPresence(org, slices.Collect(maps.Keys(n.people)))
	}
}

// tellHere sends changes to the listeners on this node. Those who were signed out by them hear nothing of the rest.
func (h *Hub) tellHere(org string, changes []store.Change) {
	if slices.ContainsFunc(changes, mayEndSessions) {
		h.checkSessions(h.listeners(org))
	}
	for _, l := range h.listeners(org) {
		u, hints, ids := l.User(), []Hint{}, []string{}
		for _, c := range changes {
			least, restricted := leastRoles[c.Kind]
			switch {
			case c.Kind == store.ChangedConversation:
				ids = append(ids, c.ID)
			case !restricted || u.Role.Covers(least):
				hints = append(hints, Hint{Kind: string(c.Kind)})
			}
		}
		l.add(append(hints, h.conversationHints(u, ids)...))
	}
}

// mayEndSessions says whether somebody may have been signed out by a change: sessions were ended, or a user disabled.
func mayEndSessions(c store.Change) bool {
	return c.Kind == store.ChangedSessions || c.Kind == store.ChangedPeople
}

// conversationHints names the conversations that a user may see. For the others it only hints at the inbox,
// because a conversation may just have been taken from the user.
func (h *Hub) conversationHints(u chat.User, ids []string) (hints []Hint) {
	visible := ids
	if u.Sees != chat.SeesAll && len(ids) > 0 {
		ctx, cancel := context.WithTimeout(h.Context(), storeTimeout)
		defer cancel()
		var err error
		if visible, err = h.cfg.Visible(ctx, u, ids); err != nil {
			h.cfg.Log.Debug("what a user may see could not be read", "error", err)
			visible = nil
		}
		if len(visible) < len(ids) {
			hints = append(hints, Hint{Kind: kindInbox})
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

// Publish sends a hint that is not in the store to an organization's listeners on this node.
func (h *Hub) Publish(org string, hint Hint) {
	for _, l := range h.listeners(org) {
		l.add([]Hint{hint})
	}
}

// PublishAll sends a hint to all listeners on this node.
func (h *Hub) PublishAll(hint Hint) {
	for _, l := range h.everyListener() {
		l.add([]Hint{hint})
	}
}

// check ends the listeners of closed sessions, and forgets users who have left a conversation.
func (h *Hub) check(ctx context.Context) {
	tick, sessions := time.NewTicker(forgetEvery), time.NewTicker(cmp.Or(h.cfg.CheckEvery, checkEvery))
	defer tick.Stop()
	defer sessions.Stop()
	for {
		select {
		case <-sessions.C:
			h.checkSessions(h.everyListener())
		case <-tick.C:
			h.forgetGone()
			h.watch()
		case <-ctx.Done():
			return
		}
	}
}

func (h *Hub) everyListener() (all []*Listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, listeners := range h.orgs {
		all = slices.AppendSeq(all, maps.Keys(listeners))
	}
	return all
}

// checkSessions ends the listeners whose session or user may not listen any more.
func (h *Hub) checkSessions(listeners []*Listener) {
	if len(listeners) == 0 {
		return
	}
	byHash := map[string][]*Listener{}
	for _, l := range listeners {
		byHash[l.session.Hash] = append(byHash[l.session.Hash], l)
	}
	hashes := slices.Collect(maps.Keys(byHash))
	ctx, cancel := context.WithTimeout(h.Context(), storeTimeout)
	defer cancel()
	users, err := h.cfg.Store.Read(ctx).UsersOfSessions(hashes)
	if err != nil { // the next check is soon
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
