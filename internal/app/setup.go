package app

import (
	"crypto/subtle"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
)

func registerSetup(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/setup", ID: "getSetup", Tag: "Session", Open: true,
		Summary: "Tell whether anybody can sign in", Description: "As long as nobody can, the set-up page makes the first user.",
	}, a.getSetup)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/setup", ID: "setUp", Tag: "Session", Open: true,
		Summary: "Make the first user", Description: "Takes the token that the server has written to its log. Answers 404 once there is a user.",
		Errors: []chat.Code{chat.CodeInvalidCredentials, chat.CodeRateLimitExceeded, chat.CodeResourceNotFound},
	}, a.setUp)
}

type setupView struct {
	Needed    bool `json:"needed" doc:"Nobody can sign in yet."`
	Forgotten bool `json:"forgotten" doc:"Who has forgotten the password can have a link mailed."`
	Demo      bool `json:"demo" doc:"It is a demo, whose login was printed where the server was started."`
	// SSO is the name of the identity provider.
	SSO *string `json:"sso" nullable:"true" doc:"The name of the identity provider at which people can sign in."`
}

func (a *App) getSetup(c *rest.Call, _ *noInput) (setupView, error) {
	any, err := c.Read().AnyUsers()
	view := setupView{Needed: !any, Forgotten: a.cfg.Mail != nil, Demo: a.cfg.Demo}
	if a.cfg.SSO != nil {
		view.SSO = &a.cfg.SSO.Name
	}
	return view, err
}

type setUpBody struct {
	Token        string `json:"token" minLength:"1" maxLength:"200" doc:"From the server's log."`
	Organization string `json:"organization,omitempty" maxLength:"200" doc:"Its name; where there is an organization already, that one gets the user."`
	Name         string `json:"name" minLength:"1" maxLength:"200"`
	Email        string `json:"email" minLength:"1" maxLength:"320"`
	Password     string `json:"password" minLength:"1" maxLength:"4096"`
}

func (a *App) setUp(c *rest.Call, in *rest.Sent[setUpBody]) (view meView, err error) {
	b := in.Body
	var token string
	err = a.logins.guard(c, keysOf("setup", "", c), func() (err error) {
		if subtle.ConstantTimeCompare([]byte(b.Token), []byte(a.cfg.SetupToken)) != 1 {
			return &chat.Error{Code: chat.CodeInvalidCredentials, Param: "token", Message: "This is not the token in the server's log."}
		}
		token, err = core.SetUp(c.Ctx, a.store, core.FirstUser{
			Organization: b.Organization, Name: b.Name, Email: b.Email, Password: b.Password,
		}, browserOf(c))
		return err
	})
	if err != nil {
		return meView{}, err
	}
	return a.signedIn(c, token)
}
