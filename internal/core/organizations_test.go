package core_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func createOrganization(name, plan string) func(*store.Tx) (chat.Organization, error) {
	return func(tx *store.Tx) (chat.Organization, error) {
		org, _, err := core.CreateOrganization(tx, name, plan)
		return org, err
	}
}

func updateOrganization(id string, patch core.OrganizationPatch) func(*store.Tx) (chat.Organization, error) {
	return func(tx *store.Tx) (chat.Organization, error) { return core.UpdateOrganization(tx, id, patch) }
}

func TestCreateOrganization(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org, err := run(st, createOrganization("  Acme ", "pro"))
		requireEqual(t, org, err, chat.Organization{
			ID: org.ID, Name: "Acme", Plan: "pro", Subscription: chat.SubscriptionActive,
			CreatedAt: clock.Now(), UpdatedAt: clock.Now(),
		})
		stored, err := st.Read(t.Context()).Organization(org.ID)
		requireEqual(t, stored, err, org)

		teams, err := st.Read(t.Context()).Teams(org.ID)
		requireNoError(t, err)
		if len(teams) != 1 || teams[0].Name != "General" || !chat.KindTeam.Valid(teams[0].ID) {
			t.Errorf("the teams are %v", teams)
		}
		if _, err := run(st, createOrganization("Acme", "pro")); err != nil { // names may repeat
			t.Error(err)
		}
	})
}

func TestCreateOrganizationErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		_, err := run(st, createOrganization(" ", "pro"))
		requireCode(t, err, chat.CodeInvalidFieldValue, "name")
		_, err = run(st, createOrganization("Acme", "no such plan"))
		requireCode(t, err, chat.CodeInvalidFieldValue, "plan")
		all, err := st.Read(t.Context()).Organizations()
		requireEqual(t, all, err, nil)
	})
}

func TestUpdateOrganization(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org, err := run(st, createOrganization("Acme", "pro"))
		requireNoError(t, err)
		trialEnds := clock.Now().Add(time.Hour)
		for _, step := range []struct {
			name  string
			patch core.OrganizationPatch
			apply func(*chat.Organization)
		}{
			{"plan", core.OrganizationPatch{Plan: new("business")}, func(o *chat.Organization) { o.Plan = "business" }},
			{"trial", core.OrganizationPatch{Subscription: new(chat.SubscriptionTrialing), TrialEndsAt: &trialEnds},
				func(o *chat.Organization) { o.Subscription, o.TrialEndsAt = chat.SubscriptionTrialing, &trialEnds }},
			{"suspended", core.OrganizationPatch{Suspended: new(true)}, func(o *chat.Organization) { o.Suspended = true }},
			{"resumed", core.OrganizationPatch{Suspended: new(false)}, func(o *chat.Organization) { o.Suspended = false }},
		} {
			t.Run(step.name, func(t *testing.T) {
				org.UpdatedAt = clock.Advance(time.Minute)
				step.apply(&org)
				got, err := run(st, updateOrganization(org.ID, step.patch))
				requireEqual(t, got, err, org)
				stored, err := st.Read(t.Context()).Organization(org.ID)
				requireEqual(t, stored, err, org)
			})
		}
		_, err = run(st, updateOrganization(org.ID, core.OrganizationPatch{Plan: new("no such plan")}))
		requireCode(t, err, chat.CodeInvalidFieldValue, "plan")
		_, err = run(st, updateOrganization(st.NewID(chat.KindOrganization), core.OrganizationPatch{}))
		requireCode(t, err, chat.CodeResourceNotFound, "")
	})
}

func TestCreateTeam(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		create := func(orgID, name string) (chat.Team, error) {
			return run(st, func(tx *store.Tx) (chat.Team, error) { return core.CreateTeam(tx, orgID, name) })
		}
		team, err := create(org.ID, " Support ")
		requireEqual(t, team, err, chat.Team{ID: team.ID, OrgID: org.ID, Name: "Support", CreatedAt: clock.Now()})
		_, err = create(other.ID, "Support")
		requireNoError(t, err)

		_, err = create(org.ID, "SUPPORT")
		requireCode(t, err, chat.CodeInvalidFieldValue, "name")
		_, err = create(org.ID, "")
		requireCode(t, err, chat.CodeInvalidFieldValue, "name")
		_, err = create(st.NewID(chat.KindOrganization), "Support")
		requireCode(t, err, chat.CodeResourceNotFound, "")
	})
}

func TestSetPlan(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		set := func(p core.PlanPatch) (chat.Plan, error) {
			return run(st, func(tx *store.Tx) (chat.Plan, error) { return core.SetPlan(tx, " tiny ", p) })
		}
		want := chat.Plan{Name: "tiny", WritePerMinute: 600, ReadPerMinute: 6000}
		_, err := set(core.PlanPatch{})
		requireCode(t, err, chat.CodeResourceNotFound, "")
		create := func() (chat.Plan, error) {
			return run(st, func(tx *store.Tx) (chat.Plan, error) { return core.CreatePlan(tx, " tiny ", core.PlanPatch{}) })
		}
		got, err := create()
		requireEqual(t, got, err, want)
		_, err = create()
		requireCode(t, err, chat.CodeInvalidFieldValue, "name")

		got, err = set(core.PlanPatch{
			API: new(true), Customers: new(true), MonthlyMessages: new(int64(0)), RetentionDays: new(int64(7)),
			WritePerMinute: new(int64(1)), ReadPerMinute: new(int64(1_000_000_000)),
		})
		want = chat.Plan{
			Name: "tiny", API: true, Customers: true, MonthlyMessages: new(int64(0)), RetentionDays: new(int64(7)),
			WritePerMinute: 1, ReadPerMinute: 1_000_000_000,
		}
		requireEqual(t, got, err, want)

		got, err = set(core.PlanPatch{Customers: new(false), RetentionDays: new(int64(-1))}) // the rest stays
		want.Customers, want.RetentionDays = false, nil
		requireEqual(t, got, err, want)
		stored, err := st.Read(t.Context()).Plan("tiny")
		requireEqual(t, stored, err, want)
	})
}

func TestSetPlanErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for _, test := range []struct {
			plan  string
			patch core.PlanPatch
			param string
		}{
			{" ", core.PlanPatch{}, "name"},
			{"tiny", core.PlanPatch{MonthlyMessages: new(int64(-2))}, "monthly_messages"},
			{"tiny", core.PlanPatch{RetentionDays: new(int64(-2))}, "retention_days"},
			{"tiny", core.PlanPatch{WritePerMinute: new(int64(0))}, "write_per_minute"},
			{"tiny", core.PlanPatch{ReadPerMinute: new(int64(-1))}, "read_per_minute"},
			{"tiny", core.PlanPatch{ReadPerMinute: new(int64(1_000_000_001))}, "read_per_minute"},
		} {
			_, err := run(st, func(tx *store.Tx) (chat.Plan, error) { return core.CreatePlan(tx, test.plan, test.patch) })
			requireCode(t, err, chat.CodeInvalidFieldValue, test.param)
		}
		plans, err := st.Read(t.Context()).Plans()
		requireEqual(t, len(plans), err, 4)
	})
}

// Nobody gets into a deleted organization, and nothing comes in or goes out any more. Another one keeps everything.
func TestDeleteOrganization(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		w, other := newWorld(t, st, clock), newWorld(t, st, clock)
		for _, w := range []*world{w, other} {
			w.subscribe("all", nil, "*")
			w.InTx(func(tx *store.Tx) error {
				_, _, err := core.CreateKey(tx, w.Org.ID, "key", nil)
				return err
			})
		}
		remove := func(name string) func(*store.Tx) (chat.Organization, error) {
			return func(tx *store.Tx) (chat.Organization, error) { return core.DeleteOrganization(tx, w.Org.ID, name) }
		}
		_, err := run(w.Store, remove("test"))
		requireCode(t, err, chat.CodeInvalidFieldValue, "name")
		if left := w.holdings(); left != [3]int{1, 1, 1} {
			t.Errorf("refused, it left %v", left)
		}
		for range 2 { // the second time changes nothing
			org, err := run(w.Store, remove("Test"))
			if err != nil || !org.Suspended || org.DeletedAt == nil {
				t.Errorf("got %+v, %v", org, err)
			}
		}
		if left := w.holdings(); left != [3]int{} {
			t.Errorf("deleted, it has %v", left)
		}
		if left := other.holdings(); left != [3]int{1, 1, 1} {
			t.Errorf("another organization has %v", left)
		}
		_, err = run(w.Store, updateOrganization(w.Org.ID, core.OrganizationPatch{Suspended: new(false)}))
		requireCode(t, err, chat.CodeInvalidFieldValue, "org")
	})
}

// holdings counts the organization's keys, numbers and endpoints.
func (w *world) holdings() [3]int {
	w.T.Helper()
	keys, err := w.Read().Keys(w.Org.ID)
	w.Must(err)
	numbers, err := w.Read().Accounts(w.Org.ID, store.AccountFilter{}, store.Page{Limit: 10})
	w.Must(err)
	endpoints, err := w.Read().WebhookSubscriptions(w.Org.ID, store.Page{Limit: 10})
	w.Must(err)
	return [3]int{len(keys), len(numbers.Rows), len(endpoints.Rows)}
}
