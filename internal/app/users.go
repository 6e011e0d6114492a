package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerUsers(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/people", ID: "listPeople", Tag: "Users", Role: chat.RoleAgent, Whole: true,
		Summary: "List colleagues", Description: "To assign conversations to, and to mention. Those who have left are marked.",
	}, listPeople)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/users", ID: "listUsers", Tag: "Users", Role: chat.RoleAdmin, Whole: true,
		Summary: "List users", Description: "With what each may do and see.",
	}, listUsers)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/users", ID: "inviteUser", Tag: "Users", Role: chat.RoleAdmin, Status: http.StatusCreated, Secret: true,
		Summary: "Invite a user", Description: "The link is shown once: give it to the person, who chooses a password with it.",
	}, a.inviteUser)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/users/{id}", ID: "updateUser", Tag: "Users", Role: chat.RoleAdmin,
		Summary: "Change a user", Description: "Whoever gets another role, or is disabled, is signed out everywhere, and a link to choose a password stops working. So do the links for others that somebody made who may do less now.",
	}, updateUser)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/users/{id}/link", ID: "linkUser", Tag: "Users", Role: chat.RoleAdmin, Status: http.StatusCreated, Secret: true,
		Summary: "Make a link to choose a password", Description: "An invitation for somebody who has none yet. Any earlier link stops working. It is not mailed within ten minutes of an earlier one. Nobody makes one for themselves.",
	}, a.linkUser)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/users/{id}/sessions", ID: "endUserSessions", Tag: "Users", Role: chat.RoleAdmin,
		Summary: "Sign a user out everywhere", Description: "An admin cannot do it to an owner.",
	}, endUserSessions)
}

type personView struct {
	ID       rest.UserID `json:"id"`
	Name     string      `json:"name"`
	Email    string      `json:"email"`
	Role     chat.Role   `json:"role"`
	Teams    []string    `json:"teams"`
	Away     bool        `json:"away" doc:"Takes no new conversations for now."`
	Disabled bool        `json:"disabled" doc:"The person has left."`
}

func listPeople(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[personView], error) {
	return eachUser(c, func(u chat.User, teams []string) personView {
		return personView{rest.UserID(u.ID), u.Name, u.Email, u.Role, teams, u.Away, u.DisabledAt != nil}
	})
}

type userView struct {
	ID        rest.UserID     `json:"id"`
	Name      string          `json:"name"`
	Email     string          `json:"email"`
	Role      chat.Role       `json:"role"`
	Sees      chat.Visibility `json:"sees"`
	Teams     []string        `json:"teams"`
	Invited   bool            `json:"invited" doc:"Has not chosen a password yet."`
	Away      bool            `json:"away"`
	TwoSteps  bool            `json:"second_step" doc:"Signs in with a code besides the password."`
	Disabled  bool            `json:"disabled"`
	CreatedAt rest.Instant    `json:"created_at"`
}

func viewUser(u chat.User, teams []string) userView {
	if teams == nil {
		teams = []string{}
	}
	return userView{rest.UserID(u.ID), u.Name, u.Email, u.Role, u.Sees, teams, u.PasswordHash == "", u.Away, u.SecondStep, u.DisabledAt != nil, rest.Instant(u.CreatedAt)}
}

func listUsers(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[userView], error) {
	return eachUser(c, viewUser)
}

// eachUser makes the views of all users of the caller's organization, with their teams.
func eachUser[V any](c *rest.Call, view func(chat.User, []string) V) (all store.Slice[V], err error) {
	r := c.Read()
	users, err := r.Users(c.OrgID())
	if err != nil {
		return all, err
	}
	teams, err := r.Members(c.OrgID())
	return rest.ViewEach(store.Slice[chat.User]{Rows: users}, func(u chat.User) V {
		of := teams[u.ID]
		if of == nil {
			of = []string{}
		}
		return view(u, of)
	}), err
}

type inviteUserBody struct {
	Email  string          `json:"email" minLength:"1" maxLength:"320"`
	Name   string          `json:"name" minLength:"1" maxLength:"200" trimmed:"true"`
	Role   chat.Role       `json:"role"`
	Sees   chat.Visibility `json:"sees,omitempty" default:"all"`
	TeamID string          `json:"team_id,omitempty" doc:"Needed where there are several teams."`
}

type invitedView struct {
	User userView     `json:"user"`
	Link userLinkView `json:"link"`
}

type userLinkView struct {
	URL       string       `json:"url" format:"uri" doc:"Shown once."`
	Kind      string       `json:"kind" enum:"invitation,reset"`
	ExpiresAt rest.Instant `json:"expires_at"`
	Mailed    bool         `json:"mailed" doc:"It is also on its way by mail."`
}

func (a *App) inviteUser(tx *store.Tx, c *rest.Call, in *rest.Sent[inviteUserBody]) (invitedView, error) {
	b := in.Body
	u, token, link, err := core.InviteUser(tx, *c.Caller.User, core.NewUser{
		OrgID: c.OrgID(), Email: b.Email, Name: b.Name, Role: b.Role, Sees: b.Sees, TeamID: b.TeamID,
	})
	if err != nil {
		return invitedView{}, err
	}
	user, err := showUser(tx, u)
	if err != nil {
		return invitedView{}, err
	}
	shown, err := a.handOut(tx, u, token, link, true)
	return invitedView{user, shown}, err
}

// handOut shows a link, and mails it if that is wanted and there is a mail server.
func (a *App) handOut(tx *store.Tx, u chat.User, token string, link chat.UserLink, mail bool) (userLinkView, error) {
	view := userLinkView{
		URL: a.cfg.PublicURL + core.UserLinkPath + token, Kind: string(link.Kind), ExpiresAt: rest.Instant(link.ExpiresAt), Mailed: mail && a.cfg.Mail != nil,
	}
	if !view.Mailed {
		return view, nil
	}
	return view, a.mailLink(tx, u, link, view.URL)
}

type updateUserBody struct {
	Name     *string          `json:"name,omitempty" minLength:"1" maxLength:"200" trimmed:"true"`
	Role     *chat.Role       `json:"role,omitempty"`
	Sees     *chat.Visibility `json:"sees,omitempty"`
	Teams    *[]string        `json:"teams,omitempty" minItems:"1"`
	Disabled *bool            `json:"disabled,omitempty" doc:"true: the person has left. What they had in work goes back to the queue."`
	Away     *bool            `json:"away,omitempty"`
}

func updateUser(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.UserID, updateUserBody]) (userView, error) {
	u, err := core.UpdateUser(tx, c.Caller.User.Role, c.OrgID(), string(in.ID), core.UserPatch(in.Body))
	if err != nil {
		return userView{}, err
	}
	return showUser(tx, u)
}

// showUser shows a user who was changed.
func showUser(tx *store.Tx, u chat.User) (userView, error) {
	teams, err := tx.TeamsOf(u.OrgID, u.ID)
	return viewUser(u, teams), err
}

func (a *App) linkUser(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.UserID]) (userLinkView, error) {
	again, err := core.LinkedLately(tx, c.OrgID(), string(in.ID))
	if err != nil {
		return userLinkView{}, err
	}
	token, link, err := core.LinkUser(tx, *c.Caller.User, c.OrgID(), string(in.ID))
	if err != nil {
		return userLinkView{}, err
	}
	u, err := tx.User(c.OrgID(), string(in.ID))
	if err != nil {
		return userLinkView{}, err
	}
	return a.handOut(tx, u, token, link, !again)
}

func endUserSessions(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.UserID]) (signedOutView, error) {
	return signedOutView{true}, core.SignOutUser(tx, c.Caller.User.Role, c.OrgID(), string(in.ID))
}
