package app

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
)

// bulkTime is the time limit for a change of many conversations.
const bulkTime = 2 * time.Minute

func registerBulk(a *App) {
	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/conversations/bulk", ID: "changeConversations", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Change many conversations",
		Description: "Those that are named, or the first 10,000 that a filter lets pass. Those that cannot be changed so are left out. " +
			"`undo` names the change for an hour.",
		Errors: []chat.Code{chat.CodeResourceNotFound},
	}, a.changeConversations)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/conversations/matching", ID: "countMatching", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Count what a filter lets pass", Description: "As many as a change of many conversations would take: 10,000 says that there may be more.",
	}, countMatching)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/conversations/bulk/undo", ID: "undoConversations", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Undo a change of many conversations", Description: "One's own. What was changed since stays as it is.",
		Errors: []chat.Code{chat.CodeResourceNotFound},
	}, a.undoConversations)
}

type bulkBody struct {
	IDs    []string          `json:"ids,omitempty" maxItems:"200" doc:"Either these or filter."`
	Filter *chat.InboxFilter `json:"filter,omitempty"`
	Change bulkChangeBody    `json:"change"`
}

type bulkChangeBody struct {
	Status        *chat.ConversationStatus `json:"status,omitempty"`
	AssignedTo    chat.Patch[string]       `json:"assigned_to,omitzero" pattern:"^usr_[0-9A-HJKMNP-TV-Z]{26}$"`
	SnoozedUntil  chat.Patch[string]       `json:"snoozed_until,omitzero" format:"date-time"`
	UntilReply    *bool                    `json:"until_reply,omitempty"`
	Unread        *bool                    `json:"unread,omitempty"`
	LabelID       rest.LabelID             `json:"label_id,omitempty"`
	RemoveLabelID rest.LabelID             `json:"remove_label_id,omitempty"`
}

func (b bulkChangeBody) change() core.BulkChange {
	one := conversationChangeBody{b.Status, b.AssignedTo, b.SnoozedUntil, b.UntilReply, b.Unread}
	return core.BulkChange{Patch: one.patch(), BulkLabels: core.BulkLabels{LabelID: string(b.LabelID), RemoveLabelID: string(b.RemoveLabelID)}}
}

type bulkView struct {
	Changed int     `json:"changed"`
	Undo    *string `json:"undo" nullable:"true"`
}

func viewBulk(r core.BulkResult) bulkView {
	view := bulkView{Changed: r.Changed}
	if r.Undo != "" {
		view.Undo = &r.Undo
	}
	return view
}

type matchingView struct {
	Count int `json:"count"`
}

func countMatching(c *rest.Call, in *listInboxInput) (matchingView, error) {
	ids, err := core.BulkIDs(c.Read(), *c.Caller.User, in.filter())
	return matchingView{len(ids)}, err
}

func (a *App) changeConversations(c *rest.Call, in *rest.Sent[bulkBody]) (bulkView, error) {
	ids, err := in.Body.conversations(c)
	if err != nil {
		return bulkView{}, err
	}
	ctx, cancel := c.Patient(bulkTime)
	defer cancel()
	result, err := core.ChangeMany(ctx, a.store, *c.Caller.User, ids, in.Body.Change.change())
	return viewBulk(result), err
}

// conversations are the conversations that a request names.
func (b bulkBody) conversations(c *rest.Call) ([]string, error) {
	switch {
	case (len(b.IDs) == 0) == (b.Filter == nil):
		return nil, chat.Invalid("ids", "Give either ids or filter.")
	case b.Filter != nil:
		return core.BulkIDs(c.Read(), *c.Caller.User, *b.Filter)
	}
	seen, err := core.VisibleConversations(c.Read(), *c.Caller.User, b.IDs)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, id := range seen {
		known[id] = true
	}
	for _, id := range b.IDs {
		if !known[id] {
			return nil, chat.NotFound("conversation")
		}
	}
	return seen, nil
}

type undoBody struct {
	Token rest.BulkID `json:"token"`
}

func (a *App) undoConversations(c *rest.Call, in *rest.Sent[undoBody]) (bulkView, error) {
	ctx, cancel := c.Patient(bulkTime)
	defer cancel()
	result, err := core.UndoMany(ctx, a.store, *c.Caller.User, string(in.Body.Token))
	return viewBulk(result), err
}
