package core

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// unfinishedCopy is the name of a copy until it has all its recipients.
	unfinishedCopy = "Unfinished copy"
	// copyLife is how long a copy may take. The largest take minutes.
	copyLife = time.Hour
)

// CopyBroadcast makes a draft from another broadcast, without its recipients: CopyRecipients copies them, and FinishCopy
// gives it its name. Until then it belongs to this node, and nobody can change or start it.
func CopyBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveCopy)
	if err != nil {
		return b, err
	}
	draft := chat.Broadcast{
		ID: tx.NewID(chat.KindBroadcast), OrgID: b.OrgID, AccountID: b.AccountID, Name: unfinishedCopy, Status: chat.BroadcastDraft, Template: b.Template,
		Audience: b.Audience, PerSecond: b.PerSecond, TimeZone: b.TimeZone, Owner: cmp.Or(tx.Here(), "unknown"), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	return draft, tx.InsertBroadcast(draft)
}

// CopyRecipients gives a draft up to limit recipients of another broadcast, those after the given one, and returns the
// last. Recipients from labels, and invalid or duplicate addresses, are not copied.
func CopyRecipients(tx *store.Tx, account chat.Account, from, to, after string, limit int) (last string, err error) {
	b, err := unfinished(tx, account, to)
	if err != nil {
		return "", err
	}
	rows, err := tx.ListedRecipients(account.OrgID, from, after, limit)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	last = rows[len(rows)-1].ID
	if rows, err = withoutDeleted(tx, b, from, after, rows); err != nil {
		return "", err
	}
	copies := make([]chat.Recipient, len(rows))
	for i, r := range rows {
		copies[i] = chat.Recipient{Status: chat.RecipientWaiting, Address: r.Address, Variables: r.Variables, ContactID: r.ContactID}
	}
	_, err = addRecipients(tx, b, copies)
	return last, err
}

// withoutDeleted leaves out the recipients whose contact was deleted after they were read. The others' contacts cannot be
// deleted before the transaction ends.
func withoutDeleted(tx *store.Tx, b chat.Broadcast, from, after string, rows []chat.Recipient) ([]chat.Recipient, error) {
	if _, err := keptContactsAt(tx, b, addressesOf(rows)); err != nil {
		return nil, err
	}
	now, err := tx.ListedRecipients(b.OrgID, from, after, len(rows))
	still := make(map[string]bool, len(now))
	for _, r := range now {
		still[r.ID] = true
	}
	return slices.DeleteFunc(rows, func(r chat.Recipient) bool { return !still[r.ID] }), err
}

// FinishCopy names a copy that has all its recipients. It is a draft like every other from now on.
func FinishCopy(tx *store.Tx, account chat.Account, from, to string) (chat.Broadcast, error) {
	original, err := Broadcast(tx.Reader, account, from)
	if err != nil {
		return original, err
	}
	b, err := unfinished(tx, account, to)
	if err != nil {
		return b, err
	}
	b.Name, b.Owner = original.Name, ""
	return b, saveBroadcast(tx, &b)
}

func unfinished(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := Broadcast(tx.Reader, account, id)
	if err == nil && !b.Copying() {
		err = chat.Fail(chat.CodeBroadcastState, "The copy is already finished.")
	}
	return b, err
}

// RemoveCopy removes up to limit recipients of an unfinished copy and returns how many. When fewer are left, the copy goes
// with them.
func RemoveCopy(tx *store.Tx, account chat.Account, id string, limit int) (int64, error) {
	b, err := tx.Broadcast(account.OrgID, account.ID, id)
	if err != nil || !b.Copying() {
		return 0, ignoreNotFound(err)
	}
	gone, err := tx.DeleteRecipients(b.OrgID, b.ID, limit)
	if err == nil && len(gone) < limit {
		err = tx.DeleteBroadcast(b.OrgID, b.ID)
	}
	return int64(len(gone)), err
}

// RemoveLeftCopy is RemoveCopy for a copy whose node is gone, or that takes too long.
func RemoveLeftCopy(tx *store.Tx, limit int) (int64, error) {
	b, err := tx.LeftCopy(tx.Now().Add(-copyLife))
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return RemoveCopy(tx, chat.Account{OrgID: b.OrgID, ID: b.AccountID}, b.ID, limit)
}
