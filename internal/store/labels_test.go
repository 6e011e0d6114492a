package store_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestLabels(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		label := storetest.Label(t, st, org, "Größe 📏")
		r := st.Read(t.Context())
		got, err := r.Label(org.ID, label.ID)
		requireEqual(t, got, err, label)

		label.Name, label.Color, label.UpdatedAt = "Size", "red", label.UpdatedAt.Add(time.Second)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateLabel(label) })
		got, err = r.Label(org.ID, label.ID)
		requireEqual(t, got, err, label)

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DeleteLabel(org.ID, label.ID) })
		_, err = r.Label(org.ID, label.ID)
		requireError(t, err, store.ErrNotFound)
	})
}

func TestMissingLabel(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		requireLabelMissing(t, st, org.ID, st.NewID(chat.KindLabel))
	})
}

func TestLabelOfAnotherOrganizationLooksMissing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		owner, stranger := storetest.Org(t, st), storetest.Org(t, st)
		label := storetest.Label(t, st, owner, "Private")
		requireLabelMissing(t, st, stranger.ID, label.ID)

		page, err := st.Read(t.Context()).Labels(stranger.ID, store.LabelFilter{}, store.Page{Limit: 10})
		requireEqual(t, page, err, store.Slice[chat.Label]{})
		page, err = st.Read(t.Context()).Labels(stranger.ID, store.LabelFilter{TeamID: owner.TeamID}, store.Page{Limit: 10})
		requireEqual(t, page, err, store.Slice[chat.Label]{})

		got, err := st.Read(t.Context()).Label(owner.ID, label.ID)
		requireEqual(t, got, err, label)
	})
}

func requireLabelMissing(t *testing.T, st *store.Store, orgID, id string) {
	t.Helper()
	_, err := st.Read(t.Context()).Label(orgID, id)
	requireError(t, err, store.ErrNotFound)
	for _, attempt := range []func(*store.Tx) error{
		func(tx *store.Tx) error { _, err := tx.Label(orgID, id); return err },
		func(tx *store.Tx) error { return tx.DeleteLabel(orgID, id) },
		func(tx *store.Tx) error {
			return tx.UpdateLabel(chat.Label{OrgID: orgID, ID: id, Name: "Taken over", Color: "red"})
		},
	} {
		requireTxError(t, st, store.ErrNotFound, attempt)
	}
}

func TestLabelNamesAreUniqueInATeam(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		elsewhere := storetest.Organization{ID: org.ID, TeamID: storetest.Team(t, st, org.ID, "Elsewhere").ID}
		storetest.Label(t, st, org, "Straße")
		storetest.Label(t, st, elsewhere, "Straße")
		storetest.Label(t, st, other, "Straße")
		second := storetest.Label(t, st, org, "Weg")

		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
			return tx.InsertLabel(storetest.NewLabel(tx, org, "STRAẞE"))
		})
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
			second.Name = "straße"
			return tx.UpdateLabel(second)
		})
		got, err := st.Read(t.Context()).Label(org.ID, second.ID)
		requireNoError(t, err)
		requireEqual(t, got.Name, nil, "Weg")

		storetest.InTx(t, st, func(tx *store.Tx) error { // its own name in another case is free
			second.Name = "WEG"
			return tx.UpdateLabel(second)
		})
	})
}

func TestLabelNeedsATeamOfItsOrganization(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		for _, teamID := range []string{other.TeamID, st.NewID(chat.KindTeam)} {
			err := st.InTx(t.Context(), func(tx *store.Tx) error {
				return tx.InsertLabel(storetest.NewLabel(tx, storetest.Organization{ID: org.ID, TeamID: teamID}, "Stray"))
			})
			if err == nil {
				t.Errorf("a label in team %s was stored", teamID)
			}
		}
	})
}
