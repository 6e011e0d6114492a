package simulator

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	htmltemplate "html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

//go:embed signup.html
var signupHTML string

var signupPage = htmltemplate.Must(htmltemplate.New("signup").Parse(signupHTML))

// signupView is what the page shows.
type signupView struct {
	Fatal       string // the page cannot go on
	Problem     string // with the entered data
	AppID       string
	Hidden      map[string]string
	Numbers     []NumberSpec
	Chosen      string
	Name        string
	Phone       string
	Offered     bool // the app accepts numbers that stay in the phone app
	Coexistence bool
}

// signupRequest is what the app asked for.
type signupRequest struct {
	client   string
	redirect string
	state    string
	extras   string
}

// Visitor is a person from outside who sees the signup page of a simulator that others also use.
type Visitor struct {
	// Redirect is where the page may send the visitor back to. If it is empty, the visitor may not use the page.
	Redirect string
	// Numbers are the visitor's own numbers. Only these are offered.
	Numbers []string
}

// ServeSignup shows the signup page to a visitor.
func (s *Simulator) ServeSignup(w http.ResponseWriter, r *http.Request, visitor Visitor) {
	s.serveCall(&call{Request: r, sim: s, w: w, path: "dialog/oauth", visitor: &visitor})
}

// maxShownNumbers keeps the page short after a load test.
const maxShownNumbers = 20

// dialog is the page on which a customer connects a number, and handles its form. The hosted variant names the app
// differently and is otherwise the same.
func (s *Simulator) dialog(c *call) (answer, *wire.Error) {
	if err := c.ParseForm(); err != nil {
		return signupAnswer(http.StatusBadRequest, signupView{Fatal: "The form could not be read."}), nil
	}
	req := signupRequest{client: c.Form.Get("client_id"), redirect: c.Form.Get("redirect_uri"), state: c.Form.Get("state"), extras: c.Form.Get("extras")}
	if req.client == "" {
		req.client = c.Form.Get("app_id")
	}
	if problem := s.checkSignup(c, req); problem != "" {
		return signupAnswer(http.StatusBadRequest, signupView{Fatal: problem}), nil
	}
	switch c.Form.Get("decision") {
	case "approve":
		return s.approveSignup(c, req), nil
	case "cancel":
		return redirectTo(req.redirect, url.Values{
			"error": {"access_denied"}, "error_code": {"200"}, "error_description": {"Permissions error"},
			"error_reason": {"user_denied"}, "state": {req.state},
		}), nil
	}
	return signupAnswer(http.StatusOK, s.signupView(c, req, "")), nil
}

func (s *Simulator) checkSignup(c *call, req signupRequest) string {
	kind := c.Form.Get("response_type")
	switch {
	case req.client == "":
		return "The parameter client_id is missing."
	case req.client != s.cfg.AppID:
		return fmt.Sprintf("App %s is not known here; this simulator has app %s.", req.client, s.cfg.AppID)
	case c.visitor != nil && c.visitor.Redirect == "":
		return "This page is reached from a setup link."
	case c.visitor != nil && c.visitor.Redirect != req.redirect:
		return "The parameter redirect_uri is not the app's."
	case !wire.IsWebURL(req.redirect):
		return "The parameter redirect_uri must be a web address."
	case kind != "" && kind != "code":
		return "The parameter response_type must be code."
	}
	return ""
}

func (s *Simulator) signupView(c *call, req signupRequest, problem string) signupView {
	v := signupView{
		AppID: req.client, Problem: problem, Chosen: c.Form.Get("number"), Name: c.Form.Get("name"), Phone: c.Form.Get("phone"),
		Offered: wantsCoexistence(req.extras), Coexistence: c.Form.Get("on_business_app") != "",
		Hidden: map[string]string{"client_id": req.client, "redirect_uri": req.redirect, "state": req.state, "extras": req.extras},
	}
	if v.Chosen == "" {
		v.Chosen = "new"
	}
	if v.Name == "" {
		v.Name = "Example shop"
	}
	v.Numbers = s.offeredNumbers(c.visitor)
	return v
}

// offeredNumbers are the numbers that can be chosen.
func (s *Simulator) offeredNumbers(visitor *Visitor) (offered []NumberSpec) {
	s.accounts.mu.RLock()
	defer s.accounts.mu.RUnlock()
	ids := sortedKeys(s.accounts.numbers)
	if visitor != nil {
		ids = visitor.Numbers
	}
	for _, id := range ids {
		n := s.accounts.numbers[id]
		if n == nil || visitor == nil && n.taken.Load() {
			continue
		}
		if offered = append(offered, n.spec()); len(offered) == maxShownNumbers {
			break
		}
	}
	return offered
}

// wantsCoexistence tells whether the app's extras ask for coexistence.
func wantsCoexistence(extras string) bool {
	var e struct {
		FeatureType string `json:"featureType"`
	}
	return json.Unmarshal([]byte(extras), &e) == nil && e.FeatureType == "whatsapp_business_app_onboarding"
}

func signupAnswer(status int, v signupView) answer {
	var b bytes.Buffer
	if err := signupPage.Execute(&b, v); err != nil {
		return answer{status: http.StatusInternalServerError}
	}
	return answer{status: status, contentType: "text/html; charset=utf-8", body: b.Bytes()}
}

func redirectTo(address string, add url.Values) answer {
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	if add.Get("state") == "" {
		add.Del("state")
	}
	return answer{status: http.StatusFound, contentType: "text/html; charset=utf-8", location: address + separator + add.Encode()}
}

// approveSignup gives the app access to the chosen number, or to a new one.
func (s *Simulator) approveSignup(c *call, req signupRequest) answer {
	spec, err := s.signupNumber(c)
	if err != nil {
		return signupAnswer(http.StatusOK, s.signupView(c, req, err.Error()))
	}
	g := grant{
		Business: spec.BusinessID, WABA: spec.WABAID, Serial: s.ids.Next() % 1_000_000, Issued: s.now().Unix(),
		Numbers: []grantNumber{{ID: spec.ID, Phone: spec.Phone, Name: spec.Name, OnApp: spec.OnBusinessApp}},
	}
	code := fmt.Sprintf("AQ%016x%016x", s.ids.Next(), s.ids.Next())
	s.codes.Put(recent.Key(code), authCode{grant: g, redirect: req.redirect, expires: s.now().Add(codeLife)})
	s.grants.Put(recent.Key(g.Business), g)
	s.callbacks.toApp(update{field: "account_update", at: s.now().Unix(), value: wire.JSON(map[string]any{
		"event": "PARTNER_ADDED", "waba_info": map[string]any{"waba_id": g.WABA, "owner_business_id": g.Business},
	})})
	return redirectTo(req.redirect, url.Values{"code": {code}, "state": {req.state}})
}

// signupNumber is the chosen number. A new number must be registered, unless it stays in the phone app, and has no
// callbacks before the app subscribes.
func (s *Simulator) signupNumber(c *call) (NumberSpec, error) {
	chosen := c.Form.Get("number")
	if chosen != "" && chosen != "new" {
		n := s.accounts.number(chosen)
		if n == nil || c.visitor != nil && !slices.Contains(c.visitor.Numbers, chosen) {
			return NumberSpec{}, fmt.Errorf("number %s does not exist any more", chosen)
		}
		n.onboard(s.now())
		return n.spec(), nil
	}
	spec := NumberSpec{
		Name: strings.TrimSpace(c.Form.Get("name")), Phone: strings.TrimSpace(c.Form.Get("phone")), Status: "PENDING",
		OnBusinessApp: c.Form.Get("on_business_app") != "", Unsubscribed: true,
	}
	if spec.OnBusinessApp {
		spec.Status = connected
	}
	if digits, valid := names.NormalizePhone(spec.Phone); valid {
		if n := s.accounts.byDigits(digits); n != nil {
			n.onboard(s.now()) // the same phone is the same number
			return n.spec(), nil
		}
		// The same phone gets the same ids after a restart.
		spec.ID = names.DerivedID(names.Number, digits)
	}
	return s.AddNumber(spec)
}

// onboard marks the number as just connected, so that its data can be synchronized again.
func (n *number) onboard(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onboarded, n.synced = now, map[string]bool{}
}

const codeLife = 30 * time.Second

// authCode is a code that can be exchanged for a token once, within a short time.
type authCode struct {
	grant    grant
	redirect string
	expires  time.Time
	used     bool
}
