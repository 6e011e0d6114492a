package store_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestKeyContext(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		trialEnds, expires := st.Now().Add(time.Hour), st.Now().Add(time.Minute)
		org := newOrganization(st, "Keys", chat.SubscriptionTrialing)
		org.Plan, org.TrialEndsAt, org.Suspended = "pro", &trialEnds, true
		key := chat.APIKey{
			ID: st.NewID(chat.KindKey), OrgID: org.ID, Name: "ci", Hash: "hash", Last4: "last",
			ExpiresAt: &expires, CreatedAt: st.Now(),
		}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := tx.InsertOrganization(org); err != nil {
				return err
			}
			return tx.InsertKey(key)
		})
		r := st.Read(t.Context())
		plan, err := r.Plan("pro")
		requireNoError(t, err)
		org.CreatedAt, org.UpdatedAt = time.Time{}, time.Time{} // no request needs them
		got, err := r.KeyContext("hash")
		requireEqual(t, got, err, store.KeyContext{Key: key, Organization: org, Plan: plan})

		_, err = r.KeyContext("another hash")
		requireError(t, err, store.ErrNotFound)
	})
}

func TestKeysOfAnOrganization(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		first, _ := storetest.Key(t, st, org.ID)
		storetest.Key(t, st, other.ID)
		second, _ := storetest.Key(t, st, org.ID)

		keys, err := st.Read(t.Context()).Keys(org.ID)
		requireEqual(t, keys, err, []chat.APIKey{first, second})

		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
			return tx.InsertKey(chat.APIKey{ID: tx.NewID(chat.KindKey), OrgID: other.ID, Hash: first.Hash, CreatedAt: tx.Now()})
		})
	})
}

func TestRevokeKeyKeepsTheFirstInstant(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		key, _ := storetest.Key(t, st, org.ID)
		untouched, _ := storetest.Key(t, st, org.ID)
		revoke := func() (got chat.APIKey) {
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				got, err = tx.RevokeKey(key.ID)
				return err
			})
			return got
		}
		key.RevokedAt = new(clock.Now())
		requireEqual(t, revoke(), nil, key)
		clock.Advance(time.Hour)
		requireEqual(t, revoke(), nil, key)

		keys, err := st.Read(t.Context()).Keys(org.ID)
		requireEqual(t, keys, err, []chat.APIKey{key, untouched})
		requireTxError(t, st, store.ErrNotFound, func(tx *store.Tx) error {
			_, err := tx.RevokeKey(tx.NewID(chat.KindKey))
			return err
		})
	})
}
