package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerDrafts(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/conversations/{id}/draft", ID: "getDraft", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Get one's draft", Description: "Empty where there is none.",
	}, getDraft)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPut, Path: "/conversations/{id}/draft", ID: "putDraft", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Keep a draft", Description: "What one has begun to write in a conversation, instead of what was kept before.",
	}, putDraft)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/conversations/{id}/draft", ID: "deleteDraft", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Drop one's draft", Description: "There need not be one.",
	}, deleteDraft)
}

type draftView struct {
	Body      string        `json:"body"`
	Note      bool          `json:"note" doc:"It is to become a note."`
	UpdatedAt *rest.Instant `json:"updated_at" nullable:"true"`
}

func viewDraft(d chat.Draft) draftView {
	view := draftView{Body: d.Body, Note: d.Note}
	if d.Body != "" {
		view.UpdatedAt = new(rest.Instant(d.UpdatedAt))
	}
	return view
}

func getDraft(c *rest.Call, in *inboxConversationInput) (draftView, error) {
	draft, err := core.Draft(c.Read(), *c.Caller.User, in.ID)
	return viewDraft(draft), err
}

type putDraftInput struct {
	inboxConversationInput
	Body putDraftBody
}

type putDraftBody struct {
	Body string `json:"body" maxLength:"10000" doc:"Empty: there is no draft any more."`
	Note bool   `json:"note,omitempty"`
}

func putDraft(tx *store.Tx, c *rest.Call, in *putDraftInput) (draftView, error) {
	draft, err := core.SaveDraft(tx, *c.Caller.User, in.ID, in.Body.Body, in.Body.Note)
	return viewDraft(draft), err
}

func deleteDraft(tx *store.Tx, c *rest.Call, in *inboxConversationInput) (draftView, error) {
	_, err := core.SaveDraft(tx, *c.Caller.User, in.ID, "", false)
	return draftView{}, err
}
