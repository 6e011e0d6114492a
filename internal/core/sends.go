package core

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// NewMessage is a message to send, right in itself.
type NewMessage struct {
	To        string // +E.164; wins over Recipient
	Recipient string // BSUID or parent BSUID
	Context   string
	Type      chat.MessageType
	Content   json.RawMessage
	Media     chat.LibraryFile // that the content names
	Source    chat.Source
	By        *chat.User // who sends it from the dashboard
	// Template is what Templates.Choose says of a template's message; MoreMedia are the files in it.
	Template  *TemplateChoice
	MoreMedia []chat.LibraryFile
}

// Accepted is a message that will be sent: it is durable once the transaction commits.
type Accepted struct {
	Message      chat.Message
	Contact      chat.Contact
	Conversation chat.Conversation
	Job          store.SendJob
}

// AcceptSend takes a message on, or says why not.
func AcceptSend(tx *store.Tx, account chat.Account, plan chat.Plan, in NewMessage) (Accepted, error) {
	if err := account.CheckSend(tx.Now(), in.Type == chat.TypeTemplate); err != nil {
		return Accepted{}, err
	}
	if err := takeQuota(tx, account.OrgID, plan, 1); err != nil {
		return Accepted{}, err
	}
	if in.Template != nil && in.Template.Err != nil {
		return Accepted{}, in.Template.Err
	}
	for _, file := range append([]chat.LibraryFile{in.Media}, in.MoreMedia...) {
		if err := checkLibraryMedia(tx.Reader, account, file); err != nil {
			return Accepted{}, err
		}
	}
	return place(tx, account, in)
}

// place puts a message on its way to somebody who may get it. The number may send, and its files are there.
func place(tx *store.Tx, account chat.Account, in NewMessage) (Accepted, error) {
	t, begun, err := threadFor(tx, account, in.recipient())
	if err != nil {
		return Accepted{}, err
	}
	if err := maySend(tx.Reader, account, t.conversation, begun, in.By); err != nil {
		return Accepted{}, err
	}
	if err := checkConsent(account, t.contact, in.Template.consentCategory()); err != nil {
		return Accepted{}, err
	}
	return queueMessage(tx, account, t, begun, in)
}

// queueMessage puts a message on its way that may be sent. Where the conversation has begun with it, that knows of it.
func queueMessage(tx *store.Tx, account chat.Account, t thread, begun bool, in NewMessage) (Accepted, error) {
	at := tx.After(t.conversation.LastMessageAt) // in the order of their ids they are sent
	message := chat.Message{
		ID: tx.NewIDAt(chat.KindMessage, at), OrgID: account.OrgID, AccountID: account.ID,
		ConversationID: t.conversation.ID, ContactID: t.contact.ID,
		Direction: chat.Outbound, Type: in.Type, Status: chat.StatusQueued, Source: in.Source,
		Content: in.Content, Context: in.Context, MediaID: in.Media.ID, CreatedAt: at, UpdatedAt: tx.Now(),
	}
	if in.By != nil {
		message.SentBy = in.By.ID
	}
	job := store.SendJob{
		OrgID: account.OrgID, MessageID: message.ID, AccountID: account.ID, ConversationID: t.conversation.ID,
		DueAt: tx.Now(), Category: in.Template.consentCategory(),
	}
	err := tx.InsertMessage(message)
	if err == nil && (!begun || in.By != nil || in.Source == chat.SourceBroadcast) {
		err = noteReply(tx, account, &t.conversation, message, in.By)
	}
	if err != nil {
		return Accepted{}, err
	}
	job, err = tx.QueueSend(account, store.SendWork{
		Job: job, Message: message, To: t.contact.PhoneNumber, BSUID: t.contact.BSUID, Parent: t.contact.ParentBSUID,
		Name: t.contact.Name, ConversationStatus: t.conversation.Status,
	})
	return Accepted{Message: message, Contact: t.contact, Conversation: t.conversation, Job: job}, err
}

// Refused is why a message cannot be accepted, as far as that is known before its transaction: a
// transaction that fails costs those that run beside it.
func (in NewMessage) Refused(account chat.Account, plan chat.Plan, now time.Time) error {
	if err := account.CheckSend(now, in.Type == chat.TypeTemplate); err != nil {
		return err
	}
	if in.Template != nil && plan.MonthlyMessages == nil { // else the quota comes first
		return in.Template.Err
	}
	return nil
}

func (in NewMessage) recipient() person {
	switch {
	case in.To != "":
		return person{Number: in.To}
	case chat.ParentBSUID(in.Recipient):
		return person{ParentBSUID: in.Recipient}
	default:
		return person{BSUID: in.Recipient}
	}
}

// maySend refuses a user who does not see the conversation. Whoever sees what is assigned to them sees it also
// after leaving the team of its number. In the team, they can begin one with a person to whom nobody has written.
func maySend(r store.Reader, account chat.Account, c chat.Conversation, begun bool, by *chat.User) error {
	if by == nil || by.Sees == chat.SeesAssigned && deref(c.AssignedTo) == by.ID {
		return nil
	}
	if err := MaySeeNumber(r, account, *by); err != nil {
		return err
	}
	begins := c.AssignedTo == nil && (begun || c.LastMessageAt == nil)
	if by.Sees == chat.SeesAssigned && !begins {
		return chat.NotFound("conversation")
	}
	return nil
}

// quotaMonth names the month whose quota an instant belongs to.
func quotaMonth(at time.Time) string { return at.UTC().Format("2006-01") }

// returnQuota gives back what a message took that never goes out, where the plan has a limit.
func returnQuota(tx *store.Tx, m chat.Message) error {
	organization, err := tx.Organization(m.OrgID)
	if err != nil {
		return err
	}
	plan, err := tx.Plan(organization.Plan)
	if err != nil || plan.MonthlyMessages == nil {
		return err
	}
	return tx.UncountMessage(m.OrgID, quotaMonth(m.CreatedAt))
}

// takeQuota counts the message where the plan has a limit.
func takeQuota(tx *store.Tx, orgID string, plan chat.Plan, messages int) error {
	if plan.MonthlyMessages == nil || messages == 0 {
		return nil
	}
	used, err := tx.AddToQuota(orgID, quotaMonth(tx.Now()), messages)
	if err == nil && used > *plan.MonthlyMessages {
		return chat.Fail(chat.CodeQuotaExceeded, "The %s plan's %d messages of this month are used up.", plan.Name, *plan.MonthlyMessages)
	}
	return err
}

// checkLibraryMedia refuses a file that is not there, and one that the provider would refuse: a
// document can be of any type, the others are what they say.
func checkLibraryMedia(r store.Reader, account chat.Account, file chat.LibraryFile) error {
	if file.ID == "" {
		return nil
	}
	media, err := r.Media(account.OrgID, file.ID)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && (media.TeamID != account.TeamID || media.Origin == chat.MediaInbound):
		return &chat.Error{Code: chat.CodeMediaNotFound, Param: file.Param, Message: "There is no such media in the library of this number's team."}
	case err == nil && file.As != chat.TypeDocument && !strings.HasPrefix(strings.ToLower(media.MimeType), string(file.As)+"/"):
		return chat.Invalid(file.Param, "The file is %s and cannot be sent as %s.", media.MimeType, file.As)
	}
	return err
}

// SendResult is how an attempt to send ended: Sent, or Err with what to do about it.
type SendResult struct {
	Work store.SendWork
	Sent provider.Sent
	// Failure ends the message. Nil with Retry set schedules another attempt instead.
	Failure *chat.MessageError
	// Said is what the provider had said when it ended the message; nil where the service refused.
	Said  *provider.Error
	Retry *store.SendJob

	account chat.Account
	event   json.RawMessage // what message.sent will say
}

// PrepareSends does for RecordSends what needs no transaction. It leaves out the results of accounts
// that were disconnected meanwhile: their data is being purged.
func PrepareSends(account func(orgID, accountID string) (chat.Account, error), results []SendResult) ([]SendResult, error) {
	kept := make([]SendResult, 0, len(results))
	for _, r := range results {
		var err error
		r.account, err = account(r.Work.Job.OrgID, r.Work.Job.AccountID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil && r.sent() {
			r.event, err = jsonv2.Marshal(sentPayload(r.account, r.Work, r.sentMessage()), jsonv2.Deterministic(true))
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, r)
	}
	return kept, nil
}

func (r SendResult) sent() bool { return r.Retry == nil && r.Failure == nil }

// sentMessage is the message once it was sent.
func (r SendResult) sentMessage() chat.Message {
	m := r.Work.Message
	m.ProviderID, m.Status = r.Sent.MessageID, chat.StatusSent
	return m
}

// RecordSends writes the results of several attempts. Only the first word of a message's
// provider id emits message.sent: a status callback may have brought it before.
func RecordSends(tx *store.Tx, prepared []SendResult) error {
	about := map[string][]string{} // message ids by organization
	for _, r := range prepared {
		about[r.Work.Job.OrgID] = append(about[r.Work.Job.OrgID], r.Work.Job.MessageID)
	}
	if err := lockMessages(tx, about); err != nil {
		return err
	}
	news, err := markSent(tx, prepared)
	if err != nil {
		return err
	}
	l := &ledger{by: bySender}
	recipients, err := l.writeSent(tx, prepared, news)
	if err != nil {
		return err
	}
	for _, r := range prepared {
		told := news[r.Work.Message.ID]
		told.recipientID = recipients[r.Work.Message.ID]
		if err := recordSend(tx, r, told, l); err != nil {
			return err
		}
	}
	_, err = l.write(tx)
	return err
}

// writeSent moves the recipients of messages of broadcasts that were sent, and returns them by message.
func (l *ledger) writeSent(tx *store.Tx, prepared []SendResult, news map[string]sentNews) (map[string]string, error) {
	for _, r := range prepared {
		if news[r.Work.Message.ID].eventRow != "" {
			l.note(r.sentMessage(), chat.StatusQueued)
		}
	}
	return l.write(tx)
}

// sentNews is the event to tell of a message that was sent, where the message is by now, and whose it is if a
// broadcast made it.
type sentNews struct{ eventRow, conversationID, recipientID string }

// lockMessages locks messages of several organizations, always in the same order.
func lockMessages(tx *store.Tx, ids map[string][]string) error {
	for _, orgID := range slices.Sorted(maps.Keys(ids)) {
		if err := tx.LockMessages(orgID, ids[orgID]); err != nil {
			return err
		}
	}
	return nil
}

// markSent ends the jobs of the messages that have gone out. Of those whose provider id is news it returns
// the rows of the events that will tell of them.
func markSent(tx *store.Tx, results []SendResult) (news map[string]sentNews, err error) {
	jobs, sent := map[string][]string{}, map[string][]store.SentMessage{} // by organization
	for _, r := range results {
		if r.sent() {
			m := r.Work.Message
			jobs[m.OrgID] = append(jobs[m.OrgID], m.ID)
			sent[m.OrgID] = append(sent[m.OrgID], store.SentMessage{ID: m.ID, ProviderID: r.Sent.MessageID, EventRow: tx.NewID(chat.KindEvent)})
		}
	}
	news = map[string]sentNews{}
	for orgID, messages := range sent {
		if err := tx.DropSendJobs(orgID, jobs[orgID]...); err != nil {
			return nil, err
		}
		first, err := tx.MarkAllSent(orgID, messages)
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			if conversationID, ok := first[m.ID]; ok {
				news[m.ID] = sentNews{eventRow: m.EventRow, conversationID: conversationID}
			}
		}
	}
	return news, nil
}

// recordSend writes one result. news is empty unless there is a message.sent to emit.
func recordSend(tx *store.Tx, r SendResult, news sentNews, l *ledger) error {
	switch {
	case r.Retry != nil:
		mine, err := tx.RetrySendJob(*r.Retry)
		if err != nil || !mine {
			return err
		}
		return tx.MarkPending(r.Work.Message.OrgID, r.Work.Message.ID)
	case r.Failure != nil:
		mine, err := tx.FinishSendJob(r.Work.Job.OrgID, r.Work.Job.MessageID, r.Work.Job.Owner)
		if err != nil || !mine {
			return err
		}
		return failMessage(tx, r.account, r.Work.Message.ID, *r.Failure, r.Said, l)
	case news.eventRow == "":
		return nil
	case news.conversationID != r.Work.Message.ConversationID:
		return emitSentAfterMerge(tx, r, news)
	default:
		m := r.Work.Message
		m.EventRow = news.eventRow
		return emitSent(tx, r.account, m, news.recipientID, r.event)
	}
}

// emitSentAfterMerge tells of a message whose conversation has become one with another while it was on its
// way.
func emitSentAfterMerge(tx *store.Tx, r SendResult, news sentNews) error {
	work, err := tx.SendWork(r.Work.Job)
	if err != nil {
		return err
	}
	m := r.sentMessage()
	m.ConversationID, m.ContactID, m.EventRow = work.Message.ConversationID, work.Message.ContactID, news.eventRow
	work.MediaURL = r.Work.MediaURL
	return messageSent(tx, r.account, work, m, news.recipientID)
}

// failMessage ends a message that the provider never took, and tells of it as the provider would.
func failMessage(tx *store.Tx, account chat.Account, messageID string, failure chat.MessageError, said *provider.Error, l *ledger) error {
	m, err := tx.Message(account.OrgID, account.ID, messageID)
	if err != nil {
		return ignoreNotFound(err)
	}
	before := m.Status
	if !m.Fail(failure) {
		return nil
	}
	l.note(m, before)
	m.UpdatedAt = tx.Now()
	if err := tx.UpdateMessage(m); err != nil {
		return err
	}
	contact, err := tx.Contact(m.OrgID, m.AccountID, m.ContactID)
	if err != nil {
		return ignoreNotFound(err)
	}
	return synthesizedFailure(tx, account, m, contact, reportOf(failure, said))
}

func ignoreNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
