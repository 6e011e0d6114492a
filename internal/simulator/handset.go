package simulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/simulator/names"
)

// Handset is the phone of a simulated person, as its owner sees it.
type Handset struct {
	ID      string // the digits of its phone number
	Name    string
	Phone   string // +E.164
	Online  bool
	Blocked bool // it refuses messages from businesses
	Unread  int
}

// HandsetChange is a change of a handset; nil fields stay as they are.
type HandsetChange struct {
	Name    *string
	Online  *bool
	Blocked *bool
}

// ErrNoHandset is returned for an id that no handset has.
var ErrNoHandset = errors.New("there is no such handset")

// HandsetError reports something that a handset cannot do: which parameter, and why.
type HandsetError struct{ Param, Message string }

func (e *HandsetError) Error() string { return e.Message }

func cannot(param, format string, args ...any) error {
	return &HandsetError{param, fmt.Sprintf(format, args...)}
}

const (
	maxHandsets = 200
	maxChats    = 100 // per handset
	maxLines    = 300 // per chat; the oldest go first
	maxHeld     = 1000
)

// Phones are the handsets. Actions on one are sent over the wire as from a real phone. The displayed content is kept up
// to a bound, across restarts if the simulator has a folder.
type Phones struct {
	sim *Simulator
	// lookup is read for every accepted message, so it takes no lock. It is replaced, never changed.
	lookup atomic.Pointer[map[string]*handset]
	watch  atomic.Pointer[func(phoneNumberID string)]

	mu    sync.Mutex
	order []*handset
}

// handset is the state of one handset, guarded by the lock of Phones.
type handset struct {
	id      string
	name    string
	offline bool
	blocked bool
	// reads makes the handset read messages automatically, because nobody needs to look for a script to answer.
	reads bool
	chats map[string]*handsetChat // by phone_number_id
	held  []event                 // steps that wait until the handset is online
}

// Phones gives access to the handsets.
func (s *Simulator) Phones() *Phones { return s.phones }

func newPhones(s *Simulator) *Phones {
	p := &Phones{sim: s}
	p.Reset()
	return p
}

// readyHandsets exist from the start, beside the demo person.
var readyHandsets = []struct{ phone, name string }{
	{"6281255500142", "Dewi Pratiwi"},
	{"4915155500123", "Jonas Meyer"},
	{"34655500147", "Lucía Ortega"},
	{"233205550188", "Kofi Mensah"},
}

func (p *Phones) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order = []*handset{{id: DemoPhone[1:], name: demoName, reads: true, chats: map[string]*handsetChat{}}}
	for _, ready := range readyHandsets {
		p.order = append(p.order, &handset{id: ready.phone, name: ready.name, chats: map[string]*handsetChat{}})
	}
	p.publish()
}

func (p *Phones) publish() {
	lookup := make(map[string]*handset, len(p.order))
	for _, h := range p.order {
		lookup[h.id] = h
	}
	p.lookup.Store(&lookup)
}

// of is the handset of a person; nil if they have none.
func (p *Phones) of(key string) *handset { return (*p.lookup.Load())[key] }

// Watch has f called when something on a handset has changed. f gets the number concerned, or an empty id if all are. f
// must not block.
func (p *Phones) Watch(f func(phoneNumberID string)) { p.watch.Store(&f) }

func (p *Phones) changed(phoneNumberID string) {
	p.sim.keeper.mark()
	if f := p.watch.Load(); f != nil {
		(*f)(phoneNumberID)
	}
}

// List shows the handsets; unread counts the messages from the given numbers.
func (p *Phones) List(numbers []string) []Handset {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Handset, len(p.order))
	for i, h := range p.order {
		list[i] = h.view(numbers)
	}
	return list
}

func (h *handset) view(numbers []string) Handset {
	v := Handset{ID: h.id, Name: h.name, Phone: "+" + h.id, Online: !h.offline, Blocked: h.blocked}
	for _, n := range numbers {
		if c := h.chats[n]; c != nil {
			v.Unread += c.unread()
		}
	}
	return v
}

const maxHandsetName = 60

func checkHandsetName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxHandsetName {
		return "", cannot("name", "A name has 1 to %d characters.", maxHandsetName)
	}
	return name, nil
}

// Add makes a handset for a person.
func (p *Phones) Add(name, phone string) (Handset, error) {
	name, err := checkHandsetName(name)
	if err != nil {
		return Handset{}, err
	}
	digits, valid := names.NormalizePhone(phone)
	if !valid {
		return Handset{}, cannot("phone_number", "The number has 7 to 15 digits, with the country code: +4915155500123.")
	}
	digits = names.CanonicalPhone(digits)
	if p.sim.accounts.byDigits(digits) != nil {
		return Handset{}, cannot("phone_number", "This number belongs to a business.")
	}
	h := &handset{id: digits, name: name, chats: map[string]*handsetChat{}}
	if err := p.insert(h); err != nil {
		return Handset{}, err
	}
	if err := p.sim.rename(digits, name); err != nil {
		return Handset{}, cannot("name", "%v.", err)
	}
	p.changed("")
	return h.view(nil), nil
}

func (p *Phones) insert(h *handset) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.of(h.id) != nil:
		return cannot("phone_number", "There is a handset with this number.")
	case len(p.order) >= maxHandsets:
		return cannot("phone_number", "There are %d handsets, which is the most there can be.", maxHandsets)
	}
	p.order = append(p.order, h)
	p.publish()
	return nil
}

// rename changes the name that businesses see, and leaves the rest of the profile alone.
func (s *Simulator) rename(phone, name string) error {
	who := person{Phone: phone}
	if known := s.people.byPhone(phone); known != nil {
		who = *known
	}
	who.Name = name
	return s.people.put(who)
}

// Change changes a handset. A handset that comes back online receives the messages that waited for it.
func (p *Phones) Change(id string, change HandsetChange, numbers []string) (Handset, error) {
	if change.Name != nil {
		name, err := checkHandsetName(*change.Name)
		if err != nil {
			return Handset{}, err
		}
		change.Name = &name
	}
	view, released, err := p.apply(id, change, numbers)
	if err != nil {
		return view, err
	}
	if change.Name != nil {
		if err := p.sim.rename(id, *change.Name); err != nil {
			return Handset{}, cannot("name", "%v.", err)
		}
	}
	now := p.sim.now().UnixNano()
	for _, e := range released {
		e.at = now
		p.sim.sched.push(e)
	}
	p.changed("")
	return view, nil
}

func (p *Phones) apply(id string, change HandsetChange, numbers []string) (view Handset, released []event, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.of(id)
	if h == nil {
		return Handset{}, nil, ErrNoHandset
	}
	if change.Name != nil {
		h.name = *change.Name
	}
	if change.Blocked != nil {
		h.blocked = *change.Blocked
	}
	if change.Online != nil {
		h.offline = !*change.Online
	}
	if !h.offline {
		released, h.held = h.held, nil
	}
	return h.view(numbers), released, nil
}

// hold keeps a step of a message back while its handset is offline: the network accepts messages for it and delivers
// them later.
func (p *Phones) hold(m *message, step int) bool {
	h := p.of(m.to.key())
	if h == nil || m.plan[step].status == statusSent || m.plan[step].status == statusFailed {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !h.offline {
		return false
	}
	h.held = append(h.held, event{msg: m, step: step})
	if over := len(h.held) - maxHeld; over > 0 {
		h.held = slices.Delete(h.held, 0, over)
	}
	p.sim.keeper.mark()
	return true
}

// fate is the plan that a handset gives a message; nil means the usual plan.
func (p *Phones) fate(m *message, d Delays) []step {
	h := p.of(m.to.key())
	if h == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case h.blocked:
		return failPlan(d, 131026)
	case m.kind == "reaction" || h.reads:
		return nil
	}
	return planFor(d, statusSent, statusDelivered) // it is read when its chat is opened
}

// Read marks the messages from a number to a handset as read, and tells the number.
func (p *Phones) Read(id, phoneNumberID string) error {
	h := p.of(id)
	if h == nil {
		return ErrNoHandset
	}
	now := p.sim.now()
	for _, m := range p.takeUnread(h, phoneNumberID) {
		p.sim.report(m, step{status: statusRead}, now)
		if m.voice {
			p.sim.report(m, step{status: statusPlayed}, now)
		}
	}
	return nil
}

// takeUnread marks the unread messages as read, so that each is reported once.
func (p *Phones) takeUnread(h *handset, phoneNumberID string) []*message {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := h.chats[phoneNumberID]
	if c == nil || h.offline {
		return nil
	}
	return c.takeUnread()
}
