package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// StartBroadcast starts sending a broadcast now.
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

// ResumeBroadcast continues a paused broadcast. The reason for the pause is checked again.
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

// goOn starts or continues a broadcast with the current template.
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

// Counts are the numbers of recipients of a broadcast by status.
func Counts(r store.Reader, id string) (chat.BroadcastCounts, error) {
	all, err := r.Tallies(id)
	return chat.CountsOf(all[id]), err
}

// PauseBroadcast stops making messages of a broadcast. Messages that wait for their first attempt are taken back (see
// Withdraw).
func PauseBroadcast(tx *store.Tx, account chat.Account, id string, why chat.BroadcastReason) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MovePause)
	if err != nil {
		return b, err
	}
	b.Status, b.Reason, b.Active = chat.BroadcastPaused, why, false
	return b, errors.Join(saveBroadcast(tx, &b), audit(tx, b.OrgID, chat.AuditBroadcastPause, ofBroadcast(b)))
}

// StopBroadcast ends a broadcast. Waiting recipients are skipped.
func StopBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveStop)
	if err != nil {
		return b, err
	}
	b.Status, b.Reason, b.Active = chat.BroadcastStopped, chat.ReasonByUser, true
	return b, errors.Join(saveBroadcast(tx, &b), audit(tx, b.OrgID, chat.AuditBroadcastStop, ofBroadcast(b)))
}

// RetrySome makes up to limit recipients with failed messages wait for another one, and returns how many. It is called
// before RetryBroadcast, each time in its own transaction.
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

// RetryBroadcast continues a broadcast whose failed recipients wait again.
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

// StartDue starts a broadcast whose time has come. A broadcast that cannot start fails.
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
