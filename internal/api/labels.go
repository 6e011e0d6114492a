package api

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerLabels(a *API) {
	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/labels", ID: "listLabels", Tag: "Labels", Role: chat.RoleAgent,
		Summary:     "List labels, newest first",
		Description: "Labels belong to a team; `team_id` narrows the list to one.",
	}, listLabels)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/labels", ID: "createLabel", Tag: "Labels", Role: chat.RoleAdmin,
		Summary:     "Create a label",
		Description: "The name must be new in its team, without regard to case.", Status: http.StatusCreated,
	}, createLabel)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/labels/{id}", ID: "getLabel", Tag: "Labels", Role: chat.RoleAgent,
		Summary:     "Get a label",
		Description: "Labels belong to a team and can be attached to its contacts and conversations.",
	}, getLabel)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: "/labels/{id}", ID: "updateLabel", Tag: "Labels", Role: chat.RoleAdmin,
		Summary: "Change a label", Description: "Fields that are left out stay as they are; at least one is needed.",
	}, updateLabel)

	rest.InSteps(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/labels/{id}", ID: "deleteLabel", Tag: "Labels", Role: chat.RoleAdmin,
		Summary: "Delete a label", Description: "It is detached from every conversation and contact.",
	}, detachSome, deleteLabel)
}

type labelView struct {
	ID        rest.LabelID    `json:"id"`
	Object    string          `json:"object" enum:"label"`
	Name      string          `json:"name" doc:"1 to 50 characters, unique in the team without regard to case."`
	Color     rest.LabelColor `json:"color"`
	TeamID    rest.TeamID     `json:"team_id"`
	CreatedAt rest.Instant    `json:"created_at"`
	UpdatedAt rest.Instant    `json:"updated_at"`
}

func viewLabel(l chat.Label) labelView {
	return labelView{
		ID: rest.LabelID(l.ID), Object: "label", Name: l.Name, Color: rest.LabelColor(l.Color), TeamID: rest.TeamID(l.TeamID),
		CreatedAt: rest.Instant(l.CreatedAt), UpdatedAt: rest.Instant(l.UpdatedAt),
	}
}

// labelRefView is a label inside another object's view.
type labelRefView struct {
	ID    rest.LabelID `json:"id"`
	Name  string       `json:"name"`
	Color string       `json:"color"`
}

func viewLabelRefs(labels []chat.Label) []labelRefView {
	views := make([]labelRefView, len(labels))
	for i, l := range labels {
		views[i] = labelRefView{ID: rest.LabelID(l.ID), Name: l.Name, Color: l.Color}
	}
	return views
}

// attachLabelBody names the label to attach.
type attachLabelBody struct {
	LabelID rest.LabelID `json:"label_id"`
}

type listLabelsInput struct {
	TeamID rest.TeamID `query:"team_id" doc:"Only labels of this team."`
}

func listLabels(c *rest.Call, in *listLabelsInput, p store.Page) (store.Slice[labelView], error) {
	labels, err := c.Read().Labels(c.OrgID(), store.LabelFilter{TeamID: string(in.TeamID)}, p)
	return rest.ViewEach(labels, viewLabel), err
}

type createLabelBody struct {
	Name   string          `json:"name" minLength:"1" maxLength:"50" trimmed:"true" doc:"1 to 50 characters after trimming, unique in the team without regard to case."`
	Color  rest.LabelColor `json:"color,omitempty" default:"gray"`
	TeamID rest.TeamID     `json:"team_id,omitempty" doc:"Needed where the organization has several teams; GET /me lists them."`
}

func createLabel(tx *store.Tx, c *rest.Call, in *rest.Sent[createLabelBody]) (labelView, error) {
	label, err := core.CreateLabel(tx, c.OrgID(), chat.NewLabel{Name: in.Body.Name, Color: string(in.Body.Color), TeamID: string(in.Body.TeamID)})
	return viewLabel(label), err
}

func getLabel(c *rest.Call, in *rest.ByID[rest.LabelID]) (labelView, error) {
	label, err := core.Label(c.Read(), c.OrgID(), string(in.ID))
	return viewLabel(label), err
}

type updateLabelBody struct {
	Name  *string          `json:"name,omitempty" minLength:"1" maxLength:"50" trimmed:"true" doc:"1 to 50 characters after trimming, unique in the team without regard to case."`
	Color *rest.LabelColor `json:"color,omitempty"`
}

func updateLabel(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.LabelID, updateLabelBody]) (labelView, error) {
	label, err := core.UpdateLabel(tx, c.OrgID(), string(in.ID), chat.LabelPatch{Name: in.Body.Name, Color: (*string)(in.Body.Color)})
	return viewLabel(label), err
}

func detachSome(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.LabelID], limit int) (int64, error) {
	return core.DetachSome(tx, c.OrgID(), string(in.ID), limit)
}

func deleteLabel(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.LabelID]) (rest.DeletedView, error) {
	err := core.DeleteLabel(tx, c.OrgID(), string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "label", Deleted: true}, err
}
