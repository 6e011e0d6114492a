package simulator

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

var numberDefaults = []string{
	"verified_name", "code_verification_status", "display_phone_number", "quality_rating", "platform_type", "throughput", "webhook_configuration",
}

// listedDefaults are the default fields of each number in an account's list.
var listedDefaults = append(slices.Clone(numberDefaults), "status", "last_onboarded_time")

// upstreamTime is the graph's format of times.
const upstreamTime = "2006-01-02T15:04:05-0700"

func (s *Simulator) numberNode(n *number) node {
	w := n.waba.Load()
	n.mu.Lock()
	defer n.mu.Unlock()
	return node{kind: "WhatsAppBusinessPhoneNumber", id: n.id, defaults: numberDefaults, fields: map[string]any{
		"verified_name": n.name, "display_phone_number": formatPhone(n.digits), "status": n.status,
		"code_verification_status": n.verification(), "quality_rating": n.quality,
		"quality_score": map[string]any{"score": n.quality}, "name_status": n.nameStatus, "new_name_status": "NONE",
		"account_mode": n.mode, "platform_type": n.platform(), "host_platform": n.platform(),
		"throughput": map[string]any{"level": n.throughput()}, "is_official_business_account": false,
		"is_pin_enabled": n.pin != "", "is_on_biz_app": n.onApp, "certificate": nil, "username": nil,
		"messaging_limit_tier": n.tier, "whatsapp_business_manager_messaging_limit": n.tier,
		"search_visibility": "VISIBLE", "last_onboarded_time": n.onboarded.UTC().Format(upstreamTime),
		"health_status": n.health(w), "webhook_configuration": s.webhooksOf(n, w),
	}}
}

func (n *number) verification() string {
	if n.verified {
		return "VERIFIED"
	}
	return "NOT_VERIFIED"
}

func (n *number) platform() string {
	if n.status == connected {
		return "CLOUD_API"
	}
	return "NOT_APPLICABLE"
}

func (n *number) throughput() string {
	if n.status == connected {
		return "STANDARD"
	}
	return "NOT_APPLICABLE"
}

func (n *number) health(w *waba) map[string]any {
	can := "AVAILABLE"
	entity := map[string]any{"entity_type": "PHONE_NUMBER", "id": n.id}
	if n.status != connected {
		can = "BLOCKED"
		entity["errors"] = []any{map[string]any{
			"error_code": 141000, "error_description": "The number is " + n.status, "possible_solution": "Register the number",
		}}
	}
	entity["can_send_message"] = can
	return map[string]any{"can_send_message": can, "entities": []any{
		entity,
		map[string]any{"entity_type": "WABA", "id": w.id, "can_send_message": "AVAILABLE"},
		map[string]any{"entity_type": "BUSINESS", "id": w.business, "can_send_message": "AVAILABLE"},
	}}
}

func (s *Simulator) webhooksOf(n *number, w *waba) map[string]string {
	out := map[string]string{}
	w.mu.Lock()
	override := w.overrideURL
	w.mu.Unlock()
	for key, url := range map[string]string{
		"phone_number": n.overrideURL, "whatsapp_business_account": override, "application": s.callbacks.app.Load().url,
	} {
		if url != "" {
			out[key] = url
		}
	}
	return out
}

func (s *Simulator) listNumbers(c *call, w *waba) (answer, *wire.Error) {
	var nodes []node
	for _, n := range s.accounts.numbersOf(w) {
		item := s.numberNode(n)
		item.defaults = listedDefaults
		nodes = append(nodes, item)
	}
	return listAnswer(c, nodes)
}

// createNumber adds a number that must still be verified and registered.
func (s *Simulator) createNumber(c *call, w *waba) (answer, *wire.Error) {
	var in struct {
		CC    wire.Loose `json:"cc"`
		Phone wire.Loose `json:"phone_number"`
		Name  string     `json:"verified_name"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	for name, v := range map[string]string{"cc": string(in.CC), "phone_number": string(in.Phone), "verified_name": in.Name} {
		if v == "" {
			return answer{}, wire.BadParam("The parameter %s is required.", name)
		}
	}
	spec := NumberSpec{WABAID: w.id, Phone: "+" + string(in.CC) + string(in.Phone), Name: in.Name, Status: "PENDING", Unverified: true}
	spec, failed := s.AddNumber(spec)
	if failed != nil {
		return answer{}, &wire.Error{
			Status: http.StatusBadRequest, Code: 100, Subcode: 2388012, Message: "Invalid parameter",
			UserTitle: "This number cannot be added", UserText: failed.Error(),
		}
	}
	return ok(map[string]string{"id": spec.ID}), nil
}

// setNumber changes the PIN or the callback address of a number.
func (s *Simulator) setNumber(c *call, n *number) (answer, *wire.Error) {
	var in struct {
		PIN     *wire.Loose `json:"pin"`
		Webhook *struct {
			URL         string `json:"override_callback_uri"`
			VerifyToken string `json:"verify_token"`
		} `json:"webhook_configuration"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.PIN != nil {
		if err := s.changePIN(n, string(*in.PIN)); err != nil {
			return answer{}, err
		}
	}
	if in.Webhook != nil {
		if in.Webhook.URL != "" {
			if err := s.callbacks.verify(c.Context(), in.Webhook.URL, in.Webhook.VerifyToken); err != nil {
				return answer{}, err
			}
		}
		n.mu.Lock()
		n.overrideURL = in.Webhook.URL
		n.mu.Unlock()
	}
	return success, nil
}

func (s *Simulator) changePIN(n *number, pin string) *wire.Error {
	if err := checkPIN(pin); err != nil {
		return err
	}
	n.mu.Lock()
	n.pin = pin
	digits := n.digits
	n.mu.Unlock()
	s.callbacks.aboutAccount(n.waba.Load(), update{field: "security", at: s.now().Unix(), value: wire.JSON(map[string]any{
		"display_phone_number": digits, "event": "PIN_CHANGED", "requester": s.cfg.AppID,
	})})
	return nil
}

func checkPIN(pin string) *wire.Error {
	if pin == "" {
		return wire.BadParam("The parameter pin is required.")
	}
	if len(pin) != 6 || !isDecimal(pin) {
		return wire.BadParam("Param pin must be 6 characters long and consist of digits only.")
	}
	return nil
}

const (
	maxWrongPINs     = 5
	pinLock          = 12 * time.Hour
	maxRegistrations = 10
	registrationSpan = 72 * time.Hour
)

// register connects a number. The first PIN is remembered, and later ones must match it.
func (s *Simulator) register(c *call, n *number) (answer, *wire.Error) {
	var in struct {
		Product string     `json:"messaging_product"`
		PIN     wire.Loose `json:"pin"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if err := wire.FirstError(checkProduct(in.Product), checkPIN(string(in.PIN))); err != nil {
		return answer{}, err
	}
	if a, done := s.applyFaults(c, s.faultsFor(n)); done {
		return a, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.onApp {
		return answer{}, wire.Refuse(100, "This number is used with the business app and is registered already")
	}
	if err := n.mayRegister(s.now()); err != nil {
		return answer{}, err
	}
	if err := n.enterPIN(string(in.PIN), s.now()); err != nil {
		return answer{}, err
	}
	n.status = connected
	return success, nil
}

// mayRegister counts the attempt, and refuses it if no PIN could help.
func (n *number) mayRegister(now time.Time) *wire.Error {
	switch {
	case !n.verified:
		return wire.Refuse(133006, "The number needs to be verified before it is registered")
	case n.status == "BANNED":
		return wire.Refuse(131031, "The account has been locked")
	case now.Before(n.lockedUntil):
		return wire.Refuse(133008, "Too many wrong guesses: try again in %d seconds", int(n.lockedUntil.Sub(now).Seconds()))
	}
	return n.countAttempt(now)
}

func (n *number) countAttempt(now time.Time) *wire.Error {
	recent := n.attempts[:0]
	for _, at := range n.attempts {
		if now.Sub(at) < registrationSpan {
			recent = append(recent, at)
		}
	}
	n.attempts = recent
	if len(n.attempts) >= maxRegistrations {
		return wire.Refuse(133016, fmt.Sprintf("More than %d registrations and deregistrations within 72 hours", maxRegistrations))
	}
	n.attempts = append(n.attempts, now)
	return nil
}

func (n *number) enterPIN(pin string, now time.Time) *wire.Error {
	if n.pin == "" || n.pin == pin {
		n.pin, n.wrongPINs = pin, 0
		return nil
	}
	n.wrongPINs++
	if n.wrongPINs >= maxWrongPINs {
		n.wrongPINs, n.lockedUntil = 0, now.Add(pinLock)
	}
	return wire.Refuse(133005, "The PIN does not match the one that was set for this number")
}

func (s *Simulator) deregister(c *call, n *number) (answer, *wire.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.onApp:
		return answer{}, wire.Refuse(100, "A number that is used with the business app cannot be deregistered")
	case n.status != connected:
		return answer{}, wire.Refuse(133010, "The number is not registered")
	}
	if err := n.countAttempt(s.now()); err != nil {
		return answer{}, err
	}
	n.status = "PENDING"
	return success, nil
}

// verificationCode is the code that every simulated SMS carries.
const verificationCode = "123456"

func (s *Simulator) requestCode(c *call, n *number) (answer, *wire.Error) {
	var in struct {
		Method   string `json:"code_method"`
		Language string `json:"language"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.Method != "SMS" && in.Method != "VOICE" {
		return answer{}, wire.BadParam("Param code_method must be one of {SMS, VOICE} - got %q.", in.Method)
	}
	if in.Language == "" {
		return answer{}, wire.BadParam("The parameter language is required.")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.verified {
		return answer{}, &wire.Error{
			Status: http.StatusBadRequest, Code: 136024, Message: "(#136024) Request code error",
			UserTitle: "Request code error", UserText: "The number is verified already.",
		}
	}
	n.code = verificationCode
	return success, nil
}

func (s *Simulator) verifyCode(c *call, n *number) (answer, *wire.Error) {
	var in struct {
		Code wire.Loose `json:"code"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.code == "" || n.code != string(in.Code) {
		return answer{}, wire.Refuse(136025, "The code is not the one that was sent, or none was requested")
	}
	n.code, n.verified = "", true
	if n.status == "UNVERIFIED" {
		n.status = "PENDING"
	}
	return ok(map[string]any{"success": true, "id": n.id}), nil
}
