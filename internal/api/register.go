package api

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
)

func registerRegister(a *API) {
	rest.Flow(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/register", ID: "registerNumber", Tag: "Accounts", Role: chat.RoleAdmin,
		Summary: "Register a number with its PIN",
		Description: "Completes the onboarding of a number, or repairs a degraded one. If the number has two-step verification, " +
			"the PIN must match; otherwise it becomes the number's PIN for good.",
		Errors: []chat.Code{chat.CodeRegistrationFailed, chat.CodeRegistrationInProgress, chat.CodeProviderFailure},
	}, a.registerNumber)
}

type registerBody struct {
	PIN string `json:"pin" pattern:"^[0-9]{6}$" doc:"Six digits."`
}

type registrationView struct {
	Object         string             `json:"object" enum:"phone_number_registration"`
	PhoneNumberID  string             `json:"phone_number_id"`
	Registered     bool               `json:"registered"`
	Status         chat.AccountStatus `json:"status"`
	ProviderStatus *string            `json:"provider_status" nullable:"true"`
}

func (a *API) registerNumber(c *rest.Call, in *rest.NumberSent[registerBody]) (registrationView, error) {
	account, err := a.numbers.Register(c.Ctx, c.Account, in.Body.PIN)
	return registrationView{
		Object: "phone_number_registration", PhoneNumberID: in.PhoneNumberID, Registered: err == nil,
		Status: account.Status, ProviderStatus: account.ProviderStatus,
	}, err
}
