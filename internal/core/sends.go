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

// NewMessage is a valid message to send.
type NewMessage struct {
	To        string // +E.164; wins over Recipient
	Recipient string // BSUID or parent BSUID
	Context   string
	Type      chat.MessageType
	Content   json.RawMessage
	Media     chat.LibraryFile // the file that the content names
	Source    chat.Source
	By        *chat.User // the user who sends it from the dashboard
	About     []string   // the conversations of the messages that this user quotes or reacts to by our ids
	// Template is the result of Templates.Choose for a template message; MoreMedia are the files in it.
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

// AcceptSend accepts a message, or says why not.
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

// place queues a message to a person who may get it. The caller has checked that the number may send and that the
// files exist.
func place(tx *store.Tx, account chat.Account, in NewMessage) (Accepted, error) {
	t, err := threadFor(tx, account, in.recipient(), in.Source)
	if err != nil {
		return Accepted{}, err
	}
	if err := maySend(tx.Reader, account, t, in.By); err != nil {
		return Accepted{}, err
	}
	if slices.ContainsFunc(in.About, func(id string) bool { return id != t.conversation.ID }) {
		return Accepted{}, chat.NotFound("message") // the person has no such message
	}
	if err := checkConsent(account, t.contact, in.Template.consentCategory()); err != nil {
		return Accepted{}, err
	}
	return queueMessage(tx, account, t, in)
}

// queueMessage queues a message that may be sent.
func queueMessage(tx *store.Tx, account chat.Account, t thread, in NewMessage) (Accepted, error) {
	at, err := tx.AfterUnsent(t.conversation)
	if err != nil {
		return Accepted{}, err
	}
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
	err = tx.InsertMessage(message)
	if err == nil && (!t.begun || in.By != nil || in.Source == chat.SourceBroadcast) {
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

// Refused says why a message cannot be accepted, as far as that is known before its transaction. Checking early helps,
// because a failing transaction costs the ones that run beside it.
func (in NewMessage) Refused(account chat.Account, plan chat.Plan, now time.Time) error {
	if err := account.CheckSend(now, in.Type == chat.TypeTemplate); err != nil {
		return err
	}
	if in.Template != nil && plan.MonthlyMessages == nil { // otherwise the quota is checked first
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

// maySend refuses a user who does not see the conversation. A user who sees only assigned conversations sees theirs
// even after leaving the number's team. As a member of the team, such a user can begin a conversation with a person to
// whom nobody has written.
func maySend(r store.Reader, account chat.Account, t thread, by *chat.User) error {
	c := t.conversation
	if by == nil || by.Sees == chat.SeesAssigned && deref(c.AssignedTo) == by.ID {
		return nil
	}
	if err := MaySeeNumber(r, account, *by); err != nil {
		return err
	}
	begins := c.AssignedTo == nil && (t.begun || c.LastMessageAt == nil)
	if by.Sees == chat.SeesAssigned && !begins {
		return chat.NotFound("conversation")
	}
	return nil
}

// quotaMonth is the month to whose quota an instant belongs.
func quotaMonth(at time.Time) string { return at.UTC().Format("2006-01") }

// returnQuota gives back the quota of a message that is never sent, if the plan has a limit.
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

// takeQuota counts messages, if the plan has a limit. Those that it refuses are not counted, because the transaction may
// go on without them.
func takeQuota(tx *store.Tx, orgID string, plan chat.Plan, messages int) error {
	if plan.MonthlyMessages == nil || messages == 0 {
		return nil
	}
	left, err := tx.TakeFromQuota(orgID, quotaMonth(tx.Now()), int64(messages), *plan.MonthlyMessages)
	if err == nil && !left {
		return chat.Fail(chat.CodeQuotaExceeded, "The %s plan's %d messages of this month are used up.", plan.Name, *plan.MonthlyMessages)
	}
	return err
}

// sendableAs reports whether the provider takes a file of a type in a message of another: a document can have any type, the
// others must match theirs. It takes WebP as a sticker alone.
func sendableAs(mimeType string, as chat.MessageType) bool {
	kind := strings.ToLower(mimeType)
	return as == chat.TypeDocument || strings.HasPrefix(kind, string(as)+"/") && !strings.HasPrefix(kind, "image/webp")
}

// checkLibraryMedia refuses a missing file, and one that the provider would refuse.
func checkLibraryMedia(r store.Reader, account chat.Account, file chat.LibraryFile) error {
	if file.ID == "" {
		return nil
	}
	media, err := r.Media(account.OrgID, file.ID)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && (media.TeamID != account.TeamID || media.Origin == chat.MediaInbound):
		return &chat.Error{Code: chat.CodeMediaNotFound, Param: file.Param, Message: "There is no such media in the library of this number's team."}
	case err == nil && !sendableAs(media.MimeType, file.As):
		return chat.Invalid(file.Param, "The file is %s and cannot be sent as %s.", media.MimeType, file.As)
	}
	return err
}

// SendResult is the result of an attempt to send: Sent, Failure or Retry.
type SendResult struct {
	Work store.SendWork
	Sent provider.Sent
	// Failure ends the message. Nil with Retry set schedules another attempt instead.
	Failure *chat.MessageError
	// Said is the provider's error that ended the message; nil if the service refused.
	Said  *provider.Error
	Retry *store.SendJob

	account chat.Account
	event   json.RawMessage // the payload of message.sent
}

// PrepareSends does the part of RecordSends that needs no transaction. It leaves out results of accounts that were
// disconnected meanwhile, because their data is being purged.
func PrepareSends(reader store.Reader, results []SendResult) ([]SendResult, error) {
	accounts, err := accountsOf(reader, results)
	if err != nil {
		return nil, err
	}
	kept := make([]SendResult, 0, len(results))
	for _, r := range results {
		var connected bool
		if r.account, connected = accounts[r.Work.Job.AccountID]; !connected {
			continue
		}
		if r.sent() {
			if r.event, err = jsonv2.Marshal(sentPayload(r.account, r.Work, r.sentMessage()), jsonv2.Deterministic(true)); err != nil {
				return nil, err
			}
		}
		kept = append(kept, r)
	}
	return kept, nil
}

// accountsOf reads the accounts of the results, by id.
func accountsOf(reader store.Reader, results []SendResult) (map[string]chat.Account, error) {
	found := map[string]chat.Account{}
	for _, r := range results {
		found[r.Work.Job.AccountID] = chat.Account{}
	}
	accounts, err := reader.AccountsByID(slices.Collect(maps.Keys(found)))
	clear(found)
	for _, a := range accounts {
		found[a.ID] = a
	}
	return found, err
}

func (r SendResult) sent() bool { return r.Retry == nil && r.Failure == nil }

// sentMessage is the message after it was sent.
func (r SendResult) sentMessage() chat.Message {
	m := r.Work.Message
	m.ProviderID, m.Status = r.Sent.MessageID, chat.StatusSent
	return m
}

// RecordSends writes the results of several attempts. Only the first report of a message's provider id emits
// message.sent: a status callback may have brought the id before.
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

// writeSent moves the recipients of sent broadcast messages, and returns the recipients' ids by message.
func (l *ledger) writeSent(tx *store.Tx, prepared []SendResult, news map[string]sentNews) (map[string]string, error) {
	for _, r := range prepared {
		if news[r.Work.Message.ID].eventRow != "" {
			l.note(r.sentMessage(), chat.StatusQueued)
		}
	}
	return l.write(tx)
}

// sentNews is the row of a sent message's event, the message's current conversation, and its recipient if a broadcast
// made it.
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

// markSent ends the jobs of sent messages. It returns the event rows of the messages whose provider id is new.
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

// recordSend writes one result. news is empty unless message.sent must be emitted.
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

// emitSentAfterMerge emits message.sent for a message whose conversation was merged while it was being sent.
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

// failMessage fails a message that the provider never took, and emits the event in the provider's form.
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
