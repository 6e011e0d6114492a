package core

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateTeam adds a team to an organization.
func CreateTeam(tx *store.Tx, orgID, name string) (chat.Team, error) {
	name, err := chat.CleanName(name)
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
	if err != nil {
		return chat.Team{}, err
	}
	return team, audit(tx, orgID, chat.AuditTeamCreated, chat.AuditObject{ID: team.ID, Name: team.Name})
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
			Message: fmt.Sprintf("The organization has several teams: say which one. GET /v1/me lists them, and so does \"parley team list --org %s\".", orgID)}
	}
}

// RenameTeam gives a team another name.
func RenameTeam(tx *store.Tx, orgID, id, name string) (chat.Team, error) {
	name, err := chat.CleanName(name)
	if err != nil {
		return chat.Team{}, err
	}
	teams, err := tx.Teams(orgID)
	if err != nil {
		return chat.Team{}, err
	}
	i := slices.IndexFunc(teams, func(t chat.Team) bool { return t.ID == id })
	if i < 0 {
		return chat.Team{}, chat.NotFound("team")
	}
	before := teams[i].Name
	teams[i].Name = name
	err = tx.UpdateTeam(teams[i])
	if errors.Is(err, store.ErrDuplicate) {
		return chat.Team{}, chat.Invalid("name", "The organization has a team of this name already.")
	}
	if err != nil {
		return chat.Team{}, err
	}
	return teams[i], audit(tx, orgID, chat.AuditTeamUpdated, chat.AuditObject{ID: id, Name: name}, "name", fromTo(before, name))
}

// TeamsOf are the teams of a user.
func TeamsOf(r store.Reader, u chat.User) ([]chat.Team, error) {
	teams, err := r.Teams(u.OrgID)
	if err != nil {
		return nil, err
	}
	of, err := r.TeamsOf(u.OrgID, u.ID)
	return slices.DeleteFunc(teams, func(t chat.Team) bool { return !slices.Contains(of, t.ID) }), err
}
