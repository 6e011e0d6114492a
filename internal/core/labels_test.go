package core_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func createLabel(orgID string, in chat.NewLabel) func(*store.Tx) (chat.Label, error) {
	return func(tx *store.Tx) (chat.Label, error) { return core.CreateLabel(tx, orgID, in) }
}

func updateLabel(orgID, id string, patch chat.LabelPatch) func(*store.Tx) (chat.Label, error) {
	return func(tx *store.Tx) (chat.Label, error) { return core.UpdateLabel(tx, orgID, id, patch) }
}

func deleteLabel(orgID, id string) func(*store.Tx) (struct{}, error) {
	return func(tx *store.Tx) (struct{}, error) { return struct{}{}, core.DeleteLabel(tx, orgID, id) }
}

func TestCreateLabel(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		label, err := run(st, createLabel(org.ID, chat.NewLabel{Name: " VIP "}))
		requireEqual(t, label, err, chat.Label{
			ID: label.ID, OrgID: org.ID, TeamID: org.TeamID, Name: "VIP", Color: chat.DefaultLabelColor,
			CreatedAt: clock.Now(), UpdatedAt: clock.Now(),
		})
		if !chat.KindLabel.Valid(label.ID) {
			t.Errorf("the id is %s", label.ID)
		}
		stored, err := core.Label(st.Read(t.Context()), org.ID, label.ID)
		requireEqual(t, stored, err, label)
	})
}

func TestCreateLabelErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		label := storetest.Label(t, st, org, "VIP")
		for _, test := range []struct {
			name  string
			in    chat.NewLabel
			param string
		}{
			{"no name", chat.NewLabel{Name: " "}, "name"},
			{"unknown color", chat.NewLabel{Name: "x", Color: "mauve"}, "color"},
			{"name taken", chat.NewLabel{Name: "vip"}, "name"},
			{"other organization's team", chat.NewLabel{Name: "x", TeamID: other.TeamID}, "team_id"},
			{"no such team", chat.NewLabel{Name: "x", TeamID: st.NewID(chat.KindTeam)}, "team_id"},
		} {
			t.Run(test.name, func(t *testing.T) {
				_, err := run(st, createLabel(org.ID, test.in))
				requireCode(t, err, chat.CodeInvalidFieldValue, test.param)
			})
		}
		requireEqual(t, labelsOf(t, st, org.ID), nil, []chat.Label{label})
		requireEqual(t, labelsOf(t, st, other.ID), nil, nil)
	})
}

func TestLabelNeedsATeamWhereThereAreSeveral(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		second := storetest.Team(t, st, org.ID, "Second")
		_, err := run(st, createLabel(org.ID, chat.NewLabel{Name: "VIP"}))
		requireCode(t, err, chat.CodeMissingRequiredField, "team_id")
		for _, teamID := range []string{org.TeamID, second.ID} { // the name is free in each team
			label, err := run(st, createLabel(org.ID, chat.NewLabel{Name: "VIP", TeamID: teamID}))
			requireEqual(t, label.TeamID, err, teamID)
		}
	})
}

func TestUpdateLabel(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		label := storetest.Label(t, st, org, "VIP")

		clock.Advance(time.Minute)
		got, err := run(st, updateLabel(org.ID, label.ID, chat.LabelPatch{Name: new("VIP"), Color: new(label.Color)}))
		requireEqual(t, got, err, label) // nothing changed, so updated_at has not changed either

		later := clock.Advance(time.Minute)
		got, err = run(st, updateLabel(org.ID, label.ID, chat.LabelPatch{Color: new("red")}))
		label.Color, label.UpdatedAt = "red", later
		requireEqual(t, got, err, label)

		later = clock.Advance(time.Minute)
		got, err = run(st, updateLabel(org.ID, label.ID, chat.LabelPatch{Name: new(" vip ")}))
		label.Name, label.UpdatedAt = "vip", later
		requireEqual(t, got, err, label)
		stored, err := core.Label(st.Read(t.Context()), org.ID, label.ID)
		requireEqual(t, stored, err, label)
	})
}

func TestUpdateLabelErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		taken := storetest.Label(t, st, org, "Taken")
		label := storetest.Label(t, st, org, "VIP")
		for _, test := range []struct {
			name  string
			patch chat.LabelPatch
			param string
		}{
			{"no name", chat.LabelPatch{Name: new("")}, "name"},
			{"unknown color", chat.LabelPatch{Color: new("mauve")}, "color"},
			{"name taken", chat.LabelPatch{Name: new("TAKEN")}, "name"},
		} {
			t.Run(test.name, func(t *testing.T) {
				_, err := run(st, updateLabel(org.ID, label.ID, test.patch))
				requireCode(t, err, chat.CodeInvalidFieldValue, test.param)
			})
		}
		requireEqual(t, labelsOf(t, st, org.ID), nil, []chat.Label{label, taken})
	})
}

func TestDeleteLabel(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		kept := storetest.Label(t, st, org, "Kept")
		label := storetest.Label(t, st, org, "VIP")
		_, err := run(st, deleteLabel(org.ID, label.ID))
		requireNoError(t, err)
		requireEqual(t, labelsOf(t, st, org.ID), nil, []chat.Label{kept})
		_, err = run(st, deleteLabel(org.ID, label.ID))
		requireCode(t, err, chat.CodeResourceNotFound, "")
		_, err = run(st, createLabel(org.ID, chat.NewLabel{Name: "VIP"})) // the name is free again
		requireNoError(t, err)
	})
}

func TestLabelOfAnotherOrganizationIsNotFound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		owner, stranger := storetest.Org(t, st), storetest.Org(t, st)
		label := storetest.Label(t, st, owner, "VIP")
		_, readErr := core.Label(st.Read(t.Context()), stranger.ID, label.ID)
		_, updateErr := run(st, updateLabel(stranger.ID, label.ID, chat.LabelPatch{Name: new("Mine")}))
		_, deleteErr := run(st, deleteLabel(stranger.ID, label.ID))
		for _, err := range []error{readErr, updateErr, deleteErr} {
			requireCode(t, err, chat.CodeResourceNotFound, "")
		}
		requireEqual(t, labelsOf(t, st, owner.ID), nil, []chat.Label{label})
	})
}
