package app_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Only users named in the server's settings see the whole service; no role in an organization is enough.
func TestOperator(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		operators := make([]string, 1)
		w := apptest.Start(t, engine, func(c *app.Config) {
			c.Operators, c.Node = operators, func() string { return "node_a" }
		})
		storetest.Alive(t, w.Store, "node_a", "node_b")
		o := newOffice(t, w)
		o.receive(t, o.account, "+6281200000001", "wamid.1", "a secret of Ada's")
		must(t, figures.New(figures.Config{Store: w.Store, Log: slog.New(slog.DiscardHandler)}).Sweep(t.Context()))
		user := w.User(t, o.org, chat.RoleAgent, chat.SeesAssigned)
		operators[0] = user.ID
		owner := w.As(t, w.User(t, o.org, chat.RoleOwner, chat.SeesAll, o.org.TeamID))
		for _, path := range []string{"/operator/organizations", "/operator/system"} {
			for who, b := range map[string]*apptest.Browser{"owner": owner, "agent": o.as} {
				if b.Get(t, path).RequireFailure(t, "forbidden", "").Status != http.StatusForbidden {
					t.Errorf("%s is open to an %s", path, who)
				}
			}
			w.Browser().Get(t, path).RequireFailure(t, "not_signed_in", "")
		}
		operator := w.As(t, user)
		var me struct{ User struct{ Operator bool } }
		if operator.Get(t, "/me").Data(t, &me); !me.User.Operator {
			t.Error("the operator is not told so")
		}
		if owner.Get(t, "/me").Data(t, &me); me.User.Operator {
			t.Error("an owner is told to be the operator")
		}
		answer := operator.Get(t, "/operator/organizations").RequireStatus(t, http.StatusOK)
		var all struct {
			Organizations []struct {
				ID                       string
				Numbers, Users, Received int64
			}
			Plans []struct{ Name string }
		}
		answer.Data(t, &all)
		if len(all.Organizations) != 1 || all.Organizations[0].ID != o.org.ID || all.Organizations[0].Numbers != 1 || all.Organizations[0].Received != 1 || len(all.Plans) != 4 {
			t.Errorf("the operator sees %+v", all)
		}
		if strings.Contains(string(answer.Body), "secret") {
			t.Error("the operator reads messages")
		}
		var system struct {
			Node  string
			Nodes []struct {
				ID    string
				Until *time.Time
				Late  bool
			}
			Storage struct {
				Engine   string
				Database int64 `json:"database_bytes"`
			}
		}
		operator.Get(t, "/operator/system").RequireStatus(t, http.StatusOK).Data(t, &system)
		if system.Node != "node_a" || len(system.Nodes) != 2 || system.Storage.Database == 0 || system.Storage.Engine != w.Store.Engine() {
			t.Errorf("the system is %+v", system)
		}
		w.Clock.Advance(time.Hour)
		operator.Get(t, "/operator/system").RequireStatus(t, http.StatusOK).Data(t, &system)
		for _, n := range system.Nodes { // a node that is alone gives no signs of life, so it cannot be late with them
			if alone := w.Store.Alone(); n.Late == alone || (n.Until == nil) != alone {
				t.Errorf("an hour later a node is %+v", n)
			}
		}
	})
}
