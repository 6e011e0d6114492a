package store

import (
	"fmt"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// inboxList reads conversations of all numbers with the data that the inbox shows beside them. The outer joins
// find at most one row each, and keep the conversations' order.
var inboxList = labelledList[chat.InboxEntry]{
	columns: prefixed("c", conversationColumns) + `, t.name, t.phone_number, t.bsuid, t.username, u.name,
		a.phone_number_id, a.phone_number, a.name, COALESCE(a.team_id, '')`,
	table: "conversations", scan: scanInboxEntry,
	joins: ` LEFT JOIN contacts t ON t.org_id = c.org_id AND t.id = c.contact_id
		LEFT JOIN users u ON u.org_id = c.org_id AND u.id = c.assigned_to
		LEFT JOIN accounts a ON a.org_id = c.org_id AND a.id = c.account_id`,
}

func scanInboxEntry(row scanner) (e chat.InboxEntry, err error) {
	e.Conversation, err = scanConversation(columnsAround{row: row, last: []any{
		&e.ContactName, &e.ContactNumber, &e.ContactBSUID, &e.ContactUsername, &e.AssigneeName,
		&e.PhoneNumberID, &e.PhoneNumber, &e.NumberName, &e.TeamID,
	}})
	return e, err
}

// InboxQuery is a filter of conversations, with the account of its number if it names one.
type InboxQuery struct {
	chat.InboxFilter
	AccountID string
}

func (q InboxQuery) order() order[chat.InboxEntry] {
	o := order[chat.InboxEntry]{alias: "c", column: "sort_at", ascending: q.Sort == chat.SortOldest,
		position: func(e chat.InboxEntry) Position { return Position{toTime(sortAt(e.Conversation)), e.ID} }}
	if q.Sort == chat.SortWaiting {
		o.column, o.ascending = "waiting_since", true
		o.position = func(e chat.InboxEntry) Position { return Position{*e.WaitingSince, e.ID} }
	}
	return o
}

// conditions select the conversations that a user may see and that match the filter. The best index is known
// here and not to the engines, so the columns of the others are hidden from them.
func (q InboxQuery) conditions(d dialect, u chat.User) (c conditions) {
	status, assignee := "c.status", "c.assigned_to"
	if q.Sort == chat.SortWaiting || q.View == chat.ViewSnoozed {
		status, assignee = unindexed(status), unindexed(assignee)
	}
	c.add("c.org_id = ?", u.OrgID)
	c.visibleTo(d, u, assignee, q.TeamID)
	c.addIf(unindexed("c.account_id")+" = ?", q.AccountID)
	c.addIf(assignee+" = ?", q.AssignedTo)
	switch q.View {
	case chat.ViewMine:
		c.add(assignee+" = ?", u.ID)
	case chat.ViewUnassigned:
		c.add("c.assigned_to IS NULL")
	case chat.ViewSnoozed:
		c.add("c.snoozed_until IS NOT NULL")
	}
	if q.Sort == chat.SortWaiting {
		c.add("c.waiting_since IS NOT NULL")
	}
	if q.Unread {
		c.add("c.unread_count > 0")
	}
	if statuses := q.Statuses(); len(statuses) == 1 {
		c.add(status+" = ?", string(statuses[0]))
	} else if q.Sort != chat.SortWaiting {
		either(&c, status, statuses...)
	}
	return c
}

// visibleTo limits rows to those that a user may see: all conversations of connected numbers, those of the
// user's teams, or those assigned to the user; with a team, only of its numbers. Every condition on what a user
// is shown begins with it. The first argument is the organization.
func (c *conditions) visibleTo(d dialect, u chat.User, assignee, teamID string) {
	numbers := "SELECT a.id FROM accounts a WHERE a.org_id = $1 AND a.deleted_at IS NULL"
	if u.Sees != chat.SeesAll && u.Sees != chat.SeesAssigned {
		numbers += " AND a.team_id IN (SELECT m.team_id FROM team_members m WHERE m.org_id = $1 AND m.user_id = " + c.arg(u.ID) + ")"
	}
	if teamID != "" {
		numbers += " AND a.team_id = " + c.arg(teamID)
	}
	c.parts = append(c.parts, fmt.Sprintf(d.among, "c.account_id", numbers))
	if u.Sees == chat.SeesAssigned {
		c.add(assignee+" = ?", u.ID)
	}
}

// IsAssignedIn reports whether a user has an assigned conversation of a number.
func (r Reader) IsAssignedIn(account chat.Account, userID string) (bool, error) {
	found, err := many(r, scanText, "SELECT id FROM conversations WHERE org_id = $1 AND assigned_to = $2 AND account_id = $3 LIMIT 1",
		account.OrgID, userID, account.ID)
	return len(found) > 0, err
}

// Inbox returns one page of the conversations that a user may see.
func (r Reader) Inbox(u chat.User, q InboxQuery, p Page) (Slice[chat.InboxEntry], error) {
	c, o := q.conditions(r.dialect, u), q.order()
	o.after(&c, p.After)
	found, err := r.inboxKeys(&c, o, u, q, p.Limit+1)
	if err != nil {
		return Slice[chat.InboxEntry]{}, err
	}
	rows, err := many(r, inboxList.scan, inboxList.rowsOf(found, o), c.args...)
	return o.slice(rows, p.Limit), err
}

// InboxIDs returns up to limit ids of the list of Inbox, in its order.
func (r Reader) InboxIDs(u chat.User, q InboxQuery, limit int) ([]string, error) {
	c, o := q.conditions(r.dialect, u), q.order()
	found, err := r.inboxKeys(&c, o, u, q, limit)
	if err != nil {
		return nil, err
	}
	return many(r, scanText, "SELECT f.id FROM ("+found+") f", c.args...)
}

// inboxKeys is the query for the keys of a page. Rows found by a label or by mentions are sorted afterwards,
// unless there are too many.
func (r Reader) inboxKeys(c *conditions, o order[chat.InboxEntry], u chat.User, q InboxQuery, limit int) (string, error) {
	set, carries := "", ""
	switch {
	case q.LabelID != "":
		links, err := r.labelLinks(u.OrgID, q.LabelID)
		if err != nil {
			return "", err
		}
		label := c.arg(q.LabelID)
		if links > measuredSearch.manyLinks {
			carries = " AND " + labelledCondition(r.dialect, label)
		} else {
			set = labelledSet(label)
		}
		if q.View == chat.ViewMentions {
			carries += " AND EXISTS (SELECT 1 FROM note_mentions k WHERE k.org_id = $1 AND k.user_id = " + c.arg(u.ID) + " AND k.conversation_id = c.id)"
		}
	case q.View == chat.ViewMentions:
		set = mentionedSet(c.arg(u.ID))
	}
	if set == "" {
		return inboxList.found(c, o, carries, limit), nil
	}
	linked := "SELECT c.org_id, c.id, " + o.of(o.column) + fromSet(set) + c.where() + " AND c.id = k.id" + carries
	return "SELECT c.org_id, c.id FROM (" + linked + ") c" + o.clause() + " LIMIT " + c.arg(limit), nil
}

// fromSet names the set first in a CROSS JOIN, which SQLite does not reorder.
func fromSet(set string) string { return " FROM (" + set + ") k CROSS JOIN conversations c" }

func mentionedSet(user string) string {
	return "SELECT DISTINCT conversation_id AS id FROM note_mentions WHERE org_id = $1 AND user_id = " + user
}

// labelledSet is the conversations with a label, or whose contact has it.
func labelledSet(label string) string {
	return `SELECT k.conversation_id AS id FROM conversation_labels k WHERE k.org_id = $1 AND k.label_id = ` + label + `
		UNION SELECT v.id FROM contact_labels k CROSS JOIN conversations v
			WHERE k.org_id = $1 AND k.label_id = ` + label + ` AND v.org_id = $1 AND v.contact_id = k.contact_id`
}

func labelledCondition(d dialect, label string) string {
	return `(EXISTS (SELECT 1 FROM conversation_labels k WHERE k.org_id = $1 AND k.conversation_id = c.id AND k.label_id = ` + label + d.fence + `)
		OR EXISTS (SELECT 1 FROM contact_labels k WHERE k.org_id = $1 AND k.contact_id = c.contact_id AND k.label_id = ` + label + d.fence + `))`
}

// labelLinks counts the uses of a label, up to the number that matters.
func (r Reader) labelLinks(orgID, labelID string) (int, error) {
	count := func(table string) string {
		return "(SELECT COUNT(*) FROM (SELECT 1 FROM " + table + " WHERE org_id = $1 AND label_id = $2 LIMIT " + strconv.Itoa(measuredSearch.manyLinks+1) + ") k)"
	}
	return one(r, scanInt, "SELECT "+count("conversation_labels")+" + "+count("contact_labels"), orgID, labelID)
}

// InboxCount counts the conversations of a view, and those with unread messages.
func (r Reader) InboxCount(u chat.User, q InboxQuery) (n chat.InboxCount, err error) {
	if n.Open, err = r.CountInbox(u, q); err == nil && n.Open > 0 {
		q.Unread = true
		n.Unread, err = r.CountInbox(u, q)
	}
	return n, err
}

// CountInbox counts the conversations of a view, up to chat.MostCounted.
func (r Reader) CountInbox(u chat.User, q InboxQuery) (int, error) {
	c := q.conditions(r.dialect, u)
	from := " FROM conversations c" + c.where()
	if q.View == chat.ViewMentions {
		set := mentionedSet(c.arg(u.ID))
		from = fromSet(set) + c.where() + " AND c.id = k.id"
	}
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1"+from+" LIMIT "+c.arg(chat.MostCounted)+") n", c.args...)
}

// InboxEntry returns a conversation for a user, or ErrNotFound if the user may not see it. It does not lock.
func (r Reader) InboxEntry(u chat.User, id string) (chat.InboxEntry, error) {
	c := r.seen(u)
	c.add("c.id = ?", id)
	return one(r, scanInboxEntry, inboxList.selectFrom()+c.where(), c.args...)
}

// InboxEntries returns the conversations that a user may see, in any order.
func (r Reader) InboxEntries(u chat.User, ids []string) ([]chat.InboxEntry, error) {
	c := r.seen(u)
	c.parts = append(c.parts, r.dialect.oneOf("c.id", c.arg(r.dialect.list(ids))))
	return many(r, scanInboxEntry, inboxList.selectFrom()+c.where(), c.args...)
}

// SeenConversation returns a conversation, or ErrNotFound if the user may not see it.
func (r Reader) SeenConversation(u chat.User, id string) (chat.Conversation, error) {
	c := r.seen(u)
	c.add("c.id = ?", id)
	return one(r, scanConversation, "SELECT "+prefixed("c", conversationColumns)+" FROM conversations c"+c.where()+r.forUpdate(), c.args...)
}

// SeenOf returns the ids of the conversations that a user may see.
func (r Reader) SeenOf(u chat.User, ids []string) ([]string, error) {
	c := r.seen(u)
	c.parts = append(c.parts, r.dialect.oneOf("c.id", c.arg(r.dialect.list(ids))))
	return many(r, scanText, "SELECT c.id FROM conversations c"+c.where(), c.args...)
}

func (r Reader) seen(u chat.User) (c conditions) {
	c.add("c.org_id = ?", u.OrgID)
	c.visibleTo(r.dialect, u, "c.assigned_to", "")
	return c
}

// LastMessages returns the newest message of each conversation that has one.
func (r Reader) LastMessages(orgID string, conversationIDs []string) (map[string]chat.Message, error) {
	messages, err := many(r, scanMessage, "SELECT "+prefixed("m", messageColumns)+` FROM (
			SELECT (SELECT x.id FROM messages x WHERE x.conversation_id = p.value ORDER BY x.id DESC LIMIT 1) AS id
			FROM `+fmt.Sprintf(r.dialect.texts, "$2")+`) f CROSS JOIN messages m WHERE m.org_id = $1 AND m.id = f.id`,
		orgID, r.dialect.list(conversationIDs))
	last := make(map[string]chat.Message, len(messages))
	for _, m := range messages {
		last[m.ConversationID] = m
	}
	return last, err
}

// ToWake returns up to limit conversations whose snooze has ended.
func (tx *Tx) ToWake(limit int) ([]chat.Conversation, error) {
	return many(tx.Reader, scanConversation, "SELECT "+conversationColumns+" FROM conversations WHERE snoozed_until <= $1 ORDER BY snoozed_until LIMIT $2"+tx.forUpdate(),
		tx.now.UnixMilli(), limit)
}

// AnyToWake reports whether a conversation's snooze has ended.
func (r Reader) AnyToWake(now time.Time) (bool, error) {
	found, err := many(r, scanText, "SELECT id FROM conversations WHERE snoozed_until <= $1 LIMIT 1", now.UnixMilli())
	return len(found) > 0, err
}
