package store

import (
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const conversationColumns = "org_id, id, account_id, contact_id, status, assigned_to, unread_count, sort_at, last_inbound_at, waiting_since, snoozed_until, broadcast_message, created_at, updated_at"

func scanConversation(row scanner) (c chat.Conversation, err error) {
	var sortAt, createdAt, updatedAt int64
	var inboundAt, waitingSince, snoozedUntil *int64
	err = row.Scan(&c.OrgID, &c.ID, &c.AccountID, &c.ContactID, &c.Status, &c.AssignedTo, &c.UnreadCount, &sortAt, &inboundAt, &waitingSince, &snoozedUntil,
		&c.BroadcastMessage, &createdAt, &updatedAt)
	if sortAt > 0 {
		c.LastMessageAt = toTimePtr(&sortAt)
	}
	c.WaitingSince, c.SnoozedUntil = toTimePtr(waitingSince), toTimePtr(snoozedUntil)
	c.LastInboundAt, c.CreatedAt, c.UpdatedAt = toTimePtr(inboundAt), toTime(createdAt), toTime(updatedAt)
	return c, err
}

// conversationList reads a conversation with the data that the inbox shows beside it. The outer joins find at
// most one row each, and keep the conversations' order.
var conversationList = labelledList[chat.ConversationDetail]{
	columns: prefixed("c", conversationColumns) + ", t.phone_number, t.name, u.name, u.email",
	table:   "conversations", scan: scanConversationDetail, links: "conversation_labels", owner: "conversation_id", labelSearch: measuredSearch,
	joins: ` LEFT JOIN contacts t ON t.org_id = c.org_id AND t.id = c.contact_id
		LEFT JOIN users u ON u.org_id = c.org_id AND u.id = c.assigned_to`,
}

func scanConversationDetail(row scanner) (d chat.ConversationDetail, err error) {
	d.Conversation, err = scanConversation(columnsAround{row: row, last: []any{&d.ContactNumber, &d.ContactName, &d.AssigneeName, &d.AssigneeEmail}})
	return d, err
}

var (
	conversationsByActivity = order[chat.ConversationDetail]{alias: "c", column: "sort_at", position: func(c chat.ConversationDetail) Position {
		return Position{toTime(sortAt(c.Conversation)), c.ID}
	}}
	// Most conversations were last updated by their last message.
	conversationsByUpdate = order[chat.ConversationDetail]{alias: "c", column: "updated_at", twin: "sort_at", position: func(c chat.ConversationDetail) Position {
		return Position{c.UpdatedAt, c.ID}
	}}
)

// ConversationFilter narrows a list of conversations. Empty fields match all.
type ConversationFilter struct {
	Status       chat.ConversationStatus
	ContactID    string
	AssignedTo   string
	LabelID      string
	UpdatedSince *time.Time // exclusive; also sorts by update
}

// Conversations returns one page of an account's conversations: by the last message, those without one at the
// end, or by the last update.
func (r Reader) Conversations(orgID, accountID string, f ConversationFilter, p Page) (Slice[chat.ConversationDetail], error) {
	var c conditions
	c.add("c.org_id = ?", orgID)
	account, assignee := "c.account_id", "c.assigned_to"
	order := conversationsByActivity
	switch {
	case f.UpdatedSince != nil:
		assignee, order = unindexed(assignee), conversationsByUpdate
		order.since = c.arg(f.UpdatedSince.UnixMilli())
		c.add("c.updated_at + 0 > " + order.since) // not by an index: each walk has its own bound
	case f.ContactID != "":
	case f.AssignedTo != "":
		account = unindexed(account)
		if f.Status == "" {
			either(&c, "c.status", chat.ConversationStatuses...)
		}
	case f.Status != "" && f.LabelID == "":
		return r.conversationsByStatus(orgID, accountID, f.Status, p)
	}
	c.add(account+" = ?", accountID)
	c.addIf("c.status = ?", string(f.Status))
	c.addIf("c.contact_id = ?", f.ContactID)
	c.addIf(assignee+" = ?", f.AssignedTo)
	if f.ContactID != "" {
		return conversationList.single(r, c, order, f.LabelID, p)
	}
	return conversationList.page(r, c, order, f.LabelID, p)
}

// statusWalk is how many of an organization's conversations of a status are read to find those of a number.
const statusWalk = 2_000

// conversationsByStatus returns one page of an account's conversations of a status. An organization has one
// number or a few, so its list of that status usually has enough of them near its beginning. Otherwise the
// number's own list of all conversations is walked. An index by number and status would have to be written with
// every message.
func (r Reader) conversationsByStatus(orgID, accountID string, status chat.ConversationStatus, p Page) (Slice[chat.ConversationDetail], error) {
	o := conversationsByActivity
	var c conditions
	c.add("c.org_id = ?", orgID)
	c.add("c.status = ?", string(status))
	o.after(&c, p.After)
	beginning := "(SELECT c.org_id, c.id, c.sort_at, c.account_id FROM conversations c" + c.where() + o.clause() + " LIMIT " + c.arg(statusWalk) + ") b"
	args := slices.Clip(c.args)
	found := "SELECT b.org_id, b.id FROM " + beginning + " WHERE b.account_id = " + c.arg(accountID) + " ORDER BY b.sort_at DESC, b.id DESC LIMIT " + c.arg(p.Limit+1)
	rows, err := many(r, scanConversationDetail, conversationList.rowsOf(found, o), c.args...)
	if err != nil || len(rows) > p.Limit {
		return o.slice(rows, p.Limit), err
	}
	walked, err := one(r, scanInt, "SELECT COUNT(*) FROM "+beginning, args...)
	if err != nil || walked < statusWalk {
		return o.slice(rows, p.Limit), err
	}
	var all conditions
	all.add("c.org_id = ?", orgID)
	all.add("c.account_id = ?", accountID)
	all.add(unindexed("c.status")+" = ?", string(status))
	o.after(&all, p.After)
	found = conversationList.found(&all, o, "", p.Limit+1)
	rows, err = many(r, scanConversationDetail, conversationList.rowsOf(found, o), all.args...)
	return o.slice(rows, p.Limit), err
}

// unindexed hides a column from the planner, so that it uses the index of the list's order, which serves
// better.
func unindexed(column string) string { return "(" + column + " || '')" }

// ConversationDetail returns a conversation of an account with the data shown beside it, or ErrNotFound. It
// does not lock.
func (r Reader) ConversationDetail(orgID, accountID, id string) (chat.ConversationDetail, error) {
	return one(r, scanConversationDetail, conversationList.selectFrom()+" WHERE c.org_id = $1 AND c.id = $2 AND c.account_id = $3", orgID, id, accountID)
}

// Conversation returns a conversation of an account, or ErrNotFound.
func (r Reader) Conversation(orgID, accountID, id string) (chat.Conversation, error) {
	return one(r, scanConversation, "SELECT "+conversationColumns+" FROM conversations WHERE org_id = $1 AND id = $2 AND account_id = $3"+r.forUpdate(),
		orgID, id, accountID)
}

// ConversationWith returns the conversation with a contact, or ErrNotFound.
func (r Reader) ConversationWith(orgID, contactID string) (chat.Conversation, error) {
	if r.foreseen.isFresh(contactID) {
		return chat.Conversation{}, ErrNotFound
	}
	return one(r, scanConversation, "SELECT "+conversationColumns+" FROM conversations WHERE org_id = $1 AND contact_id = $2"+r.forUpdate(),
		orgID, contactID)
}

var threadColumns = prefixed("c", contactColumns) + ", " + prefixed("v", conversationColumns)

// ThreadByNumber returns an account's contact of that number and the conversation with it, or
// ErrNotFound when either is missing. Inside a transaction it locks the conversation alone, as readThreads does.
func (r Reader) ThreadByNumber(orgID, accountID, number string) (contact chat.Contact, conversation chat.Conversation, err error) {
	k := ThreadKey{orgID, accountID, number}
	if r.foreseen.lacks(k) {
		return contact, conversation, ErrNotFound
	}
	if t, known := r.foreseen.thread(k); known {
		return t.contact, t.conversation, nil
	}
	t, err := one(r, func(row scanner) (t foundThread, err error) {
		t.contact, t.conversation, err = scanThread(row)
		return t, err
	}, "SELECT "+threadColumns+`
		FROM contacts c JOIN conversations v ON v.org_id = c.org_id AND v.contact_id = c.id
		WHERE c.org_id = $1 AND c.account_id = $2 AND c.phone_number = $3`+r.forUpdateOf("v"), orgID, accountID, number)
	return t.contact, t.conversation, err
}

// InsertConversation stores a new conversation; ErrDuplicate when the contact has one.
func (tx *Tx) InsertConversation(c chat.Conversation) error {
	tx.noteConversation(c.OrgID, c.ID)
	const text = "INSERT INTO conversations (" + conversationColumns + ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
	args := []any{c.OrgID, c.ID, c.AccountID, c.ContactID, string(c.Status), c.AssignedTo, c.UnreadCount, sortAt(c), msPtr(c.LastInboundAt),
		msPtr(c.WaitingSince), msPtr(c.SnoozedUntil), c.BroadcastMessage, c.CreatedAt.UnixMilli(), c.UpdatedAt.UnixMilli()}
	if tx.foreseen.addConversation(c) {
		return tx.later(text, args...)
	}
	err := tx.insert(text+" ON CONFLICT (org_id, contact_id) DO NOTHING", args...)
	if err == nil {
		tx.begun = c.ID
	}
	return err
}

// UpdateConversation stores the changeable fields of a conversation.
func (tx *Tx) UpdateConversation(c chat.Conversation) error {
	tx.noteConversation(c.OrgID, c.ID)
	return tx.execOne(`UPDATE conversations SET status = $3, assigned_to = $4, unread_count = $5, sort_at = $6, last_inbound_at = $7,
			waiting_since = $8, snoozed_until = $9, updated_at = $10
		WHERE org_id = $1 AND id = $2`,
		c.OrgID, c.ID, string(c.Status), c.AssignedTo, c.UnreadCount, sortAt(c), msPtr(c.LastInboundAt),
		msPtr(c.WaitingSince), msPtr(c.SnoozedUntil), c.UpdatedAt.UnixMilli())
}

// NoteInbound stores the changes that an inbound message makes to an open conversation. waits says that the
// wait for an answer begins with it; otherwise no index is touched.
func (tx *Tx) NoteInbound(c chat.Conversation, waits bool) error {
	tx.noteConversation(c.OrgID, c.ID)
	text := "UPDATE conversations SET status = $3, unread_count = $4, sort_at = $5, last_inbound_at = $6, updated_at = $7"
	args := []any{c.OrgID, c.ID, string(c.Status), c.UnreadCount, sortAt(c), msPtr(c.LastInboundAt), c.UpdatedAt.UnixMilli()}
	if waits {
		text, args = text+", waiting_since = $8", append(args, msPtr(c.WaitingSince))
	}
	return tx.later(text+" WHERE org_id = $1 AND id = $2", args...)
}

func sortAt(c chat.Conversation) int64 {
	if c.LastMessageAt == nil {
		return 0
	}
	return c.LastMessageAt.UnixMilli()
}

// TouchConversation sets the update time of a conversation.
func (tx *Tx) TouchConversation(orgID, id string) error {
	tx.noteConversation(orgID, id)
	return tx.execOne("UPDATE conversations SET updated_at = $3 WHERE org_id = $1 AND id = $2", orgID, id, tx.now.UnixMilli())
}

// hangOnConversations are the tables whose rows are deleted with the conversation.
var hangOnConversations = []string{"conversation_labels", "notes", "note_mentions", "happenings", "drafts", "away_replies"}

// DeleteConversation deletes a conversation with everything in it, including its messages as PurgeConversation
// does, or returns ErrNotFound.
func (tx *Tx) DeleteConversation(orgID, id string) error {
	tx.noteConversation(orgID, id)
	if err := tx.execOne("DELETE FROM conversations WHERE org_id = $1 AND id = $2", orgID, id); err != nil {
		return err
	}
	if err := tx.leaveSearch("conversations", orgID, []string{id}); err != nil {
		return err
	}
	for _, table := range hangOnConversations {
		if err := tx.later("DELETE FROM "+table+" WHERE org_id = $1 AND conversation_id = $2", orgID, id); err != nil {
			return err
		}
	}
	if err := tx.forgetNames(orgID, id); err != nil {
		return err
	}
	_, err := tx.forgetMessages("conversation_id = $2", orgID, id)
	return err
}

// NoteMessage moves a conversation to the top for a message at the instant.
func (tx *Tx) NoteMessage(orgID, conversationID string, at time.Time) error {
	tx.noteConversation(orgID, conversationID)
	return tx.later(`UPDATE conversations SET sort_at = CASE WHEN sort_at < $3 THEN $3 ELSE sort_at END, updated_at = $4
		WHERE org_id = $1 AND id = $2`, orgID, conversationID, at.UnixMilli(), tx.now.UnixMilli())
}

// NoteBroadcast is NoteMessage for a broadcast's message, to which the person's next message may refer.
func (tx *Tx) NoteBroadcast(orgID, conversationID, messageID string, at time.Time) error {
	tx.noteConversation(orgID, conversationID)
	return tx.later(`UPDATE conversations SET sort_at = CASE WHEN sort_at < $3 THEN $3 ELSE sort_at END, updated_at = $4, broadcast_message = $5
		WHERE org_id = $1 AND id = $2`, orgID, conversationID, at.UnixMilli(), tx.now.UnixMilli(), messageID)
}

// NoteReply is NoteMessage for an answer to a waiting person.
func (tx *Tx) NoteReply(orgID, conversationID string, at time.Time) error {
	tx.noteConversation(orgID, conversationID)
	return tx.later(`UPDATE conversations SET sort_at = CASE WHEN sort_at < $3 THEN $3 ELSE sort_at END, updated_at = $4, waiting_since = NULL
		WHERE org_id = $1 AND id = $2`, orgID, conversationID, at.UnixMilli(), tx.now.UnixMilli())
}

// NoteHistory moves a conversation up to an imported message's time at most, and leaves updated_at alone.
func (tx *Tx) NoteHistory(orgID, conversationID string, at time.Time) error {
	return tx.later("UPDATE conversations SET sort_at = $3 WHERE org_id = $1 AND id = $2 AND sort_at < $3",
		orgID, conversationID, at.UnixMilli())
}

// ConversationLabels returns the labels on a conversation, by name.
func (r Reader) ConversationLabels(orgID, conversationID string) ([]chat.Label, error) {
	if labels, known := r.foreseen.labelsOf(conversationKey{orgID, conversationID}); known {
		return labels, nil
	}
	return many(r, scanLabel, "SELECT "+prefixed("l", labelColumns)+` FROM conversation_labels x
		JOIN labels l ON l.org_id = x.org_id AND l.id = x.label_id
		WHERE x.org_id = $1 AND x.conversation_id = $2 ORDER BY l.name_key`, orgID, conversationID)
}
