package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerSession(a *App) {
	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/session", ID: "signIn", Tag: "Session", Open: true,
		Summary: "Sign in", Description: "Sets the session's cookie. Where the user has a second step, a request without a code is answered with second_step_required.",
		Errors: []chat.Code{chat.CodeInvalidCredentials, chat.CodeSecondStepRequired, chat.CodeInvalidSecondStep, chat.CodeRateLimitExceeded},
	}, a.signIn)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/session", ID: "signOut", Tag: "Session", Role: chat.RoleAgent, Always: true,
		Summary: "Sign out", Description: "Ends the session and clears its cookie.",
	}, a.signOut)
}

type signInBody struct {
	Email    string `json:"email" minLength:"1" maxLength:"320"`
	Password string `json:"password" minLength:"1" maxLength:"4096"`
	Code     string `json:"code,omitempty" maxLength:"40" doc:"What the authenticator app shows, or a recovery code."`
}

func (b signInBody) proof() core.Proof { return core.Proof{Password: b.Password, Code: b.Code} }

// proofBody proves that the user is present.
type proofBody struct {
	Password string `json:"password" minLength:"1" maxLength:"4096"`
	Code     string `json:"code,omitempty" maxLength:"40" doc:"What the authenticator app shows, or a recovery code."`
}

func (p proofBody) proof() core.Proof { return core.Proof(p) }

func (a *App) signIn(c *rest.Call, in *rest.Sent[signInBody]) (view meView, err error) {
	var token string
	err = a.logins.guard(c, a.keysOf(in.Body.Email, in.Body.Code, c), func() (err error) {
		token, _, err = core.SignIn(c.Ctx, a.store, a.cfg.Vault, core.Credentials{Email: in.Body.Email, Proof: in.Body.proof()}, browserOf(c))
		return err
	})
	if err != nil {
		a.noteRefusal(in.Body.Email, err, browserOf(c))
		return meView{}, err
	}
	return a.signedIn(c, token)
}

type signedOutView struct {
	SignedOut bool `json:"signed_out"`
}

type noInput struct{}

func (a *App) signOut(c *rest.Call, _ *noInput) (signedOutView, error) {
	err := a.store.InTx(c.Ctx, func(tx *store.Tx) error { return core.SignOut(tx, *c.Caller.Session) })
	a.clearCookie(c)
	return signedOutView{true}, err
}

// mostRefusals bounds how many refusals are recorded at once. Beyond that they are guesses, and not recorded.
const (
	mostRefusals = 16
	refusalTime  = 30 * time.Second
)

// noteRefusal records a refused sign-in after the answer, so that the timing does not tell whether the user
// exists.
func (a *App) noteRefusal(email string, err error, b core.Browser) {
	code, _ := chat.CodeOf(err)
	if code != chat.CodeInvalidCredentials && code != chat.CodeInvalidSecondStep {
		return
	}
	select {
	case a.refusals <- struct{}{}:
		go func() {
			defer func() { <-a.refusals }()
			ctx, cancel := context.WithTimeout(context.Background(), refusalTime)
			defer cancel()
			if err := core.AuditRefusal(ctx, a.store, strings.TrimSpace(email), string(code), b); err != nil {
				a.cfg.Log.Warn("a refused sign-in could not be noted", "error", err)
			}
		}()
	default:
	}
}
