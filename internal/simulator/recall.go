package simulator

import "slices"

// recall takes over what was kept. What does not fit any more is left out.
func (s *Simulator) recall(state keptState) {
	for _, who := range state.People {
		_ = s.people.put(who) // it was valid when it was kept
	}
	for _, w := range state.Windows {
		s.windows.put(pairKey{w.Scope, w.User}, w.Last)
	}
	for _, stop := range state.Stops {
		s.stops.put(pairKey{stop.Scope, stop.User}, true)
	}
	for _, t := range state.Templates {
		s.recallTemplate(t)
	}
	for _, f := range state.Files {
		s.media.add(&file{id: f.ID, number: f.Number, mimeType: f.MimeType, name: f.Name, expires: f.Expires, data: f.data})
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
	t := template{
		id: k.ID, name: k.Name, language: k.Language, category: k.Category, format: k.Format, status: k.Status, reason: k.Reason,
		quality: k.Quality, components: k.Components, ttl: k.TTL, created: k.Created, pauses: k.Pauses,
	}
	w.templates.restore(t)
	s.accounts.own(w, t.id)
	if t.status == "PENDING" {
		s.reviewLater(w, t)
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
			// It was sent before it was held; what is left is to reach the phone.
			m.plan = planFor(s.plans.Load().delays, statusSent, statusDelivered)
			h.held = append(h.held, event{msg: m, step: 1})
		}
	}
	return h
}

// recallMessage makes a message again, so that it can be answered, read and reacted to.
func (s *Simulator) recallMessage(phone string, k keptMessage) *message {
	n := s.provisionNumber(k.Number, token{})
	if n == nil {
		return nil
	}
	m := &message{
		id: k.ID, number: n, to: s.withPhone(n.waba.Load(), phone), inbound: k.Inbound, kind: k.Kind, opaque: k.Opaque,
		category: k.Category, free: k.Free, voice: k.Voice, body: k.Body, created: k.Created, changed: k.Created, state: k.State, read: k.Read,
	}
	s.messages.put(stringKey(m.id), m)
	return m
}

// take replaces the handsets by those that were kept, and leaves the ones that are new in this version.
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
