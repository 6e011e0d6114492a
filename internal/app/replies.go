package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerReplies(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/replies", ID: "listReplies", Tag: "Inbox", Role: chat.RoleAgent, Whole: true,
		Summary: "List canned replies", Description: "One's own and those of one's teams, by name.",
	}, listReplies)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/replies", ID: "createReply", Tag: "Inbox", Role: chat.RoleAgent, Status: http.StatusCreated,
		Summary: "Make a canned reply", Description: "Of a team, or without one one's own.",
	}, createReply)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/replies/{id}", ID: "updateReply", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Change a canned reply", Description: "One's own, or one of one's teams.",
	}, updateReply)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/replies/{id}", ID: "deleteReply", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Delete a canned reply", Description: "One's own, or one of one's teams.",
	}, deleteReply)
}

type cannedReplyView struct {
	ID      rest.ReplyID `json:"id"`
	Name    string       `json:"name"`
	Body    string       `json:"body" doc:"May have variables, such as {{contact.name}}."`
	MediaID *string      `json:"media_id" nullable:"true"`
	TeamID  *string      `json:"team_id" nullable:"true"`
	OwnerID *string      `json:"owner_id" nullable:"true" doc:"Whose it is, where it is not a team's."`
}

func viewReply(r chat.CannedReply) cannedReplyView {
	return cannedReplyView{rest.ReplyID(r.ID), r.Name, r.Body, r.MediaID, r.TeamID, r.OwnerID}
}

func listReplies(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[cannedReplyView], error) {
	replies, err := c.Read().CannedReplies(*c.Caller.User)
	return rest.ViewEach(store.Slice[chat.CannedReply]{Rows: replies}, viewReply), err
}

type createReplyBody struct {
	Name    string  `json:"name" minLength:"1" maxLength:"100" trimmed:"true"`
	Body    string  `json:"body" minLength:"1" maxLength:"4096"`
	MediaID *string `json:"media_id,omitempty" nullable:"true" doc:"A file of the library."`
	TeamID  *string `json:"team_id,omitempty" nullable:"true"`
}

func createReply(tx *store.Tx, c *rest.Call, in *rest.Sent[createReplyBody]) (cannedReplyView, error) {
	reply, err := core.CreateReply(tx, *c.Caller.User, core.NewReply(in.Body))
	return viewReply(reply), err
}

type updateReplyBody struct {
	Name    *string            `json:"name,omitempty" minLength:"1" maxLength:"100" trimmed:"true"`
	Body    *string            `json:"body,omitempty" minLength:"1" maxLength:"4096"`
	MediaID chat.Patch[string] `json:"media_id,omitzero"`
	TeamID  chat.Patch[string] `json:"team_id,omitzero" doc:"Null makes it one's own."`
}

func updateReply(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ReplyID, updateReplyBody]) (cannedReplyView, error) {
	reply, err := core.UpdateReply(tx, *c.Caller.User, string(in.ID), core.ReplyPatch(in.Body))
	return viewReply(reply), err
}

func deleteReply(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.ReplyID]) (rest.DeletedView, error) {
	err := core.DeleteReply(tx, *c.Caller.User, string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "reply", Deleted: true}, err
}
