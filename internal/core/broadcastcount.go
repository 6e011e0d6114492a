package core

import (
	"errors"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// countSlice is how many recipients a preview looks at with one statement of each kind.
const countSlice = 1000

// skips says why a recipient would get no message. It does not fill in the message, which takes much longer.
func (l letter) skips(contact chat.Contact, r chat.Recipient) string {
	if l.mailing.Lacks(contact, r) {
		return chat.SkipMissing
	}
	category := (&TemplateChoice{Category: deref(l.Template.Category)}).consentCategory()
	if e, refused := errors.AsType[*chat.Error](checkConsent(l.Account, contact, category)); refused {
		return string(e.Code)
	}
	return ""
}

// judgeListed judges the recipients that were added, one by one: no statement can tell whose variables lack a value.
func (p *BroadcastPreview) judgeListed(r store.Reader, l letter) error {
	for after := ""; ; {
		rows, err := r.FirstRecipients(l.broadcast.ID, chat.RecipientWaiting, after, countSlice)
		if err != nil {
			return err
		}
		contacts, err := r.ContactsByNumber(l.Account, numbersOf(rows))
		if err != nil {
			return err
		}
		for _, row := range rows {
			contact, known := contacts[row.Address]
			if !known && !strings.HasPrefix(row.Address, "+") {
				if contact, err = findContact(r, l.Account, personAt(row.Address)); ignoreNotFound(err) != nil {
					return err
				}
			}
			if skip := l.skips(contact, row); skip != "" {
				p.skip(skip, 1)
			}
		}
		if len(rows) < countSlice {
			return nil
		}
		after = rows[len(rows)-1].ID
	}
}

// judgeAudience judges the contacts that the start would add.
func (p *BroadcastPreview) judgeAudience(r store.Reader, l letter) error {
	for after := ""; ; {
		members, err := r.AudienceAfter(l.Account, l.broadcast.Audience, after, countSlice)
		if err != nil {
			return err
		}
		ids := make(map[string]bool, len(members))
		for _, m := range members {
			ids[m.ContactID] = m.Address != ""
		}
		contacts, err := r.ContactsByID(l.Account.OrgID, ids)
		if err != nil {
			return err
		}
		for _, m := range members {
			if m.Address == "" {
				continue
			}
			if skip := l.skips(contacts[m.ContactID], chat.Recipient{Address: m.Address}); skip != "" {
				p.skip(skip, 1)
			}
		}
		if len(members) < countSlice {
			return nil
		}
		after = members[len(members)-1].ContactID
	}
}
