package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerTimeline(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/conversations/{id}/timeline", ID: "getTimeline", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "List what was written and done in a conversation, newest first",
		Description: "Messages, notes and happenings. With `around` the page has that item in its middle, " +
			"with `newer` what came next after it. What is older than a page is found by its cursor.",
	}, getTimeline)
}

type timelineInput struct {
	rest.ByID[rest.ConversationID]
	Around string `query:"around" pattern:"^(msg|nte|hap)_[0-9A-HJKMNP-TV-Z]{26}$" doc:"An item's id: the page has it in its middle."`
	Newer  string `query:"newer" pattern:"^(msg|nte|hap)_[0-9A-HJKMNP-TV-Z]{26}$" doc:"An item's id: the page has what came next after it."`
}

type timelineItemView struct {
	ID        string               `json:"id"`
	Kind      string               `json:"kind" enum:"message,note,happening"`
	CreatedAt rest.Instant         `json:"created_at"`
	Message   *timelineMessageView `json:"message,omitempty"`
	Note      *noteView            `json:"note,omitempty"`
	Happening *happeningView       `json:"happening,omitempty"`
}

type timelineMessageView struct {
	api.MessageView
	EditedAt  string                        `json:"edited_at,omitempty" format:"date-time" doc:"When its author last changed it."`
	SentBy    rest.OrNull[namedView]        `json:"sent_by" doc:"The user who wrote it in the dashboard."`
	Media     rest.OrNull[messageMediaView] `json:"media"`
	Quoted    rest.OrNull[quotedView]       `json:"quoted" doc:"What it answers, where that is known."`
	Reactions []reactionView                `json:"reactions"`
}

type messageMediaView struct {
	MimeType string  `json:"mime_type"`
	Filename *string `json:"filename"`
	Size     int64   `json:"size"`
	SHA256   string  `json:"sha256"`
}

type quotedView struct {
	ID        string         `json:"id"`
	Direction chat.Direction `json:"direction"`
	Type      string         `json:"type"`
	Preview   string         `json:"preview"`
}

type reactionView struct {
	Emoji     string         `json:"emoji"`
	Direction chat.Direction `json:"direction"`
	From      string         `json:"from" doc:"Who reacted."`
}

type noteView struct {
	Body     string        `json:"body"`
	Author   namedView     `json:"author"`
	Mentions []string      `json:"mentions"`
	EditedAt *rest.Instant `json:"edited_at" nullable:"true"`
}

type happeningView struct {
	What  string                         `json:"what" enum:"assigned,unassigned,resolved,reopened,snoozed,woken,labelled,unlabelled"`
	By    rest.OrNull[namedView]         `json:"by" doc:"Null where no user did it."`
	To    rest.OrNull[namedView]         `json:"to" doc:"Whom it was assigned to. Of what was unassigned by itself: whose it was."`
	Label rest.OrNull[happenedLabelView] `json:"label" doc:"As it was then."`
	Until *rest.Instant                  `json:"until" nullable:"true"`
	Why   *string                        `json:"why" nullable:"true" enum:"round_robin,away,left" doc:"The reason, where nobody did it: it was somebody's turn, or whose it was is away or has left."`
}

type happenedLabelView struct {
	Name  string `json:"name"`
	Color string `json:"color"`
}

func getTimeline(c *rest.Call, in *timelineInput, p store.Page) (store.Slice[timelineItemView], error) {
	t, err := core.ConversationTimeline(c.Read(), *c.Caller.User, string(in.ID), core.TimelinePlace{Around: in.Around, Newer: in.Newer}, p)
	if err != nil {
		return store.Slice[timelineItemView]{}, err
	}
	show := timelineViewer{t}
	return rest.ViewEach(store.Slice[core.TimelineItem]{Rows: t.Items, Next: t.Next}, show.item), nil
}

// timelineViewer makes the views of a timeline's items.
type timelineViewer struct{ core.Timeline }

func (t timelineViewer) item(i core.TimelineItem) timelineItemView {
	switch {
	case i.Message != nil:
		return timelineItemView{ID: i.Message.ID, Kind: "message", CreatedAt: rest.Instant(i.Message.CreatedAt), Message: t.message(*i.Message)}
	case i.Note != nil:
		return viewNote(*i.Note, t.Names)
	default:
		h := *i.Happening
		return timelineItemView{ID: h.ID, Kind: "happening", CreatedAt: rest.Instant(h.At()), Happening: t.happening(h)}
	}
}

func (t timelineViewer) message(m core.TimelineMessage) *timelineMessageView {
	view := &timelineMessageView{
		MessageView: api.ViewMessage(t.Account, t.Contact, m.Message), EditedAt: m.Message.EditedAt(), SentBy: t.named(m.SentBy), Reactions: []reactionView{},
	}
	if m.Media != nil {
		view.Media.Value = &messageMediaView{m.Media.MimeType, m.Media.Filename, m.Media.Size, m.Media.SHA256}
	}
	if q := m.Quoted; q != nil {
		view.Quoted.Value = &quotedView{q.ID, q.Direction, string(q.Type), core.Preview(*q)}
	}
	for _, r := range m.Reactions {
		view.Reactions = append(view.Reactions, reactionView{r.Emoji, r.Direction, t.reactor(r)})
	}
	return view
}

// reactor is the name of the person who reacted.
func (t timelineViewer) reactor(r core.Reaction) string {
	switch {
	case r.Direction == chat.Outbound && t.Names[r.SentBy] != "":
		return t.Names[r.SentBy]
	case r.Direction == chat.Outbound:
		return deref(t.Account.Name)
	case t.Contact.Name != nil:
		return *t.Contact.Name
	default:
		return deref(t.Contact.PhoneNumber)
	}
}

func (t timelineViewer) happening(h chat.Happening) *happeningView {
	view := &happeningView{What: string(h.What), By: t.named(deref(h.By)), To: t.named(deref(h.To)), Until: rest.InstantPtr(h.Until)}
	if h.Why != "" {
		view.Why = new(string(h.Why))
	}
	if h.LabelName != nil {
		view.Label.Value = &happenedLabelView{*h.LabelName, deref(h.LabelColor)}
	}
	return view
}

func (t timelineViewer) named(id string) (v rest.OrNull[namedView]) {
	if id != "" {
		v.Value = &namedView{id, t.Names[id]}
	}
	return v
}

func viewNote(n chat.Note, names map[string]string) timelineItemView {
	return timelineItemView{ID: n.ID, Kind: "note", CreatedAt: rest.Instant(n.CreatedAt), Note: &noteView{
		Body: n.Body, Author: namedView{n.AuthorID, names[n.AuthorID]}, Mentions: append([]string{}, n.Mentions...), EditedAt: rest.InstantPtr(n.EditedAt),
	}}
}
