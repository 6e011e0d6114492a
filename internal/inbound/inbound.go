// Package inbound receives the provider's callbacks: it checks the signature, applies the updates, and answers. A
// callback that cannot be applied at once, because it is large, or much is waiting, or something is wrong with it, is
// stored, acknowledged, and applied later. So an acknowledged callback was applied, or is a row until it is.
package inbound

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
)

const (
	// maxAccepting bounds the bytes of callbacks that are being applied or stored while the provider waits.
	maxAccepting = 32 << 20
	// lastWords is how long a refused sender may go on before the connection is closed.
	lastWords = 100 * time.Millisecond
	// atOnce is how many updates a callback may have to be applied before the answer.
	atOnce = 100
	// patience is how long the provider waits for that. Then the callback is stored.
	patience = 2 * time.Second
)

// errRenamed is the error of a callback whose row was written under a name that this node no longer has. The rows of
// that name may have been taken over already; this one would then come after the next callbacks. It is not
// acknowledged, so that the provider sends it again.
var errRenamed = errors.New("the node got another name while it stored the callback")

// Config is what the receiver needs.
type Config struct {
	Store *store.Store
	// Lease is this process's right to its stored callbacks.
	Lease func() store.Lease
	// CanSign reports whether a text can be a signature at all; Verify checks a body's signature; Decode reads the
	// body. The provider's adapter implements them.
	CanSign     func(signature string) bool
	Verify      func(signature string, body []byte) bool
	Decode      func(body []byte) ([]provider.Update, error)
	VerifyToken string
	// PublicURL is where others reach stored files.
	PublicURL string
	// AwaitRecorded lets the outcomes of sends be written before callbacks about the same messages; nil: no wait.
	AwaitRecorded func(ctx context.Context, messageIDs []string)
	Metrics       *Metrics
	Log           *slog.Logger

	// around lets tests delay or fail transactions, and queued lets them make memory small.
	around func(updates []provider.Update, run func() error) error
	queued int
}

// Receiver handles callbacks and applies them in the background.
type Receiver struct {
	cfg     Config
	applier core.Applier
	intake  *intake
	signed  *signatures
	// accepting is the bytes of callbacks for which the provider waits.
	accepting atomic.Int64
	queues    *queues
	loader    chan struct{} // wakes the loader
	node      string        // the name under which all rows of dead nodes were last claimed; at first there is none

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	// writing is the context of transactions. It outlasts the others, until a stop may not wait any longer.
	writing context.Context
	cutOff  context.CancelFunc
}

// New makes a receiver. It answers the provider even before it is started.
func New(cfg Config) *Receiver {
	if cfg.Metrics == nil {
		cfg.Metrics = NewMetrics(nil)
	}
	if cfg.queued == 0 {
		cfg.queued = maxQueued
	}
	ctx, cancel := context.WithCancel(context.Background())
	writing, cutOff := context.WithCancel(context.Background())
	return &Receiver{
		cfg: cfg, applier: core.Applier{PublicURL: cfg.PublicURL, Words: &core.Words{}, Log: cfg.Log}, intake: newIntake(), queues: newQueues(cfg.queued),
		signed: newSignatures(cfg), loader: make(chan struct{}, 1), ctx: ctx, cancel: cancel, writing: writing, cutOff: cutOff,
	}
}

// Start starts the workers, beginning with the callbacks of an earlier process.
func (r *Receiver) Start(context.Context) error {
	for range workers {
		r.running.Go(r.work)
	}
	r.running.Go(r.sweepLoop)
	return nil
}

// Stop ends the work after the running transactions, which are given up when ctx ends. The rest stays in the table, or is
// sent again by the provider, which has no answer then.
func (r *Receiver) Stop(ctx context.Context) {
	r.cancel()
	r.queues.close()
	ended := make(chan struct{})
	go func() {
		r.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		r.cutOff()
	}
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

// receive takes a callback. It reads nothing of a request that cannot be the provider's.
func (r *Receiver) receive(w http.ResponseWriter, req *http.Request) {
	signature := req.Header.Get("X-Hub-Signature-256")
	if !r.cfg.CanSign(signature) {
		r.refuse(w, req, http.StatusUnauthorized, "the signature is missing or malformed")
		return
	}
	body, err := r.intake.read(w, req, func(body []byte) bool { return r.cfg.Verify(signature, body) })
	if err == nil || errors.Is(err, errSignature) {
		r.signed.saw(err)
	}
	if err != nil {
		r.refuseBody(w, req, err)
		return
	}
	ctx, span := tracing.Child(req.Context(), "apply callback")
	err = r.accept(ctx, body)
	span.End()
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

// refuseBody answers why a body was not taken.
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

// refuse answers and closes the connection, whatever is still to come on it. The server must not notice that the body
// was left unread: it would then keep the connection for a while to make sure that the answer arrives, and there may
// be many refused requests.
func (r *Receiver) refuse(w http.ResponseWriter, req *http.Request, status int, text string) {
	r.cfg.Metrics.refused.WithLabelValues(strconv.Itoa(status)).Inc()
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(lastWords))
	req.Body = http.NoBody
	w.Header().Set("Connection", "close")
	http.Error(w, text, status)
}

// accept takes a callback whose signature was right.
func (r *Receiver) accept(ctx context.Context, body []byte) error {
	size := int64(len(body))
	defer r.accepting.Add(-size)
	if r.accepting.Add(size) > maxAccepting {
		return errCrowded
	}
	err := r.applyOrKeep(ctx, r.decode(store.Callback{Body: storable(body)}))
	if err == nil {
		r.cfg.Metrics.stored.Inc()
	}
	return err
}

// storable makes a body that every store can hold: people send invalid characters, and JSON has no NUL.
func storable(body []byte) []byte {
	if utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 {
		return body
	}
	return bytes.ReplaceAll(bytes.ToValidUTF8(body, []byte("\uFFFD")), []byte{0}, nil)
}

// applyOrKeep applies a callback, or else stores it. A large one is stored at once.
func (r *Receiver) applyOrKeep(ctx context.Context, a *arrival) error {
	if len(a.parts) == 0 {
		return nil
	}
	if a.updates <= atOnce && r.queues.admit(a) {
		return r.await(ctx, a)
	}
	if err := r.keep(ctx, []*arrival{a}); err != nil {
		return err
	}
	if r.queues.admit(a) {
		return nil
	}
	if a.callback.Owner != r.cfg.Lease().Node {
		r.queues.letGo(a.callback)
		return errRenamed
	}
	r.queues.spill(a)
	r.wakeLoader()
	return nil
}

// await waits until a callback is applied, and stores it if that takes too long.
func (r *Receiver) await(ctx context.Context, a *arrival) error {
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case err := <-a.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
	case <-r.ctx.Done():
	}
	if r.queues.beginStoring(a) {
		return r.keep(ctx, []*arrival{a})
	}
	select { // it was applied, or a worker is storing it
	case err := <-a.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// decode reads a callback. A callback that the provider signed but that cannot be read has no updates.
func (r *Receiver) decode(c store.Callback) (a *arrival) {
	defer func() {
		if cause := recover(); cause != nil { // else a stored callback that panics would end the process at every start
			r.cfg.Log.Error("a callback could not be decoded and is dropped", "callback", c.ID, "bytes", len(c.Body), "error", cause)
			a = newArrival(c, nil)
		}
	}()
	updates, err := r.cfg.Decode(c.Body)
	if err != nil {
		r.cfg.Log.Error("a callback could not be decoded and is dropped", "callback", c.ID, "bytes", len(c.Body), "error", err)
	}
	return newArrival(c, apart(updates))
}

// apart makes an update of each message of a number's history. A callback can have thousands, and others wait while
// they are applied together.
func apart(updates []provider.Update) (all []provider.Update) {
	for _, u := range updates {
		chunk, ok := u.(provider.HistoryChunk)
		if !ok || len(chunk.Messages) < 2 {
			all = append(all, u)
			continue
		}
		for i := range chunk.Messages {
			one := chunk
			one.Messages = chunk.Messages[i : i+1]
			all = append(all, one)
		}
	}
	return all
}
