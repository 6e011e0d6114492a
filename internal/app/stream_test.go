package app_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// cast is an organization with two teams, a conversation in each, and colleagues who see different things.
type cast struct {
	org            storetest.Organization
	first, second  chat.Conversation // of the first team's number, and the second's
	all, teams, me chat.User         // see all, the first team's, and their assigned conversations
}

func newCast(t *testing.T, w *apptest.World) (c cast) {
	t.Helper()
	c.org = storetest.Org(t, w.Store)
	other := storetest.Team(t, w.Store, c.org.ID, "Second")
	first := storetest.Account(t, w.Store, c.org, "100000000001")
	second := storetest.Account(t, w.Store, storetest.Organization{ID: c.org.ID, TeamID: other.ID}, "100000000002")
	at := w.Store.Now()
	c.first = storetest.Conversation(t, w.Store, storetest.Contact(t, w.Store, first, "+4915510000001"), &at)
	c.second = storetest.Conversation(t, w.Store, storetest.Contact(t, w.Store, second, "+4915510000002"), &at)
	c.all = w.User(t, c.org, chat.RoleAgent, chat.SeesAll, c.org.TeamID)
	c.teams = w.User(t, c.org, chat.RoleAgent, chat.SeesTeams, c.org.TeamID)
	c.me = w.User(t, c.org, chat.RoleAgent, chat.SeesAssigned, c.org.TeamID)
	return c
}

func touch(t *testing.T, w *apptest.World, c chat.Conversation) {
	t.Helper()
	storetest.InTx(t, w.Store, func(tx *store.Tx) error { return tx.TouchConversation(c.OrgID, c.ID) })
}

// The stream names the objects that the listener may see, and only mentions the others.
func TestStreamShowsWhatOneSees(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		c := newCast(t, w)
		all, teams, me := w.As(t, c.all).Listen(t), w.As(t, c.teams).Listen(t), w.As(t, c.me).Listen(t)
		stranger := storetest.Org(t, w.Store)
		elsewhere := w.As(t, w.User(t, stranger, chat.RoleOwner, chat.SeesAll, stranger.TeamID)).Listen(t)
		touch(t, w, c.second)
		touch(t, w, c.first)
		all.Await(t, "conversation", c.second.ID)
		teams.Await(t, "conversation", c.first.ID)
		me.Await(t, "inbox", "")
		for _, s := range []*apptest.Stream{teams, me, elsewhere} {
			for len(s.Hints) > 0 {
				if hint := <-s.Hints; hint.ID != "" && hint.ID != c.first.ID {
					t.Errorf("somebody who may not see it is told of %+v", hint)
				}
			}
		}
	})
}

// What agents cannot read is not hinted at to them. Admins hear of it, but not which: the object may be another team's.
func TestStreamIsSilentOfWhatOneMayNotRead(t *testing.T) {
	each(t, newHolder, func(t *testing.T, h *holder) {
		agent, admin := h.as.Listen(t), h.As(t, h.User(t, h.org, chat.RoleAdmin, chat.SeesTeams)).Listen(t)
		h.owner.Do(t, "DELETE", "/"+h.ids[""]+"/broadcasts/"+h.ids["broadcasts"], "").RequireStatus(t, http.StatusOK)
		h.make(t, "broadcasts", "/"+h.ids[""]+"/broadcasts", bodies["POST /{phone_number_id}/broadcasts"])
		h.owner.Do(t, "PATCH", "/"+h.ids[""]+"/broadcasts/"+h.ids["broadcasts"], `{"name":"y"}`).RequireStatus(t, http.StatusOK)
		h.make(t, "keys", "/keys", `{"name":"y"}`)
		h.endpoint(t)
		h.make(t, "customers/setup_links", "/customers/"+h.ids["customers"]+"/setup_links", `{}`)
		h.owner.Do(t, "PATCH", "/customers/"+h.ids["customers"], `{"name":"y"}`).RequireStatus(t, http.StatusOK)
		hidden := []string{"broadcast", "keys", "webhooks", "customers"}
		for _, hint := range admin.Until(t, append(hidden, "numbers")...) {
			if hint.ID != "" {
				t.Errorf("an admin of no team is told of %+v", hint)
			}
		}
		h.make(t, "views", "/views", `{"name":"the end","filter":{}}`)
		for _, hint := range agent.Until(t, "views", "numbers") { // a number shows whose it is
			if slices.Contains(hidden, hint.Kind) {
				t.Errorf("an agent is told of %+v", hint)
			}
		}
	})
}

func TestPresence(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	c := newCast(t, w)
	b := w.As(t, c.all)
	stream := w.As(t, c.teams).Listen(t)
	at := "/conversations/" + c.first.ID + "/presence"
	b.Do(t, "POST", at, `{"state":"replying"}`).RequireStatus(t, http.StatusOK)
	hint := stream.Await(t, "presence", c.first.ID)
	if len(hint.Users) != 1 || hint.Users[0].ID != c.all.ID || hint.Users[0].State != "replying" {
		t.Errorf("told is %+v", hint)
	}
	var present []struct{ ID, State string }
	if b.Get(t, at).Data(t, &present); len(present) != 1 || present[0].State != "replying" {
		t.Errorf("there is %+v", present)
	}
	w.Clock.Advance(30 * time.Second)
	if hint = stream.Await(t, "presence", c.first.ID); len(hint.Users) != 0 {
		t.Errorf("after half a minute there is still %+v", hint)
	}
	for _, u := range []chat.User{c.teams, c.me} {
		w.As(t, u).Do(t, "POST", "/conversations/"+c.second.ID+"/presence", `{"state":"viewing"}`).RequireFailure(t, "resource_not_found", "")
		w.As(t, u).Get(t, "/conversations/"+c.second.ID+"/presence").RequireFailure(t, "resource_not_found", "")
	}
}
