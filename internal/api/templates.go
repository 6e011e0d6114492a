package api

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/templates"
)

// templateTimeout is the time limit of an operation that reads many pages from the provider, or fetches files
// for it. The HTTP server allows a little more.
const templateTimeout = 55 * time.Second

func registerTemplates(a *API) {
	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/templates", ID: "listTemplates", Tag: "Templates", Role: chat.RoleAgent,
		Summary: "List templates, newest first", Description: "Only approved ones, unless status is given.",
	}, listTemplates)

	rest.Flow(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/templates", ID: "createTemplate", Tag: "Templates", Role: chat.RoleAdmin,
		Summary: "Create a template and submit it for review", Status: http.StatusCreated,
		Description: "The template is checked here, then by the provider, whose objections come back as 400 in its own words. " +
			"It is pending until the provider has decided. A header's file can be given by its address, or by its id in the library.",
		Errors: []chat.Code{chat.CodeTemplateAlreadyExists, chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.createTemplate)

	rest.Flow(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/templates/sync", ID: "syncTemplates", Tag: "Templates", Role: chat.RoleAdmin,
		Summary:     "Read all templates from the provider",
		Description: "Happens by itself when a number is connected, every few hours, and when the provider tells of something new.",
		Errors:      []chat.Code{chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.syncTemplates)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/templates/{name}", ID: "getTemplate", Tag: "Templates", Role: chat.RoleAgent,
		Summary: "Get a template by its name", Description: "In the given language, or the newest.",
	}, getTemplate)

	rest.Flow(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: "/{phone_number_id}/templates/{name}", ID: "updateTemplate", Tag: "Templates", Role: chat.RoleAdmin,
		Summary: "Change a template and submit it for review again",
		Description: "The components replace all that were there. The provider allows it once a day for an approved template, " +
			"and keeps the category of one.",
		Errors: []chat.Code{chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.updateTemplate)

	rest.Flow(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/{phone_number_id}/templates/{name}", ID: "deleteTemplate", Tag: "Templates", Role: chat.RoleAdmin,
		Summary: "Delete a template", Description: "In all its languages, unless language names one.",
		Errors: []chat.Code{chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.deleteTemplate)
}

type templateView struct {
	ID                 rest.TemplateID `json:"id"`
	Object             string          `json:"object" enum:"template"`
	Name               string          `json:"name"`
	Language           string          `json:"language" doc:"The provider's code, such as en_US."`
	Status             string          `json:"status" enum:"pending,approved,rejected"`
	ProviderStatus     string          `json:"provider_status" doc:"The provider's own word: PAUSED, for example, for one that it does not send for a while."`
	RejectedReason     *string         `json:"rejected_reason" doc:"Why the provider rejected or paused it."`
	Category           *string         `json:"category" enum:"MARKETING,UTILITY,AUTHENTICATION" doc:"Null where the provider has not said it."`
	Quality            *string         `json:"quality" doc:"The provider's rating: GREEN, YELLOW, RED or UNKNOWN."`
	Content            string          `json:"content" doc:"The text of the body."`
	Variables          []string        `json:"variables" doc:"The placeholders of the content, in order."`
	ParameterFormat    string          `json:"parameter_format" enum:"positional,named"`
	TTLSeconds         *int            `json:"message_send_ttl_seconds"`
	Components         rest.AnyJSON    `json:"components"`
	ChatAccount        chatAccountView `json:"chat_account"`
	ProviderTemplateID *string         `json:"provider_template_id"`
	CreatedAt          rest.Instant    `json:"created_at"`
	UpdatedAt          rest.Instant    `json:"updated_at"`
}

func viewTemplate(a chat.Account, t chat.Template) templateView {
	v := templateView{
		ID: rest.TemplateID(t.ID), Object: "template", Name: t.Name, Language: t.Language, Status: string(t.Status), ProviderStatus: t.ProviderStatus,
		RejectedReason: t.RejectedReason, Category: t.Category, Quality: t.Quality, ParameterFormat: t.Format, TTLSeconds: t.TTLSeconds,
		Components: rest.AnyJSON(t.Components), ChatAccount: viewChatAccount(a), ProviderTemplateID: t.ProviderID,
		CreatedAt: rest.Instant(t.CreatedAt), UpdatedAt: rest.Instant(t.UpdatedAt),
	}
	v.Content, v.Variables = t.Content()
	if v.Variables == nil {
		v.Variables = []string{}
	}
	return v
}

type listTemplatesInput struct {
	rest.AccountPath
	Status   string `query:"status" enum:"approved,pending,rejected,all" default:"approved"`
	Language string `query:"language" minLength:"1" doc:"Only this language."`
	Category string `query:"category" enum:"MARKETING,UTILITY,AUTHENTICATION"`
	Name     string `query:"name" pattern:"^[a-z0-9_]{1,512}$" doc:"Only this name, in all its languages."`
	Search   string `query:"search" minLength:"1" maxLength:"200" doc:"A part of the name, or of a text."`
}

func listTemplates(c *rest.Call, in *listTemplatesInput, p store.Page) (store.Slice[templateView], error) {
	r := c.Read()
	filter := store.TemplateFilter{Status: chat.TemplateApproved, Language: in.Language, Category: in.Category, Name: in.Name, Search: in.Search}
	switch in.Status {
	case "":
	case "all":
		filter.Status = ""
	default:
		filter.Status = chat.TemplateStatus(in.Status)
	}
	templates, err := r.Templates(c.Account.OrgID, c.Account.WABAID, filter, p)
	return rest.ViewEach(templates, func(t chat.Template) templateView { return viewTemplate(c.Account, t) }), err
}

type createTemplateBody struct {
	Name            string              `json:"name" pattern:"^[a-z0-9_]{1,512}$" doc:"Lowercase letters, digits and underscores."`
	Language        string              `json:"language" pattern:"^[a-z]{2,3}(_[A-Z]{2,3})?$" doc:"The provider's code, such as en_US."`
	Category        string              `json:"category" enum:"MARKETING,UTILITY,AUTHENTICATION"`
	Components      []chat.TemplatePart `json:"components" minItems:"1" doc:"Exactly one BODY; HEADER, FOOTER and BUTTONS at most once; or BODY and CAROUSEL."`
	Variables       []string            `json:"variables,omitempty" doc:"The placeholders of the body in order; may be left out."`
	ParameterFormat string              `json:"parameter_format,omitempty" enum:"positional,named" default:"positional"`
	TTLSeconds      *int                `json:"message_send_ttl_seconds,omitempty" doc:"How long the provider tries to deliver: 30 to 900 seconds for AUTHENTICATION, 30 to 43200 for UTILITY, 43200 to 2592000 for MARKETING; -1 stands for 30 days where it is not MARKETING. Also taken as messageSendTtlSeconds."`
	TTLSecondsAlias *int                `json:"messageSendTtlSeconds,omitempty" hidden:"true"`
}

func (a *API) createTemplate(c *rest.Call, in *rest.NumberSent[createTemplateBody]) (templateView, error) {
	b := in.Body
	ctx, cancel := c.Patient(templateTimeout)
	defer cancel()
	t, err := a.templates.Create(ctx, c.Account, chat.NewTemplate{
		Name: b.Name, Language: b.Language, Category: b.Category, Format: b.ParameterFormat, TTLSeconds: either(b.TTLSeconds, b.TTLSecondsAlias),
		Components: b.Components, Variables: b.Variables, Sent: chat.Sent{Text: c.Body()},
	})
	if err != nil {
		return templateView{}, err
	}
	return viewTemplate(c.Account, t), nil
}

// either returns a, or b if a is nil.
func either[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

type templateSyncView struct {
	Object  string `json:"object" enum:"template_sync"`
	Created int    `json:"created"`
	Updated int    `json:"updated"`
	Removed int    `json:"removed"`
	Synced  int    `json:"synced" doc:"How many templates the provider has."`
}

func (a *API) syncTemplates(c *rest.Call, _ *rest.AccountPath) (templateSyncView, error) {
	ctx, cancel := c.Patient(templateTimeout)
	defer cancel()
	r, err := a.templates.Sync(ctx, c.Account)
	return templateSyncView{Object: "template_sync", Created: r.Created, Updated: r.Updated, Removed: r.Removed, Synced: r.Synced}, err
}

type templateInput struct {
	rest.AccountPath
	Name     string `path:"name" pattern:"^[a-z0-9_]{1,512}$"`
	Language string `query:"language" minLength:"1"`
}

func getTemplate(c *rest.Call, in *templateInput) (templateView, error) {
	r := c.Read()
	t, err := core.Template(r, c.Account, in.Name, in.Language)
	if err != nil {
		return templateView{}, err
	}
	return viewTemplate(c.Account, t), nil
}

type updateTemplateInput struct {
	rest.AccountPath
	Name     string `path:"name" pattern:"^[a-z0-9_]{1,512}$"`
	Language string `query:"language" minLength:"1" doc:"As in the body."`
	Body     updateTemplateBody
}

type updateTemplateBody struct {
	Language        string              `json:"language,omitempty" minLength:"1" doc:"Which language to change; needed where there are several."`
	Components      []chat.TemplatePart `json:"components,omitempty" minItems:"1" doc:"As in creation; they replace all that were there."`
	Category        string              `json:"category,omitempty" enum:"MARKETING,UTILITY,AUTHENTICATION"`
	TTLSeconds      *int                `json:"message_send_ttl_seconds,omitempty" doc:"As in creation."`
	TTLSecondsAlias *int                `json:"messageSendTtlSeconds,omitempty" hidden:"true"`
}

func (a *API) updateTemplate(c *rest.Call, in *updateTemplateInput) (templateView, error) {
	b := in.Body
	patch := templates.Patch{
		Language: b.Language, Category: b.Category, TTLSeconds: either(b.TTLSeconds, b.TTLSecondsAlias), Components: b.Components,
		Sent: chat.Sent{Text: c.Body()},
	}
	if patch.Language == "" {
		patch.Language = in.Language
	}
	if patch.Components == nil && patch.Category == "" && patch.TTLSeconds == nil {
		return templateView{}, &chat.Error{Code: chat.CodeMissingRequiredField, Param: "components",
			Message: "Give at least one of components, category, message_send_ttl_seconds."}
	}
	ctx, cancel := c.Patient(templateTimeout)
	defer cancel()
	t, err := a.templates.Edit(ctx, c.Account, in.Name, patch)
	if err != nil {
		return templateView{}, err
	}
	return viewTemplate(c.Account, t), nil
}

type deletedTemplateView struct {
	ID      rest.TemplateID `json:"id" doc:"Of the newest language that was deleted."`
	Object  string          `json:"object" enum:"template"`
	Name    string          `json:"name"`
	Deleted bool            `json:"deleted"`
}

func (a *API) deleteTemplate(c *rest.Call, in *templateInput) (deletedTemplateView, error) {
	ctx, cancel := c.Patient(templateTimeout)
	defer cancel()
	t, err := a.templates.Delete(ctx, c.Account, in.Name, in.Language)
	return deletedTemplateView{ID: rest.TemplateID(t.ID), Object: "template", Name: in.Name, Deleted: true}, err
}
