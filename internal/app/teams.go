package app

import (
	"maps"
	"net/http"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerTeams(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/teams", ID: "listTeams", Tag: "Teams", Role: chat.RoleAgent, Whole: true,
		Summary: "List teams", Description: "With who is in each.",
	}, listTeams)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/teams", ID: "createTeam", Tag: "Teams", Role: chat.RoleAdmin, Status: http.StatusCreated,
		Summary: "Create a team", Description: "Users join it in their own settings.",
	}, createTeam)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/teams/{id}", ID: "updateTeam", Tag: "Teams", Role: chat.RoleAdmin,
		Summary: "Rename a team", Description: "The name must be new in the organization.",
	}, updateTeam)
}

type teamView struct {
	ID        rest.TeamID  `json:"id"`
	Name      string       `json:"name"`
	Members   []string     `json:"members" doc:"The ids of its users."`
	CreatedAt rest.Instant `json:"created_at"`
}

// viewTeam is the view of a team. teams are the teams of each user.
func viewTeam(t chat.Team, teams map[string][]string) teamView {
	view := teamView{ID: rest.TeamID(t.ID), Name: t.Name, Members: []string{}, CreatedAt: rest.Instant(t.CreatedAt)}
	for _, user := range slices.Sorted(maps.Keys(teams)) {
		if slices.Contains(teams[user], t.ID) {
			view.Members = append(view.Members, user)
		}
	}
	return view
}

func listTeams(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[teamView], error) {
	r := c.Read()
	teams, err := r.Teams(c.OrgID())
	if err != nil {
		return store.Slice[teamView]{}, err
	}
	members, err := r.Members(c.OrgID())
	return rest.ViewEach(store.Slice[chat.Team]{Rows: teams}, func(t chat.Team) teamView { return viewTeam(t, members) }), err
}

type teamBody struct {
	Name string `json:"name" minLength:"1" maxLength:"200" trimmed:"true"`
}

func createTeam(tx *store.Tx, c *rest.Call, in *rest.Sent[teamBody]) (teamView, error) {
	team, err := core.CreateTeam(tx, c.OrgID(), in.Body.Name)
	return viewTeam(team, nil), err
}

func updateTeam(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.TeamID, teamBody]) (teamView, error) {
	team, err := core.RenameTeam(tx, c.OrgID(), string(in.ID), in.Body.Name)
	if err != nil {
		return teamView{}, err
	}
	members, err := tx.Members(c.OrgID())
	return viewTeam(team, members), err
}
