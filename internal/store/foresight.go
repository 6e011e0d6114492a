package store

import "github.com/parleyhq/parley/internal/chat"

// Foresight is what a transaction is about to read. PostgreSQL reads it for all transactions that wait at the
// same time with one statement each kind, instead of one after the other for each; what they write travels
// together too. The embedded store has no use for it: a look-up there costs no journey.
type Foresight struct {
	Thread ThreadKey // that a message is for
	Answer AnswerKey // that the request may have been given before
}

// Arrival is a message that came in, as far as it tells what a transaction will read for it.
type Arrival struct {
	Thread     ThreadKey
	ProviderID string
	// Others are what else its sender is known by.
	Others OtherNames
}

// OtherNames are identifiers of a person beside the number; empty where they are not known.
type OtherNames struct{ BSUID, ParentBSUID, Username string }

// Foresee reads what applying messages that came in will ask for. The embedded store has no use for it.
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

// Recipient is a contact of which a status shows identifiers that were not known.
type Recipient struct {
	OrgID, AccountID, ContactID string
	Names                       []string // numbers and BSUIDs
}

// ForeseeRecipients reads what learning identifiers of contacts will ask for. The embedded store has no use for it.
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

// AnswerKey names an answer that is kept under an Idempotency-Key.
type AnswerKey struct{ OrgID, Key string }

// lock is the name of the lock that whoever works on the key's request has.
func (k AnswerKey) lock() string { return "idempotency " + k.OrgID + " " + k.Key }

// foreseen is what was read for transactions before they asked. What is there is given out once: who asks again
// reads the table, which may have changed since. What is not there is known to be missing, until somebody adds it:
// that goes out without waiting for an answer, and should another node have been first, PostgreSQL refuses it, and
// everybody runs alone.
type foreseen struct {
	threads  map[ThreadKey]foundThread
	of       map[conversationKey]ThreadKey    // the threads by their conversations
	missing  map[ThreadKey]bool               // there is no such contact
	others   map[ThreadKey]OtherNames         // of those who are missing: they are nobody else's
	fresh    map[string]bool                  // contacts that were added
	answers  map[AnswerKey]*IdempotencyRecord // nil: there is none
	locks    map[string]bool
	jobs     map[conversationKey]lastJob
	touched  []conversationKey // whose last job was queued by the transaction that runs
	contacts map[contactKey]chat.Contact
	free     map[nameKey]bool // identifiers that no contact has
	// arriving is what is known of messages that came in, labels what is on their conversations.
	arriving map[providerKey]arriving
	labels   map[conversationKey][]chat.Label
	// receivers are kept for the whole group. They are not locked anyway.
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

// takes notes that a contact changes its identifiers from before. It reports false where that must be asked for:
// nobody has looked whether they are free.
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

// providerKey names a message by the provider's id of it.
type providerKey struct{ orgID, accountID, providerID string }

// arriving tells whether a message is known, and whether changes of it came before it.
type arriving struct{ known, changed bool }

func (f *foreseen) arrival(k providerKey) (a arriving, ok bool) {
	if f == nil {
		return arriving{}, false
	}
	a, ok = f.arriving[k]
	return a, ok
}

// arrived notes a message that was stored.
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

// changedEarly notes that a message was changed that has not come yet.
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

// labelsChanged drops what was read of labels.
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

// lastJob is the last of a conversation's messages that are still to be sent; empty where there is none.
type lastJob struct {
	owner, messageID string
	gated            bool
}

// take gives out what was read under a key.
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

// queued notes a conversation's new last job.
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

// outdated drops what was read of a conversation that has changed.
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

// contactsChanged drops what was read of an organization's contacts.
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

// lacks tells that there is no contact of that number.
func (f *foreseen) lacks(k ThreadKey) bool { return f != nil && f.missing[k] }

// addContact notes a new contact. It reports false where that must be asked for: nobody has looked for it.
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
	clear(f.free) // it may have taken one
	f.fresh[c.ID] = true
	return true
}

// isFresh tells that a contact was just added, and so has nothing yet.
func (f *foreseen) isFresh(contactID string) bool { return f != nil && f.fresh[contactID] }

// addConversation notes the conversation of a contact that was just added. It reports false for others.
func (f *foreseen) addConversation(c chat.Conversation) bool {
	if !f.isFresh(c.ContactID) {
		return false
	}
	delete(f.fresh, c.ContactID)
	f.jobs[conversationKey{c.OrgID, c.ID}] = lastJob{}
	f.labels[conversationKey{c.OrgID, c.ID}] = nil
	return true
}

// undo forgets what the transaction that runs has changed of it: that transaction is taken back.
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
