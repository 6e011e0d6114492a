package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// person is the sender or recipient of a message: at least one of the three ids is set.
type person struct {
	Number      string // +E.164
	BSUID       string
	ParentBSUID string
	Username    string
	Name        string
}

// identifiers is the person without the fields that may change at any time.
func (p person) identifiers() person {
	return person{Number: p.Number, BSUID: p.BSUID, ParentBSUID: p.ParentBSUID}
}

// known says which identifiers the person has.
func (p person) known() (ids store.Identifiers) {
	for _, id := range []struct {
		value string
		which store.Identifiers
	}{{p.Number, store.Number}, {p.BSUID, store.BSUID}, {p.ParentBSUID, store.ParentBSUID}} {
		if id.value != "" {
			ids |= id.which
		}
	}
	return ids
}

// contact is the person as a contact without an id.
func (p person) contact() chat.Contact {
	return chat.Contact{
		PhoneNumber: orNil(p.Number), BSUID: orNil(p.BSUID), ParentBSUID: orNil(p.ParentBSUID),
		Username: orNil(p.Username), Name: orNil(p.Name), Consent: chat.ConsentUnknown,
	}
}

// complete is a contact with what the person shows of it.
func (p person) complete(c chat.Contact) chat.Contact {
	fill(&c.PhoneNumber, p.Number)
	fill(&c.BSUID, p.BSUID)
	fill(&c.ParentBSUID, p.ParentBSUID)
	fill(&c.Name, p.Name)
	if p.Username != "" {
		c.Username = &p.Username
	}
	return c
}

// thread is a conversation with its contact.
type thread struct {
	contact      chat.Contact
	conversation chat.Conversation
	begun        bool // the conversation was made for a message, and is stored with it noted
}

// threadFor finds an account's conversation with a person for a message that is sent now, and makes what is missing of it.
// A conversation that begins with a broadcast is nobody's work until the person answers, so it begins resolved.
func threadFor(tx *store.Tx, account chat.Account, p person, from chat.Source) (thread, error) {
	first := chat.Conversation{Status: chat.ConversationOpen, LastMessageAt: new(tx.Now())}
	if from == chat.SourceBroadcast {
		first.Status = chat.ConversationResolved
	}
	t, isNew, err := findThread(tx, account, p)
	if err == nil && t.conversation.ID == "" {
		err = t.begin(tx, account, isNew, first)
	}
	return t, err
}

// threadOf is threadFor for a person in an update, from which new fields of the contact may be learnt.
func (a Applier) threadOf(tx *store.Tx, account chat.Account, r round, p, learnt person, first chat.Conversation) (thread, error) {
	t, isNew, err := findThread(tx, account, p)
	if err == nil && !sameIdentity(t.contact, learnt.complete(t.contact)) {
		err = a.learnThread(tx, account, r, &t, learnt)
	}
	if err == nil && t.conversation.ID == "" {
		err = t.begin(tx, account, isNew, first)
	}
	return t, err
}

// learnThread notes what an update shows of a thread's contact. If that joins two contacts, the conversation is to be
// looked for again.
func (a Applier) learnThread(tx *store.Tx, account chat.Account, r round, t *thread, learnt person) error {
	if err := t.lockContact(tx); err != nil {
		return err
	}
	contact, joined, err := a.learn(tx, account, r, t.contact, learnt)
	if err != nil {
		return err
	}
	t.contact = contact
	if joined {
		t.conversation = chat.Conversation{}
	}
	return nil
}

// findThread finds an account's conversation with a person, and makes the contact if it is missing. If only the
// conversation is missing, it is empty.
func findThread(tx *store.Tx, account chat.Account, p person) (t thread, isNew bool, err error) {
	if t, err = knownThread(tx, account, p); !errors.Is(err, store.ErrNotFound) {
		return t, false, err
	}
	t.contact, isNew, err = contactFor(tx, account, p)
	return t, isNew, err
}

// knownThread finds a conversation by the person's number, which identifies most people.
func knownThread(tx *store.Tx, account chat.Account, p person) (thread, error) {
	if p.Number == "" {
		return thread{}, store.ErrNotFound
	}
	contact, conversation, err := tx.ThreadByNumber(account.OrgID, account.ID, p.Number)
	return thread{contact: contact, conversation: conversation}, err
}

// begin finds the conversation of a thread's contact, or makes it as first is; a new contact has none yet.
func (t *thread) begin(tx *store.Tx, account chat.Account, isNew bool, first chat.Conversation) (err error) {
	conversation := findOrMakeConversation
	if isNew {
		conversation = makeConversation
	}
	t.conversation, t.begun, err = conversation(tx, account, t.contact.ID, first)
	return err
}

// lockContact reads the contact again before it is changed: a thread is found without locking its contact.
func (t *thread) lockContact(tx *store.Tx) (err error) {
	t.contact, err = tx.Contact(t.contact.OrgID, t.contact.AccountID, t.contact.ID)
	return err
}

// contactFor finds a person's contact, or makes it and emits the event.
func contactFor(tx *store.Tx, account chat.Account, p person) (contact chat.Contact, made bool, err error) {
	contact, made, err = findOrMakeContact(tx, account, p)
	if err != nil || !made {
		return contact, false, err
	}
	return contact, true, contactCreated(tx, account, contact)
}

func findOrMakeContact(tx *store.Tx, account chat.Account, p person) (contact chat.Contact, made bool, err error) {
	contact, err = findContact(tx.Reader, account, p)
	if errors.Is(err, store.ErrNotFound) {
		contact, err = lockSpellings(tx, account, p.Number)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return contact, false, err
	}
	contact = p.contact()
	contact.ID, contact.OrgID, contact.AccountID = tx.NewID(chat.KindContact), account.OrgID, account.ID
	contact.CreatedAt, contact.UpdatedAt = tx.Now(), tx.Now()
	err = tx.InsertContact(contact)
	if errors.Is(err, store.ErrDuplicate) {
		// Another transaction made it in the meantime, or another contact has the username.
		if found, findErr := findContact(tx.Reader, account, p); !errors.Is(findErr, store.ErrNotFound) {
			return found, false, findErr
		}
		contact.Username = nil
		err = tx.InsertContact(contact)
	}
	return contact, err == nil, err
}

// identityLook is a way to find a contact.
type identityLook struct {
	value string // empty: this way is not used
	by    func(orgID, accountID, value string) (chat.Contact, error)
}

// identityLooks begin with the number, because people know each other by it.
func identityLooks(r store.Reader, c chat.Contact) []identityLook {
	return []identityLook{{deref(c.PhoneNumber), r.ContactByNumber}, {deref(c.BSUID), r.ContactByBSUID}, {deref(c.ParentBSUID), r.ContactByParent}}
}

func findContact(r store.Reader, account chat.Account, p person) (chat.Contact, error) {
	for _, look := range identityLooks(r, p.contact()) {
		if look.value == "" {
			continue
		}
		contact, err := look.by(account.OrgID, account.ID, look.value)
		if !errors.Is(err, store.ErrNotFound) {
			return contact, err
		}
	}
	if other := chat.OtherSpelling(p.Number); other != "" {
		return r.ContactByNumber(account.OrgID, account.ID, other)
	}
	return chat.Contact{}, store.ErrNotFound
}

func conversationFor(tx *store.Tx, account chat.Account, contactID string) (chat.Conversation, error) {
	conversation, _, err := findOrMakeConversation(tx, account, contactID, chat.Conversation{Status: chat.ConversationOpen})
	return conversation, err
}

// findOrMakeConversation finds a contact's conversation, or makes it as first is.
func findOrMakeConversation(tx *store.Tx, account chat.Account, contactID string, first chat.Conversation) (c chat.Conversation, made bool, err error) {
	c, err = tx.ConversationWith(account.OrgID, contactID)
	if !errors.Is(err, store.ErrNotFound) {
		return c, false, err
	}
	return makeConversation(tx, account, contactID, first)
}

// makeConversation makes a contact's conversation as first is, unless another transaction has made it in the meantime.
func makeConversation(tx *store.Tx, account chat.Account, contactID string, first chat.Conversation) (c chat.Conversation, made bool, err error) {
	c = first
	c.ID, c.OrgID, c.AccountID, c.ContactID = tx.NewID(chat.KindConversation), account.OrgID, account.ID, contactID
	c.CreatedAt, c.UpdatedAt = tx.Now(), tx.Now()
	err = tx.InsertConversation(c)
	if errors.Is(err, store.ErrDuplicate) {
		c, err = tx.ConversationWith(account.OrgID, contactID)
		return c, false, err
	}
	return c, err == nil, err
}

// orNil is a pointer to s, or nil for the empty text.
func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
