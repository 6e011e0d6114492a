package core_test

import (
	"context"
	"errors"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// connect connects a number and returns the result.
func connect(st *store.Store, in chat.NewAccount) (account chat.Account, err error) {
	err = st.InTx(context.Background(), func(tx *store.Tx) (err error) {
		account, err = core.ConnectAccount(tx, in, func(id string) string { return "sealed for " + id })
		return err
	})
	return account, err
}

func requireParam(t *testing.T, name string, err error, want string) {
	t.Helper()
	failure, ok := errors.AsType[*chat.Error](err)
	if !ok || string(failure.Code)+" "+failure.Param != want {
		t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

func TestConnectAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st), storetest.Org(t, st)
		in := chat.NewAccount{OrgID: org.ID, PhoneNumberID: "1000001", PhoneNumber: "15550001111", WABAID: "42", Name: new("Shop"), RequireOptIn: true}
		account, err := connect(st, in)
		requireNoError(t, err)
		if account.TeamID != org.TeamID || account.Token != "sealed for "+account.ID || account.Status != chat.AccountConnected {
			t.Errorf("got %+v", account)
		}
		_, err = connect(st, in)
		requireParam(t, "the same number", err, "invalid_field_value phone_number_id")
		in.OrgID = other.ID
		_, err = connect(st, in)
		requireParam(t, "another organization's number", err, "invalid_field_value phone_number_id")

		in.PhoneNumberID = "1000002"
		storetest.Team(t, st, other.ID, "Second")
		_, err = connect(st, in)
		requireParam(t, "no team named", err, "missing_required_field team_id")
		in.TeamID = org.TeamID
		_, err = connect(st, in)
		requireParam(t, "a foreign team", err, "invalid_field_value team_id")
		in.CustomerID = new(st.NewID(chat.KindCustomer))
		_, err = connect(st, in)
		requireParam(t, "no such customer", err, "invalid_field_value customer_id")
		in.OrgID = st.NewID(chat.KindOrganization)
		_, err = connect(st, in)
		requireParam(t, "no such organization", err, "resource_not_found ")
	})
}

func TestUpdateAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		before, err := connect(st, chat.NewAccount{OrgID: org.ID, PhoneNumberID: "1000001", PhoneNumber: "15550001111", WABAID: "42", Name: new("Shop")})
		requireNoError(t, err)
		update := func(number string, patch chat.AccountPatch, seal core.Seal) (account chat.Account, err error) {
			err = st.InTx(t.Context(), func(tx *store.Tx) (err error) {
				account, err = core.UpdateAccount(tx, number, patch, seal)
				return err
			})
			return account, err
		}
		after, err := update("1000001", chat.AccountPatch{Name: chat.Cleared[string](), Status: new(chat.AccountDegraded), RequireOptIn: new(true)}, nil)
		if err != nil || after.Name != nil || after.Status != chat.AccountDegraded || !after.RequireOptIn || after.Token != before.Token || after.WABAID != "42" {
			t.Errorf("got %+v, %v", after, err)
		}
		after, err = update("1000001", chat.AccountPatch{}, func(id string) string { return "anew for " + id })
		if err != nil || after.Token != "anew for "+before.ID {
			t.Errorf("got %+v, %v", after, err)
		}
		stored, err := st.Read(t.Context()).Account(org.ID, before.ID)
		if err != nil || stored.Token != after.Token || stored.Status != chat.AccountDegraded {
			t.Errorf("stored %+v, %v", stored, err)
		}
		_, err = update("1000001", chat.AccountPatch{Status: new(chat.AccountStatus("gone"))}, nil)
		requireParam(t, "unknown status", err, "invalid_field_value status")
		_, err = update("1000002", chat.AccountPatch{}, nil)
		requireParam(t, "unknown number", err, "resource_not_found ")
	})
}

// A new token brings a number back that the provider refused to serve, and a server turns on its callbacks once more. What
// was set on purpose stays.
func TestANewTokenRepairs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		for number, c := range map[string]struct {
			found chat.AccountStatus
			by    func(*store.Tx, chat.Account) error
			patch chat.AccountPatch
			want  chat.AccountStatus
		}{
			"1000001": {found: chat.AccountDegraded, by: demoted, want: chat.AccountConnected},
			"1000002": {found: chat.AccountDisconnected, by: demoted, want: chat.AccountConnected},
			"1000003": {found: chat.AccountDegraded, by: demoted, patch: chat.AccountPatch{Status: new(chat.AccountOnboarding)}, want: chat.AccountOnboarding},
			"1000004": {found: chat.AccountDisconnected, by: setOnPurpose, want: chat.AccountDisconnected},
			"1000005": {found: chat.AccountOnboarding, by: setOnPurpose, want: chat.AccountOnboarding},
		} {
			account, err := connect(st, chat.NewAccount{OrgID: org.ID, PhoneNumberID: number, PhoneNumber: "1555" + number, WABAID: "42"})
			requireNoError(t, err)
			account.Status = c.found
			var after chat.Account
			requireNoError(t, st.InTx(t.Context(), func(tx *store.Tx) error { return c.by(tx, account) }))
			requireNoError(t, st.InTx(t.Context(), func(tx *store.Tx) (err error) {
				after, err = core.UpdateAccount(tx, number, c.patch, func(id string) string { return "anew for " + id })
				return err
			}))
			stored, err := st.Read(t.Context()).Account(org.ID, account.ID)
			if err != nil || stored.Status != c.want || after.Status != c.want || stored.Reason() != nil {
				t.Errorf("%s is %s (%v), want %s", number, stored.Status, stored.Reason(), c.want)
			}
		}
		jobs, err := st.Read(t.Context()).AccountJobs(org.ID)
		if err != nil || len(jobs) != 5 || jobs[0].Kind != store.JobConnected {
			t.Errorf("the jobs are %+v, %v", jobs, err)
		}
	})
}

func demoted(tx *store.Tx, to chat.Account) error {
	_, err := core.DemoteAccount(tx, to, to.Status, "the provider says no")
	return err
}

func setOnPurpose(tx *store.Tx, to chat.Account) error {
	_, err := core.UpdateAccount(tx, *to.PhoneNumberID, chat.AccountPatch{Status: &to.Status}, nil)
	return err
}
