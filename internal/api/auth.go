package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// authenticate finds out whose key the request carries. It asks the store every time, so that a
// revocation or a changed plan counts from the next request on, whichever process made it.
func (a *API) authenticate(c *call) error {
	text, err := bearerKey(c.r.Header)
	if err != nil {
		return err
	}
	key, err := a.store.Read(c.ctx).KeyContext(chat.HashKey(text))
	if errors.Is(err, store.ErrNotFound) {
		return unknownKey()
	}
	if err != nil {
		return err
	}
	c.key, c.named = key, true
	if err := key.Key.Check(a.store.Now()); err != nil {
		return err
	}
	c.known = true
	return nil
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

// admit checks what the organization may do now, in the contract's order.
func (a *API) admit(c *call) error {
	org, plan := c.key.Organization, c.key.Plan
	if org.Suspended {
		return chat.Fail(chat.CodeOrganizationSuspended, "This organization is suspended. Contact the operator of this service.")
	}
	if !plan.API && !c.op.always {
		return chat.Fail(chat.CodeFeatureNotAvailable, "The %s plan does not include the API. Change the plan to use it.", plan.Name)
	}
	if err := c.takeToken(); err != nil {
		return err
	}
	if org.Lapsed(a.store.Now()) && !c.op.always {
		return chat.Fail(chat.CodeSubscriptionInactive, "The subscription is inactive or its trial has ended. Renew it to go on.")
	}
	if c.op.platform && !plan.Customers {
		return chat.Fail(chat.CodeFeatureNotEntitled, "The %s plan does not include customers. Change the plan to use them.", plan.Name)
	}
	return nil
}
