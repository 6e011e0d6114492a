package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app"
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

// Whoever guesses links, from however many places, keeps nobody from using their own.
func TestGuessedLinksHinderNobody(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
	var invited struct{ Link struct{ URL string } }
	admin.Do(t, "POST", "/users", `{"email":"budi@example.com","name":"Budi","role":"agent"}`).RequireStatus(t, http.StatusCreated).Data(t, &invited)
	for i := range 100 {
		w.Browser().Do(t, "POST", fmt.Sprint("/links/guess", i), `{"password":"x"}`, "X-Forwarded-For", fmt.Sprint("192.0.2.", i)).RequireFailure(t, "link_inactive", "")
	}
	w.Browser().Do(t, "POST", "/links/"+path.Base(invited.Link.URL), `{"password":"`+password+`"}`).RequireStatus(t, http.StatusOK)
}

// linked makes a link for a user and returns the path at which it is used.
func linked(t *testing.T, by *apptest.Browser, u chat.User) string {
	t.Helper()
	var link struct{ URL string }
	by.Do(t, "POST", "/users/"+u.ID+"/link", "").RequireStatus(t, http.StatusCreated).Data(t, &link)
	return "/links/" + path.Base(link.URL)
}

func requireUseless(t *testing.T, w *apptest.World, link string) {
	t.Helper()
	w.Browser().Get(t, link).RequireFailure(t, "link_inactive", "")
	w.Browser().Do(t, "POST", link, `{"password":"`+password+`"}`).RequireFailure(t, "link_inactive", "")
}

// A link is for the role that the user had. Otherwise an admin, who cannot make an owner, would invite an agent, wait until
// an owner makes the agent an owner, and then follow the invitation. Nor does a link let in whoever has left, and is back.
func TestLinksEndWithTheRole(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		owner := w.As(t, w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID))
		admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
		for _, changes := range [][]string{{`{"role":"owner"}`}, {`{"role":"admin"}`}, {`{"disabled":true}`}, {`{"disabled":true}`, `{"disabled":false}`}} {
			u := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
			for _, by := range []*apptest.Browser{admin, owner} {
				link := linked(t, by, u)
				by.Do(t, "PATCH", "/users/"+u.ID, `{"name":"New","sees":"teams"}`).RequireStatus(t, http.StatusOK)
				w.Browser().Get(t, link).RequireStatus(t, http.StatusOK)
				for _, change := range changes {
					owner.Do(t, "PATCH", "/users/"+u.ID, change).RequireStatus(t, http.StatusOK)
				}
				requireUseless(t, w, link)
				owner.Do(t, "PATCH", "/users/"+u.ID, `{"role":"agent","disabled":false}`).RequireStatus(t, http.StatusOK)
			}
		}
	})
}

// Whoever leaves, or may do less, takes no links with which to open the accounts of others. Another role that may do as much
// changes nothing about them.
func TestLinksEndWithTheirMaker(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		boss := w.As(t, w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID))
		for _, test := range []struct {
			maker, of    chat.Role
			change, back string
		}{
			{chat.RoleAdmin, chat.RoleAdmin, `{"role":"agent"}`, `{"role":"owner"}`},
			{chat.RoleAdmin, chat.RoleAgent, `{"disabled":true}`, `{"disabled":false}`},
			{chat.RoleOwner, chat.RoleOwner, `{"role":"admin"}`, `{"role":"owner"}`},
		} {
			maker, u := w.User(t, org, test.maker, chat.SeesAll, org.TeamID), w.User(t, org, test.of, chat.SeesAll, org.TeamID)
			link := linked(t, w.As(t, maker), u)
			w.Browser().Get(t, link).RequireStatus(t, http.StatusOK)
			boss.Do(t, "PATCH", "/users/"+maker.ID, test.change).RequireStatus(t, http.StatusOK)
			requireUseless(t, w, link)
			boss.Do(t, "PATCH", "/users/"+maker.ID, test.back).RequireStatus(t, http.StatusOK)
			requireUseless(t, w, link)
		}
		maker, u := w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID), w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
		link := linked(t, w.As(t, maker), u)
		boss.Do(t, "PATCH", "/users/"+maker.ID, `{"role":"owner"}`).RequireStatus(t, http.StatusOK)
		w.Browser().Do(t, "POST", link, `{"password":"`+password+`"}`).RequireStatus(t, http.StatusOK)
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

// Whoever loses a right while the body of a request arrives can do nothing with that request: it could otherwise be kept
// open, and make a key for later.
func TestThrownOutWhileABodyArrives(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		owner := w.As(t, w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID))
		for _, change := range []string{`{"name":"Stays"}`, `{"role":"agent"}`, `{"disabled":true}`} {
			u := w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID)
			body, write := io.Pipe()
			request := httptest.NewRequest("POST", app.Base+"/keys", body)
			request.Header.Set("Content-Type", "application/json")
			w.App.Sign(request, w.As(t, u).Token)
			answered := make(chan int)
			go func() {
				recorder := httptest.NewRecorder()
				w.App.ServeHTTP(recorder, request)
				body.Close() // as the server does, so that no writer waits
				answered <- recorder.Code
			}()
			io.WriteString(write, `{"name":`) // returns when it is read, after the session was
			owner.Do(t, "PATCH", "/users/"+u.ID, change).RequireStatus(t, http.StatusOK)
			w.Clock.Advance(2 * time.Second)
			io.WriteString(write, `"x"}`)
			write.Close()
			want := http.StatusUnauthorized
			if strings.Contains(change, "Stays") {
				want = http.StatusCreated
			}
			if got := <-answered; got != want {
				t.Errorf("after %s the key gets %d, want %d", change, got, want)
			}
		}
		if keys := ids(t, owner, "/keys"); len(keys) != 1 {
			t.Errorf("there are %d keys", len(keys))
		}
	})
}

// Whoever loses a right while a download is read slowly gets no more of it.
func TestThrownOutDuringADownload(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		account := storetest.Account(t, w.Store, org, "100000000001")
		for i := range 100 {
			storetest.Contact(t, w.Store, account, fmt.Sprintf("+49305550%03d", i))
		}
		owner := w.As(t, w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID))
		for _, c := range []struct {
			change string
			whole  bool
		}{{`{"name":"Stays"}`, true}, {`{"role":"agent"}`, false}, {`{"disabled":true}`, false}} {
			u := w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID)
			request := httptest.NewRequest("GET", app.Base+"/contacts/export", nil)
			w.App.Sign(request, w.As(t, u).Token)
			reader := &slowReader{ResponseRecorder: httptest.NewRecorder(), between: func() {
				owner.Do(t, "PATCH", "/users/"+u.ID, c.change).RequireStatus(t, http.StatusOK)
				w.Clock.Advance(2 * time.Second)
			}}
			func() {
				defer func() {
					if cut := recover() == http.ErrAbortHandler; cut == c.whole {
						t.Errorf("after %s the download is cut off: %t", c.change, cut)
					}
				}()
				w.App.ServeHTTP(reader, request)
			}()
			if last := strings.Contains(reader.Body.String(), "+49305550000"); last != c.whole {
				t.Errorf("after %s the last contact is in the file: %t", c.change, last)
			}
		}
	})
}

// slowReader is a client to which much happens after it has read the first piece of an answer.
type slowReader struct {
	*httptest.ResponseRecorder
	between func()
	once    sync.Once
}

func (r *slowReader) Write(piece []byte) (int, error) {
	n, err := r.ResponseRecorder.Write(piece)
	r.once.Do(r.between)
	return n, err
}

// Every operation except the open ones refuses strangers, and those that are not for agents refuse agents, and admins
// where they are for owners, before anything else is checked. A new operation for agents must be named here.
func TestRoles(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	agent, stranger := w.As(t, w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)), w.Browser()
	admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
	found := map[string]bool{}
	for template, item := range w.Document().At("paths") {
		for method, operation := range item.(map[string]any) {
			security, _ := operation.(map[string]any)["security"].([]any)
			method = strings.ToUpper(method)
			name, target := method+" "+template, fill(template)
			found[name] = true
			if open := slices.Contains(forAnybody, name); open != (len(security) == 0) {
				t.Errorf("%s takes no session: %t", name, !open)
			}
			if slices.Contains(forAnybody, name) {
				continue
			}
			stranger.Do(t, method, target, "").RequireFailure(t, "not_signed_in", "")
			if !slices.Contains(forAgents, name) {
				agent.Do(t, method, target, "").RequireFailure(t, "forbidden", "")
			}
			if slices.Contains(aboveAdmins, name) {
				admin.Do(t, method, target, "").RequireFailure(t, "forbidden", "")
			}
		}
	}
	for _, name := range slices.Concat(forAnybody, forAgents, aboveAdmins) {
		if !found[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// forAnybody are the operations that take no session.
var forAnybody = []string{
	"GET /links/{token}", "GET /openapi.json", "GET /setup", "POST /forgotten", "POST /links/{token}", "POST /session", "POST /setup", "POST /sso/begin",
	"POST /sso/finish",
}

// forAgents are the operations that agents may call.
var forAgents = []string{
	"DELETE /contacts/{id}/notes/{note_id}", "DELETE /conversations/{id}/labels/{label_id}",
	"DELETE /conversations/{id}/notes/{note_id}", "DELETE /me/sessions", "DELETE /replies/{id}", "DELETE /session", "DELETE /views/{id}",
	"DELETE /{phone_number_id}/contacts/{id}/labels/{label_id}", "GET /attention", "GET /contacts", "GET /contacts/count",
	"GET /contacts/jobs", "GET /contacts/jobs/{id}", "GET /contacts/{id}", "GET /conversations", "GET /conversations/counts",
	"GET /conversations/matching", "GET /conversations/{id}", "GET /conversations/{id}/draft", "GET /conversations/{id}/presence",
	"GET /conversations/{id}/timeline", "GET /figures", "GET /labels", "GET /labels/{id}", "GET /me", "GET /me/second-step",
	"GET /me/sessions", "GET /numbers", "GET /people", "GET /replies", "GET /search", "GET /stream", "GET /teams", "GET /views",
	"GET /{phone_number_id}/media", "GET /{phone_number_id}/media/{id}", "GET /{phone_number_id}/media/{id}/uses",
	"GET /{phone_number_id}/messages/{id}/media", "GET /{phone_number_id}/number", "GET /{phone_number_id}/number/history",
	"GET /{phone_number_id}/number/pace", "GET /{phone_number_id}/templates", "GET /{phone_number_id}/templates/{name}",
	"GET /{phone_number_id}/templates/{name}/history", "PATCH /contacts/{id}/notes/{note_id}", "PATCH /conversations/{id}",
	"PATCH /conversations/{id}/notes/{note_id}", "PATCH /me", "PATCH /replies/{id}", "PATCH /views/{id}",
	"PATCH /{phone_number_id}/contacts/{id}", "POST /contacts/bulk", "POST /contacts/{id}/notes", "POST /conversations/bulk",
	"POST /conversations/bulk/undo", "POST /conversations/{id}/labels", "POST /conversations/{id}/notes",
	"POST /conversations/{id}/presence", "POST /me/password", "POST /me/second-step", "POST /me/second-step/confirm",
	"POST /me/second-step/off", "POST /me/second-step/recovery-codes", "POST /replies", "POST /views",
	"POST /{phone_number_id}/attachments", "POST /{phone_number_id}/contacts/{id}/labels", "POST /{phone_number_id}/media",
	"POST /{phone_number_id}/messages", "PUT /conversations/{id}/draft",
}

// aboveAdmins are the operations for owners, or for the operator of the service.
var aboveAdmins = []string{"PUT /usage/retention", "GET /operator/organizations", "GET /operator/system"}

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

// An Idempotency-Key belongs to the person who sends it: a colleague's answer may hold what only the colleague may see.
func TestColleaguesShareNoKeys(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		ana, budi := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID), w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
		reply := func(u chat.User, name, replayed string) (id string) {
			t.Helper()
			r := w.As(t, u).Do(t, "POST", "/replies", `{"name":"`+name+`","body":"Hello"}`, "Idempotency-Key", "same").RequireStatus(t, http.StatusCreated)
			var made struct {
				ID      string
				OwnerID string `json:"owner_id"`
			}
			if r.Data(t, &made); made.OwnerID != u.ID || r.Header.Get("Idempotent-Replayed") != replayed {
				t.Errorf("%s got the reply of %s, replayed: %s", u.ID, made.OwnerID, r.Header.Get("Idempotent-Replayed"))
			}
			return made.ID
		}
		first := reply(ana, "Mine", "false")
		reply(budi, "Mine", "false")
		if again := reply(ana, "Mine", "true"); again != first {
			t.Errorf("the repetition made %s after %s", again, first)
		}
		w.As(t, ana).Do(t, "POST", "/replies", `{"name":"Another","body":"Hello"}`, "Idempotency-Key", "same").RequireFailure(t, "idempotency_key_reuse", "Idempotency-Key")
		w.WithKey(t, org.ID).Do(t, "POST", "/labels", `{"name":"x"}`, "Idempotency-Key", "same").RequireStatus(t, http.StatusCreated)
	})
}
