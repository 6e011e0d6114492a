package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
)

func registerLinks(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/links/{token}", ID: "getLink", Tag: "Session", Open: true,
		Summary: "Tell whom a link is for", Description: "An invitation, or a link to choose another password.",
		Errors: []chat.Code{chat.CodeLinkInactive},
	}, a.getLink)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/links/{token}", ID: "useLink", Tag: "Session", Open: true,
		Summary: "Choose a password and sign in", Description: "A link works once.",
		Errors: []chat.Code{chat.CodeLinkInactive, chat.CodeRateLimitExceeded},
	}, a.useLink)
}

type linkInput struct {
	Token string `path:"token" minLength:"1" maxLength:"200"`
}

type linkedView struct {
	Kind         string `json:"kind" enum:"invitation,reset"`
	Email        string `json:"email"`
	Name         string `json:"name"`
	Organization string `json:"organization" doc:"Its name."`
}

func (a *App) getLink(c *rest.Call, in *linkInput) (linkedView, error) {
	r := c.Read()
	link, user, err := core.Linked(r, a.store, in.Token)
	if err != nil {
		return linkedView{}, err
	}
	org, err := r.Organization(user.OrgID)
	return linkedView{Kind: string(link.Kind), Email: user.Email, Name: user.Name, Organization: org.Name}, err
}

type useLinkInput struct {
	linkInput
	Body useLinkBody
}

type useLinkBody struct {
	Password string  `json:"password" minLength:"1" maxLength:"4096"`
	Name     *string `json:"name,omitempty" maxLength:"200" doc:"Somebody who was invited may give another name."`
}

func (a *App) useLink(c *rest.Call, in *useLinkInput) (view meView, err error) {
	var token string
	err = a.logins.guard(c, "link", func() (err error) {
		token, _, err = core.UseLink(c.Ctx, a.store, in.Token, in.Body.Password, in.Body.Name, browserOf(c))
		return err
	})
	if err != nil {
		return meView{}, err
	}
	return a.signedIn(c, token)
}
