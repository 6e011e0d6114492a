package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestInvitation(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
		var invited struct {
			User struct{ ID string }
			Link struct{ URL, Kind string }
		}
		admin.Do(t, "POST", "/users", `{"email":"budi@example.com","name":"Budi","role":"agent"}`).RequireStatus(t, http.StatusCreated).Data(t, &invited)
		link, err := url.Parse(invited.Link.URL)
		if err != nil || !strings.HasPrefix(invited.Link.URL, w.URL+"/invite/") {
			t.Fatalf("the link is %q", invited.Link.URL)
		}
		at := "/links/" + path.Base(link.Path)
		b := w.Browser()
		var about struct{ Kind, Email, Name string }
		if b.Get(t, at).Data(t, &about); about.Kind != "invitation" || about.Email != "budi@example.com" {
			t.Errorf("the link is for %+v", about)
		}
		b.Do(t, "POST", at, `{"password":"short"}`).RequireFailure(t, "invalid_field_value", "password")
		b.Do(t, "POST", at, `{"password":"`+password+`","name":"Budi Santoso"}`).RequireStatus(t, http.StatusOK)
		b.Get(t, "/me").RequireStatus(t, http.StatusOK)
		w.Browser().Do(t, "POST", at, `{"password":"`+password+`"}`).RequireFailure(t, "link_inactive", "")
		w.Browser().Get(t, at).RequireFailure(t, "link_inactive", "")
	})
}

func TestOwnersAreForOwners(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	owner := w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID)
	admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
	at := "/users/" + owner.ID
	admin.Do(t, "PATCH", at, `{"role":"agent"}`).RequireFailure(t, "forbidden", "")
	admin.Do(t, "POST", at+"/link", "").RequireFailure(t, "forbidden", "")
	admin.Do(t, "DELETE", at+"/sessions", "").RequireFailure(t, "forbidden", "")
	admin.Do(t, "POST", "/users", `{"email":"x@example.com","name":"X","role":"owner"}`).RequireFailure(t, "forbidden", "")
	w.As(t, owner).Do(t, "PATCH", at, `{"role":"agent"}`).RequireFailure(t, "invalid_field_value", "role")
}

// A user whose role changes, or who is disabled, is signed out at once: the next request fails, and the open
// stream ends.
func TestThrownOut(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{"another role": `{"role":"admin"}`, "disabled": `{"disabled":true}`} {
		t.Run(name, func(t *testing.T) {
			apptest.Each(t, func(t *testing.T, w *apptest.World) {
				org := storetest.Org(t, w.Store)
				owner := w.As(t, w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID))
				u := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
				b := w.As(t, u)
				stream := b.Listen(t)
				owner.Do(t, "PATCH", "/users/"+u.ID, change).RequireStatus(t, http.StatusOK)
				stream.Await(t, "session", "")
				b.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
			})
		})
	}
}

// Every operation except the open ones refuses strangers, and admin operations refuse agents, before anything
// else is checked.
func TestRoles(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	agent, stranger := w.As(t, w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)), w.Browser()
	forAdmins := 0
	for template, item := range w.Document().At("paths") {
		for method, operation := range item.(map[string]any) {
			security, _ := operation.(map[string]any)["security"].([]any)
			if len(security) == 0 || template == "/stream" {
				continue
			}
			target := fill(template)
			stranger.Do(t, strings.ToUpper(method), target, "").RequireFailure(t, "not_signed_in", "")
			if adminOnly[fmt.Sprint(strings.ToUpper(method), " ", template)] {
				forAdmins++
				agent.Do(t, strings.ToUpper(method), target, "").RequireFailure(t, "forbidden", "")
			}
		}
	}
	if forAdmins != len(adminOnly) {
		t.Errorf("%d operations for admins were found of %d", forAdmins, len(adminOnly))
	}
}

// adminOnly are the operations that agents may not call.
var adminOnly = map[string]bool{
	"GET /users": true, "POST /users": true, "PATCH /users/{id}": true, "POST /users/{id}/link": true, "DELETE /users/{id}/sessions": true,
	"POST /teams": true, "PATCH /teams/{id}": true,
	"GET /contacts/{id}/merge": true, "GET /contacts/export": true, "POST /contacts/imports": true, "POST /contacts/imports/{id}/preview": true,
	"POST /contacts/imports/{id}/start": true, "POST /contacts/imports/{id}/undo": true, "GET /contacts/imports/{id}/errors": true,
	"POST /{phone_number_id}/contacts": true, "DELETE /{phone_number_id}/contacts/{id}": true, "POST /{phone_number_id}/contacts/{id}/merge": true,
	"POST /labels": true, "PATCH /labels/{id}": true, "DELETE /labels/{id}": true,
	"POST /{phone_number_id}/templates/sync": true, "POST /{phone_number_id}/templates": true, "PATCH /{phone_number_id}/templates/{name}": true,
	"DELETE /{phone_number_id}/templates/{name}": true, "GET /{phone_number_id}/template-drafts": true, "POST /{phone_number_id}/template-drafts": true,
	"GET /{phone_number_id}/template-drafts/{id}": true, "PUT /{phone_number_id}/template-drafts/{id}": true,
	"DELETE /{phone_number_id}/template-drafts/{id}": true, "DELETE /{phone_number_id}/media/{id}": true,
	"GET /webhook_subscriptions": true, "POST /webhook_subscriptions": true, "GET /webhook_subscriptions/{id}": true,
	"PATCH /webhook_subscriptions/{id}": true, "DELETE /webhook_subscriptions/{id}": true, "POST /webhook_subscriptions/{id}/test": true,
	"POST /webhook_subscriptions/{id}/secrets": true, "DELETE /webhook_subscriptions/{id}/secrets/{secret_id}": true,
	"GET /webhook_deliveries": true, "GET /webhook_deliveries/{id}": true, "POST /webhook_deliveries/{id}/replay": true,
	"POST /webhook_deliveries/bulk_replay": true, "GET /webhook_deliveries/replayable": true, "GET /webhook_deliveries/{id}/signature": true,
	"GET /webhook_subscriptions/{id}/health": true, "POST /webhook_subscriptions/{id}/secrets/{secret_id}/reveal": true,
	"GET /api_log": true, "GET /api_log/{id}": true, "GET /api_log/failures": true,
	"GET /events": true, "GET /events/{id}": true, "GET /event_types": true, "GET /event_subjects": true, "GET /story": true,
	"GET /keys": true, "POST /keys": true, "DELETE /keys/{id}": true,
}

// fill makes a path from a template.
func fill(template string) string {
	parts := strings.Split(template, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = "x"
		}
	}
	return strings.Join(parts, "/")
}

func TestOtherOrganizationsUsers(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	mine, theirs := storetest.Org(t, w.Store), storetest.Org(t, w.Store)
	owner := w.As(t, w.User(t, mine, chat.RoleOwner, chat.SeesAll, mine.TeamID))
	u := w.User(t, theirs, chat.RoleAgent, chat.SeesAll, theirs.TeamID)
	owner.Do(t, "PATCH", "/users/"+u.ID, `{"name":"Mine"}`).RequireFailure(t, "resource_not_found", "")
	owner.Do(t, "POST", "/users/"+u.ID+"/link", "").RequireFailure(t, "resource_not_found", "")
	owner.Do(t, "DELETE", "/users/"+u.ID+"/sessions", "").RequireFailure(t, "resource_not_found", "")
	owner.Do(t, "PATCH", "/teams/"+theirs.TeamID, `{"name":"Mine"}`).RequireFailure(t, "resource_not_found", "")
	var people []struct{ ID string }
	if owner.Get(t, "/people").Data(t, &people); len(people) != 1 {
		t.Errorf("there are %d people", len(people))
	}
}
