package simulator

import (
	"slices"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/recent"
)

// recall restores a saved state. Parts that no longer fit are left out.
func (s *Simulator) recall(state keptState) {
	for _, who := range state.People {
		_ = s.people.put(who) // it was valid when it was saved
	}
	for _, w := range state.Windows {
		s.windows.Put(recent.Pair{Scope: w.Scope, User: w.User}, w.Last)
	}
	for _, stop := range state.Stops {
		s.stops.Put(recent.Pair{Scope: stop.Scope, User: stop.User}, true)
	}
	for _, t := range state.Templates {
		s.recallTemplate(t)
	}
	for _, f := range state.Files {
		s.media.Add(&files.File{ID: f.ID, Number: f.Number, MimeType: f.MimeType, Name: f.Name, Expires: f.Expires, Data: f.data})
	}
	handsets := make([]*handset, 0, len(state.Handsets))
	for _, h := range state.Handsets {
		handsets = append(handsets, s.recallHandset(h))
	}
	s.phones.take(handsets)
}

func (s *Simulator) recallTemplate(k keptTemplate) {
	w := s.provisionWABA(k.Account, token{})
	if w == nil {
		return
	}
	w.templates.Restore(k.Template)
	s.accounts.own(w, k.ID)
	if k.Status == "PENDING" {
		s.reviewLater(w, k.Template)
	}
}

func (s *Simulator) recallHandset(k keptHandset) *handset {
	h := &handset{id: k.ID, name: k.Name, offline: k.Offline, blocked: k.Blocked, reads: k.Reads, chats: map[string]*handsetChat{}}
	for _, lines := range k.Chats {
		for _, line := range lines {
			m := s.recallMessage(k.ID, line.Message)
			if m == nil {
				continue
			}
			if c := h.chat(m.number.id); c != nil {
				c.add(&chatLine{m: m, seen: line.Seen, mine: line.Mine, business: line.Business, file: s.fileOf(m)})
			}
		}
	}
	for _, held := range k.Held {
		if m := s.recallMessage(k.ID, held); m != nil {
			// It was sent before it was held. The remaining step is to reach the phone.
			m.plan = planFor(s.plans.Load().delays, statusSent, statusDelivered)
			h.held = append(h.held, event{msg: m, step: 1})
		}
	}
	return h
}

// recallMessage restores a message, so that it can be answered, read and reacted to.
func (s *Simulator) recallMessage(phone string, k keptMessage) *message {
	n := s.provisionNumber(k.Number, token{})
	if n == nil {
		return nil
	}
	m := &message{
		id: k.ID, number: n, to: s.withPhone(n.waba.Load(), phone), inbound: k.Inbound, kind: k.Kind, opaque: k.Opaque,
		category: k.Category, free: k.Free, voice: k.Voice, body: k.Body, created: k.Created, changed: k.Created, state: k.State, read: k.Read,
	}
	s.messages.Put(recent.Key(m.id), m)
	return m
}

// take replaces the handsets with the saved ones, and keeps those that are new in this version.
func (p *Phones) take(handsets []*handset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.order {
		if !slices.ContainsFunc(handsets, func(kept *handset) bool { return kept.id == h.id }) {
			handsets = append(handsets, h)
		}
	}
	p.order = handsets
	p.publish()
}
