package sender

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
)

// retryAfter is how long a message waits after each transient failure. After the last of them it fails.
var retryAfter = []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute}

const (
	// throttlePause is how long a number pauses after a rate limit for which the provider gave no duration.
	throttlePause = 10 * time.Second
	// throttleLife is how long rate limits may hold a message back before it fails.
	throttleLife = time.Hour
	// accountFresh is for how long what was read of a number and its organization counts.
	accountFresh = 250 * time.Millisecond
	// lookTimeout ends a read that the store does not answer. lookAgain is how soon the read is tried again.
	lookTimeout = 5 * time.Second
	lookAgain   = 500 * time.Millisecond
)

// send makes one attempt and hands its outcome to the recorder. A broadcast's message was looked at before.
func (n *number) send(w queued, look *core.Look) {
	begun := sync.OnceFunc(n.sender.starts.Leave)
	timer := time.AfterFunc(startTime, begun)
	result, again := n.attempt(&w, look, begun)
	timer.Stop()
	begun()
	n.returned(w.Job.Queue())
	n.sender.cfg.Metrics.outcomes.WithLabelValues(outcomeOf(result, again)).Inc()
	switch {
	case result != nil:
		n.sender.results.add(*result, func(err error) { n.recorded(w, again, err) })
	default: // throttled or gone: there is nothing to record
		n.settle(w, again)
	}
}

func outcomeOf(r *core.SendResult, again store.Moment) string {
	switch {
	case r == nil && again.IsZero():
		return "settled"
	case r == nil:
		return "throttled"
	case r.Retry != nil:
		return "retry"
	case r.Failure != nil:
		return "failed"
	default:
		return "sent"
	}
}

// recorded continues the queue once the outcome is durable. If the outcome could not be written, the message is in
// doubt: callbacks get some time to settle it before the message is tried again.
func (n *number) recorded(w queued, again store.Moment, err error) {
	if err != nil {
		w.Job.InDoubt = true
		again = n.sender.cfg.Store.Moment().Add(retryAfter[0])
	}
	n.settle(w, again)
}

func (n *number) settle(w queued, again store.Moment) {
	if w.Job.Owner != n.sender.Node() { // the node was declared dead meanwhile: other nodes continue with the message
		again = 0
	}
	if again.IsZero() {
		n.sender.release(n, w.Job.MessageID)
	} else {
		n.update(w)
	}
	n.done(w.Job.Queue(), again)
}

// attempt calls the provider, and calls begun when the request has been written. It returns the result to record and
// when to try again.
func (n *number) attempt(w *queued, look *core.Look, begun func()) (*core.SendResult, store.Moment) {
	s := n.sender
	ctx, cancel := context.WithTimeout(store.WithTurn(context.WithoutCancel(s.ctx), w.turn()), sendTimeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { begun() }})
	account, refused, err := n.check(ctx, w, look)
	switch {
	case err != nil:
		return nil, n.unlessGone(ignoreNotFound(err))
	case refused != nil:
		return &core.SendResult{Work: w.SendWork, Failure: refused}, 0
	}
	sent, err := s.call(ctx, account, w)
	s.answers.came(err)
	switch {
	case err == nil:
		return &core.SendResult{Work: w.SendWork, Sent: sent}, 0
	case errors.Is(err, errNoLease):
		return nil, s.cfg.Store.Moment().Add(leaseAgain)
	default:
		return n.failed(w, account, err)
	}
}

// check tells why a message must not be sent any more, or returns the account that sends it. It returns ErrNotFound if
// there is nothing to send.
func (n *number) check(ctx context.Context, w *queued, look *core.Look) (account chat.Account, refused *chat.MessageError, err error) {
	s := n.sender
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	refuse := core.RefuseQueued
	if look != nil {
		refuse, err = look.Refuse, s.stillWanted(ctx, w.SendWork, *look)
	} else {
		err = s.stillOpen(ctx, w)
	}
	if err != nil {
		return account, nil, err
	}
	standing, err := n.standing(ctx)
	if err != nil {
		return account, nil, err
	}
	refused, err = refuse(s.cfg.Store.Read(ctx), standing, w.SendWork, s.cfg.Store.Now())
	return standing.Account, refused, err
}

// standing reads the account and its organization, at most every accountFresh. A stop of either must also stop messages
// that are already queued.
func (n *number) standing(ctx context.Context) (core.Standing, error) {
	now := n.sender.cfg.Store.Moment()
	n.mu.Lock()
	cached, at := n.cached, n.cachedAt
	n.mu.Unlock()
	if now.Sub(at) < accountFresh {
		return cached, nil
	}
	st := n.sender.cfg.Store
	fresh, err := core.ReadStanding(st.Read(st.WithGlance(ctx)), n.orgID, n.accountID)
	if err != nil {
		return core.Standing{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cached, n.cachedAt = fresh, now
	return fresh, nil
}

// unlessGone retries soon after an error of the store. A job that no longer exists is done.
func (n *number) unlessGone(err error) store.Moment {
	if err == nil {
		return 0
	}
	n.sender.warn("a job could not be looked up", err)
	return n.sender.cfg.Store.Moment().Add(lookAgain)
}

func ignoreNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// stillOpen returns ErrNotFound if the job no longer exists or is another node's. A sweep takes jobs up some time after
// they became due, and may be late: a callback or another node may have settled them. A job that was known to be open a
// moment ago is not looked up.
func (s *Sender) stillOpen(ctx context.Context, w *queued) error {
	if w.Job.Attempts == 0 && !w.Job.InDoubt && s.cfg.Store.Moment().Sub(w.known) < s.cfg.SweepEvery {
		return nil
	}
	owner, err := s.cfg.Store.Read(ctx).SendJobOwner(w.Job.OrgID, w.Job.MessageID)
	if err == nil && owner != w.Job.Owner {
		return store.ErrNotFound
	}
	return err
}

// stillWanted is stillOpen for a broadcast's message that was looked at. If its broadcast was paused or stopped after
// the message was made, and the provider cannot have the message, it is taken back.
func (s *Sender) stillWanted(ctx context.Context, w store.SendWork, look core.Look) error {
	switch {
	case !look.Open:
		return store.ErrNotFound
	case !look.Halted || w.Job.Attempts > 0 || w.Job.InDoubt:
		return nil
	}
	withdrawn := false
	err := s.cfg.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		withdrawn, err = core.Withdraw(tx, w)
		return err
	})
	if err == nil && withdrawn {
		return store.ErrNotFound
	}
	return err
}

func (s *Sender) call(ctx context.Context, account chat.Account, w *queued) (provider.Sent, error) {
	token, err := s.cfg.Token(account)
	if err != nil {
		return provider.Sent{}, err
	}
	from := provider.Number{PhoneNumberID: *account.PhoneNumberID, WABAID: account.WABAID, Token: token}
	m := provider.Outbound{ID: w.Message.ID, ReplyTo: w.Message.Context, Type: w.Message.Type, Content: w.Message.Content}
	switch {
	case w.To != nil:
		m.To = *w.To
	case w.BSUID != nil:
		m.Recipient = *w.BSUID
	case w.Parent != nil:
		m.Recipient = *w.Parent
	}
	if w.Message.MediaID != "" {
		m.MediaID, w.MediaURL, err = s.cfg.Media(ctx, from, account, w.Message.MediaID)
		if err != nil {
			return provider.Sent{}, err
		}
	}
	if w.Message.Type == chat.TypeTemplate {
		if m.MediaIDs, err = s.templateMedia(ctx, from, account, w.Message.Content); err != nil {
			return provider.Sent{}, err
		}
	}
	if !s.owns(w.Job) { // the steps above may have taken long
		return provider.Sent{}, errNoLease
	}
	begin := s.cfg.Store.Moment()
	s.cfg.Metrics.wait.Observe(begin.Sub(w.accepted).Seconds())
	sent, err := s.handToProvider(ctx, from, m, w)
	s.cfg.Metrics.call.Observe(s.cfg.Store.Moment().Sub(begin).Seconds())
	return sent, err
}

// handToProvider makes the call itself.
func (s *Sender) handToProvider(ctx context.Context, from provider.Number, m provider.Outbound, w *queued) (provider.Sent, error) {
	ctx, span := s.cfg.Tracer.Begin(ctx, "send to provider")
	defer span.End()
	span.Text(tracing.MessageID, m.ID)
	span.Text(tracing.Number, from.PhoneNumberID)
	span.Count(tracing.Attempt, int(w.Job.Attempts)+1)
	sent, err := s.cfg.Provider.Send(ctx, from, m)
	if err != nil {
		span.Fail("the provider did not take it")
	}
	return sent, err
}

// failed decides what a failed call means for the message, its conversation and its number.
func (n *number) failed(w *queued, account chat.Account, err error) (*core.SendResult, store.Moment) {
	now := n.sender.cfg.Store.Moment()
	e, ok := errors.AsType[*provider.Error](err)
	if !ok {
		n.sender.cfg.Log.Error("a send failed before the call", "message", w.Message.ID, "error", err)
		e = &provider.Error{Message: "The message could not be handed to the provider.", Transient: true, Cause: err}
	}
	class := e.Class()
	if status := standing(class); status != "" {
		n.sender.demote(account, status, e)
	}
	if wait := n.throttled(w, e, class); wait > 0 && now.Sub(w.accepted) < throttleLife {
		return nil, now.Add(wait)
	}
	again := e.Transient || class.Transient || e.OutcomeUnknown || n.sender.forgetFiles(account, w.Message, e)
	if !again || w.Job.Attempts >= len(retryAfter) {
		failure := e.MessageError()
		failure.ProviderCode = new(e.CodeOrOutage())
		return &core.SendResult{Work: w.SendWork, Failure: &failure, Said: e}, 0
	}
	wait := retryAfter[w.Job.Attempts]
	w.Job.DueAt = n.sender.cfg.Store.Now().Add(wait)
	w.Job.Attempts++
	w.Job.InDoubt = e.OutcomeUnknown
	retry := w.Job
	return &core.SendResult{Work: w.SendWork, Retry: &retry}, now.Add(wait)
}

// standing is the account status that a failure leads to. It is empty if the failure does not concern the whole
// account.
func standing(class provider.Class) chat.AccountStatus {
	switch {
	case class.NumberGone:
		return chat.AccountDisconnected
	case class.TokenLost, class.Unregistered:
		return chat.AccountDegraded
	default:
		return ""
	}
}

// throttled pauses the number or the conversation and returns for how long. It returns zero if the failure is not a
// rate limit.
func (n *number) throttled(w *queued, e *provider.Error, class provider.Class) time.Duration {
	switch {
	case class.PairLimited:
		return n.penalize(w.Job.Queue())
	case e.Throttled || class.Throttled:
		wait := max(e.RetryAfter, throttlePause)
		n.hold(wait)
		return wait
	default:
		return 0
	}
}

// demote marks an account whose messages the provider no longer accepts. All its sends would fail until it is connected
// or registered again.
func (s *Sender) demote(account chat.Account, status chat.AccountStatus, said *provider.Error) {
	changed := false
	err := s.cfg.Store.InTx(store.WithTurn(context.WithoutCancel(s.ctx), store.Turn{OrgID: account.OrgID}), func(tx *store.Tx) (err error) {
		changed, err = core.DemoteAccount(tx, account, status, core.ReasonOf(said))
		return err
	})
	if err != nil {
		s.warn("an account could not be marked as "+string(status), err)
		return
	}
	if changed {
		s.cfg.Log.Warn("a number sends nothing any more, until it is connected or registered anew",
			"account", account.ID, "organization", account.OrgID, "status", string(status), "reason", core.ReasonOf(said))
	}
}
