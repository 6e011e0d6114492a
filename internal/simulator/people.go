package simulator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/parleyhq/parley/internal/simulator/names"
)

// person is the profile of someone on the network. People exist without one; their name is then derived from their
// phone.
type person struct {
	Phone        string `json:"phone,omitempty"` // digits; empty: known by user id only
	Name         string `json:"name,omitempty"`
	Username     string `json:"username,omitempty"`
	HidePhone    bool   `json:"hide_phone,omitempty"`
	UserID       string `json:"user_id,omitempty"` // instead of the id derived from the phone
	ParentUserID string `json:"parent_user_id,omitempty"`
	AlwaysOpen   bool   `json:"always_open,omitempty"` // free-form messages reach them at any time
	NoReceipts   bool   `json:"no_receipts,omitempty"` // never sends read receipts
	Fails        int    `json:"fails,omitempty"`       // messages to them are accepted, then fail with this code
}

// maxPeople bounds the profiles.
const maxPeople = 100_000

type people struct {
	mu     sync.RWMutex
	phones map[string]*person
	users  map[string]*person
}

func newPeople() *people {
	return &people{phones: map[string]*person{}, users: map[string]*person{}}
}

func (p *people) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phones, p.users = map[string]*person{}, map[string]*person{}
}

// put adds or replaces a profile.
func (p *people) put(who person) error {
	if who.Phone == "" && who.UserID == "" {
		return fmt.Errorf("a person needs a phone or a user_id")
	}
	if who.UserID != "" && !names.IsUserID(who.UserID) {
		return fmt.Errorf("user_id %q must be like DE.1234", who.UserID)
	}
	if who.Name == "" {
		who.Name = inventName(who.Phone + who.UserID)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.phones)+len(p.users) >= maxPeople {
		return fmt.Errorf("too many people")
	}
	if who.Phone != "" {
		p.phones[who.Phone] = &who
	}
	if who.UserID != "" {
		p.users[who.UserID] = &who
	}
	if who.ParentUserID != "" {
		p.users[who.ParentUserID] = &who
	}
	return nil
}

func (p *people) byPhone(phone string) *person {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.phones[phone]
}

func (p *people) byUser(id string) *person {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.users[id]
}

func (p *people) list() []*person {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := slices.AppendSeq(slices.Collect(maps.Values(p.phones)), maps.Values(p.users))
	slices.SortFunc(all, func(a, b *person) int { return strings.Compare(a.Phone+a.UserID, b.Phone+b.UserID) })
	return slices.Compact(all)
}

var firstNames = [...]string{
	"Ada", "Amara", "Bruno", "Chiara", "Daniel", "Elif", "Farid", "Greta", "Hana", "Ines", "Jonas", "Kofi",
	"Lena", "Marco", "Noor", "Olga", "Pablo", "Quentin", "Rosa", "Samir", "Tomás", "Uma", "Vera", "Wei", "Yara", "Zoë",
}

func inventName(key string) string { return firstNames[names.HashString(key)%uint64(len(firstNames))] }

// Unreachable makes messages to a person fail with a code from now on.
func (s *Simulator) Unreachable(phone string, code int) error {
	who := person{Phone: phone}
	if known := s.people.byPhone(phone); known != nil {
		who = *known
	}
	who.Fails = code
	return s.people.put(who)
}

// withPhone is a person as one business sees them.
func (s *Simulator) withPhone(w *waba, phone string) recipient {
	who := s.people.byPhone(phone)
	if who == nil {
		who = &person{Phone: phone, Name: inventName(phone)}
	}
	return s.seenBy(w, who)
}

func (s *Simulator) seenBy(w *waba, who *person) recipient {
	r := recipient{phone: who.Phone, userID: who.UserID, parentID: who.ParentUserID, person: who}
	if r.userID == "" {
		r.userID = w.users.UserID(who.Phone)
	}
	if r.parentID == "" && who.Phone != "" && w.sendsParents() {
		r.parentID = w.parents.ParentID(who.Phone)
	}
	return r
}

func (w *waba) sendsParents() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.parentsOn
}

// withUserID finds a person by user id or parent id. It returns false if this business cannot know the person.
func (s *Simulator) withUserID(w *waba, id string) (recipient, bool) {
	r := recipient{userID: id, person: &person{UserID: id, Name: inventName(id)}}
	phone, found := w.users.Phone(id)
	if !found {
		phone, found = w.parents.Phone(id)
	}
	if who := s.people.byUser(id); who != nil {
		r, found = s.seenBy(w, who), true
	} else if found {
		r = s.withPhone(w, phone)
	}
	r.byUser = true
	return r, found
}

// DemoPhone is a person who answers "hi" at any time, so that a first attempt gets a reply.
const DemoPhone = "+12025550100"

const demoName = "Ada (simulated)"

// demoReply does not contain the word that it answers, because a program that repeats what it receives would otherwise
// never stop.
const demoReply = "Hello! I am a simulated person. Greet me once more and you get another answer."

func (s *Simulator) addDemoPerson() {
	_ = s.people.put(person{Phone: DemoPhone[1:], Name: demoName, Username: "ada.simulated", AlwaysOpen: true})
	_, _ = s.scripts.add(script{Person: DemoPhone[1:], Word: "hi", Reply: replyText(demoReply), After: duration(1e9)})
	for _, ready := range readyHandsets {
		_ = s.people.put(person{Phone: ready.phone, Name: ready.name})
	}
}
