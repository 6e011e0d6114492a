package onboard

import (
	"context"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// comeBack handles the browser's return from the provider.
func (v *visit) comeBack() {
	query := v.r.URL.Query()
	st, stateErr := v.page.states.open(query.Get("state"), v.page.cfg.Store.Now())
	if errors.Is(stateErr, errForged) {
		v.distrust(core.Invitation{}, stateErr)
		return
	}
	invited, err := core.InvitationByID(v.page.cfg.Store.Read(v.r.Context()), st.orgID, st.linkID)
	if err != nil {
		v.fail(core.Invitation{}, err)
		return
	}
	if !v.page.limits.allow(perLink, st.linkID) {
		v.tooMany()
		return
	}
	if c := v.cookie(st.linkID); c.nonce == "" || browserOf(c.nonce) != st.browser {
		v.turnAway(invited)
		return
	}
	switch {
	case invited.Link.Status == chat.LinkConsumed && invited.Link.ConsumedBy == st.browser: // the page was loaded again
		v.succeedAgain(invited)
	case !v.open(invited):
	case stateErr != nil:
		v.fail(invited, signupFailed(stateErr))
	case query.Get("error") != "":
		v.fail(invited, refusal(query.Get("error"), query.Get("error_reason"), query.Get("error_description")))
	case query.Get("code") == "":
		v.fail(invited, signupFailed(errors.New("neither a code nor an error came back")))
	default:
		v.connect(invited, query.Get("code"), st.browser)
	}
}

// turnAway ends a visit that returns without its cookie. If the link has connected a number, this may be the
// same browser a day later: the page says that the link was used, and nothing more.
func (v *visit) turnAway(invited core.Invitation) {
	if invited.Link.Status == chat.LinkConsumed {
		v.show(statusOf[chat.ReasonLinkConsumed], v.failureView(chat.ReasonLinkConsumed, invited, ""))
		return
	}
	v.distrust(invited, errors.New("the signup was begun in another browser"))
}

// refusal is the provider's error in place of a code.
func refusal(kind, reason, description string) error {
	cause := fmt.Errorf("the provider says %.100q, %.100q, %.300q", kind, reason, description)
	if kind == "access_denied" {
		return &core.OnboardError{Reason: chat.ReasonSignupCancelled, Cause: cause}
	}
	return signupFailed(cause)
}

func signupFailed(cause error) error {
	return &core.OnboardError{Reason: chat.ReasonSignupFailed, Cause: cause}
}

// connected is the result of a successful signup.
type connected struct {
	account chat.Account
	invited core.Invitation
}

// connect connects the number. It goes on when the browser gives up; if the browser asks again with the same
// code, it gets the result of the first attempt.
func (v *visit) connect(invited core.Invitation, code, browser string) {
	done, err := v.page.running.do(invited.Link.ID+" "+browser, func() (connected, error) {
		ctx, cancel := v.background()
		defer cancel()
		return v.page.signUp(ctx, invited, code, browser)
	})
	if err != nil {
		v.failUnlessDone(invited, browser, err)
		return
	}
	v.succeed(done)
}

// failUnlessDone reports a failure, unless another node has meanwhile completed the same browser's signup with
// this code.
func (v *visit) failUnlessDone(invited core.Invitation, browser string, failure error) {
	now, err := core.InvitationByID(v.page.cfg.Store.Read(v.r.Context()), invited.Link.OrgID, invited.Link.ID)
	if err == nil && now.Link.ConsumedBy == browser {
		v.succeedAgain(now)
		return
	}
	v.fail(invited, failure)
}

// signUp goes from the code to a connected number. Its calls to the provider can be repeated; its own changes
// are one transaction.
func (p *Page) signUp(ctx context.Context, invited core.Invitation, code, browser string) (connected, error) {
	token, err := p.cfg.Provider.ExchangeCode(ctx, code, p.callback)
	if err != nil {
		return connected{}, signupFailed(fmt.Errorf("the code could not be exchanged: %w", err))
	}
	waba, numbers, err := p.cfg.Provider.SharedNumbers(ctx, token)
	if err == nil && len(numbers) == 0 {
		err = errors.New("no number was shared")
	}
	if err != nil {
		return connected{}, signupFailed(err)
	}
	n := provider.Number{PhoneNumberID: numbers[0].ID, WABAID: waba, Token: token}
	if err := p.mayConnect(ctx, invited, n.PhoneNumberID); err != nil {
		return connected{}, err
	}
	if err := p.cfg.Provider.Subscribe(ctx, n); err != nil {
		return connected{}, signupFailed(fmt.Errorf("callbacks could not be turned on: %w", err))
	}
	signup := core.Signup{
		OrgID: invited.Link.OrgID, LinkID: invited.Link.ID, By: browser, WABAID: waba, Number: p.registered(ctx, invited, n, numbers[0]),
	}
	signup.Status = signup.Number.Standing()
	done, err := p.complete(ctx, signup, token)
	if err != nil {
		p.letGo(ctx, n)
	}
	return done, err
}

// mayConnect refuses a number that belongs to somebody else here, before anything is done to it.
func (p *Page) mayConnect(ctx context.Context, invited core.Invitation, phoneNumberID string) error {
	known, err := p.cfg.Store.Read(ctx).AccountForCallback(phoneNumberID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case known.OrgID != invited.Link.OrgID || !same(known.CustomerID, invited.Link.CustomerID):
		return &core.OnboardError{Reason: chat.ReasonNumberTaken, Cause: fmt.Errorf("number %s is account %s", phoneNumberID, known.ID)}
	default:
		return nil
	}
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// registered registers a number that needs it, and returns its state after that.
func (p *Page) registered(ctx context.Context, invited core.Invitation, n provider.Number, number provider.PhoneNumber) provider.PhoneNumber {
	if !needsRegistration(number) {
		return number
	}
	return register(ctx, p.cfg.Provider, n, number, p.cfg.PIN(n.PhoneNumberID), p.cfg.Log.With(linkAttrs(invited)...))
}

func (p *Page) complete(ctx context.Context, signup core.Signup, token string) (done connected, err error) {
	err = p.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		account, invited, err := core.CompleteSignup(tx, signup, func(accountID string) string { return p.cfg.Seal(token, accountID) })
		done = connected{account: account, invited: invited}
		return err
	})
	if err == nil {
		p.cfg.Log.Info("signup completed", linkAttrs(done.invited, "account", done.account.ID, "phone_number_id", signup.Number.ID, "status", done.account.Status)...)
	}
	return done, err
}

// letGo turns the callbacks off again if no number here uses them.
func (p *Page) letGo(ctx context.Context, n provider.Number) {
	others, err := p.cfg.Store.Read(ctx).AccountsOfWABA(n.WABAID)
	if err == nil && len(others) == 0 {
		err = p.cfg.Provider.Unsubscribe(ctx, n)
	}
	if err != nil {
		p.cfg.Log.Warn("callbacks could not be turned off", "waba_id", n.WABAID, "error", err)
	}
}
