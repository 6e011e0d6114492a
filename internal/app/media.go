package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerMedia(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/media", ID: "listMedia", Tag: "Media", Role: chat.RoleAgent,
		Summary: "List library files, newest first", Description: "Those of the number's team, which all its numbers share.",
	}, listMedia)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/media/{id}/uses", ID: "getMediaUses", Tag: "Media", Role: chat.RoleAgent,
		Summary: "Get where a library file is used", Description: "What deleting it would touch.",
	}, mediaUses)
}

type libraryFileView struct {
	ID        rest.MediaID `json:"id"`
	Object    string       `json:"object" enum:"media"`
	MimeType  string       `json:"mime_type"`
	Size      int64        `json:"size"`
	Filename  *string      `json:"filename" nullable:"true"`
	Path      string       `json:"path" doc:"Where the file is, on this host."`
	CreatedAt rest.Instant `json:"created_at"`
}

func viewLibraryFile(m chat.Media) libraryFileView {
	return libraryFileView{rest.MediaID(m.ID), "media", m.MimeType, m.Size, m.Filename, core.MediaPath(m), rest.Instant(m.CreatedAt)}
}

type listMediaInput struct {
	rest.AccountPath
	Kind   string `query:"kind" enum:"image,video,audio,document"`
	Search string `query:"search" minLength:"1" maxLength:"200" doc:"A part of the name."`
}

func listMedia(c *rest.Call, in *listMediaInput, p store.Page) (store.Slice[libraryFileView], error) {
	slice, err := c.Read().LibraryFiles(c.Account.OrgID, c.Account.TeamID, store.MediaFilter{Kind: in.Kind, Search: in.Search}, p)
	return rest.ViewEach(slice, viewLibraryFile), err
}

type mediaUsesView struct {
	Replies      []string            `json:"replies" doc:"Canned replies that the user can use, by name."`
	OtherReplies int                 `json:"other_replies" doc:"Canned replies of others."`
	Templates    []templateNamedView `json:"templates" doc:"Whose samples it is; the provider has a copy of its own."`
	Drafts       []string            `json:"template_drafts" doc:"Templates being written, by name."`
	Broadcasts   []string            `json:"broadcasts" doc:"Those that will still send it, by name. Only for those who may see broadcasts."`
	Messages     int                 `json:"messages" doc:"How many were sent with it. The count stops at 1,000, which says that there may be more."`
}

type templateNamedView struct {
	Name     string `json:"name"`
	Language string `json:"language"`
}

func mediaUses(c *rest.Call, in *rest.NumberByID[rest.MediaID]) (mediaUsesView, error) {
	uses, err := core.UsesOfMedia(c.Read(), c.Account, *c.Caller.User, string(in.ID))
	view := mediaUsesView{
		Replies: orNone(uses.Replies), OtherReplies: uses.OtherReplies, Templates: []templateNamedView{}, Drafts: orNone(uses.Sketches),
		Broadcasts: orNone(uses.Broadcasts), Messages: uses.Messages,
	}
	for i, s := range uses.Templates {
		if i == 0 || s.Name != uses.Templates[i-1].Name || s.Language != uses.Templates[i-1].Language { // cards can share a file
			view.Templates = append(view.Templates, templateNamedView{s.Name, s.Language})
		}
	}
	return view, err
}

// orNone returns an empty list instead of nil.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
