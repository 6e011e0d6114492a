package store_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestSecondSteps(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		u := chat.User{ID: st.NewID(chat.KindUser), OrgID: org.ID, Email: "a@example.com", Name: "A", CreatedAt: st.Now(), UpdatedAt: st.Now()}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertUser(u) })
		r := st.Read(t.Context())
		_, err := r.SecondStep(org.ID, u.ID)
		requireError(t, err, store.ErrNotFound)

		step := chat.SecondStep{OrgID: org.ID, UserID: u.ID, Sealed: "sealed", CreatedAt: st.Now()}
		requireOn := func(on bool) {
			t.Helper()
			got, err := r.User(org.ID, u.ID)
			u.SecondStep = on
			requireEqual(t, got, err, u)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutSecondStep(step) })
		requireOn(false) // not confirmed
		step.ConfirmedAt = new(st.Now())
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutSecondStep(step) })
		requireOn(true)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UseCode(org.ID, u.ID, 7) })
		step.LastCounter = 7
		got, err := r.SecondStep(org.ID, u.ID)
		requireEqual(t, got, err, step)
		_, err = r.SecondStep(other.ID, u.ID)
		requireError(t, err, store.ErrNotFound)

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutRecoveryCodes(org.ID, u.ID, []string{"x"}) })
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutRecoveryCodes(org.ID, u.ID, []string{"a", "b"}) })
		requireTxError(t, st, store.ErrNotFound, func(tx *store.Tx) error { return tx.UseRecoveryCode(org.ID, u.ID, "x") })
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UseRecoveryCode(org.ID, u.ID, "a") })
		left, err := r.RecoveryCodesLeft(org.ID, u.ID)
		requireEqual(t, left, err, 1)

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DeleteSecondStep(org.ID, u.ID) })
		requireOn(false)
		left, err = r.RecoveryCodesLeft(org.ID, u.ID)
		requireEqual(t, left, err, 0)
	})
}
