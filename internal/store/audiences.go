package store

import (
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// labelled is the query for the next contacts (contact_id) with the labels, in order of their ids.
func labelled(a chat.Audience, c *conditions, p part) string {
	after, limit := c.arg(p.after), c.arg(p.limit)
	var each []string
	for _, label := range a.LabelIDs {
		walk := "SELECT contact_id FROM contact_labels k WHERE k.org_id = $1 AND k.label_id = " + c.arg(label) + " AND k.contact_id > " + after
		if a.MatchAll {
			for _, other := range a.LabelIDs[1:] {
				walk += " AND EXISTS (SELECT 1 FROM contact_labels o WHERE o.org_id = $1 AND o.contact_id = k.contact_id AND o.label_id = " + c.arg(other) + ")"
			}
		}
		each = append(each, "SELECT * FROM ("+walk+" ORDER BY k.contact_id LIMIT "+limit+") w")
		if a.MatchAll {
			break
		}
	}
	return "SELECT contact_id FROM (" + strings.Join(each, " UNION ") + ") u ORDER BY contact_id LIMIT " + limit
}

// part is a piece of an audience: the contact after which it begins, and its length.
type part struct {
	after string
	limit int
}

// members is the query for the contacts (contact_id) of a part of an audience, in order of their ids. The first argument
// is the organization.
func (r Reader) members(account chat.Account, a chat.Audience, p part) (string, conditions, error) {
	if a.Filter == nil {
		c := conditions{args: []any{account.OrgID}}
		return labelled(a, &c, p), c, nil
	}
	query := ContactQuery{ContactFilter: *a.Filter, AccountID: account.ID}
	from, c, err := r.contactsFrom(chat.User{OrgID: account.OrgID, Sees: chat.SeesAll}, query)
	c.addIf("c.id > ?", p.after)
	return "SELECT c.id AS contact_id" + from + c.where() + " ORDER BY c.id LIMIT " + c.arg(p.limit), c, err
}

// AudienceMember is a contact in an audience. Address is empty if the contact belongs to another account or
// cannot be written to.
type AudienceMember struct {
	ContactID, Address string
	Listed             bool // the broadcast has this address already, in whichever spelling
}

// AudienceAfter returns the next part of a broadcast's audience after a contact, in order of their ids.
func (r Reader) AudienceAfter(account chat.Account, b chat.Broadcast, after string, limit int) ([]AudienceMember, error) {
	members, c, err := r.members(account, b.Audience, part{after, limit})
	if err != nil {
		return nil, err
	}
	accountID, broadcast := c.arg(account.ID), c.arg(b.ID)
	const address = "COALESCE(t.phone_number, t.bsuid, t.parent_bsuid, '')"
	text := "SELECT f.contact_id, " + address + ", r.id IS NOT NULL FROM (" + members + `) f
		LEFT JOIN contacts t ON t.org_id = $1 AND t.id = f.contact_id AND t.account_id = ` + accountID + `
		LEFT JOIN broadcast_recipients r ON r.broadcast_id = ` + broadcast + " AND r.unique_address = " + address + " ORDER BY f.contact_id"
	found, err := many(r, func(row scanner) (m AudienceMember, err error) {
		err = row.Scan(&m.ContactID, &m.Address, &m.Listed)
		return m, err
	}, text, c.args...)
	if err != nil {
		return nil, err
	}
	return found, r.listedOtherwise(b, found)
}

// listedOtherwise finds members whose number the broadcast has in its other spelling.
func (r Reader) listedOtherwise(b chat.Broadcast, members []AudienceMember) error {
	var others []string
	for _, m := range members {
		if other := chat.OtherSpelling(m.Address); other != "" && !m.Listed {
			others = append(others, other)
		}
	}
	if len(others) == 0 {
		return nil
	}
	listed, err := r.RecipientsAmong(b.ID, others)
	for i, m := range members {
		members[i].Listed = m.Listed || listed[chat.OtherSpelling(m.Address)]
	}
	return err
}

// KeepContacts locks contacts against deletion until the transaction ends, and returns those that exist. Who stores
// the address of a contact does that: who deletes the contact then finds the address, too. They are locked in the same order
// everywhere, so that two transactions with common contacts do not deadlock.
func (tx *Tx) KeepContacts(orgID string, ids []string) (map[string]bool, error) {
	return set(tx.Reader, "SELECT id FROM contacts WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$2")+" ORDER BY id"+tx.dialect.keepRow,
		orgID, tx.dialect.list(ids))
}

// ContactsAt returns the contacts of an account with one of the addresses, by address: a number, or a business-scoped
// user id. A number that no contact has finds the contact with its other spelling.
func (r Reader) ContactsAt(account chat.Account, addresses []string) (map[string]chat.Contact, error) {
	by := map[string][]string{}
	for _, address := range addresses {
		column := "bsuid"
		if strings.HasPrefix(address, "+") {
			column = "phone_number"
		} else if chat.ParentBSUID(address) {
			column = "parent_bsuid"
		}
		by[column] = append(by[column], spellings(address)...)
	}
	found := make(map[string]chat.Contact, len(addresses))
	for column, wanted := range by {
		rows, err := many(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND account_id = $2 AND "+r.dialect.oneOf(column, "$3"),
			account.OrgID, account.ID, r.dialect.list(wanted))
		if err != nil {
			return nil, err
		}
		for _, c := range rows {
			found[*map[string]*string{"phone_number": c.PhoneNumber, "bsuid": c.BSUID, "parent_bsuid": c.ParentBSUID}[column]] = c
		}
	}
	for _, address := range addresses {
		other, known := found[chat.OtherSpelling(address)]
		if _, itself := found[address]; known && !itself {
			found[address] = other
		}
	}
	return found, nil
}
