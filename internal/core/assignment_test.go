package core_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// choose sets the organization's settings.
func (w *world) choose(s chat.Settings) {
	w.T.Helper()
	w.InTx(func(tx *store.Tx) error {
		_, err := core.ChangeSettings(tx, w.Org.ID, nil, func(now *chat.Settings) { *now = s })
		return err
	})
}

// colleague is an agent who can sign in.
func (w *world) colleague(name string) chat.User {
	u := w.agent(name)
	u.PasswordHash = "x"
	w.InTx(func(tx *store.Tx) error { return tx.UpdateUser(u) })
	return u
}

func (w *world) change(u chat.User, patch core.UserPatch) {
	w.T.Helper()
	w.InTx(func(tx *store.Tx) error {
		_, err := core.UpdateUser(tx, chat.RoleOwner, u.OrgID, u.ID, patch)
		return err
	})
}

// writes is a text from another person.
func (w *world) writes(person int, id string) provider.InboundMessage {
	m := w.Text(id, "hello")
	m.Contact = provider.Person{Phone: fmt.Sprintf("+62811000%04d", person)}
	return m
}

// owner is the user to whom a person's conversation is assigned; empty: nobody.
func (w *world) owner(person int) (c chat.Conversation, userID string) {
	w.T.Helper()
	_, c, err := w.Read().ThreadByNumber(w.Org.ID, w.Account.ID, fmt.Sprintf("+62811000%04d", person))
	w.Must(err)
	if c.AssignedTo != nil {
		userID = *c.AssignedTo
	}
	return c, userID
}

// Unassigned conversations go round among the members who are there, even if several come at once, in one transaction
// or in many. Without the setting they stay unassigned.
func TestRoundRobin(t *testing.T) {
	eachWorld(t, func(w *world) {
		var team []string
		for _, name := range []string{"Uma", "Ina", "Eko"} {
			team = append(team, w.colleague(name).ID)
		}
		w.change(w.colleague("Away"), core.UserPatch{Away: new(true)})
		w.change(w.colleague("Left"), core.UserPatch{Disabled: new(true)})
		w.agent("Invited")
		w.Apply(w.writes(0, "wamid.0"))
		if _, owner := w.owner(0); owner != "" {
			w.T.Fatalf("without the setting it is given to %s", owner)
		}
		w.choose(chat.Settings{RoundRobin: true})
		w.Apply(w.writes(1, "wamid.1"), w.writes(2, "wamid.2"), w.writes(3, "wamid.3"))
		var group sync.WaitGroup
		for i := 4; i < 10; i++ {
			message := w.writes(i, fmt.Sprint("wamid.", i))
			group.Go(func() { w.Apply(message) })
		}
		group.Wait()
		got := map[string]int{}
		for i := 1; i < 10; i++ {
			_, owner := w.owner(i)
			got[owner]++
		}
		for _, id := range team {
			if got[id] != 3 {
				w.T.Errorf("of nine conversations %s has %d: %v", id, got[id], got)
			}
		}
	})
}

// An automatic assignment is in the timeline and an event, with the reason. A reaction assigns nothing.
func TestRoundRobinIsTold(t *testing.T) {
	eachWorld(t, func(w *world) {
		uma := w.colleague("Uma")
		w.choose(chat.Settings{RoundRobin: true})
		reaction := w.writes(1, "wamid.0")
		reaction.Type = chat.TypeReaction
		w.Apply(reaction)
		w.Expect(chat.EventContactCreated, chat.EventMessageReceived)
		w.Apply(w.writes(1, "wamid.1"))
		w.Expect(chat.EventMessageReceived, chat.EventConversationAssigned)
		c, owner := w.owner(1)
		if owner != uma.ID {
			w.T.Fatalf("it is %q's", owner)
		}
		w.wantWhy(c, chat.Assigned, chat.ByTurns)
		w.Apply(w.writes(1, "wamid.2"))
		w.Expect(chat.EventMessageReceived)
	})
}

// wantWhy checks the last happening of a conversation.
func (w *world) wantWhy(c chat.Conversation, what chat.What, why chat.Why) {
	w.T.Helper()
	happenings, err := w.Read().TimelineHappenings(c.OrgID, c.ID, store.TimelinePage{Limit: 10})
	w.Must(err)
	if !slices.ContainsFunc(happenings, func(h chat.Happening) bool { return h.What == what && h.Why == why && h.By == nil }) {
		w.T.Errorf("none of %+v is %s for %s", happenings, what, why)
	}
}

// A reopened conversation of an absent user goes to the queue, or to the member whose turn it is. If its user is
// there, it stays theirs.
func TestReopenedOfTheAbsent(t *testing.T) {
	type absence struct {
		patch      core.UserPatch
		roundRobin bool
		why        chat.Why // empty: it stays assigned
	}
	eachCase(t, map[string]absence{
		"there":                {},
		"away":                 {patch: core.UserPatch{Away: new(true)}, why: chat.IsAway},
		"left":                 {patch: core.UserPatch{Disabled: new(true)}, why: chat.HasLeft},
		"away, with turns":     {patch: core.UserPatch{Away: new(true)}, roundRobin: true, why: chat.IsAway},
		"there, with turns":    {roundRobin: true},
		"left, and has a turn": {patch: core.UserPatch{Disabled: new(true)}, roundRobin: true, why: chat.HasLeft},
	}, func(t *testing.T, w *world, a absence) {
		uma, ina := w.colleague("Uma"), w.colleague("Ina")
		w.choose(chat.Settings{RoundRobin: a.roundRobin})
		w.Apply(w.writes(1, "wamid.1"))
		c, _ := w.owner(1)
		w.InTx(func(tx *store.Tx) error {
			_, err := core.UpdateConversation(tx, w.Account, c.ID, chat.ConversationPatch{AssignedTo: chat.To(uma.ID), Status: new(chat.ConversationResolved)}, nil)
			return err
		})
		w.change(uma, a.patch)
		w.Clock.Advance(time.Minute)
		w.Apply(w.writes(1, "wamid.2"))
		want := uma.ID
		if a.why != "" {
			want = ""
			w.wantWhy(c, chat.Unassigned, a.why)
		}
		if a.why != "" && a.roundRobin {
			want = ina.ID
			w.wantWhy(c, chat.Assigned, chat.ByTurns)
		}
		if c, owner := w.owner(1); owner != want || c.Status != chat.ConversationOpen || c.UnreadCount != 2 {
			t.Errorf("it is %s and %q's, want %q's", c.Status, owner, want)
		}
	})
}

// A user who leaves has no open conversations any more, however many there were: the ones that remain after the change
// itself are taken later. Resolved conversations stay assigned.
func TestLeavingReleases(t *testing.T) {
	eachWorld(t, func(w *world) {
		uma := w.colleague("Uma")
		for i := range 3 {
			w.Apply(w.writes(i, fmt.Sprint("wamid.", i)))
			c, _ := w.owner(i)
			status := chat.ConversationStatuses[i]
			w.InTx(func(tx *store.Tx) error {
				_, err := core.UpdateConversation(tx, w.Account, c.ID, chat.ConversationPatch{AssignedTo: chat.To(uma.ID), Status: &status}, nil)
				return err
			})
		}
		w.change(uma, core.UserPatch{Disabled: new(true)})
		for i, status := range chat.ConversationStatuses {
			c, owner := w.owner(i)
			if (owner == "") != (status != chat.ConversationResolved) {
				w.T.Errorf("what is %s is %q's", status, owner)
			}
			if owner == "" {
				w.wantWhy(c, chat.Unassigned, chat.HasLeft)
			}
		}
	})
}

// No way of assigning gives a conversation to a user who has left or is in another team.
func TestNobodyIsGivenWhatTheyCannotHave(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.writes(1, "wamid.1"))
		c, _ := w.owner(1)
		left, stranger, admin := w.colleague("Left"), w.colleague("Stranger"), w.colleague("Admin")
		w.change(left, core.UserPatch{Disabled: new(true)})
		w.InTx(func(tx *store.Tx) error { return tx.DeleteMember(w.Org.ID, w.Account.TeamID, stranger.ID) })
		for _, u := range []chat.User{left, stranger} {
			patch := chat.ConversationPatch{AssignedTo: chat.To(u.ID)}
			_, err := run(w.Store, func(tx *store.Tx) (chat.Conversation, error) { return core.ChangeSeen(tx, admin, c.ID, patch) })
			w.wantRefused(err)
			_, err = core.ChangeMany(context.Background(), w.Store, admin, []string{c.ID}, core.BulkChange{Patch: patch})
			w.wantRefused(err)
		}
		if _, owner := w.owner(1); owner != "" {
			w.T.Errorf("it is %s's", owner)
		}
	})
}

func (w *world) wantRefused(err error) {
	w.T.Helper()
	if e, ok := err.(*chat.Error); !ok || e.Param != "assigned_to" {
		w.T.Errorf("%v, want a refusal", err)
	}
}

// Whatever users do, no conversation is assigned to a user who cannot see it. While the same users are there, nobody
// gets two more conversations than another.
func TestTurnsAreFair(t *testing.T) {
	checkProperty(t, func(rt *rapid.T, w *world) {
		w.choose(chat.Settings{RoundRobin: true})
		p := turns{world: w, got: map[string]int{}}
		for i := range rapid.IntRange(1, 4).Draw(rt, "people") {
			p.team = append(p.team, w.colleague(fmt.Sprint("User ", i)))
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			if rapid.IntRange(0, 3).Draw(rt, "step") == 0 {
				p.change(rt)
			} else {
				p.write(rt)
			}
		}
	})
}

type turns struct {
	*world
	team    []chat.User
	got     map[string]int // since the last change of the users who are there
	written int
}

// write makes some people write for the first time.
func (p *turns) write(rt *rapid.T) {
	var batch []provider.Update
	first := p.written
	for range rapid.IntRange(1, 3).Draw(rt, "messages") {
		batch = append(batch, p.writes(p.written, fmt.Sprint("wamid.", p.written)))
		p.written++
	}
	p.Apply(batch...)
	there := p.there()
	for i := first; i < p.written; i++ {
		c, owner := p.owner(i)
		if owner == "" && len(there) == 0 {
			continue
		}
		if !slices.Contains(there, owner) {
			rt.Fatalf("%q has a conversation, and there are %v", owner, there)
		}
		u, err := p.Read().User(p.Org.ID, owner)
		p.Must(err)
		if _, err := p.Read().SeenConversation(u, c.ID); err != nil {
			rt.Fatalf("%s does not see %s: %v", owner, c.ID, err)
		}
		p.got[owner]++
	}
	for _, a := range there {
		for _, b := range there {
			if p.got[a] > p.got[b]+1 {
				rt.Fatalf("%s has %d and %s has %d", a, p.got[a], b, p.got[b])
			}
		}
	}
}

// there are the users who can be assigned conversations.
func (p *turns) there() (ids []string) {
	for _, u := range p.team {
		now, err := p.Read().User(p.Org.ID, u.ID)
		p.Must(err)
		member, err := p.Read().IsMember(p.Org.ID, p.Account.TeamID, u.ID)
		p.Must(err)
		if member && !now.Away && now.DisabledAt == nil {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// change makes a user come, go, or see other conversations. From then on the turns are counted anew.
func (p *turns) change(rt *rapid.T) {
	u, yes := rapid.SampledFrom(p.team).Draw(rt, "who"), rapid.Bool().Draw(rt, "yes")
	switch rapid.SampledFrom([]string{"away", "disabled", "team", "sees"}).Draw(rt, "what") {
	case "away":
		p.world.change(u, core.UserPatch{Away: &yes})
	case "disabled":
		p.world.change(u, core.UserPatch{Disabled: &yes})
	case "team":
		p.InTx(func(tx *store.Tx) error {
			if yes {
				return tx.PutMember(u.OrgID, p.Account.TeamID, u.ID)
			}
			return tx.DeleteMember(u.OrgID, p.Account.TeamID, u.ID)
		})
	default:
		p.world.change(u, core.UserPatch{Sees: new(rapid.SampledFrom([]chat.Visibility{chat.SeesAll, chat.SeesTeams, chat.SeesAssigned}).Draw(rt, "sees"))})
	}
	clear(p.got)
}
