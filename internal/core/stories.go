package core

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Story is everything known about an object, in order of time: the request that made it, the message, its statuses,
// its events, and how each was delivered.
type Story struct {
	Kind     string // the kind of object that the id names
	Contacts []chat.Contact
	Steps    []StoryStep
}

// StoryStep is one thing that happened. Exactly one part is set, except that a status comes with the event that
// reports it.
type StoryStep struct {
	At       time.Time
	Request  *store.APICall
	Message  *chat.Message
	Event    *chat.Event
	Status   *StoryStatus
	Delivery *chat.WebhookDelivery
	Attempt  *StoryAttempt
}

// StoryStatus is a status of a message from the provider.
type StoryStatus struct {
	Status string
	Error  string // in the provider's words
}

// StoryAttempt is one try of a delivery, counted from 1.
type StoryAttempt struct {
	Delivery chat.WebhookDelivery
	Number   int
	chat.DeliveryAttempt
}

const (
	// storyDeliveries, storyEvents and storyMessages bound the size of a story.
	storyDeliveries = 50
	storyEvents     = 50
	storyMessages   = 25
	storyContacts   = 20
	// eventsAfter is how long after a message we look for its events.
	eventsAfter = 7 * 24 * time.Hour
	// longestRequest is how long before its object a request can have come.
	longestRequest = 35 * time.Second
)

// TellStory finds the object of any kind that an id names, and tells its story. Objects of other organizations are not
// found.
func TellStory(r store.Reader, orgID, id string) (Story, error) {
	teller := storyTeller{r: r, orgID: orgID}
	kind, err := teller.begin(id)
	if err != nil {
		return Story{}, orNotFound(err, "thing with this id")
	}
	slices.SortStableFunc(teller.steps, func(a, b StoryStep) int { return a.At.Compare(b.At) })
	return Story{Kind: kind, Contacts: teller.contacts, Steps: teller.steps}, nil
}

type storyTeller struct {
	r        store.Reader
	orgID    string
	contacts []chat.Contact
	steps    []StoryStep
}

func (s *storyTeller) begin(id string) (string, error) {
	switch {
	case chat.KindMessage.Valid(id):
		m, err := s.r.MessageOf(s.orgID, id)
		return "message", s.then(err, func() error { return s.message(m) })
	case chat.KindRequest.Valid(id):
		call, err := s.r.APICall(s.orgID, id)
		return "request", s.then(err, func() error { return s.request(call) })
	case chat.KindEvent.Valid(id):
		e, err := s.r.Event(s.orgID, id)
		return "event", s.then(err, func() error { return s.event(e) })
	case chat.KindDelivery.Valid(id):
		return "delivery", s.delivery(id)
	case chat.KindConversation.Valid(id):
		c, err := follow(s.r, s.orgID, id, func(id string) (chat.Contact, error) { return s.r.ContactOfConversation(s.orgID, id) })
		return "conversation", s.then(err, func() error { return s.people([]chat.Contact{c}) })
	case chat.KindContact.Valid(id):
		c, err := follow(s.r, s.orgID, id, func(id string) (chat.Contact, error) { return s.r.ContactOf(s.orgID, id) })
		return "contact", s.then(err, func() error { return s.people([]chat.Contact{c}) })
	}
	if number := asNumber(id); number != "" {
		contacts, err := s.r.ContactsWithNumber(s.orgID, number, storyContacts)
		if err == nil && len(contacts) == 0 {
			err = store.ErrNotFound
		}
		return "contact", s.then(err, func() error { return s.people(contacts) })
	}
	m, err := s.r.MessageToldAs(s.orgID, id)
	return "message", s.then(err, func() error { return s.message(m) })
}

func (s *storyTeller) then(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

// asNumber is a phone number that people wrote, in its stored form; empty if it is none.
func asNumber(text string) string {
	digits := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", "+", "").Replace(text)
	if len(digits) < 6 || len(digits) > 15 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return "+" + digits
}

// request adds a call, and the message or delivery that it made.
func (s *storyTeller) request(call store.APICall) error {
	switch {
	case chat.KindMessage.Valid(call.Made):
		m, err := s.r.MessageOf(s.orgID, call.Made)
		if err == nil {
			return s.messageOf(m, &call)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	case chat.KindDelivery.Valid(call.Made):
		if err := s.delivery(call.Made); !errors.Is(err, store.ErrNotFound) && err != nil {
			return err
		}
	}
	s.call(call)
	return nil
}

func (s *storyTeller) call(call store.APICall) {
	s.steps = append(s.steps, StoryStep{At: chat.TimeOf(call.RequestID), Request: &call})
}

func (s *storyTeller) message(m chat.Message) error { return s.messageOf(m, nil) }

// messageOf adds a message, and the call that made it. If call is nil, the call is looked up.
func (s *storyTeller) messageOf(m chat.Message, call *store.APICall) error {
	if call == nil && m.Direction == chat.Outbound && m.Source == chat.SourceAPI {
		found, err := s.r.CallThatMade(s.orgID, m.ID, m.CreatedAt, longestRequest)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err == nil {
			call = &found
		}
	}
	if call != nil {
		s.call(*call)
	}
	s.steps = append(s.steps, StoryStep{At: m.CreatedAt, Message: &m})
	if c, err := s.r.ContactOf(s.orgID, m.ContactID); err == nil {
		s.contacts = append(s.contacts, c)
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	toldAs := []string{m.ID + ":sent"}
	if m.ProviderID != "" {
		toldAs = append(toldAs, m.ProviderID)
	}
	return s.told(toldAs, m.CreatedAt)
}

// told adds the events with the ids that receivers see, and their deliveries.
func (s *storyTeller) told(ids []string, from time.Time) error {
	deliveries, err := s.r.DeliveriesToldAs(s.orgID, ids, storyDeliveries)
	if err != nil {
		return err
	}
	events, err := s.r.EventsToldAs(s.orgID, ids, from.Add(-time.Minute), eventsAfter, storyEvents)
	if err != nil {
		return err
	}
	missing := []string{}
	for _, d := range deliveries {
		if !slices.ContainsFunc(events, func(e chat.Event) bool { return e.ID == d.EventRow }) && !slices.Contains(missing, d.EventRow) {
			missing = append(missing, d.EventRow)
		}
	}
	more, err := s.r.EventsByID(s.orgID, missing)
	if err != nil {
		return err
	}
	for _, e := range append(events, more...) {
		s.eventStep(e)
	}
	return s.attempts(deliveries)
}

func (s *storyTeller) eventStep(e chat.Event) {
	s.steps = append(s.steps, StoryStep{At: e.CreatedAt, Event: &e, Status: statusTold(e)})
}

// statusTold is the message status that an event reports, if any.
func statusTold(e chat.Event) *StoryStatus {
	if e.Type != chat.EventMessageStatus {
		return nil
	}
	var told struct {
		Entry []struct {
			Changes []struct {
				Value struct {
					Statuses []struct {
						Status string
						Errors []struct{ Title, Message string }
					}
				}
			}
		}
	}
	if json.Unmarshal(e.Payload, &told) != nil {
		return nil
	}
	for _, entry := range told.Entry {
		for _, change := range entry.Changes {
			if len(change.Value.Statuses) == 0 {
				continue
			}
			first := change.Value.Statuses[0]
			said := &StoryStatus{Status: first.Status}
			if len(first.Errors) > 0 {
				said.Error = first.Errors[0].Title
			}
			return said
		}
	}
	return nil
}

func (s *storyTeller) attempts(deliveries []chat.WebhookDelivery) error {
	for _, d := range deliveries {
		detail, err := s.r.WebhookDeliveryDetail(s.orgID, d.ID)
		if errors.Is(err, store.ErrNotFound) { // purged meanwhile
			continue
		}
		if err != nil {
			return err
		}
		s.steps = append(s.steps, StoryStep{At: d.CreatedAt, Delivery: &detail.WebhookDelivery})
		for i, a := range detail.Attempts() {
			s.steps = append(s.steps, StoryStep{At: time.UnixMilli(a.At).UTC(), Attempt: &StoryAttempt{detail.WebhookDelivery, i + 1, a}})
		}
	}
	return nil
}

// event adds the message of an event, or the event alone.
func (s *storyTeller) event(e chat.Event) error {
	var m chat.Message
	err := store.ErrNotFound
	if id, _, _ := strings.Cut(e.EventID, ":"); chat.KindMessage.Valid(id) {
		m, err = s.r.MessageOf(s.orgID, id)
	} else if e.EventID != e.ID {
		m, err = s.r.MessageToldAs(s.orgID, e.EventID)
	}
	if err == nil {
		return s.message(m)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return s.told([]string{e.EventID}, e.CreatedAt)
}

func (s *storyTeller) delivery(id string) error {
	d, err := s.r.WebhookDelivery(s.orgID, id)
	if err != nil {
		return err
	}
	e, err := s.r.Event(s.orgID, d.EventRow)
	if errors.Is(err, store.ErrNotFound) {
		return s.attempts([]chat.WebhookDelivery{d})
	}
	if err != nil {
		return err
	}
	return s.event(e)
}

// people adds the latest messages with the contacts.
func (s *storyTeller) people(contacts []chat.Contact) error {
	s.contacts = contacts
	for _, c := range contacts {
		v, err := s.r.ConversationWith(s.orgID, c.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		messages, err := s.r.LatestMessages(s.orgID, v.ID, storyMessages)
		if err != nil {
			return err
		}
		for _, m := range messages {
			s.steps = append(s.steps, StoryStep{At: m.CreatedAt, Message: &m})
		}
	}
	return nil
}
