package simulator

import (
	"crypto/sha256"
	"net/http"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// accessToken exchanges a code, or the app's credentials, for a token.
func (s *Simulator) accessToken(c *call) (answer, *wire.Error) {
	if err := c.ParseForm(); err != nil {
		return answer{}, wire.BadParam("The form could not be read")
	}
	f := c.Form
	for _, name := range []string{"client_id", "client_secret"} {
		if f.Get(name) == "" {
			return answer{}, &wire.Error{Status: http.StatusBadRequest, Code: 101, Message: "Missing " + name + " parameter."}
		}
	}
	if f.Get("client_id") != s.cfg.AppID {
		return answer{}, &wire.Error{Status: http.StatusBadRequest, Code: 101, Message: "Error validating application. Cannot get application info due to a system error."}
	}
	if s.cfg.AppSecret != "" && f.Get("client_secret") != s.cfg.AppSecret {
		return answer{}, &wire.Error{Status: http.StatusBadRequest, Code: 1, Message: "Error validating client secret."}
	}
	if f.Get("grant_type") == "client_credentials" {
		return ok(map[string]string{"access_token": s.cfg.AppID + "|" + s.cfg.AppSecret, "token_type": "bearer"}), nil
	}
	g, err := s.redeem(f.Get("code"), f.Get("redirect_uri"))
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]string{"access_token": s.sealGrant(g), "token_type": "bearer"}), nil
}

// redeem uses up a code.
func (s *Simulator) redeem(code, redirect string) (grant, *wire.Error) {
	refused := func(subcode int, message string) *wire.Error {
		return &wire.Error{Status: http.StatusBadRequest, Code: 100, Subcode: subcode, Message: message}
	}
	if code == "" {
		return grant{}, refused(0, "Missing authorization code")
	}
	if _, found := s.codes.Get(recent.Key(code)); !found {
		return grant{}, refused(0, "Invalid verification code format.")
	}
	var err *wire.Error
	now := s.now()
	ac := s.codes.Update(recent.Key(code), func(ac authCode) authCode {
		switch {
		case ac.used:
			err = refused(36009, "This authorization code has been used.")
		case !now.Before(ac.expires):
			err = refused(36007, "This authorization code has expired.")
		case redirect != ac.redirect:
			err = refused(36008, "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request")
		default:
			ac.used = true
		}
		return ac
	})
	return ac.grant, err
}

var tokenScopes = []string{"whatsapp_business_management", "whatsapp_business_messaging"}

// debugToken shows what a token may do.
func (s *Simulator) debugToken(c *call) (answer, *wire.Error) {
	input := c.param("input_token")
	if input == "" {
		return answer{}, wire.BadParam("The parameter input_token is required.")
	}
	data := map[string]any{
		"app_id": s.cfg.AppID, "type": "SYSTEM_USER", "application": "Simulated app", "expires_at": 0, "data_access_expires_at": 0,
		"is_valid": true, "scopes": tokenScopes, "user_id": names.DerivedID(names.Business, input),
	}
	tok, err := s.checkToken(input)
	if err != nil {
		data["is_valid"], data["scopes"] = false, []string{}
		data["error"] = map[string]any{"code": err.Code, "message": err.Text(), "subcode": err.Subcode}
		return ok(map[string]any{"data": data}), nil
	}
	if tok.grant != nil {
		data["issued_at"] = tok.grant.Issued
	}
	if ids := s.accountsOf(tok); len(ids) > 0 {
		var granular []any
		for _, scope := range tokenScopes {
			granular = append(granular, map[string]any{"scope": scope, "target_ids": ids})
		}
		data["granular_scopes"] = granular
	}
	return ok(map[string]any{"data": data}), nil
}

// accountsOf lists the accounts known to belong to a token, the newest first.
func (s *Simulator) accountsOf(tok token) []string {
	if tok.grant != nil {
		return []string{tok.grant.WABA}
	}
	if w := s.accounts.namedBy(tok.raw); w != nil {
		return []string{w.id}
	}
	return nil
}

// systemUserToken gives an app its token after the hosted page, which gives no code.
func (s *Simulator) systemUserToken(c *call) (answer, *wire.Error) {
	g, found := s.grants.Get(recent.Key(c.id))
	if !found {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	var in struct {
		Proof string `json:"appsecret_proof"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.Proof != signature(sha256.New, s.cfg.AppSecret, []byte(c.token.raw)) {
		return answer{}, wire.BadParam("Invalid appsecret_proof provided in the API argument")
	}
	return ok(map[string]string{"access_token": s.sealGrant(g)}), nil
}
