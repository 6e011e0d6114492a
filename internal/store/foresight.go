package store

import (
	"cmp"

	"github.com/parleyhq/parley/internal/chat"
)

// Foresight names the rows that a transaction will read. PostgreSQL reads them for all waiting transactions
// with one statement of each kind, instead of one after the other; their writes travel together as well. What a
// transaction without a thread will read is found out by running it. The embedded store ignores all this, because a
// look-up there costs no round trip.
type Foresight struct {
	Thread ThreadKey // the thread of the message; empty if it is about something else
	Answer AnswerKey // the stored answer of the request
	// Kind names transactions of the same code. Once one has shown that it cannot be run together with others, the
	// next ones of its kind are not tried.
	Kind string
}

// Arrival is an inbound message with the identifiers by which a transaction will read rows.
type Arrival struct {
	Thread     ThreadKey
	ProviderID string
	// Others are the sender's other identifiers.
	Others OtherNames
}

// OtherNames are a person's identifiers beside the number; empty if unknown.
type OtherNames struct{ BSUID, ParentBSUID, Username string }

// Foresee reads the rows that applying inbound messages will need. The embedded store ignores it.
func (tx *Tx) Foresee(arrivals []Arrival) (err error) {
	if pg, ok := tx.db.(*postgresTx); ok && len(arrivals) > 1 {
		if tx.foreseen == nil {
			tx.foreseen = newForeseen()
		}
		if err = pg.foreseeArrivals(tx.ctx, tx.foreseen, arrivals); err == nil {
			tx.receivers = tx.foreseen.receivers
		}
	}
	return err
}

// ForeseeThreads reads what making a message for each of the people will ask for. Should somebody else make the
// contact of one who is missing at the same time, the transaction ends with ErrDuplicate, and another one finds it.
// The embedded store has no use for it.
func (tx *Tx) ForeseeThreads(threads []ThreadKey) error {
	pg, ok := tx.db.(*postgresTx)
	if !ok || len(threads) < 2 {
		return nil
	}
	wants := make([]Foresight, len(threads))
	for i, k := range threads {
		wants[i].Thread = k
	}
	f, err := pg.foresee(tx.ctx, wants)
	if err != nil {
		return err
	}
	tx.foreseen = f
	if len(f.receivers) > 0 {
		tx.receivers = f.receivers
	}
	return nil
}

// Recipient is a contact of which a status shows new identifiers.
type Recipient struct {
	OrgID, AccountID, ContactID string
	Names                       []string // numbers and BSUIDs
}

// ForeseeRecipients reads the rows that learning identifiers of contacts will need. The embedded store ignores
// it.
func (tx *Tx) ForeseeRecipients(recipients []Recipient) error {
	pg, ok := tx.db.(*postgresTx)
	if !ok || len(recipients) < 2 {
		return nil
	}
	if tx.foreseen == nil {
		tx.foreseen = newForeseen()
	}
	return pg.foreseeRecipients(tx.ctx, tx.foreseen, recipients)
}

// ThreadKey names a conversation by the person's number.
type ThreadKey struct{ OrgID, AccountID, Number string }

func (k ThreadKey) compare(with ThreadKey) int {
	return cmp.Or(cmp.Compare(k.OrgID, with.OrgID), cmp.Compare(k.AccountID, with.AccountID), cmp.Compare(k.Number, with.Number))
}

// AnswerKey names an answer stored under an Idempotency-Key.
type AnswerKey struct{ OrgID, Key string }

// lock is the name of the lock that is held while the key's request is worked on.
func (k AnswerKey) lock() string { return "idempotency " + k.OrgID + " " + k.Key }

// foreseen holds the rows that were read ahead for a group of transactions. Each row is given out once: a
// second read goes to the table, which may have changed. A row that was not found is known to be missing until
// a transaction of the group adds it. That insert is sent without waiting for its answer. If another node was
// first, PostgreSQL refuses it, and all transactions of the group run again alone.
type foreseen struct {
	threads  map[ThreadKey]foundThread
	of       map[conversationKey]ThreadKey    // the threads by their conversations
	missing  map[ThreadKey]bool               // no contact has this number
	others   map[ThreadKey]OtherNames         // of missing contacts: no other contact has these identifiers
	fresh    map[string]bool                  // contacts added by the group
	answers  map[AnswerKey]*IdempotencyRecord // nil: there is none
	locks    map[string]bool
	jobs     map[conversationKey]lastJob
	touched  []conversationKey // whose last job the running transaction queued
	contacts map[contactKey]chat.Contact
	free     map[nameKey]bool // identifiers that no contact has
	// arriving is what is known of inbound messages, and labels are those of their conversations.
	arriving map[providerKey]arriving
	labels   map[conversationKey][]chat.Label
	// receivers are kept for the whole group, because they are never locked.
	receivers map[string][]chat.WebhookSubscription
}

func newForeseen() *foreseen {
	return &foreseen{
		threads: map[ThreadKey]foundThread{}, of: map[conversationKey]ThreadKey{}, missing: map[ThreadKey]bool{}, fresh: map[string]bool{},
		answers: map[AnswerKey]*IdempotencyRecord{}, locks: map[string]bool{}, jobs: map[conversationKey]lastJob{},
		receivers: map[string][]chat.WebhookSubscription{},
		contacts:  map[contactKey]chat.Contact{}, free: map[nameKey]bool{},
		others: map[ThreadKey]OtherNames{}, arriving: map[providerKey]arriving{}, labels: map[conversationKey][]chat.Label{},
	}
}

type contactKey struct{ orgID, id string }

// nameKey is an identifier: a number begins with +, a BSUID with a country.
type nameKey struct{ orgID, accountID, name string }

func (f *foreseen) contact(k contactKey) (chat.Contact, bool) {
	if f == nil {
		return chat.Contact{}, false
	}
	return take(f.contacts, k)
}

func (f *foreseen) isFree(k nameKey) bool { return f != nil && f.free[k] }

// takes records that a contact's identifiers change. It returns false if nobody has checked that they are free,
// and the database must be asked.
func (f *foreseen) takes(before, after chat.Contact) bool {
	if f == nil || deref(before.Username) != deref(after.Username) {
		return false
	}
	var names []nameKey
	for _, pair := range [][2]*string{{before.PhoneNumber, after.PhoneNumber}, {before.BSUID, after.BSUID}, {before.ParentBSUID, after.ParentBSUID}} {
		k := nameKey{after.OrgID, after.AccountID, deref(pair[1])}
		if deref(pair[0]) == k.name {
			continue
		}
		if !f.free[k] {
			return false
		}
		names = append(names, k)
	}
	for _, k := range names {
		delete(f.free, k)
		delete(f.missing, ThreadKey{k.orgID, k.accountID, k.name})
	}
	delete(f.contacts, contactKey{after.OrgID, after.ID})
	for k, t := range f.threads {
		if t.contact.ID == after.ID {
			delete(f.threads, k)
		}
	}
	return true
}

// providerKey names a message by the provider's id.
type providerKey struct{ orgID, accountID, providerID string }

// arriving says whether a message is known, and whether changes of it arrived earlier.
type arriving struct{ known, changed bool }

func (f *foreseen) arrival(k providerKey) (a arriving, ok bool) {
	if f == nil {
		return arriving{}, false
	}
	a, ok = f.arriving[k]
	return a, ok
}

// arrived records a stored message.
func (f *foreseen) arrived(m chat.Message) {
	if f == nil || m.ProviderID == "" {
		return
	}
	k := providerKey{m.OrgID, m.AccountID, m.ProviderID}
	if a, ok := f.arriving[k]; ok {
		a.known = true
		f.arriving[k] = a
	}
}

// changedEarly records a change of a message that has not arrived.
func (f *foreseen) changedEarly(k providerKey) {
	if f == nil {
		return
	}
	if a, ok := f.arriving[k]; ok {
		a.changed = true
		f.arriving[k] = a
	}
}

func (f *foreseen) labelsOf(k conversationKey) ([]chat.Label, bool) {
	if f == nil {
		return nil, false
	}
	return take(f.labels, k)
}

// labelsChanged drops the labels that were read.
func (f *foreseen) labelsChanged() {
	if f != nil {
		clear(f.labels)
	}
}

type foundThread struct {
	contact      chat.Contact
	conversation chat.Conversation
}

type conversationKey struct{ orgID, id string }

// lastJob is the last of a conversation's messages that wait to be sent; empty if there is none.
type lastJob struct {
	owner, messageID string
	gated            bool
}

// take gives out the row under a key.
func take[K comparable, V any](from map[K]V, k K) (v V, ok bool) {
	v, ok = from[k]
	if ok {
		delete(from, k)
	}
	return v, ok
}

func (f *foreseen) thread(k ThreadKey) (foundThread, bool) {
	if f == nil {
		return foundThread{}, false
	}
	return take(f.threads, k)
}

func (f *foreseen) answer(k AnswerKey) (*IdempotencyRecord, bool) {
	if f == nil {
		return nil, false
	}
	return take(f.answers, k)
}

func (f *foreseen) lock(name string) (free, ok bool) {
	if f == nil {
		return false, false
	}
	return take(f.locks, name)
}

func (f *foreseen) lastJob(k conversationKey) (lastJob, bool) {
	if f == nil {
		return lastJob{}, false
	}
	j, ok := f.jobs[k]
	return j, ok
}

// queued records a conversation's new last job.
func (f *foreseen) queued(j SendJob) {
	k := conversationKey{j.OrgID, j.ConversationID}
	if f == nil {
		return
	}
	if _, ok := f.jobs[k]; ok {
		f.touched = append(f.touched, k)
		f.jobs[k] = lastJob{owner: j.Owner, messageID: j.MessageID, gated: j.Gated || j.Lane != ""}
	}
}

// outdated drops the rows of a changed conversation.
func (f *foreseen) outdated(orgID, conversationID string) {
	if f == nil {
		return
	}
	k := conversationKey{orgID, conversationID}
	if thread, ok := f.of[k]; ok {
		delete(f.threads, thread)
		delete(f.of, k)
	}
}

// contactsChanged drops the rows of an organization's contacts.
func (f *foreseen) contactsChanged(orgID string) {
	if f == nil {
		return
	}
	for k := range f.threads {
		if k.OrgID == orgID {
			delete(f.threads, k)
		}
	}
	for k := range f.missing {
		if k.OrgID == orgID {
			delete(f.missing, k)
		}
	}
	clear(f.contacts)
	clear(f.free)
}

// lacks reports that no contact has the number.
func (f *foreseen) lacks(k ThreadKey) bool { return f != nil && f.missing[k] }

// addContact records a new contact. It returns false if nobody has looked for it, and the database must be
// asked.
func (f *foreseen) addContact(c chat.Contact) bool {
	if f == nil || c.PhoneNumber == nil {
		return false
	}
	k := ThreadKey{c.OrgID, c.AccountID, *c.PhoneNumber}
	names := OtherNames{deref(c.BSUID), deref(c.ParentBSUID), deref(c.Username)}
	if !f.missing[k] || names != f.others[k] {
		return false
	}
	delete(f.missing, k)
	clear(f.free) // the contact may have taken one
	f.fresh[c.ID] = true
	return true
}

// isFresh reports that a contact was just added, and so has no other rows yet.
func (f *foreseen) isFresh(contactID string) bool { return f != nil && f.fresh[contactID] }

// addConversation records the conversation of a contact that was just added. It returns false for others.
func (f *foreseen) addConversation(c chat.Conversation) bool {
	if !f.isFresh(c.ContactID) {
		return false
	}
	delete(f.fresh, c.ContactID)
	f.jobs[conversationKey{c.OrgID, c.ID}] = lastJob{}
	f.labels[conversationKey{c.OrgID, c.ID}] = nil
	return true
}

// undo reverts the changes of the running transaction, which is rolled back.
func (f *foreseen) undo() {
	for _, k := range f.touched {
		delete(f.jobs, k)
	}
	f.touched = nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
