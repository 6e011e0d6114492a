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
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

const node = "node_a"

// rig is a receiver whose callbacks are lists of words, in its own time bubble.
type rig struct {
	*worldtest.World
	t        *testing.T
	accounts [numbers]chat.Account
	receiver *inbound.Receiver
	cfg      inbound.Config
	unleased atomic.Bool // the node has no lease

	mu      sync.Mutex
	poisons int                      // how often a poison was applied
	gates   map[string]chan struct{} // gates that hold back the updates of a number
	away    map[string]bool          // numbers whose updates the store refuses
	locked  map[string]bool          // numbers whose updates the store does not take in time
	fetched []store.MediaJob
}

// numbers is more than there are workers.
const numbers = 8

// inBubble runs a test with a receiver on a store of each engine.
func inBubble(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { bubble(t, engine, test) })
}

func bubble(t *testing.T, engine storetest.Engine, test func(t *testing.T, r *rig)) {
	t.Helper()
	worldtest.Bubble(t, storetest.NewConfig(t, engine), func(t *testing.T, w *worldtest.World) {
		r := &rig{World: w, t: t, gates: map[string]chan struct{}{}, away: map[string]bool{}, locked: map[string]bool{}}
		r.newNumbers()
		r.Alive(node)
		r.cfg = inbound.Config{
			Store: r.Store, Lease: r.lease, VerifyToken: "secret", Log: slog.New(slog.DiscardHandler),
			CanSign: func(signature string) bool { return strings.HasPrefix(signature, "of ") },
			Verify:  func(signature string, body []byte) bool { return signature == "of "+string(body) },
			Decode:  r.decode,
		}
		storetest.OwnedBy(r.Store, "node_media")
		r.Store.HandTo(func(h *store.Hands) {
			h.Fetch = func(job store.MediaJob) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.fetched = append(r.fetched, job)
			}
		})
		r.cfg = inbound.Around(r.cfg, r.pastGates)
		r.start()
		test(t, r)
		r.receiver.Stop(context.Background())
	})
}

func (r *rig) lease() store.Lease {
	if r.unleased.Load() {
		return store.Lease{Node: node, Until: r.Store.Moment()}
	}
	return store.LeaseForGood(node)
}

// newNumbers makes new accounts, so that nothing earlier matters.
func (r *rig) newNumbers() {
	r.Org = storetest.Org(r.T, r.Store)
	for i := range r.accounts {
		r.accounts[i] = r.Number()
	}
}

// start starts the receiver, and waits until it has looked for the callbacks of an earlier one.
func (r *rig) start() {
	r.receiver = parttest.Start(r.t, inbound.New(r.cfg))
	synctest.Wait()
}

// decode makes updates of a body's words: poison is an update that cannot be applied, broken is a body that cannot be
// read, file is a message with a file, and blank says nothing. Any other word is a text with that id. A word is about
// the first number, or the one whose digit stands before it: 2/word.
func (r *rig) decode(body []byte) ([]provider.Update, error) {
	var updates []provider.Update
	for word := range strings.FieldsSeq(string(body)) {
		number := 1
		if digit, rest, found := strings.Cut(word, "/"); found {
			number, word = int(digit[0]-'0'), rest
		}
		m := r.text(number, word)
		kind, _, _ := strings.Cut(word, ":")
		switch kind {
		case "poison":
			updates = append(updates, &poison{r: r, origin: m.Origin})
		case "broken":
			return nil, errors.New("broken")
		case "terrible":
			panic("terrible")
		case "blank":
		case "file":
			m.Type, m.Media = chat.TypeImage, &provider.Media{ID: "9001"}
			updates = append(updates, m)
		default:
			updates = append(updates, m)
		}
	}
	return updates, nil
}

func (r *rig) text(number int, id string) provider.InboundMessage {
	return provider.InboundMessage{
		Origin: provider.Origin{PhoneNumberID: *r.accounts[number-1].PhoneNumberID},
		Message: provider.Message{
			ProviderID: id, Contact: provider.Person{Phone: "+4915510000001"}, Type: chat.TypeText,
			Content: json.RawMessage(`{"body":"x"}`), Raw: provider.Raw{Item: json.RawMessage(`{}`)},
		},
	}
}

// poison is an update that panics when it is applied. Its origin can be read once before that.
type poison struct {
	r      *rig
	origin provider.Origin
	looked bool
}

func (p *poison) About() provider.Origin {
	if !p.looked {
		p.looked = true
		return p.origin
	}
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	p.r.poisons++
	panic("poison")
}

// pastGates runs a transaction once no gate blocks its updates, unless the store is unavailable for them.
func (r *rig) pastGates(updates []provider.Update, run func() error) error {
	for _, number := range r.numbersOf(updates) {
		r.mu.Lock()
		gate, away, locked := r.gates[number], r.away[number], r.locked[number]
		r.mu.Unlock()
		if gate != nil {
			<-gate
		}
		if away {
			return store.ErrUnavailable
		}
		if locked {
			<-time.After(30 * time.Second)
			return context.DeadlineExceeded
		}
	}
	return run()
}

// numbersOf are the numbers whose updates a transaction applies. Transactions that apply nothing have a number of
// their own.
func (r *rig) numbersOf(updates []provider.Update) []string {
	if updates == nil {
		return []string{books}
	}
	var ids []string
	for _, u := range updates {
		if m, ok := u.(provider.InboundMessage); ok {
			ids = append(ids, m.PhoneNumberID)
		}
	}
	return ids
}

// books stands for the transactions that apply nothing.
const books = "books"

// setAway makes the store refuse a number's updates, or take them again.
func (r *rig) setAway(number int, away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away[*r.accounts[number-1].PhoneNumberID] = away
}

// setLocked makes the store keep a number's updates waiting for longer than their timeout, or take them again.
func (r *rig) setLocked(number int, locked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.locked[*r.accounts[number-1].PhoneNumberID] = locked
}

// shut closes a gate, until open.
func (r *rig) shut(number string) (open func()) {
	gate := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gates[number] = gate
	return func() {
		r.mu.Lock()
		delete(r.gates, number)
		r.mu.Unlock()
		close(gate)
	}
}

// hold keeps the updates of a number from being applied, until release. A first update occupies a worker, so that the
// following ones are found together.
func (r *rig) hold(number int) (release func()) {
	r.t.Helper()
	open := r.shut(*r.accounts[number-1].PhoneNumberID)
	held := fmt.Sprintf("%d/held", number)
	var delivery sync.WaitGroup
	delivery.Go(func() {
		if code := r.deliver(held); code != http.StatusOK {
			r.t.Errorf("%s got %d", held, code)
		}
	})
	synctest.Wait()
	return func() {
		open()
		delivery.Wait()
		synctest.Wait()
	}
}

var pass = worldtest.Pass

// deliver posts a callback and returns the status of the answer.
func (r *rig) deliver(body string) int {
	r.t.Helper()
	return deliverTo(r.receiver, body)
}

func deliverTo(receiver *inbound.Receiver, body string) int {
	request := httptest.NewRequest(http.MethodPost, "/provider/webhook", strings.NewReader(body))
	request.Header.Set("X-Hub-Signature-256", "of "+body)
	recorder := httptest.NewRecorder()
	receiver.ServeHTTP(recorder, request)
	return recorder.Code
}

func (r *rig) serve(request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	r.receiver.ServeHTTP(recorder, request)
	return recorder
}

// put stores a callback directly, without the receiver.
func (r *rig) put(body, owner string, attempts int) {
	r.t.Helper()
	r.InTx(func(tx *store.Tx) error {
		return tx.InsertCallback(store.Callback{ID: tx.NewID("cbk"), Body: []byte(body), DueAt: tx.Now(), Owner: owner, Attempts: attempts})
	})
}

// applied are the ids of a number's stored messages, in their order.
func (r *rig) applied(number int) (ids []string) {
	r.t.Helper()
	page, err := r.Read().Messages(r.Org.ID, r.accounts[number-1].ID, store.MessageFilter{}, store.Page{Limit: 5000})
	r.Must(err)
	for i := range page.Rows {
		ids = append(ids, page.Rows[len(page.Rows)-1-i].ProviderID)
	}
	return ids
}

// stored are a node's callbacks in the table, with their attempts and due times.
func (r *rig) stored(owner string) (all []string) {
	r.t.Helper()
	read, ever := r.Read(), r.Store.Now().Add(365*24*time.Hour)
	ids, err := read.DueCallbacks(owner, ever, 5000)
	r.Must(err)
	for _, id := range ids {
		c, err := read.DueCallback(id, owner, ever)
		r.Must(err)
		all = append(all, fmt.Sprintf("%.40s, attempt %d, in %v", c.Body, c.Attempts, c.DueAt.Sub(r.Store.Now()).Round(time.Second)))
	}
	return all
}

// require fails the test unless the first number has these messages and these callbacks are left.
func (r *rig) require(applied string, left ...string) {
	r.t.Helper()
	if got := strings.Join(r.applied(1), " "); got != applied {
		r.t.Errorf("taken in: %q, want %q", got, applied)
	}
	if got := r.stored(node); strings.Join(got, "\n") != strings.Join(left, "\n") {
		r.t.Errorf("left are %q, want %q", got, left)
	}
}
