package app_test

import (
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type customerShown struct{ ID, Name, Status string }

// The life of a customer on the dashboard: created, invited, suspended, archived and restored.
func TestCustomers(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		admin, org := newAdmin(t, w)
		agent := w.As(t, w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID))
		stream := admin.Listen(t)
		var made customerShown
		admin.Do(t, "POST", "/customers", `{"name":"Kopi Kita"}`).RequireStatus(t, http.StatusCreated).Data(t, &made)
		stream.Await(t, "customers", "")
		base := "/customers/" + made.ID
		var link struct {
			ID       string
			SetupURL string `json:"setup_url"`
		}
		admin.Do(t, "POST", base+"/setup_links", `{"expires_in_hours":24}`).RequireStatus(t, http.StatusCreated).Data(t, &link)
		account := newNumber(t, w.Store, org)
		account.CustomerID = &made.ID
		storetest.InTx(t, w.Store, func(tx *store.Tx) error { return tx.UpdateAccount(account) })
		var holdings struct {
			Numbers, Queued int
			ActiveLinks     int `json:"active_links"`
		}
		admin.Get(t, base+"/holdings").RequireStatus(t, http.StatusOK).Data(t, &holdings)
		if holdings.Numbers != 1 || holdings.ActiveLinks != 1 || holdings.Queued != 0 {
			t.Errorf("it has %+v", holdings)
		}
		step := func(method, path, body, want string) {
			t.Helper()
			admin.Do(t, method, base+path, body).RequireStatus(t, http.StatusOK)
			var now customerShown
			if admin.Get(t, base).RequireStatus(t, http.StatusOK).Data(t, &now); now.Status != want {
				t.Errorf("after %s %s it is %s, want %s", method, path, now.Status, want)
			}
		}
		step("PATCH", "", `{"status":"suspended"}`, "suspended")
		step("DELETE", "", "", "archived")
		step("POST", "/restore", "", "suspended") // as it was
		step("PATCH", "", `{"status":"active"}`, "active")
		admin.Do(t, "DELETE", base+"/setup_links/"+link.ID, "").RequireStatus(t, http.StatusOK)
		admin.Do(t, "DELETE", base+"/setup_links/"+link.ID, "").RequireFailure(t, "setup_link_inactive", "")

		stranger, _ := newAdmin(t, w)
		plain, small := newAdmin(t, w)
		storetest.InTx(t, w.Store, func(tx *store.Tx) error {
			o, err := tx.Organization(small.ID)
			if err != nil {
				return err
			}
			o.Plan = "pro" // which has no customers
			return tx.UpdateOrganization(o)
		})
		for _, op := range []struct{ method, path, body string }{
			{"GET", base, ""}, {"PATCH", base, `{"name":"Mine"}`}, {"DELETE", base, ""}, {"GET", base + "/holdings", ""}, {"POST", base + "/restore", ""},
			{"GET", base + "/setup_links", ""}, {"POST", base + "/setup_links", `{}`}, {"GET", base + "/setup_links/" + link.ID, ""},
			{"PATCH", base + "/setup_links/" + link.ID, `{"success_redirect_url":null}`}, {"DELETE", base + "/setup_links/" + link.ID, ""},
			{"DELETE", base + "/whatsapp_accounts/" + *account.PhoneNumberID, ""},
		} {
			agent.Do(t, op.method, op.path, op.body).RequireFailure(t, "forbidden", "")
			stranger.Do(t, op.method, op.path, op.body).RequireFailure(t, "resource_not_found", "")
			plain.Do(t, op.method, op.path, op.body).RequireFailure(t, "feature_not_entitled", "")
		}
		agent.Get(t, "/customers").RequireFailure(t, "forbidden", "")
		agent.Do(t, "POST", "/customers", `{"name":"Mine"}`).RequireFailure(t, "forbidden", "")
	})
}
