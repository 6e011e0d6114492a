package cli

import "testing"

// connect is the command that connects a number, with additional flags.
func connect(org string, flags ...string) []string {
	return append([]string{"account", "connect", "--org", org, "--phone-number-id", "100200300400500", "--phone-number", "+4930555000", "--waba-id", "2001"}, flags...)
}

func TestAccounts(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org, other := s.newOrg(t), s.newOrg(t)
		account := s.fields(t, connect(org, "--token", "secret", "--name", "Shop", "--provider-status", "CONNECTED")...)
		for field, want := range map[string]any{
			"organization_id": org, "phone_number_id": "100200300400500", "phone_number": "+4930555000", "waba_id": "2001", "name": "Shop",
			"status": "connected", "status_reason": nil, "provider_status": "CONNECTED", "customer_id": nil, "require_opt_in": false,
		} {
			if account[field] != want {
				t.Errorf("%s is %v, want %v", field, account[field], want)
			}
		}
		changed := s.fields(t, "account", "update", "100200300400500", "--org", org, "--status", "degraded", "--require-opt-in", "--token", "other")
		if changed["status"] != "degraded" || changed["require_opt_in"] != true || changed["id"] != account["id"] {
			t.Errorf("changed to %v", changed)
		}
		s.run(t, "account", "update", "100200300400500", "--org", other, "--status", "connected").refused(t, exitFailed, "No such business number", "parley account list")
		s.run(t, connect(other, "--token", "secret")...).refused(t, exitFailed, "--phone-number-id", "connected already")
		if rows := s.rows(t, "account", "list", "--org", org); len(rows) != 1 || rows[0]["status"] != "degraded" {
			t.Errorf("listed %v", rows)
		}
		if rows := s.rows(t, "account", "list", "--org", other); len(rows) != 0 {
			t.Errorf("listed %v", rows)
		}
		if rows := s.rows(t, "account", "list"); len(rows) != 1 || rows[0]["organization_id"] != org {
			t.Errorf("of all organizations, listed %v", rows)
		}
	})
}

func TestAccountRefusals(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		s.run(t, connect(org, "--token", "")...).refused(t, exitFailed, "--token: Must not be empty")
		s.run(t, connect(org, "--token", " ")...).refused(t, exitFailed, "--token: Must not be empty")
		s.run(t, connect(org, "--token", "x", "--customer", "cus_x")...).refused(t, exitFailed, "--customer: The organization has no such customer")
		s.run(t, connect(org, "--token", "x", "--team", "team_x")...).refused(t, exitFailed, "--team: ")
		s.run(t, connect(absentOrg, "--token", "x")...).refused(t, exitFailed, "No such organization", "parley org list")
		s.run(t, connect(org, "--token", "x", "--status", "new")...).refused(t, exitUsage, "--status must be one of")
		s.fields(t, connect(org, "--token", "x")...)
		s.run(t, "account", "update", "100200300400500", "--org", org, "--token", "").refused(t, exitFailed, "--token: Must not be empty")
	})
}
