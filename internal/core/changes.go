package core

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// edit replaces a message's content and keeps the old content. If the provider withholds the new content of a message
// of the business, a row of type unsupported stands for it.
func (a Applier) edit(tx *store.Tx, account chat.Account, u provider.Edit) error {
	m, err := tx.MessageByProviderID(account.OrgID, account.ID, u.OriginalID)
	if errors.Is(err, store.ErrNotFound) {
		return keepEarly(tx, account, u.OriginalID, u.ProviderID, earlyEdit, u)
	}
	if err != nil {
		return err
	}
	if u.Content == nil {
		return a.unsupportedEdit(tx, account, m, u)
	}
	history, err := revise(&m, u, orNow(u.Timestamp, tx))
	if err != nil || history == nil {
		return err
	}
	m.UpdatedAt = tx.Now()
	if err := tx.ReviseMessage(m); err != nil {
		return err
	}
	if u.ByBusiness {
		return nil
	}
	contact, err := tx.Contact(m.OrgID, m.AccountID, m.ContactID)
	if err != nil {
		return ignoreNotFound(err)
	}
	row, err := carrierOf(tx, m)
	if err != nil {
		return err
	}
	return emit(tx, occurrence{orgID: m.OrgID, kind: chat.EventMessageEdited, row: row, phoneNumberID: deref(account.PhoneNumberID),
		subject: m.ConversationID, data: editedPayload(account, m, contact, history)})
}

func editedPayload(account chat.Account, m chat.Message, contact chat.Contact, history []edition) map[string]any {
	data := subject(account, m, contact)
	data["new_content"], data["original_content"] = contentText(m, m.Content), contentText(m, history[0].Content)
	data["edited_at"], data["edit_history"] = history[len(history)-1].At, historyView(m, history)
	return data
}

// edition is an earlier content of a message. At is when it was replaced; ProviderID is the edit that replaced it.
type edition struct {
	Content    json.RawMessage `json:"content"`
	At         string          `json:"edited_at"`
	ProviderID string          `json:"provider_id"`
}

// revise puts an edit into a message and its history, at its place in time. Edits come in any order, and the message
// shows the latest. revise returns no history if the edit is already in it.
func revise(m *chat.Message, u provider.Edit, at time.Time) (history []edition, err error) {
	if m.Edits != nil {
		if err := json.Unmarshal(m.Edits, &history); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(history, func(e edition) bool { return e.ProviderID == u.ProviderID }) {
		return nil, nil
	}
	replaced := edition{Content: m.Content, At: chat.FormatTime(at), ProviderID: u.ProviderID}
	next := slices.IndexFunc(history, func(e edition) bool { return e.At > replaced.At })
	if next < 0 {
		history, m.Content = append(history, replaced), u.Content
	} else {
		replaced.Content, history[next].Content = history[next].Content, u.Content
		history = slices.Insert(history, next, replaced)
	}
	m.Edits, err = json.Marshal(history)
	return history, err
}

// orNow is the provider's time of an update, or now if it gives none.
func orNow(at time.Time, tx *store.Tx) time.Time {
	if at.IsZero() {
		return tx.Now()
	}
	return at
}

func historyView(m chat.Message, history []edition) []map[string]any {
	view := make([]map[string]any, len(history))
	for i, e := range history {
		view[i] = map[string]any{"content": contentText(m, e.Content), "edited_at": e.At}
	}
	return view
}

func contentText(m chat.Message, content json.RawMessage) *string {
	m.Content = content
	return bodyOf(m)
}

// unsupportedEdit stores an edit with withheld content as its own row.
func (a Applier) unsupportedEdit(tx *store.Tx, account chat.Account, original chat.Message, u provider.Edit) error {
	if known, _, err := tx.Arriving(account.OrgID, account.ID, u.ProviderID); known || err != nil {
		return err
	}
	row := chat.Message{
		ID: tx.NewID(chat.KindMessage), OrgID: account.OrgID, AccountID: account.ID, ConversationID: original.ConversationID,
		ContactID: original.ContactID, Direction: original.Direction, Type: chat.TypeUnsupported, Status: chat.StatusDelivered,
		ProviderID: u.ProviderID, Content: json.RawMessage(`{"type":"edit"}`), Context: u.OriginalID,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	return errors.Join(tx.InsertMessage(row), tx.NoteMessage(row.OrgID, row.ConversationID, row.CreatedAt))
}

// revoke marks a message that its author took back. The row and its content stay.
func (a Applier) revoke(tx *store.Tx, account chat.Account, u provider.Revoke) error {
	m, err := tx.MessageByProviderID(account.OrgID, account.ID, u.OriginalID)
	if errors.Is(err, store.ErrNotFound) {
		return keepEarly(tx, account, u.OriginalID, u.ProviderID, earlyRevoke, u)
	}
	if err != nil || m.Revoked {
		return err
	}
	m.Revoked, m.UpdatedAt = true, tx.Now()
	if err := tx.ReviseMessage(m); err != nil || u.ByBusiness {
		return err
	}
	contact, err := tx.Contact(m.OrgID, m.AccountID, m.ContactID)
	if err != nil {
		return ignoreNotFound(err)
	}
	return emit(tx, occurrence{orgID: m.OrgID, kind: chat.EventMessageRevoked, phoneNumberID: deref(account.PhoneNumberID),
		subject: m.ConversationID, data: revokedPayload(account, m, contact, orNow(u.Timestamp, tx))})
}

func revokedPayload(account chat.Account, m chat.Message, contact chat.Contact, at time.Time) map[string]any {
	data := subject(account, m, contact)
	data["revoked_at"] = chat.FormatTime(at)
	return data
}

// subject are the fields that all events about a message have.
func subject(account chat.Account, m chat.Message, contact chat.Contact) map[string]any {
	return map[string]any{
		"message_id": m.ID, "provider_id": m.ProviderID, "conversation_id": m.ConversationID, "contact_id": m.ContactID,
		"contact_phone_number": contact.PhoneNumber, "phone_number_id": account.PhoneNumberID, "display_phone_number": account.PhoneNumber,
	}
}

// contactSync follows the address book of the phone app. A contact that is removed there stays here, because its
// conversation does.
func (a Applier) contactSync(tx *store.Tx, account chat.Account, r round, u provider.ContactSync) error {
	if u.Removed {
		return nil
	}
	_, err := a.imported(tx, account, r, personOf(u.Contact))
	return err
}

// imported finds the contact of an imported person, or makes it without an event.
func (a Applier) imported(tx *store.Tx, account chat.Account, r round, p person) (chat.Contact, error) {
	contact, _, err := findOrMakeContact(tx, account, p)
	if err != nil {
		return contact, err
	}
	contact, _, err = a.learn(tx, account, r, contact, p.identifiers())
	return contact, err
}

// history imports messages from before the number was connected: without events, unread count or window.
func (a Applier) history(tx *store.Tx, account chat.Account, r round, u provider.HistoryChunk) error {
	for _, h := range u.Messages {
		m, err := tx.MessageByProviderID(account.OrgID, account.ID, h.ProviderID)
		switch {
		case err == nil:
			err = a.historyAgain(tx, m, h)
		case errors.Is(err, store.ErrNotFound):
			err = a.historyMessage(tx, account, r, h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a Applier) historyMessage(tx *store.Tx, account chat.Account, r round, h provider.HistoryMessage) error {
	contact, err := a.imported(tx, account, r, personOf(h.Contact))
	if err != nil {
		return err
	}
	conversation, err := conversationFor(tx, account, contact.ID)
	if err != nil {
		return err
	}
	direction, source := chat.Inbound, chat.Source("")
	if h.Outbound {
		direction, source = chat.Outbound, chat.SourceApp
	}
	m := a.newMessage(tx, account, thread{contact: contact, conversation: conversation}, h.Message, direction)
	m.Source = source
	settle(&m, cmp.Or(historyStatus(h), chat.StatusDelivered))
	if err := errors.Join(tx.InsertMessage(m), tx.NoteHistory(m.OrgID, m.ConversationID, m.CreatedAt)); err != nil {
		return err
	}
	return a.historyFile(tx, m, h)
}

// historyStatus is what history says of a message's status, if anything. Only what was sent can be on its way or have
// failed: what somebody wrote to the business is delivered, or read.
func historyStatus(h provider.HistoryMessage) chat.MessageStatus {
	if h.Status != "" && h.Status != chat.StatusRead && !h.Outbound {
		return chat.StatusDelivered
	}
	return h.Status
}

// settle gives an imported message its status. History does not say why a message failed.
func settle(m *chat.Message, status chat.MessageStatus) {
	m.Status = status
	if status == chat.StatusFailed && m.Error == nil {
		m.Error = unexplained()
	}
}

// historyAgain completes the message of a file. The file and its place in the chat come separately, in either order,
// and only the place has the status of the message.
func (a Applier) historyAgain(tx *store.Tx, m chat.Message, h provider.HistoryMessage) error {
	status, changed := m.Status.Advance(historyStatus(h))
	arrived := m.Type == chat.TypeUnsupported && !h.Placeholder && h.Type.HasMedia()
	if !arrived && !(h.Placeholder && changed) { // the message is complete, and history does not change it
		return nil
	}
	m.UpdatedAt = tx.Now()
	settle(&m, status)
	if arrived {
		m.Type, m.Content = h.Type, h.Content
	}
	if err := tx.ReviseMessage(m); err != nil || !arrived {
		return err
	}
	return a.historyFile(tx, m, h)
}

// historyFile queues the download of a file. No event is held back for it, so none is emitted when the file arrives.
func (a Applier) historyFile(tx *store.Tx, m chat.Message, h provider.HistoryMessage) error {
	if h.Media == nil || h.Media.ID == "" {
		return nil
	}
	return a.mediaJob(tx, m, *h.Media)
}
