package store

import (
	"cmp"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
)

// RecipientFilter narrows a list of recipients.
type RecipientFilter struct {
	Statuses []chat.RecipientStatus // none: all
	Replied  bool
	OptedOut bool
	Reason   string
}

var recipientsByID = order[chat.Recipient]{position: func(r chat.Recipient) Position { return Position{ID: r.ID} }}

// Recipients returns one page of a broadcast's recipients, in the order in which they were added.
func (r Reader) Recipients(orgID, broadcastID string, f RecipientFilter, p Page) (Slice[chat.Recipient], error) {
	after := ""
	if p.After != nil {
		after = p.After.ID
	}
	rows, err := r.RecipientsAfter(orgID, broadcastID, f, after, p.Limit+1)
	return recipientsByID.slice(rows, p.Limit), err
}

// conditions are those of a filter with one status at most.
func (f RecipientFilter) conditions(orgID, broadcastID string) (c conditions) {
	c.add("broadcast_id = ?", broadcastID)
	if len(f.Statuses) > 0 {
		c.add("status = ?", string(f.Statuses[0]))
	}
	c.addIf("reason = ?", f.Reason)
	if f.Replied {
		c.parts = append(c.parts, "replied_at IS NOT NULL")
	}
	if f.OptedOut {
		c.parts = append(c.parts, "opted_out_at IS NOT NULL")
	}
	if f.Reason == "" && len(f.Statuses) == 0 && !f.Replied && !f.OptedOut { // along the primary key
		c.add("org_id = ?", orgID)
	} else {
		c.add("org_id || '' = ?", orgID) // keeps SQLite from walking the primary key instead
	}
	return c
}

// RecipientsAfter returns up to limit of a broadcast's recipients after an id, in the order in which they were added.
// With several statuses it reads each along the index by status and sorts the result, because otherwise the rows of all
// other statuses would be read as well.
func (r Reader) RecipientsAfter(orgID, broadcastID string, f RecipientFilter, after string, limit int) (rows []chat.Recipient, err error) {
	each := [][]chat.RecipientStatus{nil}
	if len(f.Statuses) > 0 {
		each = slices.Collect(slices.Chunk(f.Statuses, 1))
	}
	for _, f.Statuses = range each {
		c := f.conditions(orgID, broadcastID)
		c.add("id > ?", after)
		found, err := many(r, scanRecipient, "SELECT "+recipientColumns+" FROM broadcast_recipients"+c.where()+" ORDER BY id LIMIT "+c.arg(limit), c.args...)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	slices.SortFunc(rows, func(a, b chat.Recipient) int { return cmp.Compare(a.ID, b.ID) })
	return rows[:min(len(rows), limit)], nil
}
