package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerPresence(a *App) {
	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/conversations/{id}/presence", ID: "setPresence", Tag: "Live", Role: chat.RoleAgent,
		Summary:     "Say that one looks at a conversation, or is replying",
		Description: "It is forgotten 30 seconds later unless it is said again.",
	}, a.setPresence)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/conversations/{id}/presence", ID: "getPresence", Tag: "Live", Role: chat.RoleAgent, Whole: true,
		Summary: "Tell who is at a conversation", Description: "Also oneself.",
	}, a.getPresence)
}

type presenceBody struct {
	State live.State `json:"state" enum:"viewing,replying,gone"`
}

type presentView struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state" enum:"viewing,replying"`
}

func (a *App) setPresence(c *rest.Call, in *rest.SentTo[rest.ConversationID, presenceBody]) (presenceBody, error) {
	id, err := core.SeenConversationID(c.Read(), *c.Caller.User, string(in.ID))
	if err != nil {
		return presenceBody{}, err
	}
	a.cfg.Live.At(*c.Caller.User, id, in.Body.State)
	return in.Body, nil
}

func (a *App) getPresence(c *rest.Call, in *rest.ByID[rest.ConversationID], _ store.Page) (store.Slice[presentView], error) {
	id, err := core.SeenConversationID(c.Read(), *c.Caller.User, string(in.ID))
	if err != nil {
		return store.Slice[presentView]{}, err
	}
	present := store.Slice[live.Present]{Rows: a.cfg.Live.Presence(c.OrgID(), id)}
	return rest.ViewEach(present, func(p live.Present) presentView { return presentView{p.ID, p.Name, string(p.State)} }), nil
}
