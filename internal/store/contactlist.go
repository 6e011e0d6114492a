package store

import (
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// ContactQuery is a filter of contacts, with the account of its number if it names one.
type ContactQuery struct {
	chat.ContactFilter
	AccountID string
}

const contactEntryColumns = `, v.id, v.last_inbound_at, a.phone_number_id, a.phone_number, a.name, COALESCE(a.team_id, '')`

// contactEntryJoins find at most one row each.
const contactEntryJoins = ` LEFT JOIN conversations v ON v.org_id = c.org_id AND v.contact_id = c.id
	LEFT JOIN accounts a ON a.org_id = c.org_id AND a.id = c.account_id`

func scanContactEntry(row scanner) (e chat.ContactEntry, err error) {
	var seen *int64
	e.Contact, err = scanContact(columnsAround{row: row, last: []any{
		&e.ConversationID, &seen, &e.PhoneNumberID, &e.OwnNumber, &e.NumberName, &e.TeamID,
	}})
	e.LastSeenAt = toTimePtr(seen)
	return e, err
}

// conditions select the contacts that a user may see and that match the filter.
func (q ContactQuery) conditions(d dialect, u chat.User) (c conditions) {
	c.contactsVisibleTo(d, u)
	c.addIf("c.account_id = ?", q.AccountID)
	c.addIf("c.marketing_consent = ?", string(q.Consent))
	key := "c.search_key"
	if u.Masked { // nobody is found by a hidden number
		key = "REPLACE(c.search_key, COALESCE(SUBSTR(c.phone_number, 2), '#'), '')"
	}
	for _, word := range q.Words() {
		has := func(word string) string {
			return key + " LIKE " + c.arg("%"+likeEscaper.Replace(word)+"%") + ` ESCAPE '\'`
		}
		if other := chat.OtherSpelling(word); other != "" {
			c.parts = append(c.parts, "("+has(word)+" OR "+has(other[1:])+")")
		} else {
			c.parts = append(c.parts, has(word))
		}
	}
	if q.NotSeenSince != nil {
		c.add("NOT "+wroteSince("?"), q.NotSeenSince.UnixMilli())
	}
	if q.NeverSeen {
		c.add("NOT "+wroteSince("?"), int64(0))
	}
	return c
}

// contactsVisibleTo is visibleTo for contacts: those of the numbers whose conversations a user sees, or, if the
// user sees only some conversations, the contacts in them. The first argument is the organization.
func (c *conditions) contactsVisibleTo(d dialect, u chat.User) {
	c.add("c.org_id = ?", u.OrgID)
	all := u
	if u.Sees == chat.SeesAssigned {
		all.Sees = chat.SeesAll
		c.add("EXISTS (SELECT 1 FROM conversations w WHERE w.org_id = $1 AND w.contact_id = c.id AND w.assigned_to = ?)", u.ID)
	}
	c.visibleTo(d, all, "", "")
}

func wroteSince(ms string) string {
	return "EXISTS (SELECT 1 FROM conversations w WHERE w.org_id = $1 AND w.contact_id = c.id AND w.last_inbound_at >= " + ms + ")"
}

// contactsFrom is the source of the contacts: all of them, or a set given by a label, a time or an assignee, if
// it is small enough to be sorted.
func (r Reader) contactsFrom(u chat.User, q ContactQuery) (string, conditions, error) {
	c := q.conditions(r.dialect, u)
	set := ""
	for _, part := range q.sets(u) {
		few := false
		if set == "" {
			var err error
			if few, err = r.fewIn(part, u.OrgID); err != nil {
				return "", c, err
			}
		}
		if few {
			set = part.set(&c)
		} else {
			c.parts = append(c.parts, part.condition(r.dialect, &c))
		}
	}
	if set == "" {
		return " FROM contacts c", c, nil
	}
	c.parts = append(c.parts, "c.id = k.id")
	return " FROM (" + set + ") k CROSS JOIN contacts c", c, nil // SQLite does not reorder it
}

// fewIn reports whether a set is small enough to be sorted.
func (r Reader) fewIn(part contactSet, orgID string) (bool, error) {
	c := conditions{args: []any{orgID}}
	most := strconv.Itoa(measuredSearch.manyLinks + 1)
	n, err := one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1 FROM ("+part.set(&c)+") s LIMIT "+most+") n", c.args...)
	return n <= measuredSearch.manyLinks, err
}

// contactSet is a part of a filter that can also be looked up from its own side. Both functions add their
// arguments.
type contactSet struct {
	set       func(c *conditions) string
	condition func(d dialect, c *conditions) string
}

func (q ContactQuery) sets(u chat.User) (sets []contactSet) {
	if q.AllLabels {
		for _, id := range q.LabelIDs {
			sets = append(sets, labelSet(id))
		}
	} else if len(q.LabelIDs) > 0 {
		sets = append(sets, labelSet(q.LabelIDs...))
	}
	if q.SeenAfter != nil {
		at := q.SeenAfter.UnixMilli()
		sets = append(sets, contactSet{
			set: func(c *conditions) string { // a contact who wrote since then is in a conversation with a later last message
				ms := c.arg(at)
				return `SELECT v.contact_id AS id FROM conversations v WHERE v.org_id = $1 AND v.status IN ('open', 'pending', 'resolved')
					AND v.sort_at >= ` + ms + " AND v.last_inbound_at >= " + ms
			},
			condition: func(_ dialect, c *conditions) string { return wroteSince(c.arg(at)) },
		})
	}
	if u.Sees == chat.SeesAssigned {
		sets = append(sets, contactSet{
			set: func(c *conditions) string {
				return "SELECT v.contact_id AS id FROM conversations v WHERE v.org_id = $1 AND v.assigned_to = " + c.arg(u.ID)
			},
			condition: func(dialect, *conditions) string { return "TRUE" }, // already among the conditions
		})
	}
	return sets
}

// labelSet is the contacts with one of the labels.
func labelSet(ids ...string) contactSet {
	return contactSet{
		set: func(c *conditions) string {
			return "SELECT DISTINCT k.contact_id AS id FROM contact_labels k WHERE k.org_id = $1 AND k.label_id IN (" + c.argList(ids) + ")"
		},
		condition: func(d dialect, c *conditions) string {
			return "EXISTS (SELECT 1 FROM contact_labels k WHERE k.org_id = $1 AND k.contact_id = c.id AND k.label_id IN (" + c.argList(ids) + ")" + d.fence + ")"
		},
	}
}

// argList adds arguments and returns their placeholders.
func (c *conditions) argList(values []string) string {
	holders := make([]string, len(values))
	for i, value := range values {
		holders[i] = c.arg(value)
	}
	return strings.Join(holders, ", ")
}

// contactOrder is the order of a list of contacts.
type contactOrder struct{ columns, clause string }

var contactOrders = map[chat.ContactSort]contactOrder{
	chat.ContactsNewest: {"c.created_at", " ORDER BY c.created_at DESC, c.id DESC"},
	chat.ContactsByName: {"c.search_key", " ORDER BY c.search_key, c.id"},
}

// ListContacts returns one page of the contacts that a user may see and that match a query. A page by name
// continues after the last contact of the previous page, and returns ErrNotFound if that one was deleted.
func (r Reader) ListContacts(u chat.User, q ContactQuery, sort chat.ContactSort, p Page) (Slice[chat.ContactEntry], error) {
	from, c, err := r.contactsFrom(u, q)
	if err != nil {
		return Slice[chat.ContactEntry]{}, err
	}
	switch {
	case p.After == nil:
	case sort == chat.ContactsByName:
		key, err := one(r, scanText, "SELECT search_key FROM contacts WHERE org_id = $1 AND id = $2", u.OrgID, p.After.ID)
		if err != nil {
			return Slice[chat.ContactEntry]{}, err
		}
		c.add("(c.search_key, c.id) > (?, ?)", key, p.After.ID)
	default:
		c.add("(c.created_at, c.id) < (?, ?)", p.After.At.UnixMilli(), p.After.ID)
	}
	o := contactOrders[sort]
	keys := "SELECT c.org_id, c.id, " + o.columns + from + c.where() + o.clause + " LIMIT " + c.arg(p.Limit+1)
	rows, err := many(r, scanContactEntry, "SELECT "+prefixed("c", contactColumns)+contactEntryColumns+
		" FROM ("+keys+") f JOIN contacts c ON c.org_id = f.org_id AND c.id = f.id"+contactEntryJoins+o.clause, c.args...)
	if err != nil || len(rows) <= p.Limit {
		return Slice[chat.ContactEntry]{Rows: rows}, err
	}
	last := rows[p.Limit-1]
	return Slice[chat.ContactEntry]{Rows: rows[:p.Limit], Next: &Position{last.CreatedAt, last.ID}}, nil
}

// ContactIDs returns up to limit ids of contacts that a user may see and that match a query, after an id and in
// order of their ids. A caller that repeats it meets every contact once, however long that takes.
func (r Reader) ContactIDs(u chat.User, q ContactQuery, after string, limit int) ([]string, error) {
	from, c, err := r.contactsFrom(u, q)
	if err != nil {
		return nil, err
	}
	c.addIf("c.id > ?", after)
	return many(r, scanText, "SELECT c.id"+from+c.where()+" ORDER BY c.id LIMIT "+c.arg(limit), c.args...)
}

// CountContacts counts the contacts of ContactIDs, up to MostContactsCounted.
func (r Reader) CountContacts(u chat.User, q ContactQuery) (int, error) {
	from, c, err := r.contactsFrom(u, q)
	if err != nil {
		return 0, err
	}
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1"+from+c.where()+" LIMIT "+c.arg(chat.MostContactsCounted)+") n", c.args...)
}

// ContactEntry returns a contact that a user may see, or ErrNotFound. It does not lock.
func (r Reader) ContactEntry(u chat.User, id string) (chat.ContactEntry, error) {
	found, err := r.ContactEntries(u, []string{id})
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return chat.ContactEntry{}, err
	}
	return found[0], nil
}

// ContactEntries returns the contacts that a user may see, in order of their ids.
func (r Reader) ContactEntries(u chat.User, ids []string) ([]chat.ContactEntry, error) {
	var c conditions
	c.contactsVisibleTo(r.dialect, u)
	c.parts = append(c.parts, r.dialect.oneOf("c.id", c.arg(r.dialect.list(ids))))
	return many(r, scanContactEntry, "SELECT "+prefixed("c", contactColumns)+contactEntryColumns+
		" FROM contacts c"+contactEntryJoins+c.where()+" ORDER BY c.id", c.args...)
}

// Namesakes returns contacts of other numbers that a user may see and that have the same number or id.
func (r Reader) Namesakes(u chat.User, of chat.Contact) ([]chat.ContactEntry, error) {
	var c conditions
	c.contactsVisibleTo(r.dialect, u)
	c.add("c.id <> ?", of.ID)
	accounts := "c.account_id IN (SELECT x.id FROM accounts x WHERE x.org_id = $1)"
	var same []string
	for _, id := range []struct {
		column string
		value  *string
	}{{"c.phone_number", of.PhoneNumber}, {"c.bsuid", of.BSUID}, {"c.parent_bsuid", of.ParentBSUID}} {
		if id.value != nil {
			same = append(same, accounts+" AND "+id.column+" IN ("+c.argList(spellings(*id.value))+")")
		}
	}
	if len(same) == 0 {
		return nil, nil
	}
	c.parts = append(c.parts, "("+strings.Join(same, " OR ")+")")
	return many(r, scanContactEntry, "SELECT "+prefixed("c", contactColumns)+contactEntryColumns+
		" FROM contacts c"+contactEntryJoins+c.where()+" ORDER BY c.id LIMIT 100", c.args...)
}
