package live

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// State is what a user does at a conversation.
type State string

// States. A user who does not repeat their state is gone after presenceLasts.
const (
	Viewing  State = "viewing"
	Replying State = "replying"
	Gone     State = "gone"

	presenceLasts = 30 * time.Second
)

// Present is a user at a conversation.
type Present struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State State  `json:"state"`

	until store.Moment
}

type place struct{ orgID, conversationID string }

// presence is the users at each conversation.
type presence map[place]map[string]Present

// At records that a user is at a conversation, or has left it.
func (h *Hub) At(u chat.User, conversationID string, state State) {
	h.setPresence(place{u.OrgID, conversationID}, Present{ID: u.ID, Name: u.Name, State: state})
	if h.othersListen() {
		words := []string{presenceTopic, h.cfg.Node(), u.OrgID, conversationID, u.ID, string(state), url.QueryEscape(u.Name)}
		h.cfg.Store.Tell(store.Topic(strings.Join(words, " ")))
	}
}

func (h *Hub) hearPresence(words []string) {
	name, _ := url.QueryUnescape(words[4])
	h.setPresence(place{words[0], words[1]}, Present{ID: words[2], State: State(words[3]), Name: name})
}

// Presence returns the users at a conversation.
func (h *Hub) Presence(orgID, conversationID string) []Present {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.present.at(place{orgID, conversationID})
}

func (p presence) at(where place) []Present {
	all := make([]Present, 0, len(p[where]))
	for _, one := range p[where] {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Present) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func (h *Hub) setPresence(where place, one Present) {
	one.until = h.cfg.Store.Moment().Add(presenceLasts)
	h.mu.Lock()
	of := h.present[where]
	before, was := of[one.ID]
	changed := one.State != before.State && (was || one.State != Gone)
	switch {
	case one.State == Gone:
		delete(of, one.ID)
	case of == nil:
		h.present[where] = map[string]Present{one.ID: one}
	default:
		of[one.ID] = one
	}
	if len(h.present[where]) == 0 {
		delete(h.present, where)
	}
	h.mu.Unlock()
	if changed {
		h.presenceChanged(where)
	}
}

func (h *Hub) presenceChanged(where place) {
	h.collect(where.orgID, func(n *news) { n.people[where.conversationID] = true })
}

// tellPresence tells the listeners who is at the conversations that they may see.
func (h *Hub) tellPresence(org string, conversations []string) {
	for _, l := range h.listeners(org) {
		for _, hint := range h.conversationHints(l.User(), conversations) {
			if hint.ID != "" {
				l.add([]Hint{{Kind: KindPresence, ID: hint.ID, Users: h.Presence(org, hint.ID)}})
			}
		}
	}
}

// forgetGone forgets users whose presence has expired.
func (h *Hub) forgetGone() {
	now := h.cfg.Store.Moment()
	var changed []place
	h.mu.Lock()
	for where, of := range h.present {
		before := len(of)
		for id, one := range of {
			if now.Sub(one.until) >= 0 {
				delete(of, id)
			}
		}
		if len(of) < before {
			changed = append(changed, where)
		}
		if len(of) == 0 {
			delete(h.present, where)
		}
	}
	h.mu.Unlock()
	for _, where := range changed {
		h.presenceChanged(where)
	}
}
