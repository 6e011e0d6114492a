package store

import (
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// labelled is the query for the contacts (contact_id) with the labels, after one contact, in order of their
// ids, up to limit; empty arguments: all of them.
func labelled(a chat.Audience, c *conditions, after, limit string) string {
	var each []string
	for _, label := range a.LabelIDs {
		walk := "SELECT contact_id FROM contact_labels k WHERE k.org_id = $1 AND k.label_id = " + c.arg(label)
		if after != "" {
			walk += " AND k.contact_id > " + after
		}
		if a.MatchAll {
			for _, other := range a.LabelIDs[1:] {
				walk += " AND EXISTS (SELECT 1 FROM contact_labels o WHERE o.org_id = $1 AND o.contact_id = k.contact_id AND o.label_id = " + c.arg(other) + ")"
			}
		}
		if limit != "" {
			walk = "SELECT * FROM (" + walk + " ORDER BY k.contact_id LIMIT " + limit + ") w"
		}
		each = append(each, walk)
		if a.MatchAll {
			break
		}
	}
	text := strings.Join(each, " UNION ")
	if limit != "" {
		text = "SELECT contact_id FROM (" + text + ") u ORDER BY contact_id LIMIT " + limit
	}
	return text
}

// part is a piece of an audience: the contact after which it begins, and its length.
type part struct {
	after string
	limit int
}

// members is the query for the contacts (contact_id) of an audience, or of a part of it in order of their ids.
// The first argument is the organization.
func (r Reader) members(account chat.Account, a chat.Audience, p *part) (string, conditions, error) {
	if a.Filter == nil {
		c := conditions{args: []any{account.OrgID}}
		if p == nil {
			return labelled(a, &c, "", ""), c, nil
		}
		after, limit := c.arg(p.after), c.arg(p.limit)
		return labelled(a, &c, after, limit), c, nil
	}
	query := ContactQuery{ContactFilter: *a.Filter, AccountID: account.ID}
	from, c, err := r.contactsFrom(chat.User{OrgID: account.OrgID, Sees: chat.SeesAll}, query)
	if err != nil || p == nil {
		return "SELECT c.id AS contact_id" + from + c.where(), c, err
	}
	c.addIf("c.id > ?", p.after)
	return "SELECT c.id AS contact_id" + from + c.where() + " ORDER BY c.id LIMIT " + c.arg(p.limit), c, nil
}

// AudienceMember is a contact in an audience. Address is empty if the contact belongs to another account or
// cannot be written to.
type AudienceMember struct{ ContactID, Address string }

// AudienceAfter returns the next part of an audience after a contact, in order of their ids.
func (r Reader) AudienceAfter(account chat.Account, a chat.Audience, after string, limit int) ([]AudienceMember, error) {
	members, c, err := r.members(account, a, &part{after, limit})
	if err != nil {
		return nil, err
	}
	accountID := c.arg(account.ID)
	text := `SELECT f.contact_id, COALESCE(t.phone_number, t.bsuid, t.parent_bsuid, '') FROM (` + members + `) f
		LEFT JOIN contacts t ON t.org_id = $1 AND t.id = f.contact_id AND t.account_id = ` + accountID + " ORDER BY f.contact_id"
	return many(r, func(row scanner) (m AudienceMember, err error) {
		err = row.Scan(&m.ContactID, &m.Address)
		return m, err
	}, text, c.args...)
}

// AudienceCounts are the size of an audience and the numbers of contacts that will be skipped.
type AudienceCounts struct{ Total, Duplicates, OptedOut, NoConsent int64 }

// CountAudience counts the contacts of an account in an audience. Those who are already recipients of the
// broadcast are duplicates.
func (r Reader) CountAudience(account chat.Account, broadcastID string, a chat.Audience) (n AudienceCounts, err error) {
	members, c, err := r.members(account, a, nil)
	if err != nil {
		return n, err
	}
	accountID, broadcast := c.arg(account.ID), c.arg(broadcastID)
	text := `SELECT COUNT(*), COALESCE(SUM(CASE WHEN r.id IS NOT NULL THEN 1 ELSE 0 END), 0), ` + countConsent("r.id IS NULL") + ` FROM (` + members + `) f
		JOIN contacts t ON t.org_id = $1 AND t.id = f.contact_id AND t.account_id = ` + accountID + `
		LEFT JOIN broadcast_recipients r ON r.broadcast_id = ` + broadcast + ` AND r.unique_address = COALESCE(t.phone_number, t.bsuid, t.parent_bsuid)`
	return one(r, func(row scanner) (n AudienceCounts, err error) {
		err = row.Scan(&n.Total, &n.Duplicates, &n.OptedOut, &n.NoConsent)
		return n, err
	}, text, c.args...)
}

// countConsent counts the contacts t that have opted out, and those whose consent is unknown.
func countConsent(condition string) string {
	count := func(consent string) string {
		return "COALESCE(SUM(CASE WHEN " + condition + " AND t.marketing_consent = '" + consent + "' THEN 1 ELSE 0 END), 0)"
	}
	return count(string(chat.ConsentOptedOut)) + ", " + count(string(chat.ConsentUnknown))
}

// CountWaiting counts the waiting recipients of a broadcast, and their consent. A recipient who is no contact
// has none.
func (r Reader) CountWaiting(account chat.Account, broadcastID string) (n AudienceCounts, err error) {
	return one(r, func(row scanner) (n AudienceCounts, err error) {
		err = row.Scan(&n.Total, &n.OptedOut, &n.NoConsent)
		return n, err
	}, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN t.marketing_consent = 'opted_out' THEN 1 ELSE 0 END), 0),
			COALESCE(SUM(CASE WHEN COALESCE(t.marketing_consent, 'unknown') = 'unknown' THEN 1 ELSE 0 END), 0)
		FROM broadcast_recipients r LEFT JOIN contacts t ON t.org_id = $1 AND t.account_id = $2 AND t.phone_number = r.unique_address
		WHERE r.broadcast_id = $3 AND r.status = 'waiting'`, account.OrgID, account.ID, broadcastID)
}

// ContactsByNumber returns the contacts of an account with one of the numbers, by number.
func (r Reader) ContactsByNumber(account chat.Account, numbers []string) (map[string]chat.Contact, error) {
	rows, err := many(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND account_id = $2 AND "+r.dialect.oneOf("phone_number", "$3"),
		account.OrgID, account.ID, r.dialect.list(numbers))
	found := make(map[string]chat.Contact, len(rows))
	for _, contact := range rows {
		found[*contact.PhoneNumber] = contact
	}
	return found, err
}
