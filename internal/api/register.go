package api

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

func registerRegister(a *API) {
	flow(a, operation{
		method: http.MethodPost, path: "/{phone_number_id}/register", id: "registerNumber", tag: "Accounts",
		summary: "Register a number with its PIN",
		description: "Completes the onboarding of a number, or repairs a degraded one. If the number has two-step verification, " +
			"the PIN must match; otherwise it becomes the number's PIN for good.",
		errors: []chat.Code{chat.CodeRegistrationFailed, chat.CodeRegistrationInProgress, chat.CodeProviderFailure},
	}, registerNumber)
}

type registerInput struct {
	accountPath
	Body registerBody
}

type registerBody struct {
	PIN string `json:"pin" pattern:"^[0-9]{6}$" doc:"Six digits."`
}

type registrationView struct {
	Object         string  `json:"object" enum:"phone_number_registration"`
	PhoneNumberID  string  `json:"phone_number_id"`
	Registered     bool    `json:"registered"`
	Status         string  `json:"status" enum:"connected,disconnected,degraded,onboarding"`
	ProviderStatus *string `json:"provider_status" nullable:"true"`
}

func registerNumber(c *call, in *registerInput) (registrationView, error) {
	account, err := c.account(c.api.store.Read(c.ctx))
	if err != nil {
		return registrationView{}, err
	}
	account, err = core.Register(c.ctx, c.api.store, c.api.provider, c.api.token, account, in.Body.PIN)
	return registrationView{
		Object: "phone_number_registration", PhoneNumberID: in.PhoneNumberID, Registered: err == nil,
		Status: string(account.Status), ProviderStatus: account.ProviderStatus,
	}, err
}
