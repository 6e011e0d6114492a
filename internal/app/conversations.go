package app

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerConversations(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/conversations", ID: "listInbox", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "List conversations", Description: "Of all numbers, as far as the user may see them.",
	}, listInbox)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/conversations/counts", ID: "countInbox", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Count conversations", Description: "Counts stop at 1000, which says that there may be more.",
	}, countInbox)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/conversations/{id}", ID: "getInboxConversation", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Get a conversation", Description: "Of whatever number. One that the user may not see is not found.",
	}, getInboxConversation)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/conversations/{id}", ID: "updateInboxConversation", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Change a conversation", Description: "Fields that are left out stay as they are; at least one is needed.",
	}, updateInboxConversation)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/conversations/{id}/labels", ID: "labelInboxConversation", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Attach a label", Description: "The label must be of the number's team. Attaching it again changes nothing.", InPath: seenInPath,
	}, labelInboxConversation)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/conversations/{id}/labels/{label_id}", ID: "unlabelInboxConversation", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Detach a label", Description: "Detaching a label that is not attached changes nothing.",
	}, unlabelInboxConversation)
}

// seenInPath loads the conversation that the path names.
func seenInPath(c *rest.Call, r store.Reader) error {
	_, _, err := core.SeenConversation(r, *c.Caller.User, c.PathValue(0))
	return err
}

type inboxConversationView struct {
	ID              rest.ConversationID            `json:"id"`
	Object          string                         `json:"object" enum:"conversation"`
	Status          chat.ConversationStatus        `json:"status"`
	SnoozedUntil    *rest.Instant                  `json:"snoozed_until" nullable:"true" doc:"Of a pending one. The year 9999: until an answer comes."`
	Contact         inboxContactView               `json:"contact"`
	Number          inboxNumberView                `json:"number"`
	Assignee        rest.OrNull[namedView]         `json:"assignee"`
	Labels          []inboxLabelView               `json:"labels"`
	ContactLabels   []inboxLabelView               `json:"contact_labels"`
	UnreadCount     int64                          `json:"unread_count"`
	WaitingSince    *rest.Instant                  `json:"waiting_since" nullable:"true" doc:"Since when a person waits for an answer."`
	WindowExpiresAt *rest.Instant                  `json:"window_expires_at" nullable:"true" doc:"Until when one can write without a template; null: only with one."`
	LastMessage     rest.OrNull[messageGlanceView] `json:"last_message"`
	Draft           bool                           `json:"draft" doc:"The user has begun to write something."`
	LastMessageAt   *rest.Instant                  `json:"last_message_at" nullable:"true"`
	CreatedAt       rest.Instant                   `json:"created_at"`
	UpdatedAt       rest.Instant                   `json:"updated_at"`
}

type inboxContactView struct {
	ID          rest.ContactID `json:"id"`
	Name        *string        `json:"name"`
	PhoneNumber *string        `json:"phone_number"`
	BSUID       *string        `json:"bsuid"`
	Username    *string        `json:"username"`
}

type inboxNumberView struct {
	PhoneNumberID string `json:"phone_number_id"`
	PhoneNumber   string `json:"phone_number"`
	Name          string `json:"name"`
}

type namedView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type inboxLabelView struct {
	ID    rest.LabelID `json:"id"`
	Name  string       `json:"name"`
	Color string       `json:"color"`
}

type messageGlanceView struct {
	ID        rest.MessageID     `json:"id"`
	Direction chat.Direction     `json:"direction"`
	Type      string             `json:"type"`
	Status    chat.MessageStatus `json:"status"`
	Preview   string             `json:"preview" doc:"Its text in one line; empty where the type says it all."`
	ErrorCode *string            `json:"error_code" nullable:"true"`
	CreatedAt rest.Instant       `json:"created_at"`
}

func viewGlance(m chat.Message) messageGlanceView {
	view := messageGlanceView{
		ID: rest.MessageID(m.ID), Direction: m.Direction, Type: string(m.Type), Status: m.Status,
		Preview: core.Preview(m), CreatedAt: rest.Instant(m.CreatedAt),
	}
	if m.Error != nil {
		view.ErrorCode = new(string(m.Error.Code))
	}
	return view
}

func viewInboxItem(i core.InboxItem, now time.Time) inboxConversationView {
	view := inboxConversationView{
		ID: rest.ConversationID(i.ID), Object: "conversation", Status: i.Status, SnoozedUntil: rest.InstantPtr(i.SnoozedUntil),
		Contact: contactOf(i.InboxEntry), Number: numberOf(i.InboxEntry), Labels: viewLabels(i.Labels), ContactLabels: viewLabels(i.ContactLabels), UnreadCount: i.UnreadCount,
		WaitingSince: rest.InstantPtr(i.WaitingSince), WindowExpiresAt: rest.InstantPtr(i.Window(now)), Draft: i.Draft,
		LastMessageAt: rest.InstantPtr(i.LastMessageAt), CreatedAt: rest.Instant(i.CreatedAt), UpdatedAt: rest.Instant(i.UpdatedAt),
	}
	if i.AssignedTo != nil {
		view.Assignee.Value = &namedView{*i.AssignedTo, deref(i.AssigneeName)}
	}
	if i.LastMessage != nil {
		view.LastMessage.Value = new(viewGlance(*i.LastMessage))
	}
	return view
}

func contactOf(e chat.InboxEntry) inboxContactView {
	return inboxContactView{rest.ContactID(e.ContactID), e.ContactName, e.ContactNumber, e.ContactBSUID, e.ContactUsername}
}

func numberOf(e chat.InboxEntry) inboxNumberView {
	return inboxNumberView{deref(e.PhoneNumberID), deref(e.PhoneNumber), deref(e.NumberName)}
}

func viewLabels(labels []chat.Label) []inboxLabelView {
	views := make([]inboxLabelView, len(labels))
	for i, l := range labels {
		views[i] = inboxLabelView{rest.LabelID(l.ID), l.Name, l.Color}
	}
	return views
}

func showInboxConversation(c *rest.Call, r store.Reader, id string) (inboxConversationView, error) {
	item, err := core.InboxConversation(r, *c.Caller.User, id)
	return viewInboxItem(item, c.Now()), err
}

type listInboxInput struct {
	View       string       `query:"view" enum:"mine,unassigned,all,mentions,snoozed" default:"all"`
	Status     string       `query:"status" enum:"open,pending,resolved,any" default:"open" doc:"What is snoozed is pending, and shown whatever is said here."`
	Number     string       `query:"number" pattern:"^[0-9]{6,20}$" doc:"Only of this business number, by its phone_number_id."`
	LabelID    rest.LabelID `query:"label_id" doc:"Only those that have this label, or whose contact has."`
	AssignedTo rest.UserID  `query:"assigned_to"`
	TeamID     rest.TeamID  `query:"team_id" doc:"Only of this team's numbers."`
	Unread     string       `query:"unread" enum:"true,false" doc:"true: only those with something unread."`
	Sort       string       `query:"sort" enum:"newest,oldest,waiting" default:"newest" doc:"waiting: only those in which a person waits for an answer, the longest wait first."`
}

func (in listInboxInput) filter() chat.InboxFilter {
	return chat.InboxFilter{
		View: chat.InboxView(in.View), Status: in.Status, Number: in.Number, LabelID: string(in.LabelID),
		AssignedTo: string(in.AssignedTo), TeamID: string(in.TeamID), Unread: in.Unread == "true", Sort: chat.InboxSort(in.Sort),
	}
}

func listInbox(c *rest.Call, in *listInboxInput, p store.Page) (store.Slice[inboxConversationView], error) {
	items, err := core.Inbox(c.Read(), *c.Caller.User, in.filter(), p)
	now := c.Now()
	return rest.ViewEach(items, func(i core.InboxItem) inboxConversationView { return viewInboxItem(i, now) }), err
}

type countInboxInput struct {
	Number string      `query:"number" pattern:"^[0-9]{6,20}$"`
	TeamID rest.TeamID `query:"team_id"`
}

type inboxCountsView struct {
	Mine       inboxCountView `json:"mine"`
	Unassigned inboxCountView `json:"unassigned"`
	All        inboxCountView `json:"all"`
	Snoozed    inboxCountView `json:"snoozed"`
	Mentions   inboxCountView `json:"mentions"`
}

type inboxCountView struct {
	Open   int `json:"open" doc:"Of what is snoozed: all of it."`
	Unread int `json:"unread"`
}

func countInbox(c *rest.Call, in *countInboxInput) (inboxCountsView, error) {
	counts, err := core.InboxCounts(c.Read(), *c.Caller.User, chat.InboxFilter{Number: in.Number, TeamID: string(in.TeamID)})
	of := func(v chat.InboxView) inboxCountView { return inboxCountView{counts[v].Open, counts[v].Unread} }
	return inboxCountsView{
		of(chat.ViewMine), of(chat.ViewUnassigned), of(chat.ViewAll), of(chat.ViewSnoozed), of(chat.ViewMentions),
	}, err
}

func getInboxConversation(c *rest.Call, in *rest.ByID[rest.ConversationID]) (inboxConversationView, error) {
	return showInboxConversation(c, c.Read(), string(in.ID))
}

// conversationChangeBody is a change of one conversation, or of many.
type conversationChangeBody struct {
	Status       *chat.ConversationStatus `json:"status,omitempty"`
	AssignedTo   chat.Patch[string]       `json:"assigned_to,omitzero" pattern:"^usr_[0-9A-HJKMNP-TV-Z]{26}$" doc:"A user of the number's team. Null clears it."`
	SnoozedUntil chat.Patch[string]       `json:"snoozed_until,omitzero" format:"date-time" doc:"Makes it pending until then. Null wakes it."`
	UntilReply   *bool                    `json:"until_reply,omitempty" doc:"true: snoozed until an answer comes."`
	Unread       *bool                    `json:"unread,omitempty"`
}

func (b conversationChangeBody) patch() chat.ConversationPatch {
	p := chat.ConversationPatch{Status: b.Status, AssignedTo: b.AssignedTo, Unread: b.Unread}
	p.SnoozedUntil.Given = b.SnoozedUntil.Given
	if text := b.SnoozedUntil.Value; text != nil {
		if at, err := time.Parse(time.RFC3339, *text); err == nil { // the rule accepted it
			p.SnoozedUntil.Value = new(at.UTC().Truncate(time.Millisecond))
		}
	}
	if b.UntilReply != nil && *b.UntilReply {
		p.SnoozedUntil = chat.To(chat.Forever)
	}
	return p
}

func updateInboxConversation(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ConversationID, conversationChangeBody]) (inboxConversationView, error) {
	conversation, err := core.ChangeSeen(tx, *c.Caller.User, string(in.ID), in.Body.patch())
	if err != nil {
		return inboxConversationView{}, err
	}
	return showChanged(tx, c, conversation.ID)
}

// showChanged shows a conversation to the user who changed it, even if the change hid it from that user.
func showChanged(tx *store.Tx, c *rest.Call, id string) (inboxConversationView, error) {
	all := *c.Caller.User
	all.Sees = chat.SeesAll
	item, err := core.InboxConversation(tx.Reader, all, id)
	return viewInboxItem(item, c.Now()), err
}

type labelInboxConversationBody struct {
	LabelID rest.LabelID `json:"label_id"`
}

func labelInboxConversation(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ConversationID, labelInboxConversationBody]) (inboxConversationView, error) {
	if err := core.LabelSeen(tx, *c.Caller.User, string(in.ID), string(in.Body.LabelID)); err != nil {
		return inboxConversationView{}, err
	}
	return showChanged(tx, c, string(in.ID))
}

type unlabelInboxConversationInput struct {
	rest.ByID[rest.ConversationID]
	LabelID rest.LabelID `path:"label_id"`
}

func unlabelInboxConversation(tx *store.Tx, c *rest.Call, in *unlabelInboxConversationInput) (inboxConversationView, error) {
	if err := core.UnlabelSeen(tx, *c.Caller.User, string(in.ID), string(in.LabelID)); err != nil {
		return inboxConversationView{}, err
	}
	return showChanged(tx, c, string(in.ID))
}
