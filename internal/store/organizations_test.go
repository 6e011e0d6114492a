package store_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestOrganizations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		trialEnds := st.Now().Add(time.Hour)
		first := newOrganization(st, "Café ☕", chat.SubscriptionTrialing)
		first.TrialEndsAt, first.Suspended = &trialEnds, true
		second := newOrganization(st, "Second", chat.SubscriptionActive)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := tx.InsertOrganization(second); err != nil { // order comes from the ids
				return err
			}
			return tx.InsertOrganization(first)
		})
		r := st.Read(t.Context())
		got, err := r.Organization(first.ID)
		requireEqual(t, got, err, first)
		all, err := r.Organizations()
		requireEqual(t, all, err, []chat.Organization{first, second})

		first.Name, first.Plan, first.Subscription = "Renamed", "pro", chat.SubscriptionInactive
		first.TrialEndsAt, first.Suspended, first.UpdatedAt = nil, false, st.Now().Add(time.Minute)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateOrganization(first) })
		all, err = r.Organizations()
		requireEqual(t, all, err, []chat.Organization{first, second})
	})
}

func TestOrganizationErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := newOrganization(st, "One", chat.SubscriptionActive)
		_, err := st.Read(t.Context()).Organization(org.ID)
		requireError(t, err, store.ErrNotFound)
		requireTxError(t, st, store.ErrNotFound, func(tx *store.Tx) error { return tx.UpdateOrganization(org) })

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertOrganization(org) })
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error { return tx.InsertOrganization(org) })

		unplanned := newOrganization(st, "Two", chat.SubscriptionActive)
		unplanned.Plan = "no such plan"
		if err := st.InTx(t.Context(), func(tx *store.Tx) error { return tx.InsertOrganization(unplanned) }); err == nil {
			t.Error("an organization on a plan that does not exist was stored")
		}
	})
}

func newOrganization(st *store.Store, name string, status chat.SubscriptionStatus) chat.Organization {
	return chat.Organization{
		ID: st.NewID(chat.KindOrganization), Name: name, Plan: chat.DefaultPlan, Subscription: status,
		CreatedAt: st.Now(), UpdatedAt: st.Now(),
	}
}

func TestShippedPlans(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		plans, err := st.Read(t.Context()).Plans()
		requireEqual(t, plans, err, []chat.Plan{
			{Name: "business", API: true, Customers: true, MonthlyMessages: new(int64(1_000_000)), RetentionDays: new(int64(365)), WritePerMinute: 6000, ReadPerMinute: 60_000},
			{Name: "enterprise", API: true, Customers: true, WritePerMinute: 600_000, ReadPerMinute: 6_000_000},
			{Name: "pro", API: true, MonthlyMessages: new(int64(100_000)), RetentionDays: new(int64(180)), WritePerMinute: 600, ReadPerMinute: 6000},
			{Name: "starter", MonthlyMessages: new(int64(1000)), RetentionDays: new(int64(30)), WritePerMinute: 60, ReadPerMinute: 600},
		})
	})
}

func TestPlans(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		r := st.Read(t.Context())
		_, err := r.Plan("tiny")
		requireError(t, err, store.ErrNotFound)

		tiny := chat.Plan{Name: "tiny", API: true, MonthlyMessages: new(int64(0)), WritePerMinute: 1, ReadPerMinute: 2}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutPlan(tiny) })
		got, err := r.Plan("tiny")
		requireEqual(t, got, err, tiny)

		tiny = chat.Plan{Name: "tiny", Customers: true, RetentionDays: new(int64(7)), WritePerMinute: 3, ReadPerMinute: 4}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutPlan(tiny) })
		got, err = r.Plan("tiny")
		requireEqual(t, got, err, tiny)
		if all, err := r.Plans(); err != nil || len(all) != 5 {
			t.Errorf("there are %d plans (%v)", len(all), err)
		}
	})
}

func TestSettings(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		r := st.Read(t.Context())
		_, err := r.Setting("color")
		requireError(t, err, store.ErrNotFound)

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertSetting("color", "red") })
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error { return tx.InsertSetting("color", "blue") })
		got, err := r.Setting("color")
		requireEqual(t, got, err, "red")

		storetest.InTx(t, st, putSetting("color", "green"))
		storetest.InTx(t, st, putSetting("shape", "\"quoted\"; -- $1 ☃"))
		got, err = r.Setting("color")
		requireEqual(t, got, err, "green")
		got, err = r.Setting("shape")
		requireEqual(t, got, err, "\"quoted\"; -- $1 ☃")
	})
}

// A duplicate met with ErrDuplicate leaves the transaction usable, on PostgreSQL too.
func TestTransactionGoesOnAfterADuplicate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, putSetting("a", "1"))
		storetest.InTx(t, st, func(tx *store.Tx) error {
			requireError(t, tx.InsertSetting("a", "2"), store.ErrDuplicate)
			return tx.InsertSetting("b", "3")
		})
		if got := setting(t, st, "a") + setting(t, st, "b"); got != "13" {
			t.Errorf("the settings are %q", got)
		}
	})
}
