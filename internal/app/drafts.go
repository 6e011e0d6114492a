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
		Method: http.MethodGet, Path: "/conversations/{id}/draft", ID: "getDrafts", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Get one's drafts", Description: "Of an answer and of a note; empty where there is none.",
	}, getDrafts)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPut, Path: "/conversations/{id}/draft", ID: "putDraft", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Keep a draft", Description: "What one has begun to write in a conversation, instead of what was kept before. " +
			"An answer and a note are kept beside each other. An empty one is kept no longer.",
	}, putDraft)
}

type draftView struct {
	Body      string        `json:"body"`
	UpdatedAt *rest.Instant `json:"updated_at" nullable:"true"`
}

type draftsView struct {
	Reply draftView `json:"reply"`
	Note  draftView `json:"note"`
}

func viewDraft(d chat.Draft) draftView {
	view := draftView{Body: d.Body}
	if d.Body != "" {
		view.UpdatedAt = new(rest.Instant(d.UpdatedAt))
	}
	return view
}

func getDrafts(c *rest.Call, in *rest.ByID[rest.ConversationID]) (draftsView, error) {
	drafts, err := core.DraftsOf(c.Read(), *c.Caller.User, string(in.ID))
	return draftsView{viewDraft(drafts.Reply), viewDraft(drafts.Note)}, err
}

type putDraftBody struct {
	Body string `json:"body" maxLength:"10000" doc:"Empty: there is no draft any more."`
	Note bool   `json:"note,omitempty" doc:"It is to become a note."`
}

func putDraft(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ConversationID, putDraftBody]) (draftView, error) {
	draft, err := core.SaveDraft(tx, *c.Caller.User, string(in.ID), in.Body.Body, in.Body.Note)
	return viewDraft(draft), err
}
