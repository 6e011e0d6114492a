package api

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// Authenticate finds the owner of the request's key. It asks the store every time, so that a revocation or a
// changed plan counts from the next request on, whichever process made it.
func (a *API) Authenticate(c *rest.Call) error {
	text, err := bearerKey(c.R.Header)
	if err != nil {
		return err
	}
	found, err := c.Read().KeyContext(chat.HashToken(text))
	if errors.Is(err, store.ErrNotFound) {
		return unknownKey()
	}
	if err != nil {
		return err
	}
	c.Caller = rest.Caller{
		Organization: found.Organization, Plan: found.Plan, Key: &found.Key,
		ReadsPerMinute: found.Plan.ReadPerMinute, WritesPerMinute: found.Plan.WritePerMinute,
	}
	doer := chat.Doer{Kind: chat.DoerKey, ID: found.Key.ID, Name: found.Key.Name}
	if addr := clientaddr.Of(c.R); addr.IsValid() {
		doer.Address = addr.String()
	}
	c.Ctx = store.WithDoer(c.Ctx, doer)
	return found.Key.Check(c.Now())
}

func unknownKey() error {
	return chat.Fail(chat.CodeInvalidAPIKey, "This is not a valid API key. Send one as `Authorization: Bearer svc_live_…`.")
}

func bearerKey(h http.Header) (string, error) {
	values := h.Values("Authorization")
	if len(values) == 0 || strings.TrimSpace(values[0]) == "" {
		return "", chat.Fail(chat.CodeMissingAPIKey, "Send your API key as `Authorization: Bearer svc_live_…`.")
	}
	scheme, text, _ := strings.Cut(strings.TrimSpace(values[0]), " ")
	text = strings.TrimSpace(text)
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || !chat.WellFormedKey(text) {
		return "", unknownKey()
	}
	return text, nil
}

// Admit checks the organization's rights, in the contract's order.
func (a *API) Admit(c *rest.Call) error {
	org, plan, op := c.Caller.Organization, c.Caller.Plan, c.Operation()
	if org.Suspended {
		return chat.Fail(chat.CodeOrganizationSuspended, "This organization is suspended. Contact the operator of this service.")
	}
	if !plan.API && !op.Always {
		return chat.Fail(chat.CodeFeatureNotAvailable, "The %s plan does not include the API. Change the plan to use it.", plan.Name)
	}
	if err := c.TakeToken(); err != nil {
		return err
	}
	if org.Lapsed(c.Now()) && !op.Always {
		return chat.Fail(chat.CodeSubscriptionInactive, "The subscription is inactive or its trial has ended. Renew it to go on.")
	}
	if op.Platform && !plan.Customers {
		return chat.Fail(chat.CodeFeatureNotEntitled, "The %s plan does not include customers. Change the plan to use them.", plan.Name)
	}
	return nil
}

// Errors are the codes of Authenticate and Admit.
func (a *API) Errors(op *rest.Operation) (codes []chat.Code) {
	if !op.Open {
		codes = append(codes, chat.CodeMissingAPIKey, chat.CodeInvalidAPIKey, chat.CodeRevokedAPIKey,
			chat.CodeExpiredAPIKey, chat.CodeOrganizationSuspended, chat.CodeRateLimitExceeded)
		if !op.Always {
			codes = append(codes, chat.CodeFeatureNotAvailable, chat.CodeSubscriptionInactive)
		}
	}
	if op.Platform {
		codes = append(codes, chat.CodeFeatureNotEntitled)
	}
	return codes
}

// Record writes the calls of known keys to the API log, including revoked and expired keys. Of those that no rate limit bounds
// it writes some.
func (a *API) Record(c *rest.Call, status int, took time.Duration) {
	key := c.Caller.Key
	if key == nil || !c.Paid() && !a.requests.room(key.ID, c.Now()) {
		return
	}
	call := store.APICall{
		OrgID: key.OrgID, RequestID: c.ID, KeyID: key.ID, Method: rest.LoggedMethod(c.R.Method),
		Path: loggedPath(c.R), Status: status, Latency: took, IP: loggedAddress(c.R),
	}
	if op := c.Operation(); op != nil {
		call.Route = op.Path
	}
	if c.Failure != nil {
		call.Code, call.Param, call.Message = string(c.Failure.Code), cut(c.Failure.Param, 200), cut(c.Failure.Message, 500)
	} else {
		call.Made = c.Made
	}
	a.requests.add(call)
}

// cut shortens a caller's text for the log, and removes what a text column cannot hold.
func cut(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

func loggedPath(r *http.Request) string {
	p := r.URL.EscapedPath() // escaped, so it has neither NUL nor broken UTF-8
	return p[:min(len(p), 512)]
}

func loggedAddress(r *http.Request) string {
	if a := clientaddr.Of(r); a.IsValid() {
		return a.String()
	}
	return ""
}
