package core

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// The parts of the program that move recipients. Each has its own tallies.
const (
	byCaller    = "caller"
	byWorker    = "worker"
	bySender    = "sender"
	byCallbacks = "callbacks"
	byPeople    = "people"
)

// NewBroadcast is the input for a broadcast.
type NewBroadcast struct {
	Name        string
	Template    chat.BroadcastTemplate
	Audience    chat.Audience
	ContactIDs  []string
	Recipients  []NewRecipient
	PerSecond   *int64
	ScheduledAt *time.Time
	TimeZone    string
}

// NewRecipient is a person to whom a broadcast is to go.
type NewRecipient struct {
	To        string // a number
	Recipient string // BSUID or parent BSUID, if there is no number
	Variables map[string]string
}

// CreateBroadcast makes a broadcast: a draft, or one that starts at its time.
func CreateBroadcast(tx *store.Tx, account chat.Account, in NewBroadcast) (chat.Broadcast, error) {
	b := chat.Broadcast{
		ID: tx.NewID(chat.KindBroadcast), OrgID: account.OrgID, AccountID: account.ID, Name: collapsed(in.Name), Status: chat.BroadcastDraft,
		Template: in.Template, Audience: in.Audience, PerSecond: in.PerSecond, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	if err := checkAudience(tx.Reader, account, in.Audience); err != nil {
		return b, err
	}
	if err := schedule(&b, in.ScheduledAt, in.TimeZone, tx.Now()); err != nil {
		return b, err
	}
	if err := tx.InsertBroadcast(b); err != nil {
		return b, err
	}
	if _, err := addContacts(tx, account, b, in.ContactIDs); err != nil {
		return b, err
	}
	_, err := addRecipients(tx, b, cleanRecipients(in.Recipients))
	return b, err
}

// collapsed is a name with one blank for each run of white space, which is how its length is counted.
func collapsed(name string) string { return strings.Join(strings.Fields(name), " ") }

// checkAudience refuses labels that contacts of the account cannot have, and a filter beside labels.
func checkAudience(r store.Reader, account chat.Account, a chat.Audience) error {
	if a.Filter != nil && len(a.LabelIDs) > 0 {
		return chat.Invalid("audience.filter", "Give labels or a filter, not both. A filter has label_ids of its own.")
	}
	missing, err := missingLabel(r, account, a)
	if err == nil && missing != "" {
		err = chat.Invalid(fmt.Sprintf("%s[%d]", labelsField(a), slices.Index(a.Labels(), missing)), "The number's team has no label %s.", missing)
	}
	return err
}

// missingLabel is the first label of an audience that contacts of the account cannot have; empty: they can have all.
func missingLabel(r store.Reader, account chat.Account, a chat.Audience) (string, error) {
	for _, id := range a.Labels() {
		label, err := r.Label(account.OrgID, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && label.TeamID != account.TeamID {
			return id, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}

// labelsField is the field of a request that has an audience's labels.
func labelsField(a chat.Audience) string {
	if a.Filter != nil {
		return "audience.filter.label_ids"
	}
	return "audience.label_ids"
}

// schedule makes a broadcast start at an instant, or clears its time.
func schedule(b *chat.Broadcast, at *time.Time, zone string, now time.Time) error {
	if zone != "" {
		if _, err := time.LoadLocation(zone); err != nil || zone == "Local" { // Local is the server's own
			return chat.Invalid("time_zone", "There is no time zone of this name. Give one like Asia/Jakarta.")
		}
	}
	b.ScheduledAt, b.TimeZone, b.Status, b.Reason = at, zone, chat.BroadcastDraft, ""
	if at == nil {
		return nil
	}
	if !at.After(now) {
		return chat.Invalid("scheduled_at", "Must be in the future. To send now, start the broadcast.")
	}
	b.Status = chat.BroadcastScheduled
	return nil
}

// Broadcast returns a broadcast of an account.
func Broadcast(r store.Reader, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := r.Broadcast(account.OrgID, account.ID, id)
	return b, orNotFound(err, "broadcast")
}

// BroadcastFor returns a broadcast of any number that a user may see.
func BroadcastFor(r store.Reader, u chat.User, id string) (store.NumberedBroadcast, error) {
	b, err := r.BroadcastFor(u, id)
	return b, orNotFound(err, "broadcast")
}

// BroadcastPatch changes the fields that are given.
type BroadcastPatch struct {
	Name        *string
	Template    *chat.BroadcastTemplate
	Audience    *chat.Audience
	PerSecond   chat.Patch[int64]
	ScheduledAt chat.Patch[time.Time]
	TimeZone    chat.Patch[string]
}

// UpdateBroadcast changes a broadcast that has not begun.
func UpdateBroadcast(tx *store.Tx, account chat.Account, id string, p BroadcastPatch) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveChange)
	if err != nil {
		return b, err
	}
	if p.Name != nil {
		b.Name = collapsed(*p.Name)
	}
	if p.Template != nil {
		b.Template = *p.Template
	}
	if p.Audience != nil {
		b.Audience = *p.Audience
		if err := checkAudience(tx.Reader, account, b.Audience); err != nil {
			return b, err
		}
	}
	if p.PerSecond.Given {
		b.PerSecond = p.PerSecond.Value
	}
	if p.ScheduledAt.Given || p.TimeZone.Given {
		at, zone := b.ScheduledAt, b.TimeZone
		if p.ScheduledAt.Given {
			at = p.ScheduledAt.Value
		}
		if p.TimeZone.Given {
			zone = deref(p.TimeZone.Value)
		}
		if err := schedule(&b, at, zone, tx.Now()); err != nil {
			return b, err
		}
	}
	return b, saveBroadcast(tx, &b)
}

// forMove reads a broadcast for a move that its state must allow.
func forMove(tx *store.Tx, account chat.Account, id string, move chat.BroadcastMove) (chat.Broadcast, error) {
	b, err := Broadcast(tx.Reader, account, id)
	if err == nil {
		err = b.CheckMove(move)
	}
	return b, err
}

func saveBroadcast(tx *store.Tx, b *chat.Broadcast) error {
	b.UpdatedAt = tx.Now()
	return tx.UpdateBroadcast(*b)
}

// forgetRecipient removes a deleted contact from the broadcasts to it.
func forgetRecipient(tx *store.Tx, contact chat.Contact) error {
	skipped, err := tx.ForgetPerson(contact)
	if err != nil {
		return err
	}
	return countSkipped(tx, skipped)
}

// skipSecond skips a person who waits as one recipient and has the message as another, which was not known to be the same
// person when it was sent. If both wait, their turn decides (see listedTwice).
func skipSecond(tx *store.Tx, faces ...chat.Contact) error {
	var ids, addresses []string
	for _, c := range faces {
		ids, addresses = append(ids, c.ID), append(addresses, addressesOfContact(c)...)
	}
	slices.Sort(ids)
	slices.Sort(addresses)
	skipped, err := tx.SkipSecond(faces[0].OrgID, faces[0].AccountID, slices.Compact(ids), slices.Compact(addresses))
	if err != nil {
		return err
	}
	return countSkipped(tx, skipped)
}

// countSkipped counts waiting recipients who were skipped, by broadcast.
func countSkipped(tx *store.Tx, skipped map[string]int64) error {
	var t tally
	for id, n := range skipped {
		t.add(id, string(chat.RecipientWaiting), -n)
		t.add(id, string(chat.RecipientSkipped), n)
	}
	return t.write(tx, byCaller)
}

// DeleteSomeRecipients removes up to limit recipients of a broadcast that has not begun. It is called before
// DeleteBroadcast and ClearRecipients, each time in its own transaction. Meanwhile the broadcast is a draft: it must not
// start by itself for those who are left.
func DeleteSomeRecipients(tx *store.Tx, account chat.Account, id string, limit int) (int64, error) {
	b, err := forMove(tx, account, id, chat.MoveChange)
	if err != nil {
		return 0, err
	}
	if b.Status == chat.BroadcastScheduled {
		b.Status = chat.BroadcastDraft
		if err := saveBroadcast(tx, &b); err != nil {
			return 0, err
		}
	}
	statuses, err := tx.DeleteRecipients(b.OrgID, b.ID, limit)
	var t tally
	for _, status := range statuses {
		t.add(b.ID, status, -1)
	}
	return int64(len(statuses)), errors.Join(err, t.write(tx, byCaller))
}

// ClearRecipients comes after DeleteSomeRecipients for a broadcast that stays, now without recipients. If it was
// scheduled, it is so again, unless a restore holds it: then somebody has to decide that it is.
func ClearRecipients(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveChange)
	if err != nil {
		return b, err
	}
	switch {
	case b.ScheduledAt == nil || b.Reason == chat.ReasonRestored:
	case b.ScheduledAt.After(tx.Now()):
		b.Status = chat.BroadcastScheduled
	default:
		b.ScheduledAt = nil
	}
	return b, saveBroadcast(tx, &b)
}

// DeleteBroadcast removes a broadcast that has not begun, with the recipients that were added since DeleteSomeRecipients.
func DeleteBroadcast(tx *store.Tx, account chat.Account, id string) error {
	b, err := forMove(tx, account, id, chat.MoveChange)
	if err != nil {
		return err
	}
	if _, err := tx.DeleteRecipients(b.OrgID, b.ID, math.MaxInt32); err != nil {
		return err
	}
	return errors.Join(tx.DeleteBroadcast(b.OrgID, b.ID), audit(tx, b.OrgID, chat.AuditBroadcastGone, ofBroadcast(b)))
}
