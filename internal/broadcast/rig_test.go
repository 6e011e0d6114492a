package broadcast_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/broadcast"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// rig is a number with a worker, a sender and a provider that behaves as the test says, in its own bubble of time.
type rig struct {
	*worldtest.World // the store is the test's own
	t                *testing.T
	place            store.Config
	nodes            []*node
	made             int

	// answer decides the result of a call; nil accepts every message.
	answer func(to string) error
	// rating is how the provider rates the number; "" leaves it unknown, and "-" never answers.
	rating string

	mu    sync.Mutex
	calls map[string]int // by recipient
	times []time.Time    // of the calls for broadcasts
}

// node is one process.
type node struct {
	name   string
	store  *store.Store
	worker *broadcast.Worker
	sender *sender.Sender
}

// inBubble runs a test with one node, on a store of each engine.
func inBubble(t *testing.T, test func(r *rig)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { runRig(t, storetest.NewConfig(t, engine), 1, test) })
}

func runRig(t *testing.T, place store.Config, nodes int, test func(r *rig)) {
	t.Helper()
	worldtest.Bubble(t, place, func(t *testing.T, w *worldtest.World) {
		r := &rig{World: w, t: t, place: place, calls: map[string]int{}}
		r.template(chat.CategoryMarketing, "APPROVED", "Hi {{1}}, welcome here.")
		for range nodes {
			r.start()
		}
		test(r)
		for len(r.nodes) > 0 {
			r.stop(r.nodes[0])
		}
	})
}

// start starts a node, as after a crash of the one before.
func (r *rig) start() *node {
	r.t.Helper()
	r.made++
	n := &node{name: fmt.Sprint("node_", r.made), store: r.Store}
	if r.place.URL != "" {
		n.store = storetest.OpenAt(r.t, r.place)
	}
	storetest.Alive(r.t, n.store, n.name)
	lease := func() store.Lease { return store.LeaseForGood(n.name) }
	n.sender = parttest.Start(r.t, sender.New(sender.Config{
		Store: n.store, Lease: lease, Provider: &providertest.Client{OnSend: r.send}, PerSecond: 100, Log: slog.New(slog.DiscardHandler),
		Token: func(chat.Account) (string, error) { return "", nil },
		Media: func(context.Context, provider.Number, chat.Account, string) (string, string, error) {
			return "file", "", nil
		},
	}))
	n.store.HandTo(func(h *store.Hands) { h.Node, h.Send = func() string { return n.name }, n.sender.Enqueue })
	n.worker = parttest.Start(r.t, broadcast.New(broadcast.Config{Store: n.store, Lease: lease, PerSecond: 100, Rate: r.rate, Log: slog.New(slog.DiscardHandler)}))
	r.nodes = append(r.nodes, n)
	return n
}

// stop ends a node cleanly.
func (r *rig) stop(n *node) { r.end(n, context.Background()) }

// kill ends a node in the middle of its work, without waiting for its calls.
func (r *rig) kill(n *node) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	r.end(n, gone)
}

func (r *rig) end(n *node, ctx context.Context) {
	n.worker.Stop(context.Background())
	n.sender.Stop(ctx)
	r.Dead(n.name)
	for i, other := range r.nodes {
		if other == n {
			r.nodes = append(r.nodes[:i], r.nodes[i+1:]...)
			break
		}
	}
}

func (r *rig) send(_ context.Context, _ provider.Number, m provider.Outbound) (provider.Sent, error) {
	r.mu.Lock()
	r.calls[m.To+m.Recipient]++
	r.times = append(r.times, time.Now())
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		if err := answer(m.To + m.Recipient); err != nil {
			return provider.Sent{}, err
		}
	}
	return provider.Sent{MessageID: "wamid." + m.ID}, nil
}

// rate reads the number's rating, as numbers.Service does.
func (r *rig) rate(ctx context.Context, account chat.Account) error {
	r.mu.Lock()
	rating := r.rating
	r.mu.Unlock()
	if rating == "-" {
		<-ctx.Done()
		return ctx.Err()
	}
	return r.Store.InTx(ctx, func(tx *store.Tx) error { return core.KeepRating(tx, account, provider.PhoneNumber{Quality: rating}) })
}

func (r *rig) rated(rating string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rating = rating
}

// called is how often the provider was called.
func (r *rig) called() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, calls := range r.calls {
		n += calls
	}
	return n
}

// template sets the template as the provider now has it.
func (r *rig) template(category, status, body string) {
	r.t.Helper()
	r.InTx(func(tx *store.Tx) error {
		t := chat.Template{ID: tx.NewID(chat.KindTemplate), OrgID: r.Org.ID, WABAID: r.Account.WABAID, Name: "hello", Language: "en", Category: &category,
			Format: chat.FormatPositional, Components: json.RawMessage(fmt.Sprintf(`[{"type":"BODY","text":%q}]`, body)), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		t.SetProviderStatus(status, nil)
		return tx.PutTemplate(t)
	})
}

func number(i int) string { return fmt.Sprintf("+49155100%05d", i) }

// limit gives the organization a plan with so many messages a month.
func (r *rig) limit(messages int64) {
	r.InTx(func(tx *store.Tx) error {
		if err := tx.PutPlan(chat.Plan{Name: "small", MonthlyMessages: &messages}); err != nil {
			return err
		}
		organization, err := tx.Organization(r.Org.ID)
		organization.Plan = "small"
		return errors.Join(err, tx.UpdateOrganization(organization))
	})
}

// create makes a broadcast to the given number of people, starting with the given one.
func (r *rig) create(first, people int, change ...func(*core.NewBroadcast)) (b chat.Broadcast) {
	r.t.Helper()
	in := core.NewBroadcast{Name: "x", Template: chat.BroadcastTemplate{Name: "hello", Language: "en",
		Components: json.RawMessage(`[{"type":"body","parameters":[{"type":"text","text":"{{recipient.name|you}}"}]}]`)}}
	for i := range people {
		in.Recipients = append(in.Recipients, core.NewRecipient{To: number(first + i), Variables: map[string]string{"name": fmt.Sprint("N", i)}})
	}
	for _, c := range change {
		c(&in)
	}
	r.InTx(func(tx *store.Tx) (err error) {
		b, err = core.CreateBroadcast(tx, r.Account, in)
		return err
	})
	return b
}

type move func(*store.Tx, chat.Account, string) (chat.Broadcast, error)

func pause(tx *store.Tx, a chat.Account, id string) (chat.Broadcast, error) {
	return core.PauseBroadcast(tx, a, id, chat.ReasonByUser)
}

func retry(tx *store.Tx, a chat.Account, id string) (chat.Broadcast, error) {
	if _, err := core.RetrySome(tx, a, id, 1000); err != nil {
		return chat.Broadcast{}, err
	}
	return core.RetryBroadcast(tx, a, id)
}

// do moves a broadcast, if its state allows it.
func (r *rig) do(b chat.Broadcast, m move) {
	r.t.Helper()
	err := r.Store.InTx(context.Background(), func(tx *store.Tx) error {
		_, err := m(tx, r.Account, b.ID)
		return err
	})
	if code, _ := chat.CodeOf(err); err != nil && code != chat.CodeBroadcastState {
		r.t.Fatal(err)
	}
}

func (r *rig) read(b chat.Broadcast) chat.Broadcast {
	r.t.Helper()
	got, err := r.Read().Broadcast(b.OrgID, b.AccountID, b.ID)
	r.Must(err)
	return got
}

// requireState fails the test unless a broadcast has the status and the reason.
func (r *rig) requireState(b chat.Broadcast, status chat.BroadcastStatus, reason chat.BroadcastReason) {
	r.t.Helper()
	if got := r.read(b); got.Status != status || got.Reason != reason {
		r.t.Fatalf("it is %s (%s) with %+v, want %s (%s)", got.Status, got.Reason, r.counts(b), status, reason)
	}
}

func (r *rig) counts(b chat.Broadcast) chat.BroadcastCounts {
	r.t.Helper()
	n, err := core.Counts(r.Read(), b.ID)
	r.Must(err)
	return n
}

var pass = worldtest.Pass

// until lets time pass until a condition holds, for at most an hour.
func (r *rig) until(what string, holds func() bool) {
	r.t.Helper()
	for step, spent := 100*time.Millisecond, time.Duration(0); !holds(); spent += step {
		if spent > 10*time.Second {
			step = 10 * time.Second
		}
		if spent > time.Hour {
			r.t.Fatalf("it does not come to pass that %s", what)
		}
		pass(step)
	}
}

// untilCalled waits until the provider has been called n times.
func (r *rig) untilCalled(n int) {
	r.t.Helper()
	r.until(fmt.Sprint("there are calls: ", n), func() bool { return r.called() >= n })
}

// untilOver waits until a broadcast is finished.
func (r *rig) untilOver(b chat.Broadcast) {
	r.t.Helper()
	r.until("it is over", func() bool { return !r.read(b).Active })
}

// all are the recipients of a broadcast.
func (r *rig) all(b chat.Broadcast) []chat.Recipient {
	r.t.Helper()
	rows, err := r.Read().Recipients(b.OrgID, b.ID, store.RecipientFilter{}, store.Page{Limit: 10_000})
	r.Must(err)
	return rows.Rows
}

// requireLedger fails the test unless the ledger of a broadcast balances.
func (r *rig) requireLedger(b chat.Broadcast) {
	r.t.Helper()
	if wrong := r.ledger(b); wrong != "" {
		r.t.Error(wrong)
	}
}

// ledger returns what is wrong with a broadcast, unless every recipient waits, has one message or has a reason, and the
// counts agree.
func (r *rig) ledger(b chat.Broadcast) (wrong string) {
	r.t.Helper()
	pass(0) // it takes several reads, between which nobody may write
	n := map[string]int64{}
	messages, stored := map[string]bool{}, map[string]chat.Message{}
	rows := r.all(b)
	written, err := r.Read().Messages(b.OrgID, b.AccountID, store.MessageFilter{}, store.Page{Limit: 10_000})
	r.Must(err)
	for _, m := range written.Rows {
		stored[m.ID] = m
	}
	for _, row := range rows {
		n[string(row.Status)]++
		switch row.Status {
		case chat.RecipientSkipped, chat.RecipientFailed:
			if row.Reason == "" {
				return fmt.Sprintf("%s is %s for no reason", row.ID, row.Status)
			}
		case chat.RecipientWaiting:
			if row.MessageID != "" {
				return fmt.Sprintf("%s waits and has a message", row.ID)
			}
		}
		if row.MessageID == "" {
			continue
		}
		m, there := stored[row.MessageID]
		if !there || messages[m.ID] || m.Source != chat.SourceBroadcast || chat.RecipientOf(m.Status) != row.Status {
			return fmt.Sprintf("%s is %s, and its message %s", row.ID, row.Status, m.Status)
		}
		messages[m.ID] = true
	}
	if want, got := chat.CountsOf(n), r.counts(b); want != got {
		return fmt.Sprintf("the counts are %+v, and the recipients %+v", got, want)
	}
	return ""
}
