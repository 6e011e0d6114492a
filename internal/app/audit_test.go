package app_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type auditEntry struct {
	ID      string
	Action  string
	By      struct{ Kind, ID, Name, Address string }
	Object  struct{ ID, Name string }
	Details map[string]string
}

func audited(t *testing.T, b *apptest.Browser, query string) (entries []auditEntry) {
	t.Helper()
	b.Get(t, "/audit"+query).RequireStatus(t, http.StatusOK).Data(t, &entries)
	return entries
}

func TestAuditLog(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		owner, admin, agent := newPerson(t, w, org, chat.RoleOwner), newPerson(t, w, org, chat.RoleAdmin), newPerson(t, w, org, chat.RoleAgent)
		stranger := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleOwner)
		start := w.Clock.Now()
		before := len(audited(t, owner.browser, "")) // users were made without anybody doing it
		owner.browser.Do(t, "POST", "/teams", `{"name":"Sales"}`).RequireStatus(t, http.StatusCreated)
		w.Clock.Advance(time.Minute)
		owner.browser.Do(t, "POST", "/teams", `{"name":"sales"}`).RequireFailure(t, "invalid_field_value", "name")
		admin.browser.Do(t, "POST", "/keys", `{"name":"Shop"}`).RequireStatus(t, http.StatusCreated)
		agent.browser.Do(t, "PATCH", "/me", `{"away":true}`).RequireStatus(t, http.StatusOK) // not audited
		admin.browser.Do(t, "PATCH", "/users/"+agent.ID, `{"role":"admin"}`).RequireStatus(t, http.StatusOK)

		all := audited(t, admin.browser, "")
		if len(all) != before+3 || all[0].Action != "user.updated" || all[0].Details["role"] != "agent → admin" || all[0].Object.ID != agent.ID ||
			all[0].By.ID != admin.ID || all[0].By.Address != "127.0.0.1" || all[1].Action != "api_key.created" || all[2].Action != "team.created" {
			t.Errorf("the log is %+v", all)
		}
		for query, want := range map[string]string{
			"?by=" + owner.ID:         "team.created",
			"?action=api_key.created": "api_key.created",
			"?object=" + agent.ID:     "user.updated",
			"?until=" + start.Add(time.Second).Format(time.RFC3339): "team.created",
		} {
			if got := audited(t, owner.browser, query); len(got) != 1 || got[0].Action != want {
				t.Errorf("%s finds %+v", query, got)
			}
		}
		if got := audited(t, owner.browser, "?by=operator"); len(got) != 0 {
			t.Errorf("by operator: %+v", got)
		}
		if got := audited(t, stranger.browser, ""); len(got) != 0 {
			t.Errorf("a stranger sees %+v", got)
		}
		newPerson(t, w, org, chat.RoleAgent).browser.Get(t, "/audit").RequireFailure(t, "forbidden", "")
	})
}

// Teams are named as people know them, and as they were called then.
func TestAuditNamesTeams(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		owner, agent := newPerson(t, w, org, chat.RoleOwner), newPerson(t, w, org, chat.RoleAgent)
		var sales, night struct{ ID string }
		owner.browser.Do(t, "POST", "/teams", `{"name":"Sales"}`).RequireStatus(t, http.StatusCreated).Data(t, &sales)
		owner.browser.Do(t, "POST", "/teams", `{"name":"Night shift"}`).RequireStatus(t, http.StatusCreated).Data(t, &night)
		owner.browser.Do(t, "PATCH", "/users/"+agent.ID, `{"teams":["`+night.ID+`","`+sales.ID+`"]}`).RequireStatus(t, http.StatusOK)
		owner.browser.Do(t, "PATCH", "/teams/"+sales.ID, `{"name":"Selling"}`).RequireStatus(t, http.StatusOK)
		if got := audited(t, owner.browser, "?action=user.updated"); len(got) != 1 || got[0].Details["teams"] != "Sales, Night shift" {
			t.Errorf("the log says %+v", got)
		}
	})
}

// Pages follow one another without a gap. The export has the same rows, and is audited itself.
func TestAuditPagesAndExport(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	owner := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleOwner)
	for _, name := range []string{"=HYPERLINK(1)", "B", "C", "D", "E"} {
		owner.browser.Do(t, "POST", "/teams", `{"name":"`+name+`"}`).RequireStatus(t, http.StatusCreated)
		w.Clock.Advance(time.Second)
	}
	var names []string
	for cursor, more := "", true; more; {
		var page struct {
			Data []auditEntry
			Next *string `json:"next_cursor"`
		}
		owner.browser.Get(t, "/audit?action=team.created&limit=2"+cursor).RequireStatus(t, http.StatusOK).Decode(t, &page)
		for _, e := range page.Data {
			names = append(names, e.Object.Name)
		}
		if more = page.Next != nil; more {
			cursor = "&cursor=" + *page.Next
		}
	}
	if got := strings.Join(names, " "); got != "E D C B =HYPERLINK(1)" {
		t.Errorf("the pages have %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(string(owner.browser.Download(t, "/audit/export?action=team.created")))).ReadAll()
	if err != nil || len(rows) != 6 || rows[1][6] != "E" || rows[5][6] != "'=HYPERLINK(1)" {
		t.Errorf("the export has %q, %v", rows, err)
	}
	if got := audited(t, owner.browser, "?action=audit.exported"); len(got) != 1 {
		t.Errorf("the export is noted as %+v", got)
	}
	owner.browser.Download(t, "/contacts/export")
	if got := audited(t, owner.browser, "?action=contacts.exported"); len(got) != 1 || got[0].By.ID != owner.ID {
		t.Errorf("the contacts' export is noted as %+v", got)
	}
}

// Successful and failed sign-ins are recorded; one with an unknown address is not.
func TestAuditOfSigningIn(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	owner := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleOwner)
	owner.signIn(t, "").RequireStatus(t, http.StatusOK)
	w.Browser().Do(t, "POST", "/session", `{"email":"nobody@example.com","password":"wrong"}`).RequireFailure(t, "invalid_credentials", "")
	w.Browser().Do(t, "POST", "/session", `{"email":"`+owner.Email+`","password":"wrong secret"}`).RequireFailure(t, "invalid_credentials", "")
	var all []auditEntry
	for deadline := time.Now().Add(10 * time.Second); len(all) < 2 && time.Now().Before(deadline); { // recorded after the answer
		all = audited(t, owner.browser, "")
	}
	if len(all) != 2 || all[0].Action != "session.refused" || all[0].Details["reason"] != "invalid_credentials" || all[1].Action != "session.opened" || all[1].By.ID != owner.ID {
		t.Errorf("the log is %+v", all)
	}
	for _, e := range all {
		if strings.Contains(e.Details["reason"]+e.Object.Name, "wrong secret") {
			t.Errorf("the log has the password: %+v", e)
		}
	}
}
