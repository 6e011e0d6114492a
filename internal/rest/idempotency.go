package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerReplayed       = "Idempotent-Replayed"
)

// claims are the keys of the requests that this process is working on. Between processes a lock in the store
// does the same.
type claims struct {
	mu   *sync.Mutex
	held map[store.AnswerKey]string // fingerprint
}

func newClaims() claims { return claims{mu: &sync.Mutex{}, held: map[store.AnswerKey]string{}} }

// take claims a key for one request. The error says why the key is not free.
func (cs claims) take(k store.AnswerKey, fingerprint string) (release func(), err error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if other, ok := cs.held[k]; ok {
		if other != fingerprint {
			return nil, keyReused()
		}
		return nil, stillInProgress()
	}
	cs.held[k] = fingerprint
	return func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		delete(cs.held, k)
	}, nil
}

func keyReused() error {
	return &chat.Error{Code: chat.CodeIdempotencyKeyReuse, Param: headerIdempotencyKey,
		Message: "This Idempotency-Key was used for another request in the last 24 hours. Use a new key for a new request."}
}

func stillInProgress() error {
	return &chat.Error{Code: chat.CodeIdempotencyInProgress, Param: headerIdempotencyKey,
		Message: "The same request with this Idempotency-Key is still being worked on. Try again shortly."}
}

// WriteOnce runs the one transaction of a request. Under an Idempotency-Key it runs at most once, and a repetition
// gets the same answer: the answer is stored in the transaction of the effect, so neither ever exists without the
// other. wrong is what is known to be wrong with the request; a repetition gets the first answer even then.
func (c *Call) WriteOnce(body []byte, wrong error, run func(*store.Tx) (Answer, error)) (ans Answer, err error) {
	attempt := func(tx *store.Tx) (Answer, error) {
		if wrong != nil {
			return Answer{}, wrong
		}
		return run(tx)
	}
	if c.hasIdempotencyKey() {
		k, fingerprint, release, err := c.claim(body)
		if err != nil {
			return Answer{}, err
		}
		defer release()
		return c.runOnce(k, fingerprint, attempt)
	}
	if wrong != nil {
		return Answer{}, wrong
	}
	err = c.inTx(func(tx *store.Tx) (err error) {
		ans, err = run(tx)
		return err
	})
	return ans, err
}

// claim takes the key for as long as the request is worked on. It looks up the objects of the path before, so
// that a 404 is neither stored under the key nor hidden by it.
func (c *Call) claim(body []byte) (k store.AnswerKey, fingerprint string, release func(), err error) {
	if err := c.findInPath(); err != nil {
		return store.AnswerKey{}, "", nil, err
	}
	c.W.Header().Set(headerReplayed, "false")
	key := c.R.Header.Get(headerIdempotencyKey)
	if !validIdempotencyKey(key) || len(c.R.Header.Values(headerIdempotencyKey)) > 1 {
		return store.AnswerKey{}, "", nil, chat.Invalid(headerIdempotencyKey, "Must be one header of 1 to 255 printable ASCII characters.")
	}
	k = store.AnswerKey{OrgID: c.OrgID(), Key: c.ownKey(key)}
	fingerprint = fingerprintOf(c.R, body)
	release, err = c.surface.claims.take(k, fingerprint)
	return k, fingerprint, release, err
}

// ownKey is a key as it is stored. Programs of an organization share their keys. Users do not, because one may not see
// what another was answered. No program sends a line break, so no key of theirs is a user's.
func (c *Call) ownKey(key string) string {
	if c.Caller.User == nil {
		return key
	}
	return c.Caller.User.ID + "\n" + key
}

// hasIdempotencyKey reports whether the request carries a key.
func (c *Call) hasIdempotencyKey() bool {
	return c.op.takesKeys() && c.R.Method == http.MethodPost && len(c.R.Header.Values(headerIdempotencyKey)) > 0
}

// FlowOnce is WriteOnce for an operation that calls the network. Its answer is stored after its effect. A retry
// after a crash between the two runs the operation again, so the operation must be repeatable.
func (c *Call) FlowOnce(body []byte, run func() (Answer, error)) (Answer, error) {
	if !c.hasIdempotencyKey() {
		return run()
	}
	k, fingerprint, release, err := c.claim(body)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	rec, err := c.surface.store.Read(c.Ctx).IdempotencyRecord(k.OrgID, k.Key, c.surface.store.Now().Add(-store.IdempotencyWindow))
	if err == nil {
		return c.replay(rec, fingerprint)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return Answer{}, err
	}
	ans, err := run()
	if err != nil {
		if code, ok := chat.CodeOf(err); !ok || catalogue[code].status >= http.StatusInternalServerError {
			return Answer{}, err
		}
		ans = c.errorAnswer(err)
	}
	kept := store.IdempotencyRecord{
		OrgID: k.OrgID, Key: k.Key, Fingerprint: fingerprint, RequestID: c.ID, Status: ans.status, Body: c.keep(ans.text()),
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Ctx), RequestTimeout)
	defer cancel()
	return ans, c.surface.store.InTx(ctx, func(tx *store.Tx) error { return tx.PutIdempotencyRecord(kept) })
}

// runOnce runs the operation unless the key has an answer. A refusal rolls back everything, so it is stored in a
// second transaction; if another node has answered in between, that answer counts. Errors that must not be stored are
// returned.
func (c *Call) runOnce(k store.AnswerKey, fingerprint string, run func(*store.Tx) (Answer, error)) (ans Answer, err error) {
	var refusal error
	ans, err = c.answerOnce(k, fingerprint, func(tx *store.Tx) (Answer, error) {
		ans, err := run(tx)
		refusal = err
		return ans, err
	})
	if code, ok := chat.CodeOf(refusal); !ok || !errors.Is(err, refusal) || catalogue[code].status >= http.StatusInternalServerError {
		return ans, err
	}
	return c.answerOnce(k, fingerprint, func(*store.Tx) (Answer, error) { return c.errorAnswer(refusal), nil })
}

// answerOnce returns the key's answer, or makes and stores it in one transaction.
func (c *Call) answerOnce(k store.AnswerKey, fingerprint string, run func(*store.Tx) (Answer, error)) (ans Answer, err error) {
	var earlier *store.IdempotencyRecord
	c.foresight.Answer = k
	err = c.inTx(func(tx *store.Tx) error {
		earlier = nil
		switch free, err := tx.LockAnswer(k); {
		case err != nil:
			return err
		case !free:
			return stillInProgress()
		}
		rec, err := tx.IdempotencyRecord(k.OrgID, k.Key, tx.Now().Add(-store.IdempotencyWindow))
		if err == nil {
			earlier = &rec
			return nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if ans, err = run(tx); err != nil {
			return err
		}
		return tx.PutIdempotencyRecord(store.IdempotencyRecord{
			OrgID: k.OrgID, Key: k.Key, Fingerprint: fingerprint, RequestID: c.ID, Status: ans.status, Body: c.keep(ans.text()),
		})
	})
	if err != nil || earlier == nil {
		return ans, err
	}
	return c.replay(*earlier, fingerprint)
}

// replay repeats the first answer under the first request's id, so that header and body agree.
func (c *Call) replay(rec store.IdempotencyRecord, fingerprint string) (Answer, error) {
	if rec.Fingerprint != fingerprint {
		return Answer{}, keyReused()
	}
	body, err := c.kept(rec)
	if err != nil {
		return Answer{}, err
	}
	c.W.Header().Set(headerReplayed, "true")
	c.W.Header().Set(headerRequestID, rec.RequestID)
	return Answer{status: rec.Status, body: body}, nil
}

// keep returns an answer in its stored form.
func (c *Call) keep(body []byte) string {
	if !c.op.Secret {
		return string(body)
	}
	return c.surface.vault.Seal(string(body), AnswerContext(c.OrgID(), c.ID))
}

// kept returns a stored answer as it was first given.
func (c *Call) kept(rec store.IdempotencyRecord) ([]byte, error) {
	if !c.op.Secret {
		return []byte(rec.Body), nil
	}
	body, err := c.surface.vault.Open(rec.Body, AnswerContext(rec.OrgID, rec.RequestID))
	return []byte(body), err
}

// AnswerContext binds a sealed answer to its request.
func AnswerContext(orgID, requestID string) string { return "answer " + orgID + " " + requestID }

func validIdempotencyKey(key string) bool {
	if len(key) < 1 || len(key) > 255 {
		return false
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return false
		}
	}
	return true
}

// fingerprintOf identifies a request by method, path and body. The order of the body's keys and the white space
// between them do not matter.
func fingerprintOf(r *http.Request, body []byte) string {
	canonical := jsontext.Value(bytes.Clone(body))
	if err := canonical.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false)); err != nil {
		canonical = body
	}
	h := sha256.New()
	h.Write([]byte(r.Method + " " + r.URL.EscapedPath() + "\n"))
	h.Write(canonical)
	return hex.EncodeToString(h.Sum(nil))
}
