package inbound_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const node = "node_a"

// rig is a receiver whose callbacks are lists of words, in a bubble of time of its own.
type rig struct {
	t        *testing.T
	st       *store.Store
	org      storetest.Organization
	account  chat.Account
	receiver *inbound.Receiver
	cfg      inbound.Config
	unleased atomic.Bool // the node has no lease

	mu      sync.Mutex
	poisons int // how often one was met
	gate    chan struct{}
	fetched []store.MediaJob
}

// inBubble runs a test with a receiver on a store of each engine.
func inBubble(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { bubble(t, engine, test) })
}

func bubble(t *testing.T, engine storetest.Engine, test func(t *testing.T, r *rig)) {
	t.Helper()
	place := storetest.NewConfig(t, engine)
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, st: storetest.OpenAt(t, place)}
		r.org = storetest.Org(t, r.st)
		r.account = storetest.Account(t, r.st, r.org, "100000000001")
		r.alive(node)
		r.cfg = inbound.Config{
			Store: r.st, Lease: r.lease, FetchNode: func() string { return "node_media" }, VerifyToken: "secret", Log: slog.New(slog.DiscardHandler),
			CanSign: func(signature string) bool { return strings.HasPrefix(signature, "of ") },
			Verify:  func(signature string, body []byte) bool { return signature == "of "+string(body) },
			Decode:  r.decode,
			Fetch: func(job store.MediaJob) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.fetched = append(r.fetched, job)
			},
		}
		r.receiver = inbound.Start(r.cfg)
		test(t, r)
		r.receiver.Stop()
	})
}

func (r *rig) lease() store.Lease {
	if r.unleased.Load() {
		return store.Lease{Node: node, Until: r.st.Moment()}
	}
	return store.LeaseForGood(node)
}

// decode makes updates of a body's words: poison is an update that cannot be applied, broken a
// body that cannot be read, wait one that takes until the gate opens, file a message with a file, and
// blank says nothing. Any other word is a text with that id.
func (r *rig) decode(body []byte) ([]provider.Update, error) {
	var updates []provider.Update
	for _, word := range strings.Fields(string(body)) {
		kind, _, _ := strings.Cut(word, ":")
		switch kind {
		case "poison":
			updates = append(updates, poison{r})
		case "broken":
			return nil, errors.New("broken")
		case "wait":
			<-r.gate
		case "blank":
		case "file":
			m := r.text(word)
			m.Type, m.Media = chat.TypeImage, &provider.Media{ID: "9001"}
			updates = append(updates, m)
		default:
			updates = append(updates, r.text(word))
		}
	}
	return updates, nil
}

func (r *rig) text(id string) provider.InboundMessage {
	return provider.InboundMessage{
		Origin: provider.Origin{PhoneNumberID: *r.account.PhoneNumberID},
		Message: provider.Message{
			ProviderID: id, Contact: provider.Person{Phone: "+4915510000001"}, Type: chat.TypeText,
			Content: json.RawMessage(`{"body":"x"}`), Raw: provider.Raw{Item: json.RawMessage(`{}`)},
		},
	}
}

// poison is an update that ends whoever looks at it.
type poison struct{ r *rig }

func (p poison) About() provider.Origin {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	p.r.poisons++
	panic("poison")
}

// holdLane keeps the lane of all callbacks busy with one that another node left, until release.
func (r *rig) holdLane() (release func()) {
	r.gate = make(chan struct{})
	r.put("wait", "node_dead", 0)
	pass(2 * time.Second)
	return func() { close(r.gate) }
}

// pass lets time go by, and what it sets off come to rest.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (r *rig) alive(id string) {
	storetest.InTx(r.t, r.st, func(tx *store.Tx) error { return tx.PutNode(id, tx.Now()) })
}

// deliver posts a callback and returns the status of the answer.
func (r *rig) deliver(body string) int {
	r.t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/provider/webhook", strings.NewReader(body))
	request.Header.Set("X-Hub-Signature-256", "of "+body)
	return r.serve(request).Code
}

func (r *rig) serve(request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	r.receiver.ServeHTTP(recorder, request)
	return recorder
}

// put stores a callback behind the receiver's back.
func (r *rig) put(body, owner string, attempts int) {
	r.t.Helper()
	storetest.InTx(r.t, r.st, func(tx *store.Tx) error {
		return tx.InsertCallback(store.Callback{ID: tx.NewID("cbk"), Body: []byte(body), DueAt: tx.Now(), Owner: owner, Attempts: attempts})
	})
}

// applied are the ids of the messages that were taken in, in their order.
func (r *rig) applied() (ids []string) {
	r.t.Helper()
	page, err := r.st.Read(context.Background()).Messages(r.org.ID, r.account.ID, store.MessageFilter{}, store.Page{Limit: 2000})
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range page.Rows {
		ids = append(ids, page.Rows[len(page.Rows)-1-i].ProviderID)
	}
	return ids
}

// stored are a node's callbacks in the table, with their attempts and when they are due.
func (r *rig) stored(owner string) (all []string) {
	r.t.Helper()
	rows, err := r.st.Read(context.Background()).DueCallbacks(owner, r.st.Now().Add(365*24*time.Hour), 2000)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range rows {
		all = append(all, fmt.Sprintf("%s, attempt %d, in %v", c.Body, c.Attempts, c.DueAt.Sub(r.st.Now()).Round(time.Second)))
	}
	return all
}

// require fails the test unless these messages were taken in and these callbacks are left.
func (r *rig) require(applied string, left ...string) {
	r.t.Helper()
	if got := strings.Join(r.applied(), " "); got != applied {
		r.t.Errorf("taken in: %q, want %q", got, applied)
	}
	if got := r.stored(node); strings.Join(got, "\n") != strings.Join(left, "\n") {
		r.t.Errorf("left are %q, want %q", got, left)
	}
}
