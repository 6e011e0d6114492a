package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// StartBroadcast has a broadcast sent, beginning now.
func StartBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveStart)
	if err != nil {
		return b, err
	}
	if b.Audience.Empty() {
		waiting, err := tx.AnyRecipient(b.ID, chat.RecipientWaiting)
		if err != nil {
			return b, err
		}
		if !waiting {
			return b, chat.Invalid("audience", "There is nobody to send to. Add recipients or labels.")
		}
	}
	now := tx.Now()
	b.StartedAt, b.AudienceDone = &now, b.Audience.Empty()
	if err := goOn(tx, account, &b); err != nil {
		return b, err
	}
	return b, audit(tx, b.OrgID, chat.AuditBroadcastStart, ofBroadcast(b))
}

// ResumeBroadcast goes on with a broadcast that was paused. What it was paused for is looked at again.
func ResumeBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveResume)
	if err != nil {
		return b, err
	}
	if err := goOn(tx, account, &b); err != nil {
		return b, err
	}
	return b, audit(tx, b.OrgID, chat.AuditBroadcastResume, ofBroadcast(b))
}

// goOn has a broadcast sent from now on, with the template as it is now.
func goOn(tx *store.Tx, account chat.Account, b *chat.Broadcast) error {
	template, err := tx.TemplateToSend(account.OrgID, account.WABAID, b.Template.Name, b.Template.Language)
	if errors.Is(err, store.ErrNotFound) {
		return chat.UnknownTemplate(b.Template.Name, b.Template.Language, nil)
	}
	if err != nil {
		return err
	}
	counts, err := Counts(tx.Reader, b.ID)
	if err != nil {
		return err
	}
	b.SentBefore, b.FailedBefore, b.TemplateDigest = counts.Sent, counts.Failed, template.TextDigest()
	b.Status, b.Reason, b.Active, b.CompletedAt = chat.BroadcastSending, "", true, nil
	return saveBroadcast(tx, b)
}

// Counts are how many recipients of a broadcast are where.
func Counts(r store.Reader, id string) (chat.BroadcastCounts, error) {
	all, err := r.Tallies(id)
	return chat.CountsOf(all[id]), err
}

// PauseBroadcast has no more messages of a broadcast made. Those that wait to be sent for the first time are taken
// back (see Withdraw).
func PauseBroadcast(tx *store.Tx, account chat.Account, id string, why chat.BroadcastReason) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MovePause)
	if err != nil {
		return b, err
	}
	b.Status, b.Reason, b.Active = chat.BroadcastPaused, why, false
	return b, errors.Join(saveBroadcast(tx, &b), audit(tx, b.OrgID, chat.AuditBroadcastPause, ofBroadcast(b)))
}

// StopBroadcast ends a broadcast. Who waits is skipped.
func StopBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveStop)
	if err != nil {
		return b, err
	}
	b.Status, b.Reason, b.Active = chat.BroadcastStopped, chat.ReasonByUser, true
	return b, errors.Join(saveBroadcast(tx, &b), audit(tx, b.OrgID, chat.AuditBroadcastStop, ofBroadcast(b)))
}

// RetrySome has up to limit recipients whose message has failed wait for another one, and returns how many. It goes
// before RetryBroadcast, each time in a transaction of its own.
func RetrySome(tx *store.Tx, account chat.Account, id string, limit int) (int64, error) {
	b, err := forMove(tx, account, id, chat.MoveRetry)
	if err != nil {
		return 0, err
	}
	rows, err := tx.FailedRecipients(b.ID, limit)
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		if err := tx.RetryRecipient(r); err != nil {
			return 0, err
		}
	}
	n := int64(len(rows))
	return n, tx.AddTally(byCaller, []store.TallyDelta{
		{BroadcastID: b.ID, Status: string(chat.RecipientFailed), N: -n}, {BroadcastID: b.ID, Status: string(chat.RecipientWaiting), N: n},
	})
}

// RetryBroadcast goes on with a broadcast whose failed recipients wait again.
func RetryBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveRetry)
	if err != nil {
		return b, err
	}
	if err := goOn(tx, account, &b); err != nil {
		return b, err
	}
	return b, audit(tx, b.OrgID, chat.AuditBroadcastRetry, ofBroadcast(b))
}

// StartDue starts a broadcast whose time has come. One that cannot start has failed.
func StartDue(tx *store.Tx, account chat.Account, id string) error {
	b, err := forMove(tx, account, id, chat.MoveStart)
	if err != nil || b.Status != chat.BroadcastScheduled || b.ScheduledAt.After(tx.Now()) {
		return err
	}
	_, err = StartBroadcast(tx, account, id)
	e, refused := errors.AsType[*chat.Error](err)
	if !refused {
		return err
	}
	b.Status, b.Reason = chat.BroadcastFailed, chat.ReasonTemplateDisabled
	if e.Param == "audience" {
		b.Reason = chat.ReasonNoRecipients
	}
	return saveBroadcast(tx, &b)
}
