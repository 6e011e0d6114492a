package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A table that has just filled is analyzed once, and not again.
func TestRefreshStatistics(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		addLabels(t, st, org, 300)
		requireGrown(t, st, true)
		requireNoError(t, st.RefreshStatistics(t.Context()))
		requireGrown(t, st, false)
	})
}

func requireGrown(t *testing.T, st *store.Store, want bool) {
	t.Helper()
	tables, known, err := store.GrownTables(t.Context(), st)
	requireNoError(t, err)
	if got := slices.Contains(tables, "labels"); known && got != want {
		t.Errorf("grown are %v", tables)
	}
}

// An organization that comes to a large table is in its statistics once it has many rows, and then its rows are
// looked up by their whole key.
func TestMeetOrganizations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		before, newcomer := storetest.Org(t, st), storetest.Org(t, st)
		addLabels(t, st, before, 6_000)
		requireNoError(t, st.RefreshStatistics(t.Context()))
		requireUnaware(t, st, false)
		addLabels(t, st, newcomer, 299)
		requireUnaware(t, st, false)
		addLabels(t, st, newcomer, 1)
		requireUnaware(t, st, true)
		requireNoError(t, st.MeetOrganizations(t.Context()))
		requireUnaware(t, st, false)
	})
}

func requireUnaware(t *testing.T, st *store.Store, want bool) {
	t.Helper()
	tables, known, err := store.UnawareTables(t.Context(), st)
	requireNoError(t, err)
	if got := slices.Contains(tables, "labels"); known && got != want {
		t.Errorf("unaware are %v, wanted of labels: %v", tables, want)
	}
}

// addLabels adds labels to an organization.
func addLabels(t *testing.T, st *store.Store, org storetest.Organization, n int) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for range n {
			id := tx.NewID(chat.KindLabel)
			label := chat.Label{ID: id, OrgID: org.ID, TeamID: org.TeamID, Name: id, Color: "gray", CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
			if err := tx.InsertLabel(label); err != nil {
				return err
			}
		}
		return tx.FlushStatistics()
	})
}

// Deliveries of an organization that the statistics do not know are read with one event each, and not with all of
// its events for each.
func TestDueDeliveriesOfAnUnknownOrganization(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		known, unknown := storetest.Org(t, st), storetest.Org(t, st)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for range 1_000 {
				id := tx.NewID(chat.KindEvent)
				if err := tx.InsertEvent(chat.Event{ID: id, OrgID: known.ID, EventID: id, Payload: []byte("{}")}); err != nil {
					return err
				}
			}
			return tx.FlushStatistics()
		})
		requireNoError(t, st.RefreshStatistics(t.Context()))
		plans, err := store.Plans(t.Context(), st, func(r store.Reader) error {
			_, err := r.DueDeliveries("node", unknown.ID, "wbs", st.Now(), st.Now(), store.DeliveryPlace{}, 10)
			return err
		})
		requireNoError(t, err)
		if plan := strings.Join(plans, "\n"); strings.Contains(plan, "Join Filter") {
			t.Errorf("they are read so:\n%s", plan)
		}
	})
}
