package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerViews(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/views", ID: "listViews", Tag: "Inbox", Role: chat.RoleAgent, Whole: true,
		Summary: "List saved views", Description: "One's own and those that others share, by name.",
	}, listViews)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/views", ID: "createView", Tag: "Inbox", Role: chat.RoleAgent, Status: http.StatusCreated,
		Summary: "Save a view", Description: "A filter of conversations with a name.",
	}, createView)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/views/{id}", ID: "updateView", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Change a saved view", Description: "One's own. Admins can change those that others share.",
	}, updateView)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/views/{id}", ID: "deleteView", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Delete a saved view", Description: "One's own. Admins can delete those that others share.",
	}, deleteView)
}

type savedViewView struct {
	ID      rest.ViewID      `json:"id"`
	Name    string           `json:"name"`
	Filter  chat.InboxFilter `json:"filter"`
	Shared  bool             `json:"shared"`
	OwnerID string           `json:"owner_id"`
}

func viewSavedView(v chat.SavedView) savedViewView {
	return savedViewView{rest.ViewID(v.ID), v.Name, v.Filter, v.Shared, v.OwnerID}
}

func listViews(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[savedViewView], error) {
	views, err := c.Read().SavedViews(*c.Caller.User)
	return rest.ViewEach(store.Slice[chat.SavedView]{Rows: views}, viewSavedView), err
}

type createViewBody struct {
	Name   string           `json:"name" minLength:"1" maxLength:"100" trimmed:"true"`
	Filter chat.InboxFilter `json:"filter"`
	Shared bool             `json:"shared,omitempty"`
}

func createView(tx *store.Tx, c *rest.Call, in *rest.Sent[createViewBody]) (savedViewView, error) {
	view, err := core.CreateView(tx, *c.Caller.User, in.Body.Name, in.Body.Filter, in.Body.Shared)
	return viewSavedView(view), err
}

type updateViewBody struct {
	Name   *string           `json:"name,omitempty" minLength:"1" maxLength:"100" trimmed:"true"`
	Filter *chat.InboxFilter `json:"filter,omitempty"`
	Shared *bool             `json:"shared,omitempty"`
}

func updateView(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ViewID, updateViewBody]) (savedViewView, error) {
	view, err := core.UpdateView(tx, *c.Caller.User, string(in.ID), core.ViewPatch(in.Body))
	return viewSavedView(view), err
}

func deleteView(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.ViewID]) (rest.DeletedView, error) {
	err := core.DeleteView(tx, *c.Caller.User, string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "view", Deleted: true}, err
}
