package core

import (
	"cmp"
	"strings"

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

// judgeListed judges the recipients that were added.
func (p *BroadcastPreview) judgeListed(r store.Reader, j *judge) error {
	for after := ""; ; {
		rows, err := r.FirstRecipients(j.broadcast.ID, chat.RecipientWaiting, after, countSlice)
		if err != nil {
			return err
		}
		contacts, err := r.ContactsAt(j.Account, addressesOf(rows))
		if err != nil {
			return err
		}
		for _, row := range rows {
			contact, known := contacts[row.Address]
			if !known {
				contact = personAt(row.Address).contact()
			}
			skip, err := j.skips(contact, row)
			if err != nil {
				return err
			}
			p.skip(skip)
		}
		if len(rows) < countSlice {
			return nil
		}
		after = rows[len(rows)-1].ID
	}
}

// judgeAudience judges the contacts that the start would add, and adds them to the total.
func (p *BroadcastPreview) judgeAudience(r store.Reader, j *judge) error {
	if j.broadcast.Audience.Empty() || j.broadcast.AudienceDone {
		return nil
	}
	for after := j.broadcast.AudienceAt; ; {
		members, err := r.AudienceAfter(j.Account, j.broadcast, after, countSlice)
		if err != nil {
			return err
		}
		ids := make(map[string]bool, len(members))
		for _, m := range members {
			if m.Address != "" && !m.Listed {
				ids[m.ContactID] = true
			}
		}
		contacts, err := r.ContactsByID(j.Account.OrgID, ids)
		if err != nil {
			return err
		}
		for _, m := range members {
			if m.Address == "" {
				continue // it becomes no recipient
			}
			skip := chat.SkipDuplicate
			if !m.Listed {
				if skip, err = j.skips(contacts[m.ContactID], chat.Recipient{Address: m.Address}); err != nil {
					return err
				}
			}
			p.Total++
			p.skip(skip)
		}
		if len(members) < countSlice {
			return nil
		}
		after = members[len(members)-1].ContactID
	}
}
