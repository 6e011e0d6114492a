package core

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Look is what was seen of a broadcast's message just before it is sent.
type Look struct {
	Open    bool          // it still waits to be sent, and by the same node
	Halted  bool          // its broadcast was paused or stopped, see store.HaltedMessages
	contact *chat.Contact // the recipient, if the message needs consent and the contact is there
}

// LookAt looks at messages of one organization's broadcasts, with a statement of each kind for all of them.
func LookAt(r store.Reader, orgID string, works []store.SendWork) (map[string]Look, error) {
	ids, people := make([]string, len(works)), map[string]bool{}
	for i, w := range works {
		ids[i] = w.Message.ID
		if w.Job.Category != "" {
			people[w.Message.ContactID] = true
		}
	}
	owners, err := r.SendJobOwners(orgID, ids)
	if err != nil {
		return nil, err
	}
	halted, err := r.HaltedMessages(ids)
	if err != nil {
		return nil, err
	}
	var contacts map[string]chat.Contact
	if len(people) > 0 {
		if contacts, err = r.ContactsByID(orgID, people); err != nil {
			return nil, err
		}
	}
	looks := make(map[string]Look, len(works))
	for _, w := range works {
		owner, open := owners[w.Message.ID]
		look := Look{Open: open && owner == w.Job.Owner, Halted: halted[w.Message.ID]}
		if contact, ok := contacts[w.Message.ContactID]; ok {
			look.contact = &contact
		}
		looks[w.Message.ID] = look
	}
	return looks, nil
}

// Refuse is RefuseQueued for a message that was looked at.
func (l Look) Refuse(r store.Reader, s Standing, w store.SendWork, now time.Time) (*chat.MessageError, error) {
	return refusal(refuseQueued(r, s, w, now, func(orgID, accountID, id string) (chat.Contact, error) {
		if c := l.contact; c != nil && c.AccountID == accountID && c.ID == id {
			return *c, nil
		}
		return r.Contact(orgID, accountID, id)
	}))
}
