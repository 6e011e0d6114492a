package live_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// node is a process with a hub that hears other nodes.
func node(t *testing.T, place store.Config, name string) (*store.Store, *live.Hub) {
	t.Helper()
	st := storetest.OpenAt(t, place)
	hub := parttest.Start(t, live.New(live.Config{
		Store: st, Node: func() string { return name }, Log: slog.New(slog.DiscardHandler), CheckEvery: time.Hour,
		Visible: func(context.Context, chat.User, []string) ([]string, error) { return nil, nil },
	}))
	ctx, cancel := context.WithCancel(context.Background())
	connected, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		st.Listen(ctx, func(topic store.Topic) {
			if hub.Hear(topic); topic == store.TopicAny {
				select {
				case connected <- struct{}{}:
				default:
				}
			}
		})
	}()
	<-connected
	t.Cleanup(func() { cancel(); <-done })
	return st, hub
}

func await(t *testing.T, l *live.Listener, kind, id string) live.Hint {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case <-l.Ready:
			for _, hint := range l.Take() {
				if hint.Kind == kind && hint.ID == id {
					return hint
				}
			}
		case <-late:
			t.Fatalf("no hint %s %s", kind, id)
		}
	}
}

// A change on one node is told on another, and so is presence at a conversation.
func TestOtherNodes(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.Postgres)
	a, here := node(t, place, "node_a")
	_, there := node(t, place, "node_b")
	org := storetest.Org(t, a)
	user := chat.User{ID: "usr_1", OrgID: org.ID, Name: "Ana & Söhne", Sees: chat.SeesAll}
	l := there.Listen(store.SessionContext{User: user, Session: chat.Session{OrgID: org.ID}})
	defer l.Leave()
	account := storetest.Account(t, a, org, "100000000001")
	conversation := storetest.Conversation(t, a, storetest.Contact(t, a, account, "+4915510000001"), nil)

	told := repeat(t, a, func(tx *store.Tx) error { return tx.TouchConversation(org.ID, conversation.ID) })
	await(t, l, "conversation", conversation.ID)
	told()

	here.At(user, conversation.ID, live.Replying)
	if hint := await(t, l, live.KindPresence, conversation.ID); len(hint.Users) != 1 || hint.Users[0].Name != user.Name {
		t.Errorf("told is %+v", hint)
	}
	here.At(user, conversation.ID, live.Gone)
	if hint := await(t, l, live.KindPresence, conversation.ID); len(hint.Users) != 0 {
		t.Errorf("told is %+v", hint)
	}
}

// A change that was made before a node had heard of any listener is made good when it hears of one.
func TestUntoldChanges(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.Postgres)
	a, _ := node(t, place, "node_a")
	_, there := node(t, place, "node_b")
	org := storetest.Org(t, a)
	account := storetest.Account(t, a, org, "100000000001")
	conversation := storetest.Conversation(t, a, storetest.Contact(t, a, account, "+4915510000001"), nil)
	touch := func(tx *store.Tx) error { return tx.TouchConversation(org.ID, conversation.ID) }
	storetest.InTx(t, a, touch)
	l := there.Listen(store.SessionContext{User: chat.User{ID: "usr_1", OrgID: org.ID, Sees: chat.SeesAll}, Session: chat.Session{OrgID: org.ID}})
	defer l.Leave()
	await(t, l, live.KindAll, "")
	storetest.InTx(t, a, touch)
	await(t, l, "conversation", conversation.ID)
}

// repeat makes a change until it is told to stop. A node tells nothing until it has heard of a listener elsewhere, so
// that one change might be lost.
func repeat(t *testing.T, st *store.Store, change func(*store.Tx) error) (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
				storetest.InTx(t, st, change)
			}
		}
	}()
	return func() { close(end); <-done }
}

// A session that is ended on one node is sent home on another by being told, not by looking around: the nodes of this
// test look once an hour.
func TestSessionsEndOnOtherNodes(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.Postgres)
	a, _ := node(t, place, "node_a")
	_, there := node(t, place, "node_b")
	org := storetest.Org(t, a)
	ana, budi := storedUser(t, a, org.ID, "ana"), storedUser(t, a, org.ID, "budi")
	gone, stays := there.Listen(ana), there.Listen(budi)
	defer gone.Leave()
	defer stays.Leave()

	told := repeat(t, a, func(tx *store.Tx) error { return tx.DeleteSessions(org.ID, ana.User.ID, "") })
	select {
	case <-gone.Ended:
	case <-time.After(time.Minute):
		t.Error("the session goes on")
	}
	told()
	select {
	case <-stays.Ended:
		t.Error("somebody else was sent home too")
	default:
	}
}

// storedUser is a user with a session.
func storedUser(t *testing.T, st *store.Store, orgID, name string) (s store.SessionContext) {
	storetest.InTx(t, st, func(tx *store.Tx) error {
		s.User = chat.User{ID: tx.NewID(chat.KindUser), OrgID: orgID, Email: name + "@example.com", Name: name, Role: chat.RoleAgent,
			Sees: chat.SeesAll, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		s.Session = chat.Session{OrgID: orgID, ID: tx.NewID(chat.KindSession), UserID: s.User.ID, Hash: name, CreatedAt: tx.Now(), SeenAt: tx.Now()}
		return errors.Join(tx.InsertUser(s.User), tx.InsertSession(s.Session))
	})
	return s
}

// What other nodes tell is taken at once, however long the store takes to say who may see it: the same goroutine wakes the
// other parts of the node. Nor does one organization wait for the store's answer about another.
func TestHearingDoesNotWaitForTheStore(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	defer close(answer)
	hub := parttest.Start(t, live.New(live.Config{
		Store: storetest.Open(t, storetest.SQLite), Node: func() string { return "node_a" }, Log: slog.New(slog.DiscardHandler), CheckEvery: time.Hour,
		Visible: func(_ context.Context, u chat.User, ids []string) ([]string, error) {
			if u.OrgID == "org_1" {
				asked <- struct{}{}
				<-answer
			}
			return ids, nil
		},
	}))
	listen := func(org string) *live.Listener {
		return hub.Listen(store.SessionContext{User: chat.User{ID: "usr_1", OrgID: org, Sees: chat.SeesTeams}, Session: chat.Session{OrgID: org}})
	}
	slow, other := listen("org_1"), listen("org_2")
	defer slow.Leave()
	defer other.Leave()

	heard := make(chan struct{})
	go func() {
		defer close(heard)
		hub.Hear("changes node_b org_1 conversation:cnv_1")
		<-asked
		hub.Hear("presence node_b org_1 cnv_1 usr_2 replying Ana")
		hub.At(chat.User{ID: "usr_3", OrgID: "org_1"}, "cnv_1", live.Viewing)
		hub.Hear("changes node_b org_2 conversation:cnv_2")
	}()
	select {
	case <-heard:
	case <-time.After(time.Minute):
		t.Fatal("the topics of other nodes wait for the store")
	}
	await(t, other, "conversation", "cnv_2")
}

// If a browser does not read, its many hints become one that asks to fetch everything.
func TestSlowListeners(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	hub := parttest.Start(t, live.New(live.Config{Store: st, Node: func() string { return "node_a" }, Log: slog.New(slog.DiscardHandler)}))
	l := hub.Listen(store.SessionContext{User: chat.User{OrgID: "org_1", Sees: chat.SeesAll}, Session: chat.Session{OrgID: "org_1"}})
	for range 3 {
		hub.Publish("org_1", live.Hint{Kind: "labels"})
	}
	if hints := l.Take(); len(hints) != 1 {
		t.Errorf("the same hint waits %d times", len(hints))
	}
	for i := range 600 {
		hub.Publish("org_1", live.Hint{Kind: "conversation", ID: string(rune('a' + i))})
	}
	if hints := l.Take(); len(hints) > 500 || hints[0].Kind != live.KindAll {
		t.Errorf("%d hints wait, the first is %+v", len(hints), hints[0])
	}
}

// A user who opens too many windows keeps the latest.
func TestListenersOfAUserAreBounded(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	hub := parttest.Start(t, live.New(live.Config{Store: st, Node: func() string { return "node_a" }, Log: slog.New(slog.DiscardHandler)}))
	listen := func(user string) *live.Listener {
		return hub.Listen(store.SessionContext{User: chat.User{ID: user, OrgID: "org_1", Sees: chat.SeesAll}, Session: chat.Session{OrgID: "org_1"}})
	}
	ended := func(l *live.Listener) bool {
		select {
		case <-l.Ended:
			return true
		default:
			return false
		}
	}
	other := listen("usr_2")
	var mine []*live.Listener
	for range 66 {
		mine = append(mine, listen("usr_1"))
	}
	if !ended(mine[0]) || !ended(mine[1]) || ended(mine[2]) || ended(mine[65]) || ended(other) {
		t.Errorf("ended are %v %v %v %v, of the other user %v", ended(mine[0]), ended(mine[1]), ended(mine[2]), ended(mine[65]), ended(other))
	}
	for _, l := range mine {
		l.Leave()
	}
}
