package core_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	adaNumber = "+4915510000001"
	adaID     = "DE.ada"
	publicURL = "https://parley.example"
	mediaNode = "node_media"
)

// eachCase runs a test once for every case, each in a world of its own in one store of each engine.
func eachCase[C any](t *testing.T, cases map[string]C, test func(t *testing.T, w *world, c C)) {
	t.Helper()
	eachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				clock.Set(storetest.NewClock().Now())
				test(t, newWorld(t, st, clock), c)
			})
		}
	})
}

// tester is what a test and a property's case have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// world is a business number to which things happen.
type world struct {
	t       tester
	st      *store.Store
	clock   *storetest.Clock
	org     storetest.Organization
	account chat.Account
	seen    string // the last event that was looked at
}

// eachWorld runs a test in a world on each engine.
func eachWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	eachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) { test(newWorld(t, st, clock)) })
}

var worlds atomic.Int64

// newWorld makes an organization with a number in the store.
func newWorld(t testing.TB, st *store.Store, clock *storetest.Clock) *world {
	t.Helper()
	w := &world{t: t, st: st, clock: clock, org: storetest.Org(t, st)}
	n := worlds.Add(1)
	var err error
	w.account, err = connect(st, chat.NewAccount{
		OrgID: w.org.ID, PhoneNumberID: fmt.Sprint(100_000_000_000 + n), PhoneNumber: "+4930555000", WABAID: fmt.Sprint(200_000_000_000 + n), Name: new("Shop"),
	})
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) inTx(fn func(tx *store.Tx) error) {
	w.t.Helper()
	w.must(w.st.InTx(context.Background(), fn))
}

func (w *world) read() store.Reader { return w.st.Read(context.Background()) }

func (w *world) origin() provider.Origin {
	return provider.Origin{WABAID: w.account.WABAID, PhoneNumberID: *w.account.PhoneNumberID}
}

// apply applies updates in a transaction of their own, and returns the files that are to be fetched.
func (w *world) apply(updates ...provider.Update) (files []store.MediaJob) {
	w.t.Helper()
	w.st.HandTo(func(h *store.Hands) {
		h.Node, h.Fetch = func() string { return mediaNode }, func(j store.MediaJob) { files = append(files, j) }
	})
	applier := core.Applier{PublicURL: publicURL, Log: slog.New(slog.DiscardHandler)}
	w.inTx(func(tx *store.Tx) error { return applier.ApplyAll(tx, updates) })
	return files
}

// events are those that have not been looked at.
func (w *world) events() []chat.Event {
	w.t.Helper()
	events, err := w.read().EventsAfter(w.org.ID, w.seen, 1000)
	w.must(err)
	if len(events) > 0 {
		w.seen = events[len(events)-1].ID
	}
	return events
}

// expect fails the test unless the events since the last look have these types.
func (w *world) expect(types ...chat.EventType) []chat.Event {
	w.t.Helper()
	events := w.events()
	var got []chat.EventType
	for _, e := range events {
		got = append(got, e.Type)
	}
	if d := cmp.Diff(types, got); d != "" {
		w.t.Fatalf("other events (-want +got):\n%s", d)
	}
	return events
}

// ada is the person that everything happens with, as the provider shows her.
func ada() provider.Person {
	return provider.Person{Phone: adaNumber, UserID: adaID, ProfileName: "Ada"}
}

// text is a text from Ada.
func (w *world) text(id, body string) provider.InboundMessage {
	content, err := json.Marshal(map[string]string{"body": body})
	w.must(err)
	return provider.InboundMessage{Origin: w.origin(), Message: provider.Message{
		Contact: ada(), ProviderID: id, Timestamp: w.clock.Now(), Type: chat.TypeText, Content: content,
		Raw: provider.Raw{
			Item:     json.RawMessage(`{"from":"4915510000001","id":"` + id + `","timestamp":"1772366400","type":"text","text":` + string(content) + `}`),
			Contact:  json.RawMessage(`{"profile":{"name":"Ada"},"wa_id":"4915510000001"}`),
			Metadata: json.RawMessage(`{"display_phone_number":"4930555000","phone_number_id":"` + *w.account.PhoneNumberID + `"}`),
		},
	}}
}

// send accepts a message to Ada.
func (w *world) send(kind chat.MessageType, content string) core.Accepted {
	w.t.Helper()
	return w.sendAs(core.NewMessage{To: adaNumber, Type: kind, Content: json.RawMessage(content), Source: chat.SourceAPI})
}

func (w *world) sendAs(m core.NewMessage) core.Accepted {
	w.t.Helper()
	w.st.HandTo(func(h *store.Hands) {
		h.Node, h.Send = func() string { return "node_a" }, func(chat.Account, store.SendWork) {}
	})
	accepted, err := run(w.st, func(tx *store.Tx) (core.Accepted, error) {
		return core.AcceptSend(tx, w.account, chat.Plan{}, m)
	})
	w.must(err)
	return accepted
}

// record writes how attempts ended.
func (w *world) record(results ...core.SendResult) {
	w.t.Helper()
	results, err := core.PrepareSends(w.read().Account, results)
	if err != nil {
		w.t.Fatal(err)
	}
	w.inTx(func(tx *store.Tx) error { return core.RecordSends(tx, results) })
}

// answered records that the provider took a message.
func (w *world) answered(a core.Accepted, providerID string) {
	w.t.Helper()
	w.record(core.SendResult{Work: w.work(a), Sent: provider.Sent{MessageID: providerID}})
}

func (w *world) work(a core.Accepted) store.SendWork {
	w.t.Helper()
	work, err := w.read().SendWork(a.Job)
	w.must(err)
	return work
}

// status is a status callback. callbackData is our id, which comes back with it.
func (w *world) status(providerID, callbackData, status string, errs ...*provider.Error) provider.StatusUpdate {
	return provider.StatusUpdate{
		Origin: w.origin(), ProviderID: providerID, CallbackData: callbackData, Status: status, Timestamp: w.clock.Now(), Errors: errs,
		Raw: provider.Raw{
			Item:     json.RawMessage(`{"id":"` + providerID + `","status":"` + status + `","timestamp":"1772366400","recipient_id":"4915510000001"}`),
			Metadata: json.RawMessage(`{"display_phone_number":"4930555000","phone_number_id":"` + *w.account.PhoneNumberID + `"}`),
		},
	}
}

func (w *world) message(id string) chat.Message {
	w.t.Helper()
	m, err := w.read().Message(w.org.ID, w.account.ID, id)
	w.must(err)
	return m
}

func (w *world) messages() []chat.Message {
	w.t.Helper()
	page, err := w.read().Messages(w.org.ID, w.account.ID, store.MessageFilter{}, store.Page{Limit: 1000})
	w.must(err)
	return page.Rows
}

func (w *world) contacts() []chat.Contact {
	w.t.Helper()
	page, err := w.read().Contacts(w.org.ID, w.account.ID, store.ContactFilter{}, store.Page{Limit: 1000})
	w.must(err)
	return page.Rows
}

func (w *world) conversations() []chat.ConversationDetail {
	w.t.Helper()
	page, err := w.read().Conversations(w.org.ID, w.account.ID, store.ConversationFilter{}, store.Page{Limit: 1000})
	w.must(err)
	return page.Rows
}

// reload reads the account again.
func (w *world) reload() chat.Account {
	w.t.Helper()
	account, err := w.read().Account(w.org.ID, w.account.ID)
	w.must(err)
	return account
}

var (
	updateGolden = flag.Bool("update", false, "rewrite the golden files")
	idPattern    = regexp.MustCompile(`\b([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}\b`)
	tokenPattern = regexp.MustCompile(`/media/[A-Za-z0-9_-]{32}`)
)

// golden compares a payload with the file of that name, byte for byte but for what is made up
// anew each time: ids are numbered in the order in which they appear.
func (w *world) golden(name string, payload []byte) {
	w.t.Helper()
	numbers := map[string]string{}
	text := idPattern.ReplaceAllStringFunc(string(payload), func(id string) string {
		if numbers[id] == "" {
			n := strconv.Itoa(len(numbers) + 1)
			prefix, rest, _ := strings.Cut(id, "_")
			numbers[id] = prefix + "_" + strings.Repeat("0", len(rest)-len(n)) + n
		}
		return numbers[id]
	})
	text = tokenPattern.ReplaceAllString(text, "/media/token")
	text = strings.ReplaceAll(text, *w.account.PhoneNumberID, "100200300400")
	text = strings.ReplaceAll(text, w.account.WABAID, "200300400500") + "\n"
	path := filepath.Join("testdata", "events", name+".json")
	if *updateGolden {
		w.must(os.WriteFile(path, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	w.must(err)
	if text != string(want) {
		w.t.Errorf("%s: got\n%swant\n%s", path, text, want)
	}
}
