package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

const recipientColumns = `org_id, broadcast_id, id, address, variables, status, reason, contact_id, message_id, replied_at, clicked, opted_out_at`

func scanRecipient(row scanner) (r chat.Recipient, err error) {
	var variables, reason, contactID, messageID, clicked *string
	var repliedAt, optedOutAt *int64
	err = row.Scan(&r.OrgID, &r.BroadcastID, &r.ID, &r.Address, &variables, &r.Status, &reason, &contactID, &messageID, &repliedAt, &clicked, &optedOutAt)
	r.Reason, r.ContactID, r.MessageID, r.Clicked = deref(reason), deref(contactID), deref(messageID), deref(clicked)
	r.RepliedAt, r.OptedOutAt = toTimePtr(repliedAt), toTimePtr(optedOutAt)
	if err == nil && variables != nil {
		err = json.Unmarshal([]byte(*variables), &r.Variables)
	}
	return r, err
}

// newRecipient is a recipient that is being inserted.
type newRecipient struct {
	ID        string  `json:"id"`
	Address   string  `json:"address"`
	Unique    *string `json:"unique"`
	Variables *string `json:"variables"`
	Status    string  `json:"status"`
	Reason    *string `json:"reason"`
	Contact   *string `json:"contact"`
}

// InsertRecipients adds recipients to a broadcast. Each address counts once among the waiting ones, in whichever spelling;
// duplicates are stored as skipped. It returns the number of duplicates. listed means that they were named, not found by
// the audience. Who calls it has locked the broadcast: two spellings are no conflict to the database.
func (tx *Tx) InsertRecipients(orgID, broadcastID string, listed bool, recipients []chat.Recipient) (duplicates int, err error) {
	rows := make([]newRecipient, len(recipients))
	for i, r := range recipients {
		rows[i] = newRecipient{
			ID: tx.NewID(chat.KindRecipient), Address: r.Address, Status: string(r.Status), Reason: orNull(r.Reason), Contact: orNull(r.ContactID),
		}
		if r.Status == chat.RecipientWaiting {
			rows[i].Unique = &r.Address
		}
		if len(r.Variables) > 0 {
			text, err := json.Marshal(r.Variables)
			if err != nil {
				return 0, err
			}
			rows[i].Variables = new(string(text))
		}
	}
	duplicates, err = tx.skipOtherSpellings(broadcastID, rows)
	if err != nil {
		return 0, err
	}
	added, err := tx.insertRecipients(orgID, broadcastID, listed, rows)
	if err != nil || len(added) == len(rows) {
		return duplicates, err
	}
	var again []newRecipient
	for _, row := range rows {
		if !added[row.ID] {
			row.skipDuplicate()
			again = append(again, row)
		}
	}
	_, err = tx.insertRecipients(orgID, broadcastID, listed, again)
	return duplicates + len(again), err
}

func (r *newRecipient) skipDuplicate() {
	r.Unique, r.Status, r.Reason = nil, string(chat.RecipientSkipped), new(chat.SkipDuplicate)
}

// skipOtherSpellings makes duplicates of those whose number is listed in its other spelling, and returns how many.
func (tx *Tx) skipOtherSpellings(broadcastID string, rows []newRecipient) (duplicates int, err error) {
	var others []string
	for _, row := range rows {
		if other := chat.OtherSpelling(row.Address); other != "" && row.Unique != nil {
			others = append(others, other)
		}
	}
	if len(others) == 0 {
		return 0, nil
	}
	listed, err := tx.RecipientsAmong(broadcastID, others)
	for i, row := range rows {
		other := chat.OtherSpelling(row.Address)
		if other == "" || row.Unique == nil {
			continue
		}
		if listed[other] {
			rows[i].skipDuplicate()
			duplicates++
		}
		listed[row.Address] = !listed[other]
	}
	return duplicates, err
}

func (tx *Tx) insertRecipients(orgID, broadcastID string, listed bool, rows []newRecipient) (added map[string]bool, err error) {
	all, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	return set(tx.Reader, `INSERT INTO broadcast_recipients (org_id, broadcast_id, id, address, unique_address, variables, status, reason, contact_id, listed)
		SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), p.value ->> 'id', p.value ->> 'address', p.value ->> 'unique', p.value ->> 'variables',
			p.value ->> 'status', p.value ->> 'reason', p.value ->> 'contact', CAST($4 AS BOOLEAN)
		FROM `+fmt.Sprintf(tx.dialect.objects, "$3")+` WHERE TRUE
		ON CONFLICT (broadcast_id, unique_address) WHERE unique_address IS NOT NULL DO NOTHING RETURNING id`,
		orgID, broadcastID, string(all), listed)
}

// RecipientsAmong returns the addresses that recipients of a broadcast have.
func (r Reader) RecipientsAmong(broadcastID string, addresses []string) (map[string]bool, error) {
	return set(r, "SELECT unique_address FROM broadcast_recipients WHERE broadcast_id = $1 AND unique_address IS NOT NULL AND "+r.dialect.oneOf("unique_address", "$2"),
		broadcastID, r.dialect.list(addresses))
}

// ServedAmong returns the addresses under which a broadcast's recipients have their message, or will have it.
func (r Reader) ServedAmong(broadcastID string, addresses []string) (map[string]bool, error) {
	return set(r, "SELECT unique_address FROM broadcast_recipients WHERE broadcast_id = $1 AND unique_address IS NOT NULL AND "+r.dialect.oneOf("unique_address", "$2")+
		" AND status IN ('queued', 'sent', 'delivered', 'read')", broadcastID, r.dialect.list(addresses))
}

// FirstRecipients returns up to limit of a broadcast's recipients with a status, after an id, in the order in
// which they were added.
func (r Reader) FirstRecipients(broadcastID string, status chat.RecipientStatus, after string, limit int) ([]chat.Recipient, error) {
	return many(r, scanRecipient, "SELECT "+recipientColumns+` FROM broadcast_recipients WHERE broadcast_id = $1 AND status = $2 AND id > $3
		ORDER BY id LIMIT $4`, broadcastID, string(status), after, limit)
}

// ListedRecipients returns up to limit of a broadcast's named recipients after an id, without wrong and
// duplicate addresses. COALESCE keeps the engine from the index on unique addresses, which has another order.
func (r Reader) ListedRecipients(orgID, broadcastID, after string, limit int) ([]chat.Recipient, error) {
	return many(r, scanRecipient, "SELECT "+recipientColumns+` FROM broadcast_recipients WHERE org_id = $1
		AND broadcast_id = $2 AND id > $3 AND listed AND COALESCE(unique_address, '') <> '' ORDER BY id LIMIT $4`, orgID, broadcastID, after, limit)
}

// StillWaiting locks those of a broadcast's recipients who still wait, and returns them: a contact may be deleted after its
// recipient was read. Who deletes one locks the conversation first, so the caller does that too.
func (tx *Tx) StillWaiting(broadcastID string, rows []chat.Recipient) ([]chat.Recipient, error) {
	if tx.dialect.forUpdate == "" || len(rows) == 0 {
		return rows, nil // SQLite runs one writing transaction at a time
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	// In no order, for which the engine might walk over everybody who waits.
	waiting, err := set(tx.Reader, "SELECT id FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'waiting' AND "+tx.dialect.oneOfFew("id", "$2")+tx.forUpdate(),
		broadcastID, tx.dialect.list(ids))
	return slices.DeleteFunc(slices.Clone(rows), func(r chat.Recipient) bool { return !waiting[r.ID] }), err
}

// ReasonCount is the number of recipients with a status and reason.
type ReasonCount struct {
	Status chat.RecipientStatus
	Reason string
	N      int64
}

// ReasonCounts counts why recipients were skipped or failed.
func (r Reader) ReasonCounts(broadcastID string) ([]ReasonCount, error) {
	return many(r, func(row scanner) (c ReasonCount, err error) {
		err = row.Scan(&c.Status, &c.Reason, &c.N)
		return c, err
	}, `SELECT status, COALESCE(reason, ''), COUNT(*) FROM broadcast_recipients
		WHERE broadcast_id = $1 AND status IN ('skipped', 'failed') GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2`, broadcastID)
}

// ClickCounts counts how often each button was the first that a recipient pressed.
func (r Reader) ClickCounts(broadcastID string) ([]ReasonCount, error) {
	return many(r, func(row scanner) (c ReasonCount, err error) {
		err = row.Scan(&c.Reason, &c.N)
		return c, err
	}, `SELECT clicked, COUNT(*) FROM broadcast_recipients WHERE broadcast_id = $1 AND clicked IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1`, broadcastID)
}

// QueuedFirst counts, up to limit, the messages of a broadcast that wait for their first attempt, from a recipient on.
// It returns the first of their recipients too, empty if there are none or limit of them. The organization is asked of
// the jobs alone: asked of the recipients, the engine would walk the primary key, over those who have their message.
func (r Reader) QueuedFirst(orgID, broadcastID, from string, limit int) (n int, first string, err error) {
	n, err = one(r, func(row scanner) (n int, err error) {
		err = row.Scan(&n, &first)
		return n, err
	}, `SELECT COUNT(*), COALESCE(MIN(q.id), '') FROM (SELECT r.id FROM broadcast_recipients r JOIN send_jobs j ON j.message_id = r.message_id
		WHERE r.broadcast_id = $2 AND r.status = 'queued' AND r.id >= $3 AND j.org_id = $1 AND j.attempts = 0 LIMIT $4) q`, orgID, broadcastID, from, limit)
	if n >= limit {
		first = ""
	}
	return n, first, err
}

// AnyRecipient reports whether a broadcast has recipients with a status.
func (r Reader) AnyRecipient(broadcastID string, status chat.RecipientStatus) (bool, error) {
	found, err := r.FirstRecipients(broadcastID, status, "", 1)
	return len(found) > 0, err
}

// QueueRecipient stores a recipient's message.
func (tx *Tx) QueueRecipient(r chat.Recipient) error {
	return tx.later(`UPDATE broadcast_recipients SET status = 'queued', reason = NULL, contact_id = $4, message_id = $5
		WHERE org_id = $1 AND id = $2 AND broadcast_id = $3`, r.OrgID, r.ID, r.BroadcastID, orNull(r.ContactID), r.MessageID)
}

// MoveRecipient stores a recipient's new address, which no other recipient of the broadcast has.
func (tx *Tx) MoveRecipient(r chat.Recipient) error {
	return tx.later(`UPDATE broadcast_recipients SET address = $4, unique_address = $4
		WHERE org_id = $1 AND id = $2 AND broadcast_id = $3`, r.OrgID, r.ID, r.BroadcastID, r.Address)
}

// SkipRecipient stores why a recipient gets no message.
func (tx *Tx) SkipRecipient(r chat.Recipient, reason string) error {
	return tx.later(`UPDATE broadcast_recipients SET status = 'skipped', reason = $4, contact_id = $5
		WHERE org_id = $1 AND id = $2 AND broadcast_id = $3`, r.OrgID, r.ID, r.BroadcastID, reason, orNull(r.ContactID))
}

// SkipWaiting skips up to limit waiting recipients, and returns how many. They are found by their status: by the
// organization, each call would walk over those whom the calls before it have skipped.
func (tx *Tx) SkipWaiting(orgID, broadcastID, reason string, limit int) (int64, error) {
	return tx.exec("UPDATE broadcast_recipients SET status = 'skipped', reason = $3 WHERE status = 'waiting' AND "+tx.dialect.oneOfThose("org_id, broadcast_id, id",
		"broadcast_recipients WHERE org_id || '' = $1 AND broadcast_id = $2 AND status = 'waiting' ORDER BY id LIMIT $4"), orgID, broadcastID, reason, limit)
}

// MovedRecipient is a recipient whose message has a new status.
type MovedRecipient struct{ ID, BroadcastID, MessageID string }

// MoveRecipients stores the status of the recipients of messages, and the reason if one is given. It does not
// filter by organization, because SQLite would then read all its recipients; the caller's messages are of one
// organization.
func (tx *Tx) MoveRecipients(messageIDs []string, status chat.RecipientStatus, reason string) ([]MovedRecipient, error) {
	return many(tx.Reader, func(row scanner) (m MovedRecipient, err error) {
		err = row.Scan(&m.ID, &m.BroadcastID, &m.MessageID)
		return m, err
	}, moveRecipients(tx.dialect), string(status), orNull(reason), tx.dialect.list(messageIDs))
}

func moveRecipients(d dialect) string {
	return "UPDATE broadcast_recipients SET status = $1, reason = $2 WHERE message_id IS NOT NULL AND " + d.oneOf("message_id", "$3") +
		" RETURNING id, broadcast_id, message_id"
}

// RecipientOfMessage returns the recipient of a message, or ErrNotFound.
func (r Reader) RecipientOfMessage(orgID, messageID string) (chat.Recipient, error) {
	return one(r, scanRecipient, "SELECT "+recipientColumns+" FROM broadcast_recipients WHERE message_id = $2 AND org_id = $1"+r.forUpdate(), orgID, messageID)
}

// HaltedMessages are those of some messages whose broadcast was paused or stopped after they were made. One that paused
// because the month's messages are used up has not halted those that are among them. Like MoveRecipients it does not filter by
// organization.
func (r Reader) HaltedMessages(messageIDs []string) (map[string]bool, error) {
	return set(r, `SELECT r.message_id FROM broadcast_recipients r JOIN broadcasts b ON b.org_id = r.org_id AND b.id = r.broadcast_id
		WHERE r.message_id IS NOT NULL AND `+r.dialect.oneOf("r.message_id", "$1")+` AND
			(b.status = '`+string(chat.BroadcastStopped)+`' OR b.status = '`+string(chat.BroadcastPaused)+`' AND b.reason <> '`+string(chat.ReasonQuotaExceeded)+"')",
		r.dialect.list(messageIDs))
}

// UnqueueRecipient detaches a recipient's message, so that the recipient waits again.
func (tx *Tx) UnqueueRecipient(r chat.Recipient) error {
	return tx.later(`UPDATE broadcast_recipients SET status = 'waiting', message_id = NULL, reason = NULL
		WHERE org_id = $1 AND broadcast_id = $2 AND id = $3`, r.OrgID, r.BroadcastID, r.ID)
}

// RetriableRecipients returns up to limit of a broadcast's recipients who can get another message: first those whose
// message failed, then those who were skipped because the customer was suspended. A deleted contact has no address any
// more.
func (r Reader) RetriableRecipients(broadcastID string, limit int) ([]chat.Recipient, error) {
	rows, err := many(r, scanRecipient, "SELECT "+recipientColumns+` FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'failed' AND address <> ''
		ORDER BY id LIMIT $2`+r.forUpdate(), broadcastID, limit)
	if err != nil || len(rows) == limit {
		return rows, err
	}
	skipped, err := many(r, scanRecipient, "SELECT "+recipientColumns+` FROM broadcast_recipients WHERE broadcast_id = $1 AND reason = $2 AND status || '' = 'skipped'
		AND address <> '' ORDER BY id LIMIT $3`+r.forUpdate(), broadcastID, string(chat.CodeCustomerSuspended), limit-len(rows))
	return append(rows, skipped...), err
}

// ForgetPerson removes a contact from its account's broadcasts. The results of the messages stay, without the
// person. Waiting recipients are skipped; it returns how many, by broadcast.
func (tx *Tx) ForgetPerson(c chat.Contact) (skipped map[string]int64, err error) {
	skipped = map[string]int64{}
	forget := func(condition string, args ...any) error {
		return tx.db.query(tx.ctx, `UPDATE broadcast_recipients SET address = '', unique_address = NULL, variables = NULL, contact_id = NULL,
				reason = CASE WHEN status = 'waiting' THEN '`+chat.SkipDeleted+`' ELSE reason END,
				status = CASE WHEN status = 'waiting' THEN 'skipped' ELSE status END
			WHERE `+condition+" RETURNING broadcast_id, COALESCE(reason, '')", args, func(row scanner) error {
			var id, reason string
			err := row.Scan(&id, &reason)
			if reason == chat.SkipDeleted {
				skipped[id]++
			}
			return err
		})
	}
	if err := forget("contact_id = $1", c.ID); err != nil {
		return nil, err
	}
	for _, id := range []*string{c.PhoneNumber, c.BSUID, c.ParentBSUID} {
		if id == nil {
			continue
		}
		for _, address := range spellings(*id) {
			if err := forget("address = $1 AND broadcast_id IN (SELECT id FROM broadcasts WHERE account_id = $2)", address, c.AccountID); err != nil {
				return nil, err
			}
		}
	}
	return skipped, nil
}

// SkipSecond skips the waiting recipients of an account's broadcasts who are a person with these contacts and addresses,
// if the person has the message, or will have it, as another recipient. It returns how many, by broadcast. They give their
// address free, so that they are not in the way if the other message is taken back.
func (tx *Tx) SkipSecond(orgID, accountID string, contactIDs, addresses []string) (map[string]int64, error) {
	rows, err := tx.recipientsWho(orgID, accountID, contactIDs, addresses)
	served := map[string]bool{}
	for _, r := range rows {
		if r.Status != chat.RecipientWaiting {
			served[r.BroadcastID] = true
		}
	}
	skipped := map[string]int64{}
	for _, r := range rows {
		if err != nil || r.Status != chat.RecipientWaiting || !served[r.BroadcastID] {
			continue
		}
		var n int64
		n, err = tx.exec(`UPDATE broadcast_recipients SET status = 'skipped', reason = '`+chat.SkipDuplicate+`', unique_address = NULL
			WHERE org_id = $1 AND broadcast_id = $2 AND id = $3 AND status = 'waiting'`, orgID, r.BroadcastID, r.ID)
		skipped[r.BroadcastID] += n
	}
	return skipped, err
}

// recipientsWho are the recipients who are a person, wait or have a message, in the broadcasts of an account that go on or
// can go on. Each condition is one of its own, so that there is an index for it.
func (r Reader) recipientsWho(orgID, accountID string, contactIDs, addresses []string) ([]chat.Recipient, error) {
	c := conditions{args: []any{orgID, accountID}}
	var each []string
	who := func(column string, values []string) {
		for _, value := range values {
			each = append(each, "SELECT broadcast_id, id, status FROM broadcast_recipients WHERE "+column+" = "+c.arg(value)+`
				AND status IN ('waiting', 'queued', 'sent', 'delivered', 'read')
				AND broadcast_id IN (SELECT id FROM broadcasts WHERE org_id = $1 AND account_id = $2 AND status IN ('sending', 'paused'))`)
		}
	}
	who("contact_id", contactIDs)
	who("address", addresses)
	return many(r, func(row scanner) (found chat.Recipient, err error) {
		err = row.Scan(&found.BroadcastID, &found.ID, &found.Status)
		return found, err
	}, strings.Join(each, " UNION ")+" ORDER BY 1, 2", c.args...)
}

// RetryRecipient makes a recipient wait again under a new id, because its next message is another event.
func (tx *Tx) RetryRecipient(r chat.Recipient) error {
	return tx.later(`UPDATE broadcast_recipients SET id = $4, status = 'waiting', message_id = NULL, reason = NULL
		WHERE org_id = $1 AND broadcast_id = $2 AND id = $3`, r.OrgID, r.BroadcastID, r.ID, tx.NewID(chat.KindRecipient))
}

// SkipServed skips a recipient who has the message as another one, instead of a retry.
func (tx *Tx) SkipServed(r chat.Recipient) error {
	return tx.later(`UPDATE broadcast_recipients SET status = 'skipped', reason = '`+chat.SkipDuplicate+`', message_id = NULL, unique_address = NULL
		WHERE org_id = $1 AND broadcast_id = $2 AND id = $3`, r.OrgID, r.BroadcastID, r.ID)
}

// NoteReaction stores a recipient's reaction. Each field is set once.
func (tx *Tx) NoteReaction(r chat.Recipient) error {
	return tx.later(`UPDATE broadcast_recipients SET replied_at = $4, clicked = $5, opted_out_at = $6
		WHERE org_id = $1 AND broadcast_id = $2 AND id = $3`, r.OrgID, r.BroadcastID, r.ID, msPtr(r.RepliedAt), orNull(r.Clicked), msPtr(r.OptedOutAt))
}

// DeleteRecipients removes up to limit of a broadcast's recipients, and returns the status of each.
func (tx *Tx) DeleteRecipients(orgID, broadcastID string, limit int) (statuses []string, err error) {
	return many(tx.Reader, scanText, "DELETE FROM broadcast_recipients WHERE "+tx.dialect.oneOfThose("org_id, broadcast_id, id",
		"broadcast_recipients WHERE org_id = $1 AND broadcast_id = $2 ORDER BY id LIMIT $3")+" RETURNING status", orgID, broadcastID, limit)
}

// LostMessages returns up to limit recipients whose message was deleted before it was sent.
func (r Reader) LostMessages(orgID, broadcastID string, limit int) ([]chat.Recipient, error) {
	return many(r, scanRecipient, "SELECT "+prefixed("r", recipientColumns)+` FROM broadcast_recipients r
		LEFT JOIN messages m ON m.org_id = $1 AND m.id = r.message_id
		WHERE r.broadcast_id = $2 AND r.status = 'queued' AND r.org_id || '' = $1 AND m.id IS NULL ORDER BY r.id LIMIT $3`, orgID, broadcastID, limit)
}

// FailRecipient fails a recipient whose message was deleted.
func (tx *Tx) FailRecipient(r chat.Recipient, reason string) error {
	return tx.later(`UPDATE broadcast_recipients SET status = 'failed', reason = $4 WHERE org_id = $1 AND broadcast_id = $2 AND id = $3`,
		r.OrgID, r.BroadcastID, r.ID, reason)
}

// QuotedMessage returns the message to which a reply refers, and its source, or ErrNotFound.
func (r Reader) QuotedMessage(orgID, accountID, providerID string) (id string, source chat.Source, err error) {
	id, err = one(r, func(row scanner) (id string, err error) {
		err = row.Scan(&id, &source)
		return id, err
	}, "SELECT id, source FROM messages WHERE org_id = $1 AND account_id = $2 AND provider_id = $3", orgID, accountID, providerID)
	return id, source, err
}
