package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerTemplates(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/templates/{name}/history", ID: "getTemplateHistory", Tag: "Templates", Role: chat.RoleAgent,
		Summary:     "Get what became of a template",
		Description: "Its reviews, pauses, quality and category in one language, the newest first, and the library files that it shows.",
	}, templateHistory)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/template-drafts", ID: "listTemplateDrafts", Tag: "Templates", Role: chat.RoleAdmin, Whole: true,
		Summary: "List templates that are being written", Description: "For the number's business account, the last changed first. Nobody has submitted them.",
	}, listSketches)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/template-drafts", ID: "createTemplateDraft", Tag: "Templates", Role: chat.RoleAdmin,
		Status: http.StatusCreated, Summary: "Keep a template that is being written", Description: "It may be unfinished: nothing of it is checked.",
	}, createSketch)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/template-drafts/{id}", ID: "getTemplateDraft", Tag: "Templates", Role: chat.RoleAdmin,
		Summary: "Get a template that is being written", Description: "As its form was left.",
	}, getSketch)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPut, Path: "/{phone_number_id}/template-drafts/{id}", ID: "putTemplateDraft", Tag: "Templates", Role: chat.RoleAdmin,
		Summary: "Keep what has become of it", Description: "Instead of what was kept before.",
	}, putSketch)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/{phone_number_id}/template-drafts/{id}", ID: "deleteTemplateDraft", Tag: "Templates", Role: chat.RoleAdmin,
		Summary: "Throw a template away that is being written", Description: "What was submitted stays.",
	}, deleteSketch)
}

type templateVariantInput struct {
	rest.AccountPath
	Name     string `path:"name" pattern:"^[a-z0-9_]{1,512}$"`
	Language string `query:"language" minLength:"1" doc:"Without it, the newest."`
}

type templateHistoryView struct {
	Changes []templateChangeView `json:"changes"`
	Samples []templateSampleView `json:"samples"`
}

type templateChangeView struct {
	ID       rest.TemplateNewsID `json:"id"`
	Aspect   string              `json:"aspect" enum:"status,quality,category,next_category"`
	Previous *string             `json:"previous" nullable:"true"`
	Value    string              `json:"value" doc:"The provider's word."`
	Reason   *string             `json:"reason" nullable:"true" doc:"Of a rejection, the provider's word."`
	Detail   *string             `json:"detail" nullable:"true" doc:"What the provider says about it; of next_category, from when on it holds."`
	At       rest.Instant        `json:"at"`
}

type templateSampleView struct {
	Place string          `json:"place" doc:"The component that shows it, such as components[0]."`
	File  libraryFileView `json:"file"`
}

func templateHistory(c *rest.Call, in *templateVariantInput) (templateHistoryView, error) {
	changes, samples, err := core.TemplateHistory(c.Read(), c.Account, in.Name, in.Language)
	view := templateHistoryView{Changes: []templateChangeView{}, Samples: []templateSampleView{}}
	for _, change := range changes {
		view.Changes = append(view.Changes, templateChangeView{
			ID: rest.TemplateNewsID(change.ID), Aspect: change.Aspect, Previous: orNil(change.Previous), Value: change.Value,
			Reason: orNil(change.Reason), Detail: orNil(change.Detail), At: rest.Instant(change.At),
		})
	}
	for _, s := range samples {
		view.Samples = append(view.Samples, templateSampleView{s.Place, viewLibraryFile(s.Media)})
	}
	return view, err
}

type sketchView struct {
	ID        rest.SketchID `json:"id"`
	Object    string        `json:"object" enum:"template_draft"`
	Name      string        `json:"name"`
	Language  string        `json:"language"`
	Category  string        `json:"category"`
	Content   rest.FreeForm `json:"content" doc:"The form's own."`
	UpdatedAt rest.Instant  `json:"updated_at"`
}

func viewSketch(s chat.TemplateSketch) sketchView {
	return sketchView{rest.SketchID(s.ID), "template_draft", s.Name, s.Language, s.Category, rest.FreeForm(s.Content), rest.Instant(s.UpdatedAt)}
}

func listSketches(c *rest.Call, _ *rest.AccountPath, _ store.Page) (store.Slice[sketchView], error) {
	rows, err := c.Read().TemplateSketches(c.Account.OrgID, c.Account.WABAID)
	return rest.ViewEach(store.Slice[chat.TemplateSketch]{Rows: rows}, viewSketch), err
}

type sketchBody struct {
	Name     string        `json:"name" maxLength:"512" doc:"May be empty, as the others may."`
	Language string        `json:"language" maxLength:"20"`
	Category string        `json:"category" maxLength:"20"`
	Content  rest.FreeForm `json:"content" doc:"The form's own, up to 64 KiB."`
}

// mostSketchContent is far above the size of the largest template.
const mostSketchContent = 64 << 10

func (b sketchBody) check() (core.NewSketch, error) {
	if b.Content == nil {
		return core.NewSketch{}, chat.Missing("content")
	}
	if len(b.Content) > mostSketchContent {
		return core.NewSketch{}, chat.Invalid("content", "Must be at most %d bytes long.", mostSketchContent)
	}
	return core.NewSketch{Name: b.Name, Language: b.Language, Category: b.Category, Content: string(b.Content)}, nil
}

func createSketch(tx *store.Tx, c *rest.Call, in *rest.NumberSent[sketchBody]) (sketchView, error) {
	given, err := in.Body.check()
	if err != nil {
		return sketchView{}, err
	}
	s, err := core.CreateSketch(tx, c.Account, *c.Caller.User, given)
	return viewSketch(s), err
}

func getSketch(c *rest.Call, in *rest.NumberByID[rest.SketchID]) (sketchView, error) {
	s, err := c.Read().TemplateSketch(c.Account.OrgID, c.Account.WABAID, string(in.ID))
	return viewSketch(s), err
}

func putSketch(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.SketchID, sketchBody]) (sketchView, error) {
	given, err := in.Body.check()
	if err != nil {
		return sketchView{}, err
	}
	s, err := core.UpdateSketch(tx, c.Account, *c.Caller.User, string(in.ID), given)
	return viewSketch(s), err
}

func deleteSketch(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.SketchID]) (rest.DeletedView, error) {
	err := tx.DeleteTemplateSketch(c.Account.OrgID, c.Account.WABAID, string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "template_draft", Deleted: true}, err
}
