package core

import (
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// VisibleConversations are those of the conversations that a user sees.
func VisibleConversations(r store.Reader, u chat.User, ids []string) ([]string, error) {
	teams, err := r.TeamsOf(u.OrgID, u.ID)
	if err != nil {
		return nil, err
	}
	places, err := r.PlacesOf(u.OrgID, ids)
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		at, known := places[id]
		switch {
		case !known:
			return true
		case u.Sees == chat.SeesTeams:
			return !slices.Contains(teams, at.TeamID)
		case u.Sees == chat.SeesAssigned:
			return at.AssignedTo != u.ID
		default:
			return false
		}
	}), err
}
