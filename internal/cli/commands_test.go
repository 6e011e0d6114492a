package cli

import (
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

const absentOrg = "org_01ARZ3NDEKTSV4RRFFQ69G5FAV"

func TestOrganizations(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		const name = `Ärzte & "Söhne" <東京> 🎉`
		org := s.fields(t, "org", "create", "--name", "  "+name+" ")
		id := org["id"].(string)
		if !chat.KindOrganization.Valid(id) || !chat.KindTeam.Valid(org["team_id"].(string)) {
			t.Errorf("ids in %v", org)
		}
		for field, want := range map[string]any{
			"name": name, "plan": "enterprise", "subscription_status": "active", "trial_ends_at": nil, "suspended": false,
		} {
			if org[field] != want {
				t.Errorf("%s is %v, want %v", field, org[field], want)
			}
		}
		starter := s.fields(t, "org", "create", "--name=Second", "--plan=starter")
		listed := s.rows(t, "org", "list")
		if len(listed) != 2 || listed[0]["id"] != id || listed[1]["id"] != starter["id"] || listed[1]["plan"] != "starter" {
			t.Errorf("listed %v", listed)
		}
	})
}

func TestOrganizationUpdate(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		id := s.newOrg(t)
		state := map[string]any{}
		for _, step := range []struct {
			flags []string
			field string
			want  any
		}{
			{[]string{"--plan", "pro"}, "plan", "pro"},
			{[]string{"--subscription", "trialing"}, "subscription_status", "trialing"},
			{[]string{"--trial-ends-at", "2026-01-31T12:00:00+02:00"}, "trial_ends_at", "2026-01-31T10:00:00.000Z"},
			{[]string{"--suspended"}, "suspended", true},
			{[]string{"--suspended=false"}, "suspended", false},
			{[]string{"--suspended=true"}, "suspended", true},
			{[]string{"--subscription=inactive"}, "subscription_status", "inactive"},
		} {
			state[step.field] = step.want
			got := s.fields(t, append([]string{"org", "update", id}, step.flags...)...)
			for field, want := range state {
				if got[field] != want {
					t.Errorf("after %v: %s is %v, want %v", step.flags, field, got[field], want)
				}
			}
		}
	})
}

func TestPlans(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		plan := func(name string) map[string]any {
			for _, row := range s.rows(t, "plan", "list") {
				if row["name"] == name {
					return row
				}
			}
			t.Fatalf("no plan %s", name)
			return nil
		}
		shipped := plan("starter")
		if shipped["api"] != false || shipped["monthly_messages"] != 1000.0 || shipped["read_per_minute"] != 600.0 {
			t.Errorf("starter is %v", shipped)
		}
		s.fields(t, "plan", "set", "starter", "--api", "--monthly-messages", "-1", "--retention-days=-1")
		changed := plan("starter")
		if changed["api"] != true || changed["monthly_messages"] != nil || changed["retention_days"] != nil {
			t.Errorf("changed to %v", changed)
		}
		if changed["write_per_minute"] != shipped["write_per_minute"] || changed["customers"] != false {
			t.Errorf("what was not given changed: %v", changed)
		}
		s.fields(t, "plan", "set", "starter", "--api=false", "--monthly-messages=0")
		if again := plan("starter"); again["api"] != false || again["monthly_messages"] != 0.0 {
			t.Errorf("changed to %v", again)
		}
		s.run(t, "plan", "set", "Gold plan", "--customers").refused(t, exitFailed, `"parley plan list" shows them`, `"parley plan create" makes a new one`)
		gold := s.fields(t, "plan", "create", "Gold plan", "--customers", "--write-per-minute", "7", "--read-per-minute", "70")
		if gold["customers"] != true || gold["write_per_minute"] != 7.0 || plan("Gold plan")["read_per_minute"] != 70.0 {
			t.Errorf("new plan %v", gold)
		}
	})
}

func TestTeamsAndUsers(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		first := s.fields(t, "user", "create", "--org", org, "--email", "a@acme.example", "--name", "Ada L", "--password", "correct horse")
		if !chat.KindUser.Valid(first["id"].(string)) || first["role"] != "agent" || first["name"] != "Ada L" {
			t.Errorf("user %v", first)
		}
		team := s.fields(t, "team", "create", "--org", org, "--name", "Süd")
		teams := s.rows(t, "team", "list", "--org", org)
		if len(teams) != 2 || teams[0]["name"] != "General" || teams[1]["id"] != team["id"] {
			t.Errorf("teams %v", teams)
		}
		second := []string{"user", "create", "--org", org, "--email", "b@acme.example", "--name", "Bob", "--password=-starts-odd", "--role", "owner"}
		s.run(t, second...).refused(t, exitFailed, "--team: The organization has several teams", "parley team list --org "+org)
		user := s.fields(t, append(second, "--team", team["id"].(string))...)
		if user["role"] != "owner" || user["email"] != "b@acme.example" || user["sees"] != "all" || user["teams"] != team["id"] {
			t.Errorf("user %v", user)
		}
	})
}

func TestChangeUsers(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		s.fields(t, "user", "create", "--org", org, "--email", "o@acme.example", "--name", "Olga", "--password", "correct horse", "--role", "owner")
		s.fields(t, "user", "create", "--org", org, "--email", "a@acme.example", "--name", "Ada", "--password", "correct horse", "--sees", "assigned")
		team := s.fields(t, "team", "create", "--org", org, "--name", "Second")["id"].(string)
		changed := s.fields(t, "user", "update", "A@acme.example", "--name", "Ada L", "--role", "admin", "--sees", "teams", "--team", team, "--password", "battery staple")
		if changed["name"] != "Ada L" || changed["role"] != "admin" || changed["sees"] != "teams" || changed["teams"] != team || changed["disabled_at"] != nil {
			t.Errorf("changed to %v", changed)
		}
		if gone := s.fields(t, "user", "update", "a@acme.example", "--disable"); gone["disabled_at"] == nil || gone["name"] != "Ada L" {
			t.Errorf("disabled: %v", gone)
		}
		for _, flag := range []string{"--away", "--available"} {
			if u := s.fields(t, "user", "update", "a@acme.example", flag); u["away"] != (flag == "--away") {
				t.Errorf("after %s: %v", flag, u)
			}
		}
		if back := s.fields(t, "user", "update", "a@acme.example", "--enable"); back["disabled_at"] != nil {
			t.Errorf("enabled: %v", back)
		}
		if users := s.rows(t, "user", "list", "--org", org); len(users) != 2 || users[0]["name"] != "Olga" || users[1]["teams"] != team {
			t.Errorf("users %v", users)
		}
		link := s.fields(t, "user", "link", "a@acme.example", "--public-url", "https://chat.example.com/")
		if url := link["url"].(string); !strings.HasPrefix(url, "https://chat.example.com/invite/") || link["kind"] != "reset" {
			t.Errorf("link %v", link)
		}
		s.fields(t, "user", "create", "--org", org, "--email", "i@acme.example", "--name", "Ines", "--team", team)
		if link := s.fields(t, "user", "link", "i@acme.example", "--public-url", "https://chat.example.com"); link["kind"] != "invitation" {
			t.Errorf("link %v", link)
		}
		if out := s.run(t, "user", "signout", "a@acme.example"); out.code != 0 || out.stdout != "" {
			t.Errorf("signed out: %+v", out)
		}
		s.run(t, "user", "update", "a@acme.example").refused(t, exitFailed, "nothing to change")
		s.run(t, "user", "update", "x@acme.example", "--enable").refused(t, exitFailed, "nobody signs in as x@acme.example", "parley user list")
		s.run(t, "user", "signout", "x@acme.example").refused(t, exitFailed, "nobody signs in as x@acme.example")
		s.run(t, "user", "update", "o@acme.example", "--disable").refused(t, exitFailed, "This is the only owner")
		s.run(t, "user", "update", "o@acme.example", "--team", absentTeam).refused(t, exitFailed, "--team: The organization has no such team")
	})
}

const absentTeam = "team_00000000000000000000000000"

func TestKeys(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		created := s.fields(t, "key", "create", "--org", org, "--name", "Ünï", "--expires-at", "2090-01-01T00:00:00Z")
		text := created["key"].(string)
		if !chat.WellFormedKey(text) || !strings.HasSuffix(text, created["last4"].(string)) || created["expires_at"] != "2090-01-01T00:00:00.000Z" {
			t.Errorf("key %v", created)
		}
		shown := s.run(t, "key", "create", "--org", org)
		if shown.code != 0 || !strings.Contains(shown.stdout, "\nkey              svc_live_") || shown.stderr != "Keep the key: it is not shown again.\n" {
			t.Errorf("got %+v", shown)
		}
		revoked := s.fields(t, "key", "revoke", created["id"].(string))
		again := s.fields(t, "key", "revoke", created["id"].(string))
		if revoked["revoked_at"] == nil || again["revoked_at"] != revoked["revoked_at"] {
			t.Errorf("revoked %v, then %v", revoked, again)
		}
		list := s.run(t, "key", "list", "--org", org, "--json")
		if strings.Contains(list.stdout, text) {
			t.Errorf("the list shows the key: %s", list.stdout)
		}
		rows := s.rows(t, "key", "list", "--org", org)
		if len(rows) != 2 || rows[0]["revoked_at"] == nil || rows[1]["revoked_at"] != nil || rows[1]["name"] != "default" {
			t.Errorf("listed %v", rows)
		}
	})
}

func TestDeleteOrganization(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		s.run(t, "org", "delete", org).refused(t, exitUsage, "--name")
		s.run(t, "org", "delete", org, "--name", "acme").refused(t, exitFailed, `--name: The organization's name is "Acme".`)
		s.run(t, "org", "delete", absentOrg, "--name", "Acme").refused(t, exitFailed, `No such organization. "parley org list" shows them`)
		deleted := s.fields(t, "org", "delete", org, "--name", "Acme")
		if listed := s.rows(t, "org", "list"); deleted["deleted_at"] == nil || len(listed) != 1 || listed[0]["deleted_at"] != deleted["deleted_at"] {
			t.Errorf("deleted %v, then listed %v", deleted, listed)
		}
		s.run(t, "org", "update", org, "--suspended=false").refused(t, exitFailed, "The organization is being deleted.")
	})
}

// TestRefusals covers commands that the store's contents or core's rules forbid.
func TestRefusals(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		user := "user create --org " + org + " --name A --email a@acme.example --password "
		if o := s.run(t, strings.Fields(user+"longenough")...); o.code != 0 {
			t.Fatalf("got %+v", o)
		}
		for _, test := range []struct{ args, want string }{
			{"org create --name=", "--name: Must be 1 to 200 characters"},
			{"org create --name x --plan gold", `--plan: There is no plan "gold". ` + "`parley plan list` shows the plans."},
			{"org update " + absentOrg + " --plan pro", `No such organization. "parley org list" shows them`},
			{"org update " + org + " --plan=", `--plan: There is no plan ""`},
			{"plan set pro --monthly-messages -2", "--monthly-messages: Must be 0 or more, or -1 for no limit"},
			{"plan set pro --write-per-minute 0", "--write-per-minute: Must be between 1 and"},
			{"plan set pro --read-per-minute -5", "--read-per-minute: Must be between 1 and"},
			{"team create --org " + absentOrg + " --name x", "No such organization."},
			{"team create --org " + org + " --name general", "--name: The organization has a team of this name already."},
			{"team list --org " + absentOrg, "No such organization."},
			{user + "short", "--password: Must be 8 to 1024 characters"},
			{strings.Replace(user, "a@acme", "A@ACME", 1) + "longenough", "--email: A user with this address exists already."},
			{user + "longenough --team team_01ARZ3NDEKTSV4RRFFQ69G5FAV", "--team: The organization has no such team."},
			{"key create --org " + absentOrg, "No such organization."},
			{"key create --org " + org + " --expires-at 2020-01-01T00:00:00Z", "--expires-at: Must be in the future."},
			{"key list --org " + absentOrg, "No such organization."},
			{"key revoke key_01ARZ3NDEKTSV4RRFFQ69G5FAV", `No such API key. "parley key list --org ORG" shows them`},
		} {
			s.run(t, strings.Fields(test.args)...).refused(t, exitFailed, test.want)
		}
		s.run(t, "plan", "create", " ", "--api").refused(t, exitFailed, "<name>: Must be 1 to 200 characters")
		if orgs, plans := s.rows(t, "org", "list"), s.rows(t, "plan", "list"); len(orgs) != 1 || len(plans) != 4 {
			t.Errorf("a refused command left something: %v, %v", orgs, plans)
		}
	})
}

func TestTables(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if o := s.run(t, "org", "create", "--name", "red\x1b[31m\tand\ntwo lines"); o.code != 0 {
		t.Fatalf("got %+v", o)
	}
	o := s.run(t, "org", "list")
	lines := strings.Split(o.stdout, "\n")
	if o.code != 0 || o.stderr != "" || len(lines) != 3 || !strings.HasPrefix(lines[0], "ID ") || !strings.Contains(lines[0], "SUBSCRIPTION_STATUS") {
		t.Fatalf("got %+v", o)
	}
	if !strings.Contains(lines[1], `"red\x1b[31m\tand\ntwo lines"`) || !strings.Contains(lines[1], "  no  ") || !strings.Contains(lines[1], "  -  ") {
		t.Errorf("the row is %q", lines[1])
	}
}

func TestMigrate(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		for range 2 {
			if o := s.run(t, "migrate"); o.code != 0 || o.stdout != "" || o.stderr != "The schema is up to date.\n" {
				t.Errorf("got %+v", o)
			}
		}
	})
}
