package app

import (
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// Limits of one session per minute. A person who works fast makes some hundred requests.
const (
	readsPerMinute  = 3000
	writesPerMinute = 600
)

// Authenticate finds the request's session. It asks the store every time, so that signing out and a changed
// role count from the next request on.
func (a *App) Authenticate(c *rest.Call) error {
	found, err := core.Session(c.Ctx, a.store, a.token(c.R))
	if err != nil {
		return err
	}
	c.Caller = rest.Caller{
		Organization: found.Organization, Plan: found.Plan, User: &found.User, Session: &found.Session,
		ReadsPerMinute: readsPerMinute, WritesPerMinute: writesPerMinute, Share: " " + found.Session.ID,
	}
	c.Ctx = store.WithDoer(c.Ctx, chat.Doer{Kind: chat.DoerUser, ID: found.User.ID, Name: found.User.Name, Address: browserOf(c).Address})
	return nil
}

// Admit checks the organization's rights. After its subscription has lapsed, users may still read.
func (a *App) Admit(c *rest.Call) error {
	org := c.Caller.Organization
	if org.Suspended && !c.Operation().Always {
		return chat.Fail(chat.CodeOrganizationSuspended, "This organization is suspended. Contact the operator of this service.")
	}
	if err := c.TakeToken(); err != nil {
		return err
	}
	if lacksSecondStep(org, *c.Caller.User) && !c.Operation().Always {
		return chat.Fail(chat.CodeSecondStepSetup, "Your organization wants two-step sign-in of everybody. Set it up to go on.")
	}
	changes := c.R.Method != http.MethodGet && c.R.Method != http.MethodHead
	if changes && org.Lapsed(c.Now()) && !c.Operation().Always {
		return chat.Fail(chat.CodeSubscriptionInactive, "The subscription is inactive or its trial has ended. Renew it to go on.")
	}
	if plan := c.Caller.Plan; c.Operation().Platform && !plan.Customers {
		return chat.Fail(chat.CodeFeatureNotEntitled, "The %s plan does not include customers. Change the plan to use them.", plan.Name)
	}
	return nil
}

// lacksSecondStep reports whether a user must set up two-step sign-in before anything else.
func lacksSecondStep(org chat.Organization, u chat.User) bool {
	return org.Settings.SecondStep && !u.SecondStep
}

// Errors are the codes of Authenticate and Admit, and of an insufficient role.
func (a *App) Errors(op *rest.Operation) (codes []chat.Code) {
	if op.Open {
		return []chat.Code{chat.CodeForbidden}
	}
	codes = []chat.Code{
		chat.CodeNotSignedIn, chat.CodeForbidden, chat.CodeSecondStepSetup, chat.CodeOrganizationSuspended, chat.CodeRateLimitExceeded, chat.CodeSubscriptionInactive,
	}
	if op.Platform {
		codes = append(codes, chat.CodeFeatureNotEntitled)
	}
	return codes
}

// Record does nothing, because the API log is for keys.
func (a *App) Record(*rest.Call, int, time.Duration) {}

// With TLS the cookie's name has the prefix that makes browsers insist on a secure cookie.
const (
	cookieName       = "parley"
	secureCookieName = "__Host-parley"
)

func (a *App) cookie() *http.Cookie {
	c := &http.Cookie{Name: cookieName, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if strings.HasPrefix(a.cfg.PublicURL, "https://") {
		c.Name, c.Secure = secureCookieName, true
	}
	return c
}

// Sign adds a session's cookie to a request, as its browser would.
func (a *App) Sign(r *http.Request, token string) {
	cookie := a.cookie()
	cookie.Value = token
	r.AddCookie(cookie)
}

// token is the session token that the browser sent.
func (a *App) token(r *http.Request) string {
	if c, err := r.Cookie(a.cookie().Name); err == nil {
		return c.Value
	}
	return ""
}

func (a *App) setCookie(c *rest.Call, token string) {
	cookie := a.cookie()
	cookie.Value, cookie.MaxAge = token, int(chat.SessionLife/time.Second)
	http.SetCookie(c.W, cookie)
}

func (a *App) clearCookie(c *rest.Call) {
	cookie := a.cookie()
	cookie.MaxAge = -1
	http.SetCookie(c.W, cookie)
}

// browserOf describes the browser of a request.
func browserOf(c *rest.Call) core.Browser {
	b := core.Browser{Client: strings.ToValidUTF8(strings.ReplaceAll(c.R.UserAgent(), "\x00", ""), "?")}
	if addr := clientaddr.Of(c.R); addr.IsValid() {
		b.Address = addr.String()
	}
	return b
}

// signedIn sets the cookies of a new session and of a browser that is known, and answers with the user.
func (a *App) signedIn(c *rest.Call, token string) (meView, error) {
	found, err := core.Session(c.Ctx, a.store, token)
	if err != nil {
		return meView{}, err
	}
	a.setCookie(c, token)
	if err := a.know(c, c.Read(), found.User); err != nil {
		return meView{}, err
	}
	return a.viewMe(c.Read(), found)
}

// sessionOf is the caller's session.
func sessionOf(c *rest.Call) store.SessionContext {
	k := c.Caller
	return store.SessionContext{Session: *k.Session, User: *k.User, Organization: k.Organization, Plan: k.Plan}
}
