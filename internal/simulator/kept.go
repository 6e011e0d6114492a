package simulator

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/templates"
)

// keptState is what a simulator with a folder remembers across restarts: what people see on their phones, and what
// decides whether a message reaches them. The rest is made again when it is asked for.
type keptState struct {
	Version   int            `json:"version"`
	People    []person       `json:"people"`
	Handsets  []keptHandset  `json:"handsets"`
	Windows   []keptPair     `json:"windows"` // when a person last wrote to a number
	Stops     []keptPair     `json:"stops"`   // people who stopped marketing messages of a business
	Templates []keptTemplate `json:"templates"`
	Files     []keptFile     `json:"files"`
}

// keptVersion is raised when older programs would misread the state.
const keptVersion = 1

// maxKept bounds windows, stops and people, so that saving stays cheap in a load test.
const maxKept = 10_000

type keptPair struct {
	Scope string `json:"scope"` // a number or a business
	User  string `json:"user"`
	Last  int64  `json:"last,omitempty"` // unix nanoseconds
}

type keptHandset struct {
	ID      string                `json:"id"`
	Name    string                `json:"name"`
	Offline bool                  `json:"offline,omitempty"`
	Blocked bool                  `json:"blocked,omitempty"`
	Reads   bool                  `json:"reads,omitempty"`
	Chats   map[string][]keptLine `json:"chats"` // by phone_number_id
	Held    []keptMessage         `json:"held,omitempty"`
}

type keptLine struct {
	Message  keptMessage `json:"message"`
	Seen     bool        `json:"seen,omitempty"`
	Mine     string      `json:"mine,omitempty"`
	Business string      `json:"business,omitempty"`
}

type keptMessage struct {
	ID       string          `json:"id"`
	Number   string          `json:"number"`
	Inbound  bool            `json:"inbound,omitempty"`
	Kind     string          `json:"kind"`
	Opaque   string          `json:"opaque,omitempty"`
	Category string          `json:"category,omitempty"`
	Free     bool            `json:"free,omitempty"`
	Voice    bool            `json:"voice,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`
	Created  time.Time       `json:"created"`
	State    string          `json:"state"`
	Read     bool            `json:"read,omitempty"`
}

type keptTemplate struct {
	Account string `json:"account"`
	templates.Template
}

// keptFile describes a file. Its content is in a file of the folder, named by the id.
type keptFile struct {
	ID       string    `json:"id"`
	Number   string    `json:"number"`
	MimeType string    `json:"mime_type"`
	Name     string    `json:"name,omitempty"`
	Expires  time.Time `json:"expires"`
	data     []byte
}

// kept is the current state.
func (s *Simulator) kept() keptState {
	state := keptState{Version: keptVersion, Handsets: s.phones.kept(), Templates: s.accounts.keptTemplates()}
	people := s.people.list()
	for _, who := range people[:min(maxKept, len(people))] {
		state.People = append(state.People, *who)
	}
	now := s.now()
	s.windows.Each(func(k recent.Pair, last int64) bool {
		if now.Sub(time.Unix(0, last)) < windowFor {
			state.Windows = append(state.Windows, keptPair{k.Scope, k.User, last})
		}
		return len(state.Windows) < maxKept
	})
	s.stops.Each(func(k recent.Pair, stopped bool) bool {
		if stopped {
			state.Stops = append(state.Stops, keptPair{Scope: k.Scope, User: k.User})
		}
		return len(state.Stops) < maxKept
	})
	for _, id := range s.phones.fileIDs() {
		if f := s.media.Find(id, now); f != nil {
			state.Files = append(state.Files, keptFile{f.ID, f.Number, f.MimeType, f.Name, f.Expires, f.Data})
		}
	}
	return state
}

func (p *Phones) kept() (list []keptHandset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.order {
		kept := keptHandset{ID: h.id, Name: h.name, Offline: h.offline, Blocked: h.blocked, Reads: h.reads, Chats: map[string][]keptLine{}}
		for number, c := range h.chats {
			for _, l := range c.lines {
				kept.Chats[number] = append(kept.Chats[number], keptLine{l.m.kept(), l.seen, l.mine, l.business})
			}
		}
		for _, e := range h.held {
			kept.Held = append(kept.Held, e.msg.kept())
		}
		list = append(list, kept)
	}
	return list
}

// fileIDs are the files that the chats show.
func (p *Phones) fileIDs() (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.order {
		for _, c := range h.chats {
			for _, l := range c.lines {
				if l.file != "" {
					list = append(list, l.file)
				}
			}
		}
	}
	return list
}

func (m *message) kept() keptMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return keptMessage{
		ID: m.id, Number: m.number.id, Inbound: m.inbound, Kind: m.kind, Opaque: m.opaque, Category: m.category, Free: m.free,
		Voice: m.voice, Body: m.body, Created: m.created, State: m.state, Read: m.read,
	}
}

// keptTemplates are the templates made here. The others exist from the start.
func (a *accounts) keptTemplates() (list []keptTemplate) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for id, w := range a.wabas {
		for _, t := range w.templates.Made() {
			list = append(list, keptTemplate{id, t})
		}
	}
	return list
}
