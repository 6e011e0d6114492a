package core

import (
	"errors"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// audienceSlice is how many contacts of an audience become recipients in one transaction.
const audienceSlice = 500

// Progress is the result of one step of work on a broadcast.
type Progress struct {
	Messages int  // messages that were made
	More     bool // more work is ready now, beyond messages
	Over     bool // nothing is left to do
	// Last is the last recipient who got a message or was skipped.
	Last string
}

// AdvanceBroadcast takes one step of the work on a broadcast, with up to limit messages. node is the node that works
// on it. If another node has the broadcast by now, or the broadcast does not go on, nothing is done.
func AdvanceBroadcast(tx *store.Tx, s BroadcastState, id, node string, limit int) (Progress, error) {
	b, err := tx.Broadcast(s.Account.OrgID, s.Account.ID, id)
	if err != nil || !b.Active || b.Owner != node {
		return Progress{Over: true}, ignoreNotFound(err)
	}
	switch {
	case b.Status == chat.BroadcastStopped:
		return skipRest(tx, b, chat.SkipStopped)
	case b.Status != chat.BroadcastSending:
		return Progress{Over: true}, nil
	case !b.AudienceDone:
		return addAudience(tx, s.Account, b)
	case suspendedCustomer(s.Account):
		return skipRest(tx, b, string(chat.CodeCustomerSuspended))
	default:
		return release(tx, s, b, limit)
	}
}

func suspendedCustomer(a chat.Account) bool {
	return a.CustomerStatus != nil && !a.CustomerStatus.MaySend()
}

// addAudience turns the next contacts of the audience into recipients.
func addAudience(tx *store.Tx, account chat.Account, b chat.Broadcast) (Progress, error) {
	members, err := tx.AudienceAfter(account, b, b.AudienceAt, audienceSlice)
	if err != nil {
		return Progress{}, err
	}
	kept, err := keepMembers(tx, b, members)
	if err != nil {
		return Progress{}, err
	}
	var rows []chat.Recipient
	for _, m := range members {
		if m.Address != "" && kept[m.ContactID] {
			rows = append(rows, chat.Recipient{Status: chat.RecipientWaiting, Address: m.Address, ContactID: m.ContactID})
		}
	}
	var duplicates int
	if len(rows) > 0 {
		if duplicates, err = tx.InsertRecipients(b.OrgID, b.ID, false, rows); err != nil {
			return Progress{}, err
		}
	}
	var t tally
	t.add(b.ID, string(chat.RecipientSkipped), int64(duplicates))
	t.add(b.ID, string(chat.RecipientWaiting), int64(len(rows)-duplicates))
	if b.AudienceDone = len(members) < audienceSlice; len(members) > 0 {
		b.AudienceAt = members[len(members)-1].ContactID
	}
	return Progress{More: true}, errors.Join(t.write(tx, byWorker), saveBroadcast(tx, &b))
}

// keepMembers locks those who become recipients against deletion, and returns who is still there.
func keepMembers(tx *store.Tx, b chat.Broadcast, members []store.AudienceMember) (map[string]bool, error) {
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.ContactID
	}
	return tx.KeepContacts(b.OrgID, ids)
}

// skipRest skips the next waiting recipients.
func skipRest(tx *store.Tx, b chat.Broadcast, reason string) (Progress, error) {
	n, err := tx.SkipWaiting(b.OrgID, b.ID, reason, audienceSlice)
	if err != nil {
		return Progress{}, err
	}
	if n == 0 {
		return finish(tx, b)
	}
	var t tally
	t.add(b.ID, string(chat.RecipientWaiting), -n)
	t.add(b.ID, string(chat.RecipientSkipped), n)
	return Progress{More: true}, t.write(tx, byWorker)
}

// finish ends the work on a broadcast without waiting recipients, once its messages were sent or have failed.
func finish(tx *store.Tx, b chat.Broadcast) (Progress, error) {
	lost, err := tx.LostMessages(b.OrgID, b.ID, audienceSlice)
	if err != nil {
		return Progress{}, err
	}
	var t tally
	for _, r := range lost {
		if err := tx.FailRecipient(r, chat.FailRemoved); err != nil {
			return Progress{}, err
		}
		t.move(b.ID, r.Status, chat.RecipientFailed)
	}
	if err := t.write(tx, byWorker); err != nil {
		return Progress{}, err
	}
	// The order matters: a message that is taken back makes its recipient wait again.
	for _, status := range []chat.RecipientStatus{chat.RecipientQueued, chat.RecipientWaiting} {
		if left, err := tx.AnyRecipient(b.ID, status); err != nil || left {
			return Progress{}, err
		}
	}
	now := tx.Now()
	b.Active, b.CompletedAt = false, &now
	if b.Status == chat.BroadcastSending {
		b.Status = chat.BroadcastCompleted
	}
	return Progress{Over: true}, saveBroadcast(tx, &b)
}

// release makes messages for the next waiting recipients.
func release(tx *store.Tx, s BroadcastState, b chat.Broadcast, limit int) (p Progress, err error) {
	rows, err := tx.FirstRecipients(b.ID, chat.RecipientWaiting, s.After, max(1, limit))
	if err == nil && len(rows) == 0 && s.After != "" {
		rows, err = tx.FirstRecipients(b.ID, chat.RecipientWaiting, "", max(1, limit))
	}
	if err != nil {
		return p, err
	}
	if len(rows) == 0 {
		return finish(tx, b)
	}
	if limit == 0 {
		return p, nil
	}
	mailing, refused := chat.NewMailing(b.Template.Components)
	if refused != nil {
		return p, refused
	}
	if err := s.Account.CheckSend(tx.Now(), true); err != nil {
		return p, err
	}
	l, err := newLetter(tx, s, b, mailing, rows)
	if err != nil {
		return p, err
	}
	waiting, err := tx.StillWaiting(b.ID, rows)
	if err != nil {
		return p, err
	}
	var t tally
	for _, r := range waiting {
		skip, err := l.send(tx, &r)
		if err != nil {
			return Progress{}, err
		}
		if skip != "" {
			t.move(b.ID, chat.RecipientWaiting, chat.RecipientSkipped)
			err = tx.SkipRecipient(r, skip)
		} else {
			p.Messages++
			t.move(b.ID, chat.RecipientWaiting, chat.RecipientQueued)
			err = tx.QueueRecipient(r)
		}
		if err != nil {
			return Progress{}, err
		}
	}
	p.More, p.Last = p.Messages < len(rows), rows[len(rows)-1].ID
	return p, errors.Join(takeQuota(tx, b.OrgID, s.Plan, p.Messages), t.write(tx, byWorker))
}

func addressesOf(rows []chat.Recipient) []string {
	addresses := make([]string, len(rows))
	for i, r := range rows {
		addresses[i] = r.Address
	}
	return addresses
}

// letter is the message of a broadcast, before it is filled in.
type letter struct {
	BroadcastState
	broadcast chat.Broadcast
	mailing   chat.Mailing
	contacts  people
	twice     map[string]bool                  // addresses of contacts that are recipients under another one too
	files     map[chat.LibraryFile]*chat.Error // files that were checked, and what is wrong with them
}

// newLetter reads everything that the messages to these recipients need.
func newLetter(tx *store.Tx, s BroadcastState, b chat.Broadcast, mailing chat.Mailing, rows []chat.Recipient) (l letter, err error) {
	var threads []store.ThreadKey
	for _, r := range rows {
		for _, number := range []string{r.Address, chat.OtherSpelling(r.Address)} { // who has the first is not asked of the second one by one
			if strings.HasPrefix(number, "+") {
				threads = append(threads, store.ThreadKey{OrgID: b.OrgID, AccountID: b.AccountID, Number: number})
			}
		}
	}
	if err := tx.ForeseeThreads(threads); err != nil {
		return l, err
	}
	l = letter{BroadcastState: s, broadcast: b, mailing: mailing, files: map[chat.LibraryFile]*chat.Error{}}
	if l.contacts, err = peopleOf(tx.Reader, s.Account, rows); err != nil {
		return l, err
	}
	l.twice, err = listedTwice(tx.Reader, b, rows, l.contacts)
	return l, err
}

// send makes a recipient's message, or says why there is none.
func (l letter) send(tx *store.Tx, r *chat.Recipient) (skip string, err error) {
	contact := l.contacts.at(r.Address)
	r.ContactID = contact.ID
	if l.twice[r.Address] {
		return chat.SkipDuplicate, nil
	}
	if listed, now := r.Address, addressNow(contact, r.Address); now != listed {
		r.Address = now
		if chat.OtherSpelling(now) != listed { // the list goes on naming the number as it was given
			err = tx.MoveRecipient(*r)
		}
		if err != nil {
			return "", err
		}
	}
	content, choice, skip := l.fill(contact, *r)
	if skip != "" {
		return skip, nil
	}
	if skip := l.withoutConsent(contact); skip != "" {
		return skip, nil
	}
	m, err := templateMessage(content, choice, r.Address)
	if err != nil {
		return "", err
	}
	if skip, err := l.checkFiles(tx.Reader, m.MoreMedia); err != nil || skip != "" {
		return skip, err
	}
	m.Source = chat.SourceBroadcast
	accepted, err := place(tx, l.Account, m)
	r.MessageID, r.ContactID = accepted.Message.ID, accepted.Contact.ID
	return "", err
}

// withoutConsent is why a contact must not get the message; empty: it may.
func (l letter) withoutConsent(contact chat.Contact) string {
	category := (&TemplateChoice{Category: deref(l.Template.Category)}).consentCategory()
	if e, refused := errors.AsType[*chat.Error](checkConsent(l.Account, contact, category)); refused {
		return string(e.Code)
	}
	return ""
}

// checkFiles checks each file once, because most messages have the same files. If a file that only this recipient gets is
// refused, the recipient is skipped.
func (l letter) checkFiles(r store.Reader, files []chat.LibraryFile) (skip string, err error) {
	for _, file := range files {
		refused, checked := l.files[file]
		if !checked {
			err := checkLibraryMedia(r, l.Account, file)
			if refused, checked = errors.AsType[*chat.Error](err); err != nil && !checked {
				return "", err
			}
			l.files[file] = refused
		}
		switch {
		case refused == nil:
		case l.mailing.Names(file.ID):
			return "", refused
		default:
			return chat.SkipUnfit, nil
		}
	}
	return "", nil
}

// fill is the message for a recipient, or the reason why there is none.
func (l letter) fill(contact chat.Contact, r chat.Recipient) (content *chat.TemplateContent, choice TemplateChoice, skip string) {
	components, missing := l.mailing.Fill(contact, r)
	if missing != "" {
		return nil, choice, chat.SkipMissing
	}
	content, refused := l.broadcast.Template.Content(components)
	if refused != nil {
		return nil, choice, chat.SkipUnfit
	}
	if l.Template.Is(chat.CategoryAuthentication) && !strings.HasPrefix(r.Address, "+") {
		return nil, choice, chat.SkipInvalid
	}
	preview, refused := l.Template.Fill(content)
	if refused != nil {
		return nil, choice, chat.SkipUnfit
	}
	content.Preview = &preview
	return content, TemplateChoice{Category: deref(l.Template.Category), Preview: &preview}, ""
}

// templateMessage is the message of a template that is filled in.
func templateMessage(content *chat.TemplateContent, choice TemplateChoice, address string) (NewMessage, error) {
	text, err := jsonv2.Marshal(content)
	m := NewMessage{Type: chat.TypeTemplate, Content: text, Template: &choice, MoreMedia: content.Media()}
	m.To, m.Recipient = splitAddress(address)
	return m, err
}

func splitAddress(address string) (to, recipient string) {
	if strings.HasPrefix(address, "+") {
		return address, ""
	}
	return "", address
}

func personAt(address string) person {
	to, recipient := splitAddress(address)
	return NewMessage{To: to, Recipient: recipient}.recipient()
}
