package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/media"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/onboard"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/webhook"
)

// listener is a node that is notified of others' work and does not look for it itself.
type listener struct {
	t       *testing.T
	store   *store.Store
	account chat.Account
	calls   chan string   // messages that reached the provider
	release chan struct{} // lets the provider answer
}

func startListener(t *testing.T, place store.Config) *listener {
	t.Helper()
	st, log := storetest.OpenAt(t, place), slog.New(slog.DiscardHandler)
	l := &listener{t: t, store: st, calls: make(chan string, 10), release: make(chan struct{})}
	l.account = storetest.Account(t, st, storetest.Org(t, st), "100000000001")
	storetest.Alive(t, st, "here", "there")
	lease := func() store.Lease { return store.LeaseForGood("here") }
	s := &Server{store: st}
	s.messaging.sender = parttest.Start(t, sender.New(sender.Config{
		Store: st, Lease: lease, Provider: &providertest.Client{OnSend: l.send}, PerSecond: 1000, SweepEvery: time.Hour, Log: log,
		Token: func(chat.Account) (string, error) { return "token", nil },
	}))
	s.messaging.deliverer = parttest.Start(t, webhook.New(webhook.Config{Store: st, Lease: lease, Guard: netguard.New(), Log: log}))
	s.messaging.mover = parttest.Start(t, media.New(media.Config{Store: st, Lease: lease, Log: log}))
	s.onboarding.worker = parttest.Start(t, onboard.NewWorker(onboard.WorkerConfig{Store: st, Lease: lease, Log: log}))
	parttest.Start(t, newEars(s))
	return l
}

func (l *listener) send(_ context.Context, _ provider.Number, m provider.Outbound) (provider.Sent, error) {
	l.calls <- m.ID
	<-l.release
	return provider.Sent{MessageID: "wamid." + m.ID}, nil
}

// accept makes a store accept a message for a person.
func (l *listener) accept(st *store.Store, to, owner string) (a core.Accepted) {
	l.t.Helper()
	m := core.NewMessage{To: to, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI}
	storetest.OwnedBy(st, owner)
	storetest.InTx(l.t, st, func(tx *store.Tx) (err error) {
		a, err = core.AcceptSend(tx, l.account, chat.Plan{}, m)
		return err
	})
	return a
}

func (l *listener) requireCall(a core.Accepted) {
	l.t.Helper()
	select {
	case id := <-l.calls:
		if id != a.Message.ID {
			l.t.Fatalf("%s went out, want %s", id, a.Message.ID)
		}
	case <-time.After(patience):
		l.t.Fatal("the message did not go out")
	}
}

// A node is notified of messages that another accepts: those without an owner, and those behind its own.
func TestNodesAreToldOfTheirMessages(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.Postgres)
	l := startListener(t, place)
	there := storetest.OpenAt(t, place)
	const one, other = "+4915510000001", "+4915510000002"
	l.requireCall(l.accept(there, one, "")) // by its first look, or by the notification
	first := l.accept(there, other, "")
	l.requireCall(first) // by the notification: the node listens now
	second := l.accept(there, other, "there")
	if second.Job.Owner != "here" {
		t.Fatalf("%s is to send it", second.Job.Owner)
	}
	close(l.release)
	l.requireCall(second)
}
