package api

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func registerLabels(a *API) {
	list(a, operation{
		method: http.MethodGet, path: "/labels", id: "listLabels", tag: "Labels",
		summary:     "List labels, newest first",
		description: "Labels belong to a team; `team_id` narrows the list to one.",
	}, listLabels)

	write(a, operation{
		method: http.MethodPost, path: "/labels", id: "createLabel", tag: "Labels",
		summary:     "Create a label",
		description: "The name must be new in its team, without regard to case.", status: http.StatusCreated,
	}, createLabel)

	read(a, operation{
		method: http.MethodGet, path: "/labels/{id}", id: "getLabel", tag: "Labels",
		summary:     "Get a label",
		description: "Labels belong to a team and can be attached to its contacts and conversations.",
	}, getLabel)

	write(a, operation{
		method: http.MethodPatch, path: "/labels/{id}", id: "updateLabel", tag: "Labels",
		summary: "Change a label", description: "Fields that are left out stay as they are; at least one is needed.",
	}, updateLabel)

	inSteps(a, operation{
		method: http.MethodDelete, path: "/labels/{id}", id: "deleteLabel", tag: "Labels",
		summary: "Delete a label", description: "It is detached from every conversation and contact.",
	}, detachSome, deleteLabel)
}

type labelView struct {
	ID        string  `json:"id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object    string  `json:"object" enum:"label"`
	Name      string  `json:"name" doc:"1 to 50 characters, unique in the team without regard to case."`
	Color     string  `json:"color" enum:"gray,red,orange,amber,yellow,lime,green,emerald,teal,sky,blue,violet,pink"`
	TeamID    string  `json:"team_id" pattern:"^team_[0-9A-HJKMNP-TV-Z]{26}$"`
	CreatedAt instant `json:"created_at"`
	UpdatedAt instant `json:"updated_at"`
}

func viewLabel(l chat.Label) labelView {
	return labelView{
		ID: l.ID, Object: "label", Name: l.Name, Color: l.Color, TeamID: l.TeamID,
		CreatedAt: instant(l.CreatedAt), UpdatedAt: instant(l.UpdatedAt),
	}
}

// labelRefView is a label on what it is attached to.
type labelRefView struct {
	ID    string `json:"id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

func viewLabelRefs(labels []chat.Label) []labelRefView {
	views := make([]labelRefView, len(labels))
	for i, l := range labels {
		views[i] = labelRefView{ID: l.ID, Name: l.Name, Color: l.Color}
	}
	return views
}

// attachLabelBody names the label to attach to something.
type attachLabelBody struct {
	LabelID string `json:"label_id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
}

type listLabelsInput struct {
	TeamID string `query:"team_id" pattern:"^team_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only labels of this team."`
}

func listLabels(c *call, in *listLabelsInput, p store.Page) (store.Slice[labelView], error) {
	labels, err := c.api.store.Read(c.ctx).Labels(c.key.Key.OrgID, store.LabelFilter{TeamID: in.TeamID}, p)
	return viewEach(labels, viewLabel), err
}

type createLabelInput struct{ Body createLabelBody }

type createLabelBody struct {
	Name   string `json:"name" minLength:"1" maxLength:"50" trimmed:"true" doc:"1 to 50 characters after trimming, unique in the team without regard to case."`
	Color  string `json:"color,omitempty" default:"gray" enum:"gray,red,orange,amber,yellow,lime,green,emerald,teal,sky,blue,violet,pink"`
	TeamID string `json:"team_id,omitempty" pattern:"^team_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Needed where the organization has several teams; GET /me lists them."`
}

func createLabel(tx *store.Tx, c *call, in *createLabelInput) (labelView, error) {
	label, err := core.CreateLabel(tx, c.key.Key.OrgID, chat.NewLabel(in.Body))
	return viewLabel(label), err
}

type labelInput struct {
	ID string `path:"id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func getLabel(c *call, in *labelInput) (labelView, error) {
	label, err := core.Label(c.api.store.Read(c.ctx), c.key.Key.OrgID, in.ID)
	return viewLabel(label), err
}

type updateLabelInput struct {
	ID   string `path:"id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body updateLabelBody
}

type updateLabelBody struct {
	Name  *string `json:"name,omitempty" minLength:"1" maxLength:"50" trimmed:"true" doc:"1 to 50 characters after trimming, unique in the team without regard to case."`
	Color *string `json:"color,omitempty" enum:"gray,red,orange,amber,yellow,lime,green,emerald,teal,sky,blue,violet,pink"`
}

func updateLabel(tx *store.Tx, c *call, in *updateLabelInput) (labelView, error) {
	label, err := core.UpdateLabel(tx, c.key.Key.OrgID, in.ID, chat.LabelPatch(in.Body))
	return viewLabel(label), err
}

func detachSome(tx *store.Tx, c *call, in *labelInput, limit int) (int64, error) {
	return core.DetachSome(tx, c.key.Key.OrgID, in.ID, limit)
}

func deleteLabel(tx *store.Tx, c *call, in *labelInput) (deletedView, error) {
	err := core.DeleteLabel(tx, c.key.Key.OrgID, in.ID)
	return deletedView{ID: in.ID, Object: "label", Deleted: true}, err
}
