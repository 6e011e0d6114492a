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
	if err := checkSomebody(tx.Reader, account, b); err != nil {
		return b, err
	}
	now := tx.Now()
	b.StartedAt, b.AudienceDone = &now, b.Audience.Empty()
	if err := goOn(tx, account, &b); err != nil {
		return b, err
	}
	return b, audit(tx, b.OrgID, chat.AuditBroadcastStart, ofBroadcast(b))
}

// checkSomebody refuses to start a broadcast that is to go to nobody, or to a label that was deleted since. Without the
// label fewer people would get it than were meant, and nobody would notice.
func checkSomebody(r store.Reader, account chat.Account, b chat.Broadcast) error {
	if b.Audience.Empty() {
		waiting, err := r.AnyRecipient(b.ID, chat.RecipientWaiting)
		if err == nil && !waiting {
			err = chat.Invalid("audience", "There is nobody to send to. Add recipients or labels.")
		}
		return err
	}
	missing, err := missingLabel(r, account, b.Audience)
	if err == nil && missing != "" {
		err = chat.Invalid(labelsField(b.Audience), "The number's team has no label %s any more. Choose others.", missing)
	}
	return err
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
	template, err := templateOf(tx.Reader, account, *b)
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

func templateOf(r store.Reader, account chat.Account, b chat.Broadcast) (chat.Template, error) {
	template, err := r.TemplateToSend(account.OrgID, account.WABAID, b.Template.Name, b.Template.Language)
	if errors.Is(err, store.ErrNotFound) {
		return template, chat.UnknownTemplate(b.Template.Name, b.Template.Language, nil)
	}
	return template, err
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

// RetrySome makes up to limit recipients with failed messages wait for another one, and those who were skipped because
// the customer was suspended, and returns how many it has seen to. Those who have the message under another address are
// skipped instead. It is called before RetryBroadcast, each time in its own transaction. All refusals come before the
// first change.
func RetrySome(tx *store.Tx, account chat.Account, id string, limit int) (int64, error) {
	b, err := forMove(tx, account, id, chat.MoveRetry)
	if err != nil {
		return 0, err
	}
	if _, err := templateOf(tx.Reader, account, b); err != nil {
		return 0, err
	}
	rows, err := tx.RetriableRecipients(b.ID, limit)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	if err := reopen(tx, b); err != nil {
		return 0, err
	}
	served, err := servedElsewhere(tx.Reader, account, b, rows)
	if err != nil {
		return 0, err
	}
	var t tally
	for _, r := range rows {
		again, status := tx.RetryRecipient, chat.RecipientWaiting
		if served[r.Address] {
			again, status = tx.SkipServed, chat.RecipientSkipped
		}
		if err := again(r); err != nil {
			return 0, err
		}
		t.move(b.ID, r.Status, status)
	}
	return int64(len(rows)), t.write(tx, byCaller)
}

// reopen pauses a broadcast that is over. If its recipients waited while it was stopped, they would be skipped; if they
// waited while it was completed, nobody would notice that the retry was cut off.
func reopen(tx *store.Tx, b chat.Broadcast) error {
	if b.Status == chat.BroadcastPaused {
		return nil
	}
	if b.Status == chat.BroadcastStopped && b.Active {
		if err := checkStopped(tx.Reader, b); err != nil {
			return err
		}
	}
	b.Status, b.Reason, b.Active, b.CompletedAt = chat.BroadcastPaused, chat.ReasonByUser, false, nil
	return saveBroadcast(tx, &b)
}

// checkStopped refuses to go on with a stopped broadcast while people are left who would have got its message. They
// would get it after all.
func checkStopped(r store.Reader, b chat.Broadcast) error {
	waiting, err := r.AnyRecipient(b.ID, chat.RecipientWaiting)
	if err != nil {
		return err
	}
	prepared, _, err := r.QueuedFirst(b.OrgID, b.ID, "", 1)
	if err != nil {
		return err
	}
	if waiting || prepared > 0 {
		return chat.Fail(chat.CodeBroadcastState, "The broadcast is still being stopped: some recipients wait to be skipped. Try again in a few seconds.")
	}
	return nil
}

// RetryBroadcast continues a broadcast whose failed recipients wait again. If nobody's message had failed, a broadcast
// that is over stays over.
func RetryBroadcast(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	b, err := forMove(tx, account, id, chat.MoveRetry)
	if err != nil {
		return b, err
	}
	if b.Status == chat.BroadcastPaused {
		if err := goOn(tx, account, &b); err != nil {
			return b, err
		}
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
	switch e.Param {
	case "audience":
		b.Reason = chat.ReasonNoRecipients
	case labelsField(b.Audience):
		b.Reason = chat.ReasonLabelDeleted
	}
	return saveBroadcast(tx, &b)
}
