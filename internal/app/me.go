package app

import (
	"errors"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerMe(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/me", ID: "getMe", Tag: "Me", Role: chat.RoleAgent, Always: true,
		Summary: "Tell who has signed in", Description: "With the organization, the user's teams and the numbers that the user may see.",
	}, a.getMe)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/me", ID: "updateMe", Tag: "Me", Role: chat.RoleAgent,
		Summary: "Change one's own name, or whether one is there", Description: "Role and e-mail are changed by an admin.",
	}, updateMe)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/me/password", ID: "changePassword", Tag: "Me", Role: chat.RoleAgent, Always: true, Keyless: true,
		Summary: "Change one's own password", Description: "Every other session ends. The present one goes on with another cookie.",
	}, a.changePassword)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/me/sessions", ID: "listMySessions", Tag: "Me", Role: chat.RoleAgent, Whole: true,
		Summary: "List where one has signed in", Description: "The session in use is marked.",
	}, listMySessions)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/me/sessions", ID: "endMySessions", Tag: "Me", Role: chat.RoleAgent, Always: true,
		Summary: "Sign out everywhere else", Description: "The session in use stays.",
	}, endMySessions)
}

type meView struct {
	User         userMe         `json:"user"`
	Organization organizationMe `json:"organization"`
	Plan         planMe         `json:"plan"`
	Teams        []teamRefView  `json:"teams" doc:"The user's."`
	Numbers      []numberMe     `json:"numbers" doc:"Those that the user may see, newest first, up to 500."`
	MoreNumbers  bool           `json:"more_numbers" doc:"The user may see more numbers than these. GET /numbers finds them."`
	SetUpStep    bool           `json:"second_step_needed" doc:"The organization wants two-step sign-in of everybody, and the user has to set it up before anything else."`
	Simulator    bool           `json:"simulator" doc:"There is a simulated phone to write from: the provider is simulated, and the user sees more than what is assigned."`
	Version      string         `json:"version"`
}

type userMe struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Email     string          `json:"email"`
	Role      chat.Role       `json:"role"`
	Sees      chat.Visibility `json:"sees"`
	Away      bool            `json:"away" doc:"The user takes no new conversations for now."`
	TwoSteps  bool            `json:"second_step" doc:"The user signs in with a code besides the password."`
	Operator  bool            `json:"operator" doc:"The user sees counts of the whole service."`
	CreatedAt rest.Instant    `json:"created_at"`
}

type organizationMe struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type planMe struct {
	Name      string `json:"name"`
	Customers bool   `json:"customers"`
}

type teamRefView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type numberMe struct {
	PhoneNumberID string  `json:"phone_number_id"`
	PhoneNumber   *string `json:"phone_number"`
	Name          string  `json:"name"`
	TeamID        string  `json:"team_id"`
	Status        string  `json:"status"`
	CustomerID    *string `json:"customer_id"`
}

func (a *App) getMe(c *rest.Call, _ *noInput) (meView, error) {
	return a.viewMe(c.Read(), sessionOf(c))
}

func (a *App) viewMe(r store.Reader, s store.SessionContext) (meView, error) {
	u := s.User
	view := meView{
		User:         userMe{u.ID, u.Name, u.Email, u.Role, u.Sees, u.Away, u.SecondStep, a.isOperator(&u), rest.Instant(u.CreatedAt)},
		Organization: organizationMe{s.Organization.ID, s.Organization.Name}, Plan: planMe{s.Plan.Name, s.Plan.Customers},
		Teams: []teamRefView{}, Numbers: []numberMe{}, SetUpStep: lacksSecondStep(s.Organization, u), Simulator: a.cfg.Phones != nil && u.Sees != chat.SeesAssigned, Version: a.cfg.Version,
	}
	teams, err := core.TeamsOf(r, u)
	if err != nil {
		return meView{}, err
	}
	for _, t := range teams {
		view.Teams = append(view.Teams, teamRefView{t.ID, t.Name})
	}
	numbers, err := core.NumbersFor(r, u)
	for _, n := range numbers.Rows {
		view.Numbers = append(view.Numbers, numberMe{deref(n.PhoneNumberID), n.PhoneNumber, deref(n.Name), n.TeamID, string(n.Status), n.CustomerID})
	}
	view.MoreNumbers = numbers.Next != nil
	return view, err
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

type updateMeBody struct {
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"200" trimmed:"true"`
	Away *bool   `json:"away,omitempty" doc:"true: no new conversations for now."`
}

func updateMe(tx *store.Tx, c *rest.Call, in *rest.Sent[updateMeBody]) (userView, error) {
	me := c.Caller.User
	u, err := core.UpdateUser(tx, me.Role, me.OrgID, me.ID, core.UserPatch{Name: in.Body.Name, Away: in.Body.Away})
	if err != nil {
		return userView{}, err
	}
	return showUser(tx, u)
}

type changePasswordBody struct {
	Current string `json:"current_password" minLength:"1" maxLength:"4096"`
	New     string `json:"new_password" minLength:"1" maxLength:"4096"`
}

type changedView struct {
	Changed bool `json:"changed"`
}

func (a *App) changePassword(c *rest.Call, in *rest.Sent[changePasswordBody]) (changedView, error) {
	var token string
	err := a.logins.guard(c, a.keysOf(c.Caller.User.Email, "", c), func() (err error) {
		token, err = core.ChangePassword(c.Ctx, a.store, sessionOf(c), in.Body.Current, in.Body.New, browserOf(c))
		return err
	})
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Param == "password" {
		e.Param = "new_password"
	}
	if err != nil {
		return changedView{}, err
	}
	a.setCookie(c, token)
	return changedView{true}, a.knowAgain(c, c.Read())
}

type sessionView struct {
	ID        string       `json:"id"`
	Client    string       `json:"client" doc:"What the browser calls itself."`
	Address   string       `json:"address"`
	CreatedAt rest.Instant `json:"created_at"`
	SeenAt    rest.Instant `json:"seen_at" doc:"To the minute."`
	Current   bool         `json:"current"`
}

func listMySessions(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[sessionView], error) {
	sessions, err := c.Read().Sessions(c.OrgID(), c.Caller.User.ID)
	return rest.ViewEach(store.Slice[chat.Session]{Rows: sessions}, func(s chat.Session) sessionView {
		return sessionView{s.ID, s.Client, s.Address, rest.Instant(s.CreatedAt), rest.Instant(s.SeenAt), s.ID == c.Caller.Session.ID}
	}), err
}

func endMySessions(tx *store.Tx, c *rest.Call, _ *noInput) (signedOutView, error) {
	return signedOutView{true}, core.SignOutEverywhere(tx, c.OrgID(), c.Caller.User.ID, c.Caller.Session.ID)
}
