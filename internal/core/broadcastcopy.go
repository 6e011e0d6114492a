package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// unfinishedCopy is the name of a copy until it has all its recipients. It stays if the process ends before.
const unfinishedCopy = "Unfinished copy"

// CopyBroadcast makes a draft from another broadcast, without its recipients: CopyRecipients copies them, and FinishCopy
// gives it its name.
func CopyBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := Broadcast(tx.Reader, account, id)
	if err != nil {
		return b, err
	}
	draft := chat.Broadcast{
		ID: tx.NewID(chat.KindBroadcast), OrgID: b.OrgID, AccountID: b.AccountID, Name: unfinishedCopy, Status: chat.BroadcastDraft, Template: b.Template,
		Audience: b.Audience, PerSecond: b.PerSecond, TimeZone: b.TimeZone, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	return draft, tx.InsertBroadcast(draft)
}

// CopyRecipients gives a draft up to limit recipients of another broadcast, those after the given one, and returns the
// last. Recipients from labels, and invalid or duplicate addresses, are not copied.
func CopyRecipients(tx *store.Tx, account chat.Account, from, to, after string, limit int) (last string, err error) {
	b, err := forMove(tx, account, to, chat.MoveChange)
	if err != nil {
		return "", err
	}
	rows, err := tx.ListedRecipients(account.OrgID, from, after, limit)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	copies := make([]chat.Recipient, len(rows))
	for i, r := range rows {
		copies[i] = chat.Recipient{Status: chat.RecipientWaiting, Address: r.Address, Variables: r.Variables, ContactID: r.ContactID}
	}
	_, err = addRecipients(tx, b, copies)
	return rows[len(rows)-1].ID, err
}

// FinishCopy names a copy that has all its recipients.
func FinishCopy(tx *store.Tx, account chat.Account, from, to string) (chat.Broadcast, error) {
	b, err := Broadcast(tx.Reader, account, from)
	if err != nil {
		return b, err
	}
	return UpdateBroadcast(tx, account, to, BroadcastPatch{Name: &b.Name})
}
