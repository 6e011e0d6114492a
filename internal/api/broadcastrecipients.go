package api

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// exportPage is the number of recipients that an export holds in memory.
const exportPage = 1000

func registerBroadcastRecipients(a *API) {
	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: broadcastPath + "/{id}/recipients", ID: "addBroadcastRecipients", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary:     "Add recipients to a broadcast that has not begun",
		Description: "Up to 1,000 at once, as often as needed. Numbers that are none, or stand there twice, are recorded as skipped.",
		Errors:      []chat.Code{chat.CodeBroadcastState}, InPath: broadcastInPath,
	}, addBroadcastRecipients)

	rest.InSteps(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: broadcastPath + "/{id}/recipients", ID: "removeBroadcastRecipients", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Remove all recipients from a broadcast that has not begun", Description: "For a list that was the wrong one. Labels and a filter stay.",
		Errors: []chat.Code{chat.CodeBroadcastState},
	}, deleteSomeRecipients, func(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (BroadcastView, error) {
		b, err := core.ClearRecipients(tx, c.Account, string(in.ID))
		return showBroadcast(tx.Reader, c, b, err)
	})

	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: broadcastPath + "/{id}/recipients", ID: "listBroadcastRecipients", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "List a broadcast's recipients, in the order in which they were added", Description: "Each has become one message, or has a reason why not, or waits. Who is retried stands at the end.",
	}, listBroadcastRecipients)

	rest.Download(a.shared, rest.Operation{
		Method: http.MethodGet, Path: broadcastPath + "/{id}/recipients.csv", ID: "exportBroadcastRecipients", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Download a broadcast's recipients as a CSV file", Description: "All of them, or those of a status: the skipped ones, for example. They are in the order in which they were added.",
	}, "recipients.csv", exportBroadcastRecipients)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: broadcastPath + "/{id}/preview", ID: "previewBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary:     "See whom a broadcast would go to, and what they would get",
		Description: "How many would be left out and why, the number's limit of people in 24 hours where it is known, and the message of three recipients.",
		Errors:      []chat.Code{chat.CodeInvalidTemplateName},
	}, a.previewBroadcast)

	rest.Download(a.shared, rest.Operation{
		Method: http.MethodGet, Path: broadcastPath + "/{id}/left_out.csv", ID: "exportBroadcastLeftOut", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary:     "Download who would get no message, as a CSV file",
		Description: "Those whom the preview counts as skipped, with the reason. Who would be added at the start has no id yet.",
	}, "left_out.csv", exportBroadcastLeftOut)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: broadcastPath + "/{id}/report", ID: "getBroadcastReport", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Get a broadcast's report", Description: "How many got it, read it and answered; why others were skipped or failed; which buttons were pressed.",
	}, getBroadcastReport)
}

type addRecipientsBody struct {
	Recipients []newRecipientBody `json:"recipients" minItems:"1" maxItems:"1000"`
}

type addedRecipientsView struct {
	Object    string `json:"object" enum:"broadcast_recipients"`
	Added     int    `json:"added"`
	Duplicate int    `json:"duplicate"`
	Invalid   int    `json:"invalid"`
}

func addBroadcastRecipients(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.BroadcastID, addRecipientsBody]) (addedRecipientsView, error) {
	recipients, err := newRecipients("recipients", in.Body.Recipients)
	if err != nil {
		return addedRecipientsView{}, err
	}
	n, err := core.AddRecipients(tx, c.Account, string(in.ID), recipients)
	return addedRecipientsView{"broadcast_recipients", n.Added, n.Duplicate, n.Invalid}, err
}

type recipientFilter struct {
	rest.AccountPath
	ID       rest.BroadcastID `path:"id"`
	Status   string           `query:"status" enum:"waiting,skipped,sent,delivered,read,failed" doc:"Only those: delivered has those who have read it too, and sent all whose message went out."`
	Reason   string           `query:"reason" minLength:"1" maxLength:"100" doc:"Only those that were skipped, or failed, for this reason."`
	Reaction string           `query:"reaction" enum:"replied,opted_out" doc:"Only those who answered, or said that they want no marketing any more."`
}

// statusesOf maps a status of the API to the stored statuses.
var statusesOf = map[string][]chat.RecipientStatus{
	"waiting": {chat.RecipientWaiting, chat.RecipientQueued}, "skipped": {chat.RecipientSkipped}, "failed": {chat.RecipientFailed},
	"sent": {chat.RecipientSent, chat.RecipientDelivered, chat.RecipientRead},
}

func (f recipientFilter) filter() store.RecipientFilter {
	statuses := statusesOf[f.Status]
	switch f.Status {
	case "delivered":
		statuses = []chat.RecipientStatus{chat.RecipientDelivered, chat.RecipientRead}
	case "read":
		statuses = []chat.RecipientStatus{chat.RecipientRead}
	}
	return store.RecipientFilter{Statuses: statuses, Reason: f.Reason, Replied: f.Reaction == "replied", OptedOut: f.Reaction == "opted_out"}
}

type recipientView struct {
	ID            rest.RecipientID  `json:"id"`
	Object        string            `json:"object" enum:"broadcast_recipient"`
	To            string            `json:"to" doc:"A number or a business-scoped id; of an invalid one, what was given; empty where the contact was deleted."`
	Variables     map[string]string `json:"variables"`
	Status        string            `json:"status" enum:"waiting,skipped,sent,failed"`
	Reason        *string           `json:"reason" doc:"Why it was skipped or failed."`
	ContactID     *string           `json:"contact_id"`
	Name          *string           `json:"name" doc:"The contact's."`
	Conversation  *string           `json:"conversation_id" doc:"With the contact."`
	MessageID     *string           `json:"message_id" doc:"Of the message that it has become. Its message.sent event has the id broadcast_msg:<id of the recipient>:sent."`
	MessageStatus *string           `json:"message_status" enum:"queued,sent,delivered,read,failed"`
	RepliedAt     *rest.Instant     `json:"replied_at" nullable:"true"`
	Clicked       *string           `json:"clicked" doc:"The first button that was pressed."`
	OptedOutAt    *rest.Instant     `json:"opted_out_at" nullable:"true"`
}

func viewRecipient(r chat.Recipient) recipientView {
	v := recipientView{
		ID: rest.RecipientID(r.ID), Object: "broadcast_recipient", To: r.Address, Variables: r.Variables, Status: shownStatus(r.Status), Reason: orNil(r.Reason),
		ContactID: orNil(r.ContactID), MessageID: orNil(r.MessageID), RepliedAt: instantOf(r.RepliedAt), Clicked: orNil(r.Clicked), OptedOutAt: instantOf(r.OptedOutAt),
	}
	if v.Variables == nil {
		v.Variables = map[string]string{}
	}
	if r.MessageID != "" {
		v.MessageStatus = new(string(r.Status))
	}
	return v
}

// shownStatus is the status under which the API shows a recipient.
func shownStatus(s chat.RecipientStatus) string {
	for shown, all := range statusesOf {
		if slices.Contains(all, s) {
			return shown
		}
	}
	return string(s)
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func listBroadcastRecipients(c *rest.Call, in *recipientFilter, p store.Page) (store.Slice[recipientView], error) {
	b, err := core.Broadcast(c.Read(), c.Account, string(in.ID))
	if err != nil {
		return store.Slice[recipientView]{}, err
	}
	rows, err := c.Read().Recipients(b.OrgID, b.ID, in.filter(), p)
	if err != nil {
		return store.Slice[recipientView]{}, err
	}
	views := rest.ViewEach(rows, viewRecipient)
	return views, namePeople(c, views.Rows)
}

// namePeople adds the contacts' names and the ids of their conversations.
func namePeople(c *rest.Call, views []recipientView) error {
	var ids []string
	for _, v := range views {
		if v.ContactID != nil {
			ids = append(ids, *v.ContactID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := c.Read().ContactEntries(chat.User{OrgID: c.Account.OrgID, Sees: chat.SeesAll}, ids)
	people := make(map[string]chat.ContactEntry, len(found))
	for _, e := range found {
		people[e.Contact.ID] = e
	}
	for i, v := range views {
		if e, ok := people[deref(v.ContactID)]; ok {
			views[i].Name, views[i].Conversation = e.Contact.Name, e.ConversationID
		}
	}
	return err
}

// exportColumns are the columns of an exported table.
var exportColumns = []string{"id", "to", "name", "status", "message_status", "reason", "contact_id", "message_id", "replied_at", "clicked", "opted_out_at", "variables"}

func exportBroadcastRecipients(c *rest.Call, in *recipientFilter, w io.Writer) error {
	b, err := core.Broadcast(c.Read(), c.Account, string(in.ID))
	if err != nil {
		return err
	}
	table := newRecipientTable(c, w, b.Name, "recipients.csv")
	for after := ""; ; {
		rows, err := c.Read().RecipientsAfter(b.OrgID, b.ID, in.filter(), after, exportPage)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := table.add(r); err != nil {
				return err
			}
			after = r.ID
		}
		if len(rows) < exportPage {
			return table.flush()
		}
	}
}

func exportBroadcastLeftOut(c *rest.Call, in *rest.NumberByID[rest.BroadcastID], w io.Writer) error {
	b, err := core.Broadcast(c.Read(), c.Account, string(in.ID))
	if err != nil {
		return err
	}
	table := newRecipientTable(c, w, b.Name, "left_out.csv")
	if err := core.EachLeftOut(c.Read(), c.Account, string(in.ID), table.add); err != nil {
		return err
	}
	return table.flush()
}

// recipientTable writes recipients as a table, a page at a time, because their names are looked up together.
type recipientTable struct {
	call *rest.Call
	csv  *csv.Writer
	rows []chat.Recipient
}

// newRecipientTable writes the head of a table. For people it bears the broadcast's name, since they keep several of
// them, and the mark without which spreadsheets do not recognize UTF-8. Programs would read the mark as a part of the first
// column's name.
func newRecipientTable(c *rest.Call, w io.Writer, broadcast, kind string) *recipientTable {
	buffered := bufio.NewWriter(w) // so that an error before the first row is still answered as one
	if c.Caller.User != nil {
		c.FileName = fileSafe.Replace(broadcast) + " " + kind
		buffered.WriteString("\ufeff")
	}
	t := &recipientTable{call: c, csv: csv.NewWriter(buffered)}
	t.csv.Write(exportColumns)
	return t
}

// fileSafe leaves out what file systems do not take in a name.
var fileSafe = strings.NewReplacer("/", "-", `\`, "-", ":", "-", "*", "-", "?", "-", `"`, "'", "<", "-", ">", "-", "|", "-")

func (t *recipientTable) add(r chat.Recipient) error {
	if t.rows = append(t.rows, r); len(t.rows) < exportPage {
		return nil
	}
	return t.flush()
}

// flush writes what was added since the last time.
func (t *recipientTable) flush() error {
	views := make([]recipientView, len(t.rows))
	for i, r := range t.rows {
		views[i] = viewRecipient(r)
	}
	if err := namePeople(t.call, views); err != nil {
		return err
	}
	for i, r := range t.rows {
		t.csv.Write(exportRow(r, views[i]))
	}
	t.rows = t.rows[:0]
	t.csv.Flush()
	return t.csv.Error()
}

func exportRow(r chat.Recipient, v recipientView) []string {
	variables := ""
	if len(r.Variables) > 0 {
		text, _ := json.Marshal(r.Variables) // strings never fail
		variables = string(text)
	}
	row := []string{
		string(v.ID), v.To, deref(v.Name), v.Status, deref(v.MessageStatus), r.Reason, r.ContactID, r.MessageID, timeText(r.RepliedAt), r.Clicked, timeText(r.OptedOutAt),
		variables,
	}
	for i, cell := range row {
		row[i] = chat.Guarded(cell)
	}
	return row
}

func timeText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return chat.FormatTime(*t)
}

type previewView struct {
	Object       string       `json:"object" enum:"broadcast_preview"`
	Total        int64        `json:"total"`
	Sendable     int64        `json:"sendable" doc:"How many would get a message, at most where some are unchecked."`
	Skipped      []reasonView `json:"skipped"`
	Unchecked    int64        `json:"unchecked" doc:"Of very many people, how many were counted and not looked at: some of them may be left out too, and of several millions total is at least the number."`
	DailyLimit   *int64       `json:"daily_limit" doc:"How many people the provider lets the number write to in 24 hours; null: not known, or no limit."`
	ExceedsLimit bool         `json:"exceeds_daily_limit" doc:"A warning: it will fail for the rest, or take longer than a day."`
	MessagesLeft *int64       `json:"messages_left" doc:"How many messages the plan has left this month; null: there is no limit."`
	Samples      []sampleView `json:"samples"`
}

type reasonView struct {
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

type sampleView struct {
	To      string                `json:"to"`
	Name    *string               `json:"name"`
	Preview *chat.TemplatePreview `json:"preview"`
	Reason  *string               `json:"reason" doc:"Why there is no message."`
}

func (a *API) previewBroadcast(c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (previewView, error) {
	p, err := core.PreviewBroadcast(c.Read(), c.Account, string(in.ID), a.store.Now)
	if err != nil {
		return previewView{}, err
	}
	v := previewView{
		Object: "broadcast_preview", Total: p.Total, Sendable: p.Sendable(), Skipped: []reasonView{}, Unchecked: p.Unchecked, DailyLimit: p.DailyLimit, MessagesLeft: p.MessagesLeft,
		ExceedsLimit: p.DailyLimit != nil && p.Sendable() > *p.DailyLimit, Samples: []sampleView{},
	}
	for _, reason := range p.Reasons() {
		v.Skipped = append(v.Skipped, reasonView{reason, p.Skipped[reason]})
	}
	for _, s := range p.Samples {
		v.Samples = append(v.Samples, sampleView{To: s.Address, Name: s.Name, Preview: s.Preview, Reason: orNil(s.Reason)})
	}
	return v, nil
}

type reportView struct {
	Object  string              `json:"object" enum:"broadcast_report"`
	Counts  broadcastCountsView `json:"counts"`
	Skipped []reasonView        `json:"skipped"`
	Failed  []reasonView        `json:"failed"`
	Clicked []clickView         `json:"clicked"`
}

type clickView struct {
	Button string `json:"button"`
	Count  int64  `json:"count"`
}

func getBroadcastReport(c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (reportView, error) {
	report, err := core.ReportBroadcast(c.Read(), c.Account, string(in.ID))
	v := reportView{Object: "broadcast_report", Counts: viewCounts(report.Counts), Skipped: []reasonView{}, Failed: []reasonView{}, Clicked: []clickView{}}
	for _, reason := range report.Reasons {
		if reason.Status == chat.RecipientSkipped {
			v.Skipped = append(v.Skipped, reasonView{reason.Reason, reason.N})
		} else {
			v.Failed = append(v.Failed, reasonView{reason.Reason, reason.N})
		}
	}
	for _, click := range report.Clicks {
		v.Clicked = append(v.Clicked, clickView{click.Reason, click.N})
	}
	return v, err
}
