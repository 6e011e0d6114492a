package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const messageColumns = `org_id, id, account_id, conversation_id, contact_id, direction, type, status, source, provider_id, content, context_id,
	error_code, error_message, error_provider, played_at, revoked, reports, media_id, edits, extra, sent_by, created_at, updated_at`

func scanMessage(row scanner) (chat.Message, error) {
	var m messageRow
	err := row.Scan(m.dest()...)
	return m.value(), err
}

type messageRow struct {
	m                                                   chat.Message
	providerID, mediaID, edits, extra, errCode, errText *string
	sentBy                                              *string
	errProvider, playedAt                               *int64
	content                                             string
	createdAt, updatedAt                                int64
}

func (r *messageRow) dest() []any {
	m := &r.m
	return []any{&m.OrgID, &m.ID, &m.AccountID, &m.ConversationID, &m.ContactID, &m.Direction, &m.Type, &m.Status, &m.Source,
		&r.providerID, &r.content, &m.Context, &r.errCode, &r.errText, &r.errProvider, &r.playedAt, &m.Revoked, &m.Reports, &r.mediaID, &r.edits, &r.extra, &r.sentBy,
		&r.createdAt, &r.updatedAt}
}

func (r *messageRow) value() chat.Message {
	m := r.m
	m.Content = json.RawMessage(r.content)
	if r.providerID != nil {
		m.ProviderID = *r.providerID
	}
	if r.sentBy != nil {
		m.SentBy = *r.sentBy
	}
	if r.mediaID != nil {
		m.MediaID = *r.mediaID
	}
	if r.edits != nil {
		m.Edits = json.RawMessage(*r.edits)
	}
	if r.extra != nil {
		m.Extra = json.RawMessage(*r.extra)
	}
	if r.errCode != nil {
		m.Error = &chat.MessageError{Code: chat.MessageErrorCode(*r.errCode), Message: *r.errText}
		if r.errProvider != nil {
			code := int(*r.errProvider)
			m.Error.ProviderCode = &code
		}
	}
	m.PlayedAt, m.CreatedAt, m.UpdatedAt = toTimePtr(r.playedAt), toTime(r.createdAt), toTime(r.updatedAt)
	return m
}

var messagesByID = order[chat.Message]{alias: "c", position: func(m chat.Message) Position { return Position{ID: m.ID} }}

// Message returns a message of an account, or ErrNotFound.
func (r Reader) Message(orgID, accountID, id string) (chat.Message, error) {
	return one(r, scanMessage, "SELECT "+messageColumns+" FROM messages WHERE org_id = $1 AND id = $2 AND account_id = $3"+r.forUpdate(),
		orgID, id, accountID)
}

// MessageByProviderID finds an account's message by the provider's id, or ErrNotFound.
func (r Reader) MessageByProviderID(orgID, accountID, providerID string) (chat.Message, error) {
	return one(r, scanMessage, "SELECT "+messageColumns+" FROM messages WHERE org_id = $1 AND account_id = $2 AND provider_id = $3"+r.forUpdate(),
		orgID, accountID, providerID)
}

// MessageState is the part of a message that a status may change, with its conversation. Unknown are the
// recipient's identifiers that are not known.
type MessageState struct {
	chat.Message
	Unknown Identifiers
}

// Identifiers is a set of a contact's identifiers.
type Identifiers int

// The identifiers of a contact.
const (
	Number Identifiers = 1 << iota
	BSUID
	ParentBSUID
)

// ProviderMessage names a message of an account by the provider's id.
type ProviderMessage struct{ AccountID, ProviderID string }

// StatesByProviderIDs finds an organization's messages by the provider's ids, and locks them.
func (tx *Tx) StatesByProviderIDs(orgID string, of []ProviderMessage) ([]MessageState, error) {
	slices.SortFunc(of, func(a, b ProviderMessage) int { return strings.Compare(a.ProviderID, b.ProviderID) }) // the order of locks
	return statesOf(tx, orgID, of, "m.account_id = p.value ->> 'AccountID' AND m.provider_id = p.value ->> 'ProviderID'")
}

// StatesByIDs finds an organization's messages, and locks them in the order of LockMessages.
func (tx *Tx) StatesByIDs(orgID string, ids []string) ([]MessageState, error) {
	type message struct{ ID string }
	slices.Sort(ids)
	var of []message
	for _, id := range slices.Compact(ids) {
		of = append(of, message{id})
	}
	return statesOf(tx, orgID, of, "m.id = p.value ->> 'ID'")
}

// statesOf reads the states of messages in their order. It reads as few columns as possible, because every message comes
// here three times.
func statesOf[T any](tx *Tx, orgID string, of []T, condition string) ([]MessageState, error) {
	if len(of) == 0 {
		return nil, nil
	}
	keys, err := json.Marshal(of)
	if err == nil {
		err = tx.useIndexes()
	}
	if err != nil {
		return nil, err
	}
	return many(tx.Reader, func(row scanner) (s MessageState, err error) {
		m := messageRow{m: chat.Message{OrgID: orgID}}
		err = row.Scan(&m.m.ID, &m.m.AccountID, &m.m.ConversationID, &m.m.ContactID, &m.m.Status, &m.m.Source, &m.providerID, &m.errCode, &m.errText, &m.errProvider,
			&m.playedAt, &m.m.Reports, &s.Unknown)
		s.Message = m.value()
		return s, err
	}, `SELECT m.id, m.account_id, m.conversation_id, m.contact_id, m.status, m.source, m.provider_id, m.error_code, m.error_message, m.error_provider,
			m.played_at, m.reports,
			CASE WHEN c.phone_number IS NULL THEN 1 ELSE 0 END + CASE WHEN c.bsuid IS NULL THEN 2 ELSE 0 END + CASE WHEN c.parent_bsuid IS NULL THEN 4 ELSE 0 END
		FROM `+fmt.Sprintf(tx.dialect.objects, "$2")+tx.dialect.forEach("messages", "m", "m.org_id = $1 AND "+condition)+`
		LEFT JOIN contacts c ON c.org_id = m.org_id AND c.id = m.contact_id`, orgID, string(keys))
}

// LockMessages locks an organization's messages in order of their ids. A transaction that changes several
// messages and their rows calls it first, so that transactions never wait for each other in a circle. Deleted
// messages are skipped.
func (tx *Tx) LockMessages(orgID string, ids []string) error {
	if tx.dialect.forUpdate == "" || len(ids) == 0 {
		return nil // SQLite runs one writing transaction at a time
	}
	_, err := many(tx.Reader, scanText, "SELECT id FROM messages WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$2")+" ORDER BY id"+tx.forUpdate(),
		orgID, tx.dialect.list(ids))
	return err
}

// MessageFilter narrows a list of messages.
type MessageFilter struct {
	ConversationID string
	Direction      string
	Status         string
	Type           string
	ProviderID     string
	ErrorCode      string
	CreatedAfter   *time.Time
	CreatedBefore  *time.Time
}

// Messages returns one page of an account's messages.
func (r Reader) Messages(orgID, accountID string, f MessageFilter, p Page) (Slice[chat.Message], error) {
	c := conditions{args: []any{orgID}}
	c.add("c.account_id = ?", accountID)
	c.addIf("c.conversation_id = ?", f.ConversationID)
	c.addIf("c.type = ?", f.Type)
	c.addIf("c.provider_id = ?", f.ProviderID)
	c.addIf("c.direction = ?", f.Direction)
	c.addIf("c.status = ?", f.Status)
	c.addIf("c.error_code = ?", f.ErrorCode)
	// An id carries its time, so bounds in time are bounds of the id, the last column of every index.
	if f.CreatedAfter != nil {
		c.add("c.id >= ?", firstID(chat.KindMessage, f.CreatedAfter.Truncate(time.Millisecond).Add(time.Millisecond)))
	}
	if f.CreatedBefore != nil {
		c.add("c.id < ?", firstID(chat.KindMessage, ceilMillisecond(*f.CreatedBefore)))
	}
	f.spread(&c)
	return merged(r, scanMessage, prefixed("c", messageColumns), "messages", c, messagesByID, p)
}

// spread walks a list along messages_by_status, unless it is the list of a conversation, of a type or of a
// provider's id, which have indexes of their own.
func (f MessageFilter) spread(c *conditions) {
	if f.ConversationID != "" || f.ProviderID != "" || f.Type != "" && f.Status == "" {
		return
	}
	if f.Direction == "" {
		either(c, "c.direction", chat.Inbound, chat.Outbound)
	}
	if f.Status == "" {
		either(c, "c.status", chat.MessageStatuses...)
	}
}

// InsertMessage stores a new message.
func (tx *Tx) InsertMessage(m chat.Message) error {
	tx.foreseen.arrived(m)
	tx.noteMessage(m.OrgID, m.ID)
	tx.noteConversation(m.OrgID, m.ConversationID)
	if err := tx.searchLate(m); err != nil {
		return err
	}
	return tx.later("INSERT INTO messages ("+messageColumns+`, event_rows)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`, messageArgs(m)...)
}

// AddEventRow records the event that carries a message's content.
func (tx *Tx) AddEventRow(orgID, messageID, eventRow string) error {
	return tx.later("UPDATE messages SET event_rows = COALESCE(event_rows || ',', '') || CAST($3 AS TEXT) WHERE org_id = $1 AND id = $2", orgID, messageID, eventRow)
}

func messageArgs(m chat.Message) []any {
	code, text, provider := errorColumns(m.Error)
	return []any{m.OrgID, m.ID, m.AccountID, m.ConversationID, m.ContactID, string(m.Direction), string(m.Type), string(m.Status),
		string(m.Source), orNull(m.ProviderID), string(m.Content), m.Context, code, text, provider, msPtr(m.PlayedAt), m.Revoked, int(m.Reports),
		orNull(m.MediaID), textPtr(m.Edits), textPtr(m.Extra), orNull(m.SentBy), m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(), orNull(m.EventRow)}
}

// UpdateMessage stores the changeable fields of a message.
func (tx *Tx) UpdateMessage(m chat.Message) error {
	tx.noteMessage(m.OrgID, m.ID)
	tx.noteConversation(m.OrgID, m.ConversationID)
	code, text, provider := errorColumns(m.Error)
	return tx.later(`UPDATE messages SET status = $3, provider_id = $4, content = $5, error_code = $6, error_message = $7, error_provider = $8,
			played_at = $9, revoked = $10, reports = $11, media_id = $12, edits = $13, updated_at = $14, type = $15
		WHERE org_id = $1 AND id = $2`,
		m.OrgID, m.ID, string(m.Status), orNull(m.ProviderID), string(m.Content), code, text, provider,
		msPtr(m.PlayedAt), m.Revoked, int(m.Reports), orNull(m.MediaID), textPtr(m.Edits), m.UpdatedAt.UnixMilli(), string(m.Type))
}

// ReviseMessage is UpdateMessage for a changed content or a revoked message.
func (tx *Tx) ReviseMessage(m chat.Message) error {
	if err := tx.UpdateMessage(m); err != nil {
		return err
	}
	return tx.SearchAgain(m.OrgID, m.ID)
}

// UpdateMessageStatus stores the status of a message. Of the indexed columns it writes only the status, because
// every message comes here three times.
func (tx *Tx) UpdateMessageStatus(m chat.Message) error {
	tx.noteMessage(m.OrgID, m.ID)
	tx.noteConversation(m.OrgID, m.ConversationID)
	code, text, provider := errorColumns(m.Error)
	return tx.later(`UPDATE messages SET status = $3, error_code = $4, error_message = $5, error_provider = $6, played_at = $7,
			reports = $8, updated_at = $9
		WHERE org_id = $1 AND id = $2`,
		m.OrgID, m.ID, string(m.Status), code, text, provider, msPtr(m.PlayedAt), int(m.Reports), m.UpdatedAt.UnixMilli())
}

func errorColumns(e *chat.MessageError) (code, text *string, provider *int64) {
	if e == nil {
		return nil, nil, nil
	}
	if e.ProviderCode != nil {
		n := int64(*e.ProviderCode)
		provider = &n
	}
	return (*string)(&e.Code), &e.Message, provider
}

// orNull keeps an empty text out of partial indexes.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// SentMessage is a message that the provider accepted, with the provider's id and the row of its event.
type SentMessage struct{ ID, ProviderID, EventRow string }

// MarkSent records that the provider accepted a message. It returns false if a callback brought the provider's
// id before.
func (tx *Tx) MarkSent(orgID string, m SentMessage) (bool, error) {
	_, err := tx.markSent(orgID, m)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

const markSent = `UPDATE messages SET provider_id = $3, event_rows = $5, updated_at = $4,
		status = CASE WHEN status IN ('queued', 'pending') THEN 'sent' ELSE status END
	WHERE org_id = $1 AND id = $2 AND provider_id IS NULL`

func (tx *Tx) markSent(orgID string, m SentMessage) (conversationID string, err error) {
	conversationID, err = one(tx.Reader, scanText, markSent+" RETURNING conversation_id", orgID, m.ID, m.ProviderID, tx.now.UnixMilli(), orNull(m.EventRow))
	if err == nil {
		tx.noteMessage(orgID, m.ID)
		tx.noteConversation(orgID, conversationID)
	}
	return conversationID, err
}

// MarkUnsent is MarkSent for a message from Unsent.
func (tx *Tx) MarkUnsent(w SendWork, providerID, eventRow string) error {
	tx.noteMessage(w.Message.OrgID, w.Message.ID)
	tx.noteConversation(w.Message.OrgID, w.Message.ConversationID)
	return tx.later(markSent, w.Message.OrgID, w.Message.ID, providerID, tx.now.UnixMilli(), orNull(eventRow))
}

// MarkAllSent is MarkSent for many messages. It returns the conversations of those for which MarkSent would
// return true.
func (tx *Tx) MarkAllSent(orgID string, sent []SentMessage) (first map[string]string, err error) {
	first = map[string]string{}
	if tx.dialect.elements == "" {
		for _, m := range sent {
			conversationID, err := tx.markSent(orgID, m)
			switch {
			case err == nil:
				first[m.ID] = conversationID
			case !errors.Is(err, ErrNotFound):
				return nil, err
			}
		}
		return first, nil
	}
	if err := tx.useIndexes(); err != nil {
		return nil, err
	}
	// Arrays instead of a join, which might begin with the messages.
	columns := columnsOf(sent, func(m SentMessage) string { return m.ID }, func(m SentMessage) string { return m.ProviderID }, func(m SentMessage) string { return m.EventRow })
	err = tx.db.query(tx.ctx, `UPDATE messages SET provider_id = ($4::text[])[array_position($3::text[], id)], event_rows = ($5::text[])[array_position($3::text[], id)],
			updated_at = $2, status = CASE WHEN status IN ('queued', 'pending') THEN 'sent' ELSE status END
		WHERE org_id = $1 AND id = ANY($3::text[]) AND provider_id IS NULL RETURNING id, conversation_id`,
		append([]any{orgID, tx.now.UnixMilli()}, columns...), func(row scanner) error {
			var id, conversationID string
			err := row.Scan(&id, &conversationID)
			first[id] = conversationID
			tx.noteMessage(orgID, id)
			tx.noteConversation(orgID, conversationID)
			return err
		})
	return first, err
}

// MarkPending records that a message waits for another attempt.
func (tx *Tx) MarkPending(orgID, id string) error {
	tx.noteMessage(orgID, id)
	return tx.later("UPDATE messages SET status = 'pending', updated_at = $3 WHERE org_id = $1 AND id = $2 AND status = 'queued'",
		orgID, id, tx.now.UnixMilli())
}

// PurgeMessages deletes up to limit of an organization's messages from before the instant, oldest first, with
// their inbound files, their contents in events and their pending work. It returns how many.
func (tx *Tx) PurgeMessages(orgID string, before time.Time, limit int) (int64, error) {
	ids, err := tx.purgeMessages("id < $2 ORDER BY id LIMIT $3", orgID, firstID(chat.KindMessage, before), limit)
	return int64(len(ids)), err
}

// PurgeConversation is PurgeMessages for the messages of a conversation, of any age.
func (tx *Tx) PurgeConversation(orgID, conversationID string, limit int) (int64, error) {
	return tx.forgetMessages("conversation_id = $2 ORDER BY id LIMIT $3", orgID, conversationID, limit)
}

// hangOnMessages are the tables of a message's pending work.
var hangOnMessages = []string{"send_jobs", "media_jobs", "held_events"}

// forgetMessages is purgeMessages for other reasons than age. The search index drops old messages itself.
func (tx *Tx) forgetMessages(which, orgID string, args ...any) (int64, error) {
	ids, err := tx.purgeMessages(which, orgID, args...)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		tx.noteMessage(orgID, id)
	}
	return int64(len(ids)), tx.SearchAgain(orgID, ids...)
}

// purgeMessages deletes the messages that match the condition, of which $1 is the organization.
func (tx *Tx) purgeMessages(which, orgID string, args ...any) (ids []string, err error) {
	var media, events []string
	ids, err = many(tx.Reader, func(row scanner) (id string, err error) {
		var file, rows *string
		err = row.Scan(&id, &file, &rows)
		if file != nil {
			media = append(media, *file)
		}
		if rows != nil {
			events = append(events, strings.Split(*rows, ",")...)
		}
		return id, err
	}, "DELETE FROM messages WHERE "+tx.dialect.oneOfThose("org_id, id", "messages WHERE org_id = $1 AND "+which)+" RETURNING id, media_id, event_rows",
		append([]any{orgID}, args...)...)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	err = errors.Join(tx.removeFilesOfMessages(tx.dialect.oneOf("id", "$2"), orgID, tx.dialect.list(media)), tx.removePayloads(orgID, events))
	for _, table := range hangOnMessages {
		err = errors.Join(err, tx.later("DELETE FROM "+table+" WHERE org_id = $1 AND "+tx.dialect.oneOf("message_id", "$2"), orgID, tx.dialect.list(ids)))
	}
	return ids, err
}

// ForgetMessage deletes a message that nobody has seen.
func (tx *Tx) ForgetMessage(orgID, id string) error {
	_, err := tx.forgetMessages("id = $2", orgID, id)
	return err
}
