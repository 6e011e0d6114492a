package sender_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

const node = "node_a"

// call is a call of the provider: which message, and how long after the start.
type call struct {
	Message string
	At      time.Duration
}

// rig is a sender with a provider that behaves as the test says, in its own bubble of time: the clock advances when
// everything waits for it.
type rig struct {
	*worldtest.World
	t      *testing.T
	sender *sender.Sender
	lease  atomic.Pointer[store.Lease]
	begin  time.Time
	log    loggingtest.Book
	// registry has the metrics of the sender that was started last.
	registry *prometheus.Registry

	// answer decides the result of a call; nil accepts every message.
	answer func(ctx context.Context, c call) (provider.Sent, error)

	mu     sync.Mutex
	calls  []call
	names  map[string]string // names of messages, by id
	flying int
	most   int // the most calls under way at once
	// forgotten are the files of which the sender has said that the provider may have deleted them.
	forgotten []string
}

// inBubble runs a test with a sender on a store of each engine.
func inBubble(t *testing.T, test func(t *testing.T, r *rig), change ...func(*sender.Config)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		runRig(t, storetest.NewConfig(t, engine), test, change...)
	})
}

// behindGate is inBubble for a test that cuts off the database.
func behindGate(t *testing.T, test func(t *testing.T, r *rig, gate *pgtest.Gate), change ...func(*sender.Config)) {
	t.Helper()
	place := storetest.NewConfig(t, storetest.Postgres)
	gate := pgtest.NewGate(t, place.URL) // outside of the bubble, because in it a wait for the network stops the clock
	place.URL = gate.URL
	runRig(t, place, func(t *testing.T, r *rig) { test(t, r, gate) }, change...)
}

func runRig(t *testing.T, place store.Config, test func(t *testing.T, r *rig), change ...func(*sender.Config)) {
	t.Helper()
	worldtest.Bubble(t, place, func(t *testing.T, w *worldtest.World) {
		r := &rig{World: w, t: t, names: map[string]string{}}
		r.Alive(node)
		r.holdLease(node, 24*time.Hour)
		r.begin = time.Now()
		r.start(change...)
		test(t, r)
		r.sender.Stop(context.Background())
	})
}

// slowSweeps is for tests in which much time passes.
func slowSweeps(c *sender.Config) { c.SweepEvery = time.Minute }

// start starts the sender, as after a restart of the process.
func (r *rig) start(change ...func(*sender.Config)) {
	r.registry = prometheus.NewRegistry()
	cfg := sender.Config{
		Store: r.Store, Lease: func() store.Lease { return *r.lease.Load() }, Provider: &providertest.Client{OnSend: r.send}, PerSecond: 1000,
		Log: r.log.Logger(), Metrics: sender.NewMetrics(r.registry),
		Token: func(a chat.Account) (string, error) { return "opened " + a.Token, nil },
		Media: func(context.Context, provider.Number, chat.Account, string) (string, string, error) {
			return "media.1", "https://parley.example/media/1", nil
		},
		ForgetMedia: r.forgetMedia,
	}
	for _, c := range change {
		c(&cfg)
	}
	r.sender = parttest.Start(r.t, sender.New(cfg))
}

// forgetMedia finds that files were uploaded long ago, except those that are called new.
func (r *rig) forgetMedia(_ context.Context, _ chat.Account, ids []string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgotten = append(r.forgotten, ids...)
	return !slices.Contains(ids, "med_new"), nil
}

func (r *rig) send(ctx context.Context, from provider.Number, m provider.Outbound) (provider.Sent, error) {
	if !strings.HasPrefix(from.Token, "opened sealed for ") || from.PhoneNumberID == "" {
		r.t.Errorf("called as %+v", from)
	}
	r.mu.Lock()
	c := call{r.names[m.ID], time.Since(r.begin)}
	r.calls = append(r.calls, c)
	r.flying++
	r.most = max(r.most, r.flying)
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.flying--
	}()
	if r.answer == nil {
		return provider.Sent{MessageID: "wamid." + m.ID}, nil
	}
	sent, err := r.answer(ctx, c)
	if err == nil && sent.MessageID == "" {
		sent.MessageID = "wamid." + m.ID
	}
	return sent, err
}

// holdLease gives the sender a lease of the given length.
func (r *rig) holdLease(node string, d time.Duration) {
	r.lease.Store(&store.Lease{Node: node, Until: r.Store.Moment().Add(d)})
}

// leaseFor is the lease of a node that is never declared dead.
func leaseFor(node string) func() store.Lease {
	return func() store.Lease { return store.LeaseForGood(node) }
}

var pass = worldtest.Pass

// accept stores a message to a person and returns it with its job, as a node would.
func (r *rig) accept(name, to, owner string) core.Accepted {
	r.t.Helper()
	return r.acceptFrom(r.Account, name, to, owner)
}

func (r *rig) acceptFrom(account chat.Account, name, to, owner string) (a core.Accepted) {
	r.t.Helper()
	return r.acceptContent(account, name, owner, core.NewMessage{To: to, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI})
}

func (r *rig) acceptContent(account chat.Account, name, owner string, m core.NewMessage) (a core.Accepted) {
	r.t.Helper()
	storetest.OwnedBy(r.Store, owner)
	a = r.Accept(account, m)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[a.Message.ID] = name
	return a
}

// enqueue hands accepted messages to the sender, as the API does after the commit.
func (r *rig) enqueue(account chat.Account, accepted ...core.Accepted) {
	for _, a := range accepted {
		if a.Job.Owner == node {
			r.sender.Enqueue(account, workOf(a))
		}
	}
}

func workOf(a core.Accepted) store.SendWork {
	return store.SendWork{
		Job: a.Job, Message: a.Message, To: a.Contact.PhoneNumber, BSUID: a.Contact.BSUID, Parent: a.Contact.ParentBSUID,
		Name: a.Contact.Name, ConversationStatus: a.Conversation.Status,
	}
}

// post accepts a message and hands it to the sender.
func (r *rig) post(name, to string) core.Accepted {
	r.t.Helper()
	a := r.accept(name, to, node)
	r.enqueue(r.Account, a)
	return a
}

// expect fails the test unless the calls so far are exactly these.
func (r *rig) expect(want ...call) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := cmp.Diff(want, r.calls); d != "" {
		r.t.Fatalf("other calls (-want +got):\n%s", d)
	}
}

// order are the names of the messages in the order of the calls.
func (r *rig) order() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.calls {
		names = append(names, c.Message)
	}
	return names
}

// state is a message's status, with the code of its failure.
func (r *rig) state(a core.Accepted) string {
	r.t.Helper()
	m, err := r.Read().Message(a.Message.OrgID, a.Message.AccountID, a.Message.ID)
	r.Must(err)
	if m.Error == nil {
		return string(m.Status)
	}
	return fmt.Sprint(m.Status, " ", m.Error.Code)
}

// requireState fails the test unless a message has the state, and has a job or not.
func (r *rig) requireState(a core.Accepted, state string, job bool) {
	r.t.Helper()
	if got := r.state(a); got != state {
		r.t.Errorf("%s is %s, want %s", r.names[a.Message.ID], got, state)
	}
	_, err := r.Read().SendJobOwner(a.Message.OrgID, a.Message.ID)
	if errors.Is(err, store.ErrNotFound) == job {
		r.t.Errorf("%s is still to be sent: %v", r.names[a.Message.ID], err == nil)
	}
}

// events are the types of the organization's events, without those of new contacts.
func (r *rig) events() (types []chat.EventType) {
	r.t.Helper()
	for _, e := range r.Events() {
		if e.Type != chat.EventContactCreated {
			types = append(types, e.Type)
		}
	}
	return types
}

// reported applies a status callback about a message whose answer was not seen.
func (r *rig) reported(a core.Accepted, status string) {
	r.t.Helper()
	r.Receive(r.Status("wamid."+a.Message.ID, a.Message.ID, status))
}

// person is a person's phone number.
func person(n int) string { return fmt.Sprintf("+49155100%05d", n) }
