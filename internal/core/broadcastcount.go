package core

import (
	"cmp"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// countSlice is how many recipients a preview looks at with one statement of each kind.
const countSlice = 1000

// judge says why recipients would get no message. It comes to the same results as letter.send, and fills in a message
// only if the answer does not follow from those before.
type judge struct {
	letter
	reader   store.Reader
	measured bool  // only the lengths of values decide whether they fit
	fit      []int // lengths with which the message fits

	taken    func() time.Duration // how long it has taken so far; nil: it may take as long as it needs
	looked   int64                // those of the list who were judged
	cut      bool                 // the list has others
	unjudged int64                // contacts of the audience who were counted, and not judged
}

func newJudge(r store.Reader, s BroadcastState, b chat.Broadcast, mailing chat.Mailing) *judge {
	return &judge{
		letter: letter{BroadcastState: s, broadcast: b, mailing: mailing, files: map[chat.LibraryFile]*chat.Error{}},
		reader: r, measured: mailing.Measured(b.Template.Components),
	}
}

// skips is why a recipient would be skipped; empty: it would get a message.
func (j *judge) skips(contact chat.Contact, r chat.Recipient) (string, error) {
	switch {
	case suspendedCustomer(j.Account):
		return string(chat.CodeCustomerSuspended), nil
	case j.twice[r.Address]:
		return chat.SkipDuplicate, nil
	case j.Template == nil:
		return "", nil // nothing can be said until there is a template
	case j.measured && (strings.HasPrefix(r.Address, "+") || !j.Template.Is(chat.CategoryAuthentication)):
		lengths, missing := j.mailing.Measure(contact, r)
		if missing {
			return chat.SkipMissing, nil
		}
		if j.fits(lengths) {
			return j.withoutConsent(contact), nil
		}
	}
	r.Address = addressNow(contact, r.Address)
	content, _, skip := j.fill(contact, r)
	if skip = cmp.Or(skip, j.withoutConsent(contact)); skip != "" {
		return skip, nil
	}
	skip, err := j.checkFiles(j.reader, content.Media())
	if _, refused := chat.CodeOf(err); refused {
		return "", nil // it is everybody's file, and the broadcast cannot start
	}
	return skip, err
}

// fits reports whether it is known that values of these lengths fit. Values that fit still do if they are shorter, so
// most recipients are compared with the longest values so far.
func (j *judge) fits(lengths []int) bool {
	if j.fit != nil && within(lengths, j.fit) {
		return true
	}
	longest := make([]int, len(lengths))
	for i, n := range lengths {
		if longest[i] = n; j.fit != nil {
			longest[i] = max(n, j.fit[i])
		}
	}
	content, refused := j.broadcast.Template.Content(j.mailing.Sized(longest))
	if refused == nil {
		_, refused = j.Template.Fill(content)
	}
	if refused == nil {
		j.fit = longest
	}
	return refused == nil
}

func within(lengths, limits []int) bool {
	for i, n := range lengths {
		if n > limits[i] {
			return false
		}
	}
	return true
}

// verdict is told of a recipient, and why it would be skipped; empty: it would get a message. A contact that the start
// would add has no id as a recipient.
type verdict func(r chat.Recipient, skip string) error

// each judges everybody who would be a recipient: those who were added, and those whom the start would add.
func (j *judge) each(tell verdict) error {
	if err := j.listed(tell); err != nil || j.broadcast.Audience.Empty() || j.broadcast.AudienceDone {
		return err
	}
	return j.audience(tell)
}

func (j *judge) listed(tell verdict) error {
	for after := ""; ; {
		rows, err := j.reader.FirstRecipients(j.broadcast.ID, chat.RecipientWaiting, after, countSlice)
		if err != nil {
			return err
		}
		contacts, err := peopleOf(j.reader, j.Account, rows)
		if err != nil {
			return err
		}
		if j.twice, err = listedTwice(j.reader, j.broadcast, rows, contacts); err != nil {
			return err
		}
		j.looked += int64(len(rows))
		for _, row := range rows {
			contact := contacts.at(row.Address)
			skip, err := j.skips(contact, row)
			if err != nil {
				return err
			}
			row.ContactID = contact.ID
			if err := tell(row, skip); err != nil {
				return err
			}
		}
		if len(rows) < countSlice {
			return nil
		}
		if j.isLate() {
			j.cut = true
			return nil
		}
		after = rows[len(rows)-1].ID
	}
}

func (j *judge) isLate() bool { return j.taken != nil && j.taken() > previewTime }

// isOver reports whether there is no time even to count.
func (j *judge) isOver() bool { return j.taken != nil && j.taken() > 2*previewTime }

func (j *judge) audience(tell verdict) error {
	for after := j.broadcast.AudienceAt; ; {
		members, err := j.reader.AudienceAfter(j.Account, j.broadcast, after, countSlice)
		if err != nil {
			return err
		}
		if err := j.members(members, tell); err != nil || len(members) < countSlice || j.isOver() {
			return err
		}
		after = members[len(members)-1].ContactID
	}
}

// members judges contacts of the audience. Those that cannot be written to become no recipients.
func (j *judge) members(members []store.AudienceMember, tell verdict) error {
	late := j.isLate()
	ids := make(map[string]bool, len(members))
	for _, m := range members {
		switch {
		case m.Address == "" || m.Listed:
		case late:
			j.unjudged++
		default:
			ids[m.ContactID] = true
		}
	}
	contacts, err := j.reader.ContactsByID(j.Account.OrgID, ids)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Address == "" || late && !m.Listed {
			continue
		}
		row, skip := chat.Recipient{Address: m.Address, ContactID: m.ContactID}, chat.SkipDuplicate
		if !m.Listed {
			if skip, err = j.skips(contacts[m.ContactID], row); err != nil {
				return err
			}
		}
		if err := tell(row, skip); err != nil {
			return err
		}
	}
	return nil
}

// EachLeftOut tells of everybody who would get no message if a broadcast started now, and of those who are skipped
// already, with the reason.
func EachLeftOut(r store.Reader, account chat.Account, id string, tell func(chat.Recipient) error) error {
	b, err := Broadcast(r, account, id)
	if err != nil {
		return err
	}
	skipped := store.RecipientFilter{Statuses: []chat.RecipientStatus{chat.RecipientSkipped}}
	for after, more := "", true; more; {
		rows, err := r.RecipientsAfter(b.OrgID, b.ID, skipped, after, countSlice)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := tell(row); err != nil {
				return err
			}
			after = row.ID
		}
		more = len(rows) == countSlice
	}
	s, err := ReadBroadcastState(r, b)
	if err != nil {
		return err
	}
	mailing, refused := chat.NewMailing(b.Template.Components)
	if refused != nil {
		return refused
	}
	return newJudge(r, s, b, mailing).each(func(row chat.Recipient, skip string) error {
		if skip == "" {
			return nil
		}
		row.Status, row.Reason = chat.RecipientSkipped, skip
		return tell(row)
	})
}
