// Package inbound takes in the provider's callbacks: it checks the signature, applies what the
// callback says, and answers. What cannot be applied at once, because it is large, or much is
// waiting, or something is wrong with it, is stored, acknowledged, and applied later: an
// acknowledged callback is applied, or a row until it has been.
package inbound

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"hash/maphash"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// maxAccepting bounds the bytes of the callbacks that are being applied or stored for a provider that
	// waits.
	maxAccepting = 32 << 20
	// lastWords is how long a sender that is refused may go on before the connection is closed.
	lastWords = 100 * time.Millisecond
	// lanes are worked on side by side; callbacks of one number are in the same lane.
	lanes     = 4
	laneQueue = 512
	// txUpdates bounds what one transaction applies, and so how long others wait for it.
	txUpdates  = 200
	sweepEvery = time.Second
	sweepLimit = 200
	// atOnce is how many updates a callback may carry to be applied before the answer.
	atOnce = 100
	// patience is how long the provider waits for that; then the callback is stored.
	patience = 2 * time.Second
)

// Config is what the receiver needs.
type Config struct {
	Store *store.Store
	// Lease is this process's right to the callbacks it has stored.
	Lease func() store.Lease
	// CanSign tells whether a text can be a signature at all; Verify checks a body's; Decode reads it.
	// They are the adapter's.
	CanSign     func(signature string) bool
	Verify      func(signature string, body []byte) bool
	Decode      func(body []byte) ([]provider.Update, error)
	VerifyToken string
	// FetchNode names the owner of files that are to be fetched, and Fetch takes them.
	FetchNode func() string
	Fetch     func(store.MediaJob)
	// PublicURL is where others reach stored files.
	PublicURL string
	Metrics   *Metrics
	Log       *slog.Logger
}

// Receiver is the handler for callbacks and the worker behind it.
type Receiver struct {
	cfg     Config
	applier core.Applier
	intake  *intake
	// accepting is how many bytes the provider waits for.
	accepting atomic.Int64
	lanes     [lanes]chan *arrival
	seed      maphash.Seed

	mu   sync.Mutex
	held map[string]bool // callbacks in memory

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// Start begins the work, with what an earlier process left.
func Start(cfg Config) *Receiver {
	if cfg.Metrics == nil {
		cfg.Metrics = NewMetrics(nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Receiver{
		cfg: cfg, applier: core.Applier{PublicURL: cfg.PublicURL, Log: cfg.Log}, seed: maphash.MakeSeed(),
		intake: newIntake(), held: map[string]bool{}, ctx: ctx, cancel: cancel,
	}
	for i := range r.lanes {
		r.lanes[i] = make(chan *arrival, laneQueue)
		r.work.Go(func() { r.runLane(r.lanes[i]) })
	}
	r.work.Go(r.sweepLoop)
	return r
}

// Stop ends the work after what is being applied. The rest stays in the table.
func (r *Receiver) Stop() {
	r.cancel()
	r.work.Wait()
}

// ServeHTTP answers the provider: GET verifies the address, POST delivers.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch req.Method {
	case http.MethodGet:
		r.verify(w, req)
	case http.MethodPost:
		r.receive(w, req)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (r *Receiver) verify(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	token := q.Get("hub.verify_token")
	if q.Get("hub.mode") != "subscribe" || r.cfg.VerifyToken == "" || subtle.ConstantTimeCompare([]byte(token), []byte(r.cfg.VerifyToken)) != 1 {
		http.Error(w, "verification failed", http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, q.Get("hub.challenge"))
}

// receive takes a callback. Nothing is read of one that cannot be the provider's.
func (r *Receiver) receive(w http.ResponseWriter, req *http.Request) {
	signature := req.Header.Get("X-Hub-Signature-256")
	if !r.cfg.CanSign(signature) {
		r.refuse(w, req, http.StatusUnauthorized, "the signature is missing or malformed")
		return
	}
	body, err := r.intake.read(w, req, func(body []byte) bool { return r.cfg.Verify(signature, body) })
	if err != nil {
		r.refuseBody(w, req, err)
		return
	}
	err = r.accept(req.Context(), body)
	switch {
	case err == nil:
		w.WriteHeader(http.StatusOK)
	case errors.Is(err, errCrowded):
		r.refuseBody(w, req, err)
	default:
		r.cfg.Log.Warn("a callback could not be stored", "error", err)
		w.Header().Set("Retry-After", "1")
		http.Error(w, "try again", http.StatusServiceUnavailable)
	}
}

// refuseBody says why a body was not taken.
func (r *Receiver) refuseBody(w http.ResponseWriter, req *http.Request, err error) {
	switch {
	case errors.Is(err, errSignature):
		r.refuse(w, req, http.StatusUnauthorized, err.Error())
	case errors.Is(err, errTooLarge):
		r.refuse(w, req, http.StatusRequestEntityTooLarge, err.Error())
	case errors.Is(err, errTooSlow):
		r.refuse(w, req, http.StatusRequestTimeout, err.Error())
	case errors.Is(err, errCrowded):
		w.Header().Set("Retry-After", "1")
		r.refuse(w, req, http.StatusServiceUnavailable, err.Error())
	default:
		r.refuse(w, req, http.StatusBadRequest, "the body could not be read")
	}
}

// refuse answers and lets go of the connection, whatever is still to come on it. Where the server does
// not see that the body was left, it does not keep the connection for a while so that the answer
// surely arrives: of refused ones there may be many.
func (r *Receiver) refuse(w http.ResponseWriter, req *http.Request, status int, text string) {
	r.cfg.Metrics.refused.WithLabelValues(strconv.Itoa(status)).Inc()
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(lastWords))
	req.Body = http.NoBody
	w.Header().Set("Connection", "close")
	http.Error(w, text, status)
}

// accept takes on a callback whose signature was right.
func (r *Receiver) accept(ctx context.Context, body []byte) error {
	size := int64(len(body))
	defer r.accepting.Add(-size)
	if r.accepting.Add(size) > maxAccepting {
		return errCrowded
	}
	a := r.read(store.Callback{Body: storable(body)})
	applied, err := r.applyNow(ctx, a)
	if err == nil && !applied {
		err = r.keep(ctx, a)
	}
	if err == nil {
		r.cfg.Metrics.stored.Inc()
	}
	return err
}

// storable is a body that every store can hold: people write broken characters, and JSON has no NUL.
func storable(body []byte) []byte {
	if utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 {
		return body
	}
	return bytes.ReplaceAll(bytes.ToValidUTF8(body, []byte("\uFFFD")), []byte{0}, nil)
}

// applyNow waits for a callback to be applied. It reports false for one that has to be stored.
func (r *Receiver) applyNow(ctx context.Context, a *arrival) (bool, error) {
	if len(a.updates) > atOnce {
		return false, nil
	}
	now := *a
	now.answer = make(chan error, 1)
	select {
	case r.lanes[r.laneOf(a.callback.Body)] <- &now:
	default:
		return false, nil
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case err := <-now.answer:
		return true, err
	case <-wait.C: // it may be applied yet, and then once more: that changes nothing
		return false, nil
	case <-r.ctx.Done():
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// keep stores callbacks, and hands them to their lanes.
func (r *Receiver) keep(ctx context.Context, arrivals ...*arrival) error {
	err := r.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		for _, a := range arrivals {
			c := store.Callback{ID: tx.NewID(chat.KindCallback), Body: a.callback.Body, DueAt: tx.Now(), Owner: r.cfg.Lease().Node}
			if err := tx.InsertCallback(c); err != nil {
				return err
			}
			a.callback = c
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range arrivals {
		r.enqueue(&arrival{callback: a.callback, updates: a.updates, decoded: true})
	}
	return nil
}

// enqueue hands a stored callback to its lane; what does not fit is found by a sweep.
func (r *Receiver) enqueue(a *arrival) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[a.callback.ID] {
		return
	}
	select {
	case r.lanes[r.laneOf(a.callback.Body)] <- a:
		r.held[a.callback.ID] = true
	default:
	}
}

// laneOf puts callbacks of the same number into the same lane by a cheap look at the text.
func (r *Receiver) laneOf(body []byte) int {
	return int(maphash.Bytes(r.seed, numberIn(body)) % lanes)
}

func (r *Receiver) release(ids ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		delete(r.held, id)
	}
}

func (r *Receiver) sweepLoop() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		r.sweep()
		select {
		case <-tick.C:
		case <-r.ctx.Done():
			return
		}
	}
}

// sweep takes over the callbacks of dead nodes, and picks up own ones that are due again or did
// not fit into memory.
func (r *Receiver) sweep() {
	lease := r.cfg.Lease()
	if !lease.Holds(r.cfg.Store.Moment(), 0) {
		return
	}
	var found []store.Callback
	err := r.cfg.Store.InTx(r.ctx, func(tx *store.Tx) (err error) {
		found, err = tx.ClaimCallbacks(lease.Node, sweepLimit)
		return err
	})
	if err == nil {
		var own []store.Callback
		own, err = r.cfg.Store.Read(r.ctx).DueCallbacks(lease.Node, r.cfg.Store.Now().Add(-sweepEvery), sweepLimit)
		found = append(found, own...)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		r.cfg.Log.Warn("callbacks could not be claimed", "error", err)
	}
	for _, c := range found {
		r.enqueue(&arrival{callback: c})
	}
}
