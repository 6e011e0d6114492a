// Package worldtest is the world that tests of use cases are built in: a business number in a store, a person who
// writes to it, and what the provider says.
package worldtest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Names that the world has.
const (
	AdaNumber = "+4915510000001"
	AdaID     = "DE.ada"
	PublicURL = "https://parley.example"
	MediaNode = "node_media"
)

// World is a business number to which things happen.
type World struct {
	T       storetest.Tester
	Store   *store.Store
	Clock   *storetest.Clock // nil in a bubble
	Org     storetest.Organization
	Account chat.Account
	Seen    string // the last event that was looked at

	turned *atomic.Int64 // how far the wall clock of a bubble was turned
}

var worlds atomic.Int64

// Each runs a test in a world on each engine. The clock stands still until the test moves it.
func Each(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		test(t, New(t, storetest.Open(t, engine, storetest.WithClock(clock)), clock))
	})
}

// Bubble runs a test in a world on a store that was prepared outside, in a bubble of time: the clock advances when
// everything waits for it.
func Bubble(t *testing.T, place store.Config, test func(t *testing.T, w *World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		turned := &atomic.Int64{}
		place.Now = func() time.Time { return time.Now().Add(time.Duration(turned.Load())) }
		w := New(t, storetest.OpenAt(t, place), nil)
		w.turned = turned
		test(t, w)
	})
}

// Pass lets time pass in a bubble, and waits until everything that it started is done.
func Pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// Turn turns the wall clock of a bubble, back if d is negative, while no time passes.
func (w *World) Turn(d time.Duration) { w.turned.Add(int64(d)) }

// New makes an organization with a number in the store.
func New(t testing.TB, st *store.Store, clock *storetest.Clock) *World {
	t.Helper()
	w := &World{T: t, Store: st, Clock: clock, Org: storetest.Org(t, st)}
	w.Account = w.Number()
	return w
}

// Number connects one more number of the world's organization, of a business account of its own.
func (w *World) Number() chat.Account {
	w.T.Helper()
	return w.Connect(w.Org, "+4930555000", fmt.Sprint(200_000_000_000+worlds.Add(1)))
}

// Connect connects one more number of an organization.
func (w *World) Connect(org storetest.Organization, phone, wabaID string) (account chat.Account) {
	w.T.Helper()
	in := chat.NewAccount{OrgID: org.ID, PhoneNumberID: fmt.Sprint(100_000_000_000 + worlds.Add(1)), PhoneNumber: phone, WABAID: wabaID, Name: new("Shop")}
	w.InTx(func(tx *store.Tx) (err error) {
		account, err = core.ConnectAccount(tx, in, func(id string) string { return "sealed for " + id })
		return err
	})
	return account
}

// Must fails the test on an error.
func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// InTx runs a transaction.
func (w *World) InTx(fn func(tx *store.Tx) error) {
	w.T.Helper()
	w.Must(w.Store.InTx(context.Background(), fn))
}

// Alive registers nodes, which live until they are removed.
func (w *World) Alive(nodes ...string) { w.T.Helper(); storetest.Alive(w.T, w.Store, nodes...) }

// Dead removes a node.
func (w *World) Dead(node string) { w.T.Helper(); storetest.Dead(w.T, w.Store, node) }

// Read reads the store.
func (w *World) Read() store.Reader { return w.Store.Read(context.Background()) }

// Origin is the number, as the provider names it.
func (w *World) Origin() provider.Origin {
	return provider.Origin{WABAID: w.Account.WABAID, PhoneNumberID: *w.Account.PhoneNumberID}
}

// Apply is Receive that returns the files which are to be fetched.
func (w *World) Apply(updates ...provider.Update) (files []store.MediaJob) {
	w.T.Helper()
	w.Store.HandTo(func(h *store.Hands) {
		h.Node, h.Fetch = func() string { return MediaNode }, func(j store.MediaJob) { files = append(files, j) }
	})
	w.Receive(updates...)
	return files
}

// Receive applies updates in a transaction of their own.
func (w *World) Receive(updates ...provider.Update) {
	w.T.Helper()
	applier := core.Applier{PublicURL: PublicURL, Log: slog.New(slog.DiscardHandler)}
	w.InTx(func(tx *store.Tx) error { return applier.ApplyAll(tx, updates) })
}

// Events are those that have not been looked at.
func (w *World) Events() []chat.Event {
	w.T.Helper()
	events, err := w.Read().EventsAfter(w.Org.ID, w.Seen, 1000)
	w.Must(err)
	if len(events) > 0 {
		w.Seen = events[len(events)-1].ID
	}
	return events
}

// Expect fails the test unless the events since the last look have these types.
func (w *World) Expect(types ...chat.EventType) []chat.Event {
	w.T.Helper()
	events := w.Events()
	var got []chat.EventType
	for _, e := range events {
		got = append(got, e.Type)
	}
	if d := cmp.Diff(types, got); d != "" {
		w.T.Fatalf("other events (-want +got):\n%s", d)
	}
	return events
}

// Ada is the person that everything happens with, as the provider shows her.
func Ada() provider.Person {
	return provider.Person{Phone: AdaNumber, UserID: AdaID, ProfileName: "Ada"}
}

// Text is a text from Ada.
func (w *World) Text(id, body string) provider.InboundMessage {
	content, err := json.Marshal(map[string]string{"body": body})
	w.Must(err)
	return provider.InboundMessage{Origin: w.Origin(), Message: provider.Message{
		Contact: Ada(), ProviderID: id, Timestamp: w.Store.Now(), Type: chat.TypeText, Content: content,
		Raw: provider.Raw{
			Item:     json.RawMessage(`{"from":"4915510000001","id":"` + id + `","timestamp":"1772366400","type":"text","text":` + string(content) + `}`),
			Contact:  json.RawMessage(`{"profile":{"name":"Ada"},"wa_id":"4915510000001"}`),
			Metadata: json.RawMessage(`{"display_phone_number":"4930555000","phone_number_id":"` + *w.Account.PhoneNumberID + `"}`),
		},
	}}
}

// Send accepts a message to Ada.
func (w *World) Send(kind chat.MessageType, content string) core.Accepted {
	w.T.Helper()
	return w.SendAs(core.NewMessage{To: AdaNumber, Type: kind, Content: json.RawMessage(content), Source: chat.SourceAPI})
}

// SendAs accepts a message of the world's number.
func (w *World) SendAs(m core.NewMessage) core.Accepted {
	w.T.Helper()
	w.Store.HandTo(func(h *store.Hands) {
		h.Node, h.Send = func() string { return "node_a" }, func(chat.Account, store.SendWork) {}
	})
	return w.Accept(w.Account, m)
}

// Accept accepts a message of any number, and leaves it to whom the store hands its work.
func (w *World) Accept(account chat.Account, m core.NewMessage) (accepted core.Accepted) {
	w.T.Helper()
	w.InTx(func(tx *store.Tx) (err error) {
		accepted, err = core.AcceptSend(tx, account, chat.Plan{}, m)
		return err
	})
	return accepted
}

// Record writes how attempts ended.
func (w *World) Record(results ...core.SendResult) {
	w.T.Helper()
	results, err := core.PrepareSends(w.Read(), results)
	if err != nil {
		w.T.Fatal(err)
	}
	w.InTx(func(tx *store.Tx) error { return core.RecordSends(tx, results) })
}

// Answered records that the provider took a message.
func (w *World) Answered(a core.Accepted, providerID string) {
	w.T.Helper()
	w.Record(core.SendResult{Work: w.Work(a), Sent: provider.Sent{MessageID: providerID}})
}

// Work is what a sender has of a message.
func (w *World) Work(a core.Accepted) store.SendWork {
	w.T.Helper()
	work, err := w.Read().SendWork(a.Job)
	w.Must(err)
	return work
}

// Status is a status callback. callbackData is our id, which comes back with it.
func (w *World) Status(providerID, callbackData, status string, errs ...*provider.Error) provider.StatusUpdate {
	return provider.StatusUpdate{
		Origin: w.Origin(), ProviderID: providerID, CallbackData: callbackData, Status: status, Timestamp: w.Store.Now(), Errors: errs,
		Raw: provider.Raw{
			Item:     json.RawMessage(`{"id":"` + providerID + `","status":"` + status + `","timestamp":"1772366400","recipient_id":"4915510000001"}`),
			Metadata: json.RawMessage(`{"display_phone_number":"4930555000","phone_number_id":"` + *w.Account.PhoneNumberID + `"}`),
		},
	}
}

// Message reads a message.
func (w *World) Message(id string) chat.Message {
	w.T.Helper()
	m, err := w.Read().Message(w.Org.ID, w.Account.ID, id)
	w.Must(err)
	return m
}

// Messages are those of the number, the newest first.
func (w *World) Messages() []chat.Message {
	w.T.Helper()
	page, err := w.Read().Messages(w.Org.ID, w.Account.ID, store.MessageFilter{}, store.Page{Limit: 1000})
	w.Must(err)
	return page.Rows
}

// Contacts are those of the number.
func (w *World) Contacts() []chat.Contact {
	w.T.Helper()
	page, err := w.Read().Contacts(w.Org.ID, w.Account.ID, store.ContactFilter{}, store.Page{Limit: 1000})
	w.Must(err)
	return page.Rows
}

// Conversations are those of the number.
func (w *World) Conversations() []chat.ConversationDetail {
	w.T.Helper()
	page, err := w.Read().Conversations(w.Org.ID, w.Account.ID, store.ConversationFilter{}, store.Page{Limit: 1000})
	w.Must(err)
	return page.Rows
}

// Reload reads the account again.
func (w *World) Reload() chat.Account {
	w.T.Helper()
	account, err := w.Read().Account(w.Org.ID, w.Account.ID)
	w.Must(err)
	return account
}
