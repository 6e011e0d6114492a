package onboard

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageScript string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// contentPolicy allows the page's own style and script and nothing else.
var contentPolicy = policyFor(view{})

// policyFor allows also an organization's colours and logo.
func policyFor(page view) string {
	style, pictures := "'"+hashOf(pageCSS)+"'", ""
	if page.Brand != "" {
		style += " '" + hashOf(string(page.Brand)) + "'"
	}
	if page.Logo != "" {
		pictures = "; img-src 'self'"
	}
	return "default-src 'none'; style-src " + style + pictures + "; script-src '" + hashOf(pageScript) +
		"'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
}

func hashOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// view is the content of the page, in the visitor's language, with names filled in.
type view struct {
	Style        template.CSS
	Brand        template.CSS // the organization's colours; empty: the page's own
	Logo         string       // the path of a picture; empty: Initial
	Script       template.JS  // empty where none is needed
	Lang         string
	Organization string // empty if the visitor must not know it
	Initial      string
	Mark         string // the picture: ask, rest, done, wait or stop
	Title        string
	Lead         string
	Facts        []fact
	Caution      string // a warning above the button
	Action       string // the button's text; empty: no button
	Target       string // the button's address
	StepsName    string
	Steps        []string
	Note         string
	Code         string // the error code, for support
	CodeName     string
}

type fact struct {
	Name, Value string
	Instant     string // the instant in machine-readable form, if the value is one
	Aside       string
}

func (v *visit) view(mark, title, lead string, names names) view {
	page := view{
		Style: template.CSS(pageCSS), Brand: brandStyle(names.brand.Color), Lang: v.text.lang, Mark: mark, Organization: names.organization, Initial: initial(names.organization),
		Title: v.text.say(title, names), Lead: v.text.say(lead, names),
	}
	if names.brand.LogoToken != "" {
		page.Logo = core.MediaPath(chat.Media{Token: names.brand.LogoToken})
	}
	return page
}

// initial is the letter that stands for a name; empty if the name has no letters or digits.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return ""
}

func namesOf(invited core.Invitation) names {
	n := names{organization: invited.Organization.Name, brand: invited.Organization.Settings.Brand}
	if invited.Customer != nil {
		n.customer = invited.Customer.Name
	}
	return n
}

// welcomeView shows who asks for what, and what will happen.
func (v *visit) welcomeView(invited core.Invitation, token string) view {
	n := namesOf(invited)
	page := v.offer(v.view("ask", "welcome.title", "welcome.lead", n), invited, token)
	page.StepsName = v.text.say("welcome.steps", n)
	for _, step := range []string{"welcome.step1", "welcome.step2", "welcome.step3"} {
		page.Steps = append(page.Steps, v.text.say(step, n))
	}
	page.Note = v.text.say("welcome.note", n)
	return page
}

// offer adds the button to the provider and the facts to know before.
func (v *visit) offer(page view, invited core.Invitation, token string) view {
	n, expires := namesOf(invited), invited.Link.ExpiresAt
	page.Facts = append(v.forWhom("fact.for", n), fact{
		Name: v.text.say("fact.until", n), Value: v.text.date(expires), Instant: expires.UTC().Format(time.RFC3339),
		Aside: v.text.remaining(expires.Sub(v.page.cfg.Store.Now())),
	})
	page.Script = template.JS(pageScript)
	page.Caution = v.text.say("welcome.caution", n)
	page.Action, page.Target = v.text.say("welcome.action", n), core.OnboardPath+token+startPath
	return page
}

// forWhom names the customer; a number of the organization itself has none.
func (v *visit) forWhom(key string, n names) []fact {
	if n.customer == "" {
		return nil
	}
	return []fact{{Name: v.text.say(key, n), Value: n.customer}}
}

// succeed redirects the browser, or shows the success page.
func (v *visit) succeed(done connected) {
	if target := done.invited.Link.SuccessRedirectURL; target != nil {
		pairs := []string{"account_id", done.account.ID, "status", "success"}
		if done.invited.Link.CustomerID != nil {
			pairs = append([]string{"customer_id", *done.invited.Link.CustomerID}, pairs...)
		}
		v.redirect(chat.WithQuery(*target, pairs...))
		return
	}
	n := namesOf(done.invited)
	page := v.view("done", "done.title", "done.lead", n)
	if done.account.Status != chat.AccountConnected {
		page = v.view("wait", "wait.title", "wait.lead", n)
	}
	page.Facts = v.forWhom("fact.done", n)
	if number := done.account.PhoneNumber; number != nil {
		page.Facts = append(page.Facts, fact{Name: v.text.say("fact.number", n), Value: readable(*number)})
	}
	page.Note = v.text.say("done.note", n)
	v.show(http.StatusOK, page)
}

// succeedAgain is succeed for a signup that was completed before.
func (v *visit) succeedAgain(invited core.Invitation) {
	done := connected{invited: invited}
	if invited.Link.AccountID != nil {
		account, err := v.page.cfg.Store.Read(v.r.Context()).Account(invited.Link.OrgID, *invited.Link.AccountID)
		if err != nil { // disconnected meanwhile
			v.fail(invited, &core.OnboardError{Reason: chat.ReasonLinkConsumed, Cause: err})
			return
		}
		done.account = account
	}
	v.succeed(done)
}

// fail ends a failed visit: with a redirect to the link's failure page, or on ours.
func (v *visit) fail(invited core.Invitation, err error) {
	reason := chat.ReasonInternalError
	failure, ok := errors.AsType[*core.OnboardError](err)
	if ok {
		reason = failure.Reason
	}
	v.log(reason, invited, err)
	if target := invited.Link.FailureRedirectURL; target != nil {
		pairs := []string{"status", "failed", "reason", string(reason)}
		if invited.Link.CustomerID != nil {
			pairs = append([]string{"customer_id", *invited.Link.CustomerID}, pairs...)
		}
		v.redirect(chat.WithQuery(*target, pairs...))
		return
	}
	v.show(statusOf[reason], v.failureView(reason, invited, ""))
}

// distrust ends a suspicious visit. It never redirects, whatever the link says.
func (v *visit) distrust(invited core.Invitation, err error) {
	v.page.cfg.Log.Warn("signup refused", linkAttrs(invited, "reason", chat.ReasonSignupFailed, "address", v.address(), "error", err)...)
	v.show(http.StatusBadRequest, v.failureView(chat.ReasonSignupFailed, core.Invitation{}, "browser.lead"))
}

func (v *visit) log(reason chat.OnboardReason, invited core.Invitation, err error) {
	attrs := linkAttrs(invited, "reason", reason, "address", v.address(), "error", err)
	switch reason {
	case chat.ReasonInternalError:
		v.page.cfg.Log.Error("signup broke", attrs...)
	case chat.ReasonSignupFailed, chat.ReasonNumberTaken:
		v.page.cfg.Log.Warn("signup failed", attrs...)
	default:
		v.page.cfg.Log.Info("signup not made", attrs...)
	}
}

var statusOf = map[chat.OnboardReason]int{
	chat.ReasonLinkInvalid: http.StatusNotFound, chat.ReasonLinkExpired: http.StatusGone, chat.ReasonLinkRevoked: http.StatusGone,
	chat.ReasonLinkConsumed: http.StatusGone, chat.ReasonSignupCancelled: http.StatusOK, chat.ReasonSignupFailed: http.StatusBadGateway,
	chat.ReasonNumberTaken: http.StatusConflict, chat.ReasonInternalError: http.StatusInternalServerError,
}

// failureView says what went wrong and what to do. lead replaces the reason's own text.
func (v *visit) failureView(reason chat.OnboardReason, invited core.Invitation, lead string) view {
	if lead == "" {
		lead = string(reason) + ".lead"
	}
	n, c := namesOf(invited), v.cookie(invited.Link.ID)
	if reason == chat.ReasonSignupCancelled && c.token != "" { // cancelling is no failure
		return v.offer(v.view("rest", string(reason)+".title", lead, n), invited, c.token)
	}
	page := v.view("stop", string(reason)+".title", lead, n)
	page.Code, page.CodeName = string(reason), v.text.say("code", n)
	if c.token != "" && retryable[reason] {
		page.Action, page.Target = v.text.say("again", n), core.OnboardPath+c.token
	}
	return page
}

// retryable are the failures after which the link still works.
var retryable = map[chat.OnboardReason]bool{
	chat.ReasonSignupCancelled: true, chat.ReasonSignupFailed: true, chat.ReasonNumberTaken: true, chat.ReasonInternalError: true,
}

func (v *visit) tooMany() {
	v.w.Header().Set("Retry-After", "30")
	v.show(http.StatusTooManyRequests, v.view("wait", "busy.title", "busy.lead", names{}))
}

func (v *visit) show(status int, page view) {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, page); err != nil {
		v.page.cfg.Log.Error("the onboarding page could not be made", "error", err)
		http.Error(v.w, "Something went wrong. Try again.", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Security-Policy", policyFor(page))
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Language", page.Lang)
	v.w.WriteHeader(status)
	v.w.Write(b.Bytes())
}

// names are filled into texts.
type names struct {
	organization, customer string
	brand                  chat.Brand
}

// say is a text with the names filled in. The template escapes it.
func (t texts) say(key string, n names) string {
	return strings.NewReplacer("{organization}", n.organization, "{customer}", n.customer).Replace(t.words[key])
}
