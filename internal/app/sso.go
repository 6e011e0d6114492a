package app

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/sso"
)

// SSO is the sign-in with an identity provider.
type SSO struct {
	Provider *sso.Provider
	// Name is the provider's name on the button.
	Name      string
	Newcomers core.Newcomers
}

// SSOPath is the page to which people return.
const SSOPath = "/login/sso"

func registerSSO(a *App) {
	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/sso/begin", ID: "beginSSO", Tag: "Session", Open: true,
		Summary: "Begin to sign in at the identity provider", Description: "Sets a cookie for the way back. Answers 404 where there is none.",
		Errors: []chat.Code{chat.CodeResourceNotFound, chat.CodeRateLimitExceeded, chat.CodeServiceUnavailable},
	}, a.beginSSO)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/sso/finish", ID: "finishSSO", Tag: "Session", Open: true,
		Summary:     "Sign in with what the identity provider has sent",
		Description: "Sets the session's cookie. Where the user has a second step it is asked for: the same request with second_step goes on then.",
		Errors: []chat.Code{chat.CodeResourceNotFound, chat.CodeInvalidCredentials, chat.CodeSecondStepRequired, chat.CodeInvalidSecondStep,
			chat.CodeRateLimitExceeded, chat.CodeServiceUnavailable},
	}, a.finishSSO)
}

// way is the sealed state that a browser carries to the identity provider and back. After the provider has
// confirmed an address, it also carries that, until the second step.
type way struct {
	sso.Attempt
	Identity sso.Identity `json:"identity,omitzero"`
}

const (
	wayContext = "way of a browser to the identity provider"
	wayCookie  = "-sso"
)

func (a *App) setWay(c *rest.Call, w way) error {
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	cookie := a.cookie()
	cookie.Name += wayCookie
	cookie.Value, cookie.MaxAge = a.cfg.Vault.Seal(string(text), wayContext), int(sso.AttemptLife/time.Second)
	http.SetCookie(c.W, cookie)
	return nil
}

func (a *App) clearWay(c *rest.Call) {
	cookie := a.cookie()
	cookie.Name += wayCookie
	cookie.MaxAge = -1
	http.SetCookie(c.W, cookie)
}

// wayOf reads the browser's state; it is empty if it is not ours.
func (a *App) wayOf(c *rest.Call) (w way) {
	cookie, err := c.R.Cookie(a.cookie().Name + wayCookie)
	if err != nil {
		return way{}
	}
	text, err := a.cfg.Vault.Open(cookie.Value, wayContext)
	if err != nil || json.Unmarshal([]byte(text), &w) != nil || !c.Now().Before(w.Ends) {
		return way{}
	}
	return w
}

type ssoBegunView struct {
	Address string `json:"address" doc:"Where to send the browser."`
}

func (a *App) beginSSO(c *rest.Call, _ *noInput) (ssoBegunView, error) {
	if a.cfg.SSO == nil {
		return ssoBegunView{}, chat.NotFound("identity provider")
	}
	address, attempt, err := a.cfg.SSO.Provider.Begin(c.Ctx, c.Now())
	if err != nil {
		return ssoBegunView{}, a.unreachable(err)
	}
	return ssoBegunView{address}, a.setWay(c, way{Attempt: attempt})
}

// unreachable is the error for a provider that fails. The log has the cause.
func (a *App) unreachable(err error) error {
	a.cfg.Log.Warn("signing in at the identity provider failed", "error", err)
	return chat.Fail(chat.CodeServiceUnavailable, "The identity provider did not confirm the sign-in. Try again; if it stays, tell the operator of this service.")
}

type finishSSOBody struct {
	State      string `json:"state" minLength:"1" maxLength:"200"`
	Code       string `json:"code" minLength:"1" maxLength:"4096" doc:"What the identity provider has sent."`
	SecondStep string `json:"second_step,omitempty" maxLength:"40" doc:"What the authenticator app shows, or a recovery code."`
}

func (a *App) finishSSO(c *rest.Call, in *rest.Sent[finishSSOBody]) (view meView, err error) {
	if a.cfg.SSO == nil {
		return meView{}, chat.NotFound("identity provider")
	}
	w := a.wayOf(c)
	if w.Identity.Email == "" {
		if w.Identity, err = a.identify(c, w, in.Body); err != nil {
			return meView{}, err
		}
	} else if w.State != in.Body.State {
		return meView{}, lostWay()
	}
	var token string
	err = a.logins.guard(c, a.keysOf(w.Identity.Email, in.Body.SecondStep, c), func() (err error) {
		token, err = core.SignInOutside(c.Ctx, a.store, a.cfg.Vault, core.Outside{Email: strings.TrimSpace(w.Identity.Email), Name: w.Identity.Name, Code: in.Body.SecondStep},
			a.cfg.SSO.Newcomers, browserOf(c))
		return err
	})
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Code == chat.CodeSecondStepRequired {
		e.Param = "second_step"
		if err := a.setWay(c, w); err != nil {
			return meView{}, err
		}
		return meView{}, e
	}
	if err != nil {
		return meView{}, err
	}
	a.clearWay(c)
	return a.signedIn(c, token)
}

// identify asks the provider for the identity of the user who came back.
func (a *App) identify(c *rest.Call, w way, in finishSSOBody) (sso.Identity, error) {
	from := map[string]float64{"place " + clientaddr.Network(c.R): triesFromPlace}
	if err := a.logins.admit(c, from); err != nil { // whoever makes up codes would have us ask the provider for each
		return sso.Identity{}, err
	}
	who, err := a.cfg.SSO.Provider.Finish(c.Ctx, w.Attempt, in.State, in.Code, c.Now())
	switch {
	case err == nil:
		a.logins.giveBack(from)
	case errors.Is(err, sso.ErrAttempt):
		return who, lostWay()
	case errors.Is(err, sso.ErrUnverified):
		return who, chat.Fail(chat.CodeInvalidCredentials, "The identity provider does not say that the e-mail address is yours. Verify it there first.")
	case err != nil:
		return who, a.unreachable(err)
	}
	return who, nil
}

func lostWay() error {
	return chat.Fail(chat.CodeInvalidCredentials, "This sign-in did not begin in this browser, or took too long. Begin again.")
}
