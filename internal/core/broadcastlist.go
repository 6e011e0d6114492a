package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// maxAddress is how much of an invalid number is kept.
const maxAddress = 64

// Added counts what happened to recipients that were to be added.
type Added struct{ Added, Duplicate, Invalid int }

// AddRecipients adds recipients to a broadcast that has not begun.
func AddRecipients(tx *store.Tx, account chat.Account, id string, recipients []NewRecipient) (Added, error) {
	b, err := forMove(tx, account, id, chat.MoveChange)
	if err != nil {
		return Added{}, err
	}
	return addRecipients(tx, b, cleanRecipients(recipients))
}

func addRecipients(tx *store.Tx, b chat.Broadcast, rows []chat.Recipient) (a Added, err error) {
	if len(rows) == 0 {
		return a, nil
	}
	for _, r := range rows {
		if r.Status == chat.RecipientSkipped {
			a.Invalid++
		}
	}
	if err := addressAsContacts(tx, b, rows); err != nil {
		return a, err
	}
	if a.Duplicate, err = tx.InsertRecipients(b.OrgID, b.ID, true, rows); err != nil {
		return a, err
	}
	a.Added = len(rows) - a.Invalid - a.Duplicate
	return a, tx.AddTally(byCaller, []store.TallyDelta{
		{BroadcastID: b.ID, Status: string(chat.RecipientSkipped), N: int64(a.Invalid + a.Duplicate)},
		{BroadcastID: b.ID, Status: string(chat.RecipientWaiting), N: int64(a.Added)},
	})
}

// addressAsContacts gives recipients who are named by a business-scoped id the address under which their contact is
// found. Otherwise somebody who is also named by number, or found by labels, would get two messages.
func addressAsContacts(tx *store.Tx, b chat.Broadcast, rows []chat.Recipient) error {
	var named []string
	for _, row := range rows {
		if row.Status == chat.RecipientWaiting && !strings.HasPrefix(row.Address, "+") {
			named = append(named, row.Address)
		}
	}
	if len(named) == 0 {
		return nil
	}
	contacts, err := keptContactsAt(tx, b, named)
	for i, row := range rows {
		if contact, known := contacts[row.Address]; known && row.Status == chat.RecipientWaiting {
			rows[i].Address, rows[i].ContactID = addressOf(contact), contact.ID
		}
	}
	return err
}

// keptContactsAt are the contacts with one of the addresses, by address. Nobody can delete them before the transaction
// ends.
func keptContactsAt(tx *store.Tx, b chat.Broadcast, addresses []string) (map[string]chat.Contact, error) {
	contacts, err := tx.ContactsAt(chat.Account{OrgID: b.OrgID, ID: b.AccountID}, addresses)
	if err != nil || len(contacts) == 0 {
		return nil, err
	}
	var ids []string
	for _, contact := range contacts {
		ids = append(ids, contact.ID)
	}
	kept, err := tx.KeepContacts(b.OrgID, ids)
	maps.DeleteFunc(contacts, func(_ string, c chat.Contact) bool { return !kept[c.ID] })
	return contacts, err
}

// cleanRecipients are recipients as they are stored. Invalid addresses are kept, with the reason.
func cleanRecipients(in []NewRecipient) []chat.Recipient {
	rows := make([]chat.Recipient, len(in))
	for i, r := range in {
		row := chat.Recipient{Status: chat.RecipientWaiting, Variables: r.Variables, Address: r.Recipient}
		if r.To != "" || !chat.ValidBSUID(r.Recipient) {
			number, err := chat.ReadNumber(r.To, "")
			row.Address = number
			if err != nil {
				row.Status, row.Reason, row.Address = chat.RecipientSkipped, chat.SkipInvalid, shortened(r.To+r.Recipient)
			}
		}
		rows[i] = row
	}
	return rows
}

func shortened(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")
	if utf8.RuneCountInString(s) > maxAddress {
		return string([]rune(s)[:maxAddress])
	}
	return s
}

// addContacts adds contacts of the account by their ids.
func addContacts(tx *store.Tx, account chat.Account, b chat.Broadcast, given []string) (Added, error) {
	if len(given) == 0 {
		return Added{}, nil
	}
	ids, err := followMerges(tx.Reader, account.OrgID, given)
	if err != nil {
		return Added{}, err
	}
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	if _, err := tx.KeepContacts(account.OrgID, ids); err != nil {
		return Added{}, err
	}
	found, err := tx.ContactsByID(account.OrgID, wanted)
	if err != nil {
		return Added{}, err
	}
	var rows []chat.Recipient
	for i, id := range ids {
		contact, ok := found[id]
		if !ok || contact.AccountID != account.ID {
			return Added{}, chat.Invalid(fmt.Sprintf("audience.contact_ids[%d]", i), "This number has no contact %s.", given[i])
		}
		rows = append(rows, chat.Recipient{Status: chat.RecipientWaiting, Address: addressOf(contact), ContactID: id})
	}
	return addRecipients(tx, b, rows)
}

// addressOf is the address under which a contact is written to.
func addressOf(c chat.Contact) string {
	if all := addressesOfContact(c); len(all) > 0 {
		return all[0]
	}
	return ""
}

// addressesOfContact are all addresses of a contact, the one under which it is written to first.
func addressesOfContact(c chat.Contact) (all []string) {
	for _, p := range []*string{c.PhoneNumber, c.BSUID, c.ParentBSUID} {
		if p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// addressNow is the address under which a recipient is written to: the one in the list, unless the contact has others
// by now.
func addressNow(c chat.Contact, listed string) string {
	if slices.Contains(addressesOfContact(c), listed) {
		return listed
	}
	return addressOf(c)
}

// people are the known contacts of recipients, by the recipients' addresses.
type people map[string]chat.Contact

// at returns the contact of a recipient, or one that is not stored yet.
func (p people) at(address string) chat.Contact {
	if contact, known := p[address]; known {
		return contact
	}
	return personAt(address).contact()
}

// peopleOf returns the known contacts of recipients. Somebody who was added as a contact and has another number since is
// found by the contact's id.
func peopleOf(r store.Reader, account chat.Account, rows []chat.Recipient) (people, error) {
	contacts, err := r.ContactsAt(account, addressesOf(rows))
	if err != nil {
		return nil, err
	}
	var moved, ids []string
	for _, row := range rows {
		if _, known := contacts[row.Address]; !known && row.ContactID != "" {
			moved, ids = append(moved, row.Address), append(ids, row.ContactID)
		}
	}
	if len(moved) == 0 {
		return contacts, nil
	}
	if ids, err = followMerges(r, account.OrgID, ids); err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	found, err := r.ContactsByID(account.OrgID, wanted)
	for i, id := range ids {
		if contact, ok := found[id]; ok && addressOf(contact) != "" {
			contacts[moved[i]] = contact
		}
	}
	return contacts, err
}

// listedTwice returns the addresses of recipients whose contact is a recipient under a better address too: there were
// two contacts when they were added, and a merge has made them one, or the contact has the number of another now.
func listedTwice(r store.Reader, b chat.Broadcast, rows []chat.Recipient, contacts people) (map[string]bool, error) {
	better, twice, moved := map[string][]string{}, map[string]bool{}, map[string]bool{}
	var all []string
	for _, row := range rows {
		contact, known := contacts[row.Address]
		if !known {
			continue
		}
		others := addressesOfContact(contact)
		if i := slices.Index(others, row.Address); i >= 0 {
			others = others[:i]
		} else {
			twice[row.Address], moved[contact.ID] = moved[contact.ID], true
		}
		better[row.Address] = others
		all = append(all, others...)
	}
	if len(all) == 0 {
		return nil, nil
	}
	listed, err := r.RecipientsAmong(b.ID, all)
	for address, others := range better {
		twice[address] = twice[address] || slices.ContainsFunc(others, func(other string) bool { return listed[other] })
	}
	return twice, err
}

// servedElsewhere returns the addresses of recipients whose contact has the message under another of its addresses, or
// will have it: two contacts have become one after one of them got it.
func servedElsewhere(r store.Reader, account chat.Account, b chat.Broadcast, rows []chat.Recipient) (map[string]bool, error) {
	contacts, err := peopleOf(r, account, rows)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, row := range rows {
		all = append(all, otherAddresses(contacts, row)...)
	}
	if len(all) == 0 {
		return nil, nil
	}
	listed, err := r.ServedAmong(b.ID, all)
	served := map[string]bool{}
	for _, row := range rows {
		served[row.Address] = slices.ContainsFunc(otherAddresses(contacts, row), func(other string) bool { return listed[other] })
	}
	return served, err
}

// otherAddresses are the addresses of a recipient's contact beside the recipient's own.
func otherAddresses(contacts people, row chat.Recipient) (others []string) {
	contact, known := contacts[row.Address]
	if !known {
		return nil
	}
	for _, address := range addressesOfContact(contact) {
		if address != row.Address {
			others = append(others, address)
		}
	}
	return others
}
