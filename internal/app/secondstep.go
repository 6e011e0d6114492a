package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerSecondStep(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/me/second-step", ID: "getSecondStep", Tag: "Me", Role: chat.RoleAgent, Always: true,
		Summary: "Tell whether one signs in with two steps", Description: "With how many recovery codes are left.",
	}, getSecondStep)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/me/second-step", ID: "beginSecondStep", Tag: "Me", Role: chat.RoleAgent, Always: true, Keyless: true,
		Summary: "Begin to set up two-step sign-in", Description: "The answer is for an authenticator app. It counts once it is confirmed; another beginning replaces it.",
	}, a.beginSecondStep)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/me/second-step/confirm", ID: "confirmSecondStep", Tag: "Me", Role: chat.RoleAgent, Always: true, Keyless: true,
		Summary: "Turn on two-step sign-in", Description: "With a code of the app, and the password if the beginning said so. Recovery codes are shown once. Every other session ends.",
	}, a.confirmSecondStep)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/me/second-step/recovery-codes", ID: "renewRecoveryCodes", Tag: "Me", Role: chat.RoleAgent, Always: true, Keyless: true,
		Summary: "Make other recovery codes", Description: "Those from before stop working.",
	}, a.renewRecoveryCodes)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/me/second-step/off", ID: "endSecondStep", Tag: "Me", Role: chat.RoleAgent, Always: true, Keyless: true,
		Summary: "Turn off two-step sign-in", Description: "Takes the password and a code.",
	}, a.endSecondStep)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/users/{id}/second-step", ID: "takeOffSecondStep", Tag: "Users", Role: chat.RoleAdmin,
		Summary: "Take off a user's two-step sign-in", Description: "For somebody who has lost the phone and the recovery codes. The user is signed out everywhere. An admin cannot do it to an owner, and nobody to themselves.",
	}, takeOffSecondStep)
}

type secondStepView struct {
	On       bool          `json:"on"`
	Since    *rest.Instant `json:"since" nullable:"true"`
	Left     int           `json:"recovery_codes_left"`
	Required bool          `json:"required" doc:"The organization wants it of everybody."`
}

func getSecondStep(c *rest.Call, _ *noInput) (view secondStepView, err error) {
	u := c.Caller.User
	view = secondStepView{On: u.SecondStep, Required: c.Caller.Organization.Settings.SecondStep}
	if !u.SecondStep {
		return view, nil
	}
	r := c.Read()
	step, err := r.SecondStep(u.OrgID, u.ID)
	if err != nil {
		return view, err
	}
	if step.ConfirmedAt != nil {
		view.Since = new(rest.Instant(*step.ConfirmedAt))
	}
	view.Left, err = r.RecoveryCodesLeft(u.OrgID, u.ID)
	return view, err
}

type begunView struct {
	Secret         string `json:"secret" doc:"For an app that cannot scan."`
	Address        string `json:"address" doc:"What the app scans."`
	PasswordNeeded bool   `json:"password_needed" doc:"Confirming takes the password too: it is more than a quarter of an hour since the user signed in."`
}

// issuer is the entry's name in the authenticator app. It has the organization's name, because people may use
// several servers.
func issuer(org chat.Organization) string { return "Parley (" + org.Name + ")" }

func (a *App) beginSecondStep(tx *store.Tx, c *rest.Call, _ *noInput) (begunView, error) {
	u := c.Caller.User
	secret, err := core.BeginSecondStep(tx, a.cfg.Vault, *u)
	return begunView{secret, chat.TOTPAddress(secret, issuer(c.Caller.Organization), u.Email), core.PasswordNeeded(tx.Now(), *c.Caller.Session)}, err
}

type confirmBody struct {
	Code     string  `json:"code" minLength:"1" maxLength:"40"`
	Password *string `json:"password,omitempty" minLength:"1" maxLength:"4096"`
}

type recoveryView struct {
	Codes []string `json:"recovery_codes" doc:"Shown once."`
}

func (a *App) confirmSecondStep(c *rest.Call, in *rest.Sent[confirmBody]) (view recoveryView, err error) {
	known := in.Body.Password != nil
	if known {
		err = a.logins.guard(c, a.keysOf(c.Caller.User.Email, "", c), func() error { return core.KnowsPassword(*c.Caller.User, *in.Body.Password) })
	}
	if err != nil {
		return view, err
	}
	err = a.store.InTx(c.Ctx, func(tx *store.Tx) (err error) {
		view.Codes, err = core.ConfirmSecondStep(tx, a.cfg.Vault, sessionOf(c), in.Body.Code, known)
		return err
	})
	if err != nil {
		return recoveryView{}, err
	}
	return view, a.knowAgain(c, c.Read())
}

func (a *App) renewRecoveryCodes(c *rest.Call, in *rest.Sent[proofBody]) (view recoveryView, err error) {
	err = a.guardProof(c, in.Body, func() (err error) {
		view.Codes, err = core.RenewRecoveryCodes(c.Ctx, a.store, a.cfg.Vault, *c.Caller.User, in.Body.proof())
		return err
	})
	return view, err
}

func (a *App) endSecondStep(c *rest.Call, in *rest.Sent[proofBody]) (secondStepView, error) {
	err := a.guardProof(c, in.Body, func() error {
		return core.EndSecondStep(c.Ctx, a.store, a.cfg.Vault, *c.Caller.User, in.Body.proof())
	})
	if err != nil {
		return secondStepView{}, err
	}
	return secondStepView{Required: c.Caller.Organization.Settings.SecondStep}, a.knowAgain(c, c.Read())
}

// guardProof slows down guesses from a signed-in browser.
func (a *App) guardProof(c *rest.Call, p proofBody, do func() error) error {
	return a.logins.guard(c, a.keysOf(c.Caller.User.Email, p.Code, c), do)
}

func takeOffSecondStep(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.UserID]) (userView, error) {
	u, err := core.TakeOffSecondStep(tx, *c.Caller.User, c.OrgID(), string(in.ID))
	if err != nil {
		return userView{}, err
	}
	return showUser(tx, u)
}
