package store_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestTeams(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		support := storetest.Team(t, st, org.ID, "Support")
		sales := storetest.Team(t, st, org.ID, "Sales")
		storetest.Team(t, st, other.ID, "support") // names are unique inside an organization only

		teams, err := st.Read(t.Context()).Teams(org.ID)
		requireNoError(t, err)
		requireEqual(t, teams[1:], nil, []chat.Team{support, sales})
		if len(teams) != 3 || teams[0].ID != org.TeamID {
			t.Errorf("the teams are %v", teams)
		}
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
			return tx.InsertTeam(chat.Team{ID: tx.NewID(chat.KindTeam), OrgID: org.ID, Name: "SUPPORT", CreatedAt: tx.Now()})
		})
		none, err := st.Read(t.Context()).Teams(st.NewID(chat.KindOrganization))
		requireEqual(t, none, err, nil)
	})
}

func TestUsers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		user := chat.User{
			ID: st.NewID(chat.KindUser), OrgID: org.ID, Email: "Ann@Example.com", Name: "Ann",
			PasswordHash: "$hash$", Role: chat.RoleAdmin, Sees: chat.SeesTeams, DisabledAt: new(st.Now()), CreatedAt: st.Now(), UpdatedAt: st.Now(),
		}
		r := st.Read(t.Context())
		_, err := r.UserByEmail(user.Email)
		requireError(t, err, store.ErrNotFound)

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertUser(user) })
		got, err := r.UserByEmail("aNN@eXAMPLE.COM")
		requireEqual(t, got, err, user)

		// An e-mail address belongs to one organization, so it is taken in all of them.
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
			return tx.InsertUser(chat.User{ID: tx.NewID(chat.KindUser), OrgID: other.ID, Email: "ann@example.com", Name: "Ann"})
		})
	})
}

// An address of another mailbox finds nobody, although it folds to the same unique key. So it cannot be taken either.
func TestAddressesThatLookAlike(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		user := chat.User{ID: st.NewID(chat.KindUser), OrgID: org.ID, Email: "simi@example.com", Name: "Simi", CreatedAt: st.Now(), UpdatedAt: st.Now()}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertUser(user) })
		for _, other := range []string{"s\u0131mi@example.com", "\u017fimi@example.com"} {
			_, err := st.Read(t.Context()).UserByEmail(other)
			requireError(t, err, store.ErrNotFound)
			requireTxError(t, st, store.ErrNotFound, func(tx *store.Tx) error {
				_, err := tx.UserByEmail(other)
				return err
			})
			requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
				return tx.InsertUser(chat.User{ID: tx.NewID(chat.KindUser), OrgID: org.ID, Email: other, Name: "Another"})
			})
		}
	})
}

func TestMembers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		user := chat.User{ID: st.NewID(chat.KindUser), OrgID: org.ID, Email: "a@example.com", Name: "A", CreatedAt: st.Now()}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertUser(user) })
		for range 2 { // once more changes nothing
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutMember(org.ID, org.TeamID, user.ID) })
		}
		for _, bad := range []struct{ name, org, team, user string }{
			{"other organization's team", org.ID, other.TeamID, user.ID},
			{"other organization's user", other.ID, other.TeamID, user.ID},
			{"no such user", org.ID, org.TeamID, st.NewID(chat.KindUser)},
		} {
			err := st.InTx(t.Context(), func(tx *store.Tx) error { return tx.PutMember(bad.org, bad.team, bad.user) })
			if err == nil {
				t.Errorf("%s was accepted", bad.name)
			}
		}
	})
}
