package core

import (
	"errors"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateTeam adds a team to an organization.
func CreateTeam(tx *store.Tx, orgID, name string) (chat.Team, error) {
	name, err := chat.CleanName("name", name)
	if err != nil {
		return chat.Team{}, err
	}
	if _, err := organization(tx.Reader, orgID); err != nil {
		return chat.Team{}, err
	}
	team := chat.Team{ID: tx.NewID(chat.KindTeam), OrgID: orgID, Name: name, CreatedAt: tx.Now()}
	err = tx.InsertTeam(team)
	if errors.Is(err, store.ErrDuplicate) {
		return chat.Team{}, chat.Invalid("name", "The organization has a team of this name already.")
	}
	return team, err
}

// pickTeam resolves the team of a team-scoped write: the named one, or the only one.
func pickTeam(r store.Reader, orgID, teamID string) (string, error) {
	teams, err := r.Teams(orgID)
	if err != nil {
		return "", err
	}
	switch {
	case teamID != "":
		if !slices.ContainsFunc(teams, func(t chat.Team) bool { return t.ID == teamID }) {
			return "", chat.Invalid("team_id", "The organization has no such team. GET /v1/me lists its teams.")
		}
		return teamID, nil
	case len(teams) == 1:
		return teams[0].ID, nil
	default:
		return "", &chat.Error{Code: chat.CodeMissingRequiredField, Param: "team_id",
			Message: "The organization has several teams: say which one. GET /v1/me lists them."}
	}
}
