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
		Errors: []chat.Code{chat.CodeLinkInactive, chat.CodeSecondStepRequired, chat.CodeInvalidSecondStep, chat.CodeRateLimitExceeded},
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
	SecondStep   bool   `json:"second_step" doc:"A code is needed besides the password."`
}

func (a *App) getLink(c *rest.Call, in *linkInput) (linkedView, error) {
	r := c.Read()
	link, user, err := core.Linked(r, a.store, in.Token)
	if err != nil {
		return linkedView{}, err
	}
	org, err := r.Organization(user.OrgID)
	return linkedView{Kind: string(link.Kind), Email: user.Email, Name: user.Name, Organization: org.Name, SecondStep: user.SecondStep}, err
}

type useLinkInput struct {
	linkInput
	Body useLinkBody
}

type useLinkBody struct {
	Password string  `json:"password" minLength:"1" maxLength:"4096"`
	Code     string  `json:"code,omitempty" maxLength:"40" doc:"What the authenticator app shows, or a recovery code."`
	Name     *string `json:"name,omitempty" maxLength:"200" doc:"Somebody who was invited may give another name."`
}

func (b useLinkBody) proof() core.Proof { return core.Proof{Password: b.Password, Code: b.Code} }

// keysOfLink are the throttle's keys for an attempt with a link. A wrong code counts against the link's user, and
// anything else against the link alone: guesses of links must not keep people from theirs.
func (a *App) keysOfLink(c *rest.Call, in *useLinkInput) map[string]float64 {
	if _, u, err := core.Linked(c.Read(), a.store, in.Token); err == nil && in.Body.Code != "" {
		return a.keysOf(u.Email, in.Body.Code, c)
	}
	return keysOf("link "+in.Token, "", c)
}

func (a *App) useLink(c *rest.Call, in *useLinkInput) (view meView, err error) {
	var token string
	err = a.logins.guard(c, a.keysOfLink(c, in), func() (err error) {
		token, _, err = core.UseLink(c.Ctx, a.store, a.cfg.Vault, in.Token, in.Body.proof(), in.Body.Name, browserOf(c))
		return err
	})
	if err != nil {
		return meView{}, err
	}
	return a.signedIn(c, token)
}
