package app

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/rest"
)

// describe is the head of the surface's document. The dashboard's TypeScript types are generated from the
// document.
func describe(version string) rest.Description {
	return rest.Description{
		Security: "session",
		Aliases:  api.Aliases,
		About: func(doc *huma.OpenAPI) {
			doc.Info = &huma.Info{Title: "Parley dashboard", Version: "1",
				Description: "What the dashboard calls. It changes with the dashboard: programs use the public API.",
				Extensions:  map[string]any{"x-program-version": version}}
			doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"session": {Type: "apiKey", In: "cookie", Name: cookieName}}
		},
		Finish: func(*huma.OpenAPI) {},
	}
}
