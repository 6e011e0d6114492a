package simulator

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/validation"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// postMessage handles sends, read receipts and typing indicators, which share an address.
func (s *Simulator) postMessage(c *call, n *number) (answer, *wire.Error) {
	var env validation.Envelope
	if err := c.decode(&env); err != nil {
		return answer{}, err
	}
	if err := checkProduct(env.Product); err != nil {
		return answer{}, err
	}
	if env.Status != "" {
		return s.readReceipt(n, &env)
	}
	return s.send(c, n, &env)
}

func checkProduct(product string) *wire.Error {
	switch product {
	case "whatsapp":
		return nil
	case "":
		return wire.BadParam("The parameter messaging_product is required.")
	}
	return wire.BadParam("Param messaging_product must be one of {WHATSAPP} - got %q.", product)
}

func (s *Simulator) send(c *call, n *number, env *validation.Envelope) (answer, *wire.Error) {
	s.counters.sends.Add(1)
	w := n.waba.Load()
	if env.Type == "" {
		env.Type = "text"
	}
	if err := env.Check(); err != nil {
		return answer{}, err
	}
	to, known, err := s.addressee(w, env)
	if err != nil {
		return answer{}, err
	}
	trick := magicOf(to.phone)
	if a, done := s.misbehave(c, n, to, trick); done {
		return a, nil
	}
	v := &validation.Send{
		Env: env, NumberID: n.id, Templates: w.templates, Media: s.media, Now: s.now(), ByUser: to.byUser,
		CanReact: func(id string) bool { return s.canReact(n, to, id) },
	}
	if err := wire.FirstError(s.checkSender(n, to), v.Check()); err != nil {
		return answer{}, err
	}
	if w.refuses(v.Template != nil, v.Now) {
		return answer{}, wire.Refuse(368, "The account is restricted from sending such messages for now")
	}
	if trick.mode == magicLost {
		if s.sched.sleep(c.Context(), trick.duration()) != nil {
			return answer{abort: true}, nil
		}
	}
	m := s.accept(c, n, to, v, trick, known)
	a := answer{status: http.StatusOK, body: s.accepted(m, v, trick)}
	a.abort = trick.mode == magicLost || s.ids.Chance(s.faultsFor(n).DropAnswerRate)
	return a, nil
}

// addressee finds the person meant. The phone takes precedence over the user id. A user id that nobody has is still
// accepted: the failure comes later.
func (s *Simulator) addressee(w *waba, env *validation.Envelope) (to recipient, known bool, err *wire.Error) {
	switch {
	case env.To != "":
		digits, valid := names.NormalizePhone(string(env.To))
		if !valid {
			return to, false, wire.Invalid("Parameter 'to' must be a phone number with country code - got %q", string(env.To))
		}
		to = s.withPhone(w, names.CanonicalPhone(digits))
		to.input = string(env.To)
		return to, true, nil
	case env.Recipient != "":
		if !names.IsUserID(env.Recipient) {
			return to, false, wire.Invalid("Parameter 'recipient' must be a business-scoped user ID - got %q", env.Recipient)
		}
		to, known = s.withUserID(w, env.Recipient)
		to.input = env.Recipient
		return to, known, nil
	}
	return to, false, wire.Missing("to", env.Type)
}

// checkSender checks what the number may do with this person.
func (s *Simulator) checkSender(n *number, to recipient) *wire.Error {
	digits, status := n.snapshot()
	switch status {
	case connected, "FLAGGED":
	case "RATE_LIMITED":
		return wire.Refuse(130429, "The number has reached its throughput")
	case "RESTRICTED", "BANNED":
		return wire.Refuse(131031, "The account has been locked because of a policy violation")
	default:
		return wire.Refuse(133010, "The number is %s: register it before sending", status)
	}
	if to.phone == digits {
		return wire.Refuse(131021, "The recipient is the sending number itself")
	}
	if allow := *s.allow.Load(); len(allow) > 0 && !allow[to.phone] {
		e := wire.Refuse(131030, "The recipient is not on the list of test recipients: add it first")
		e.Subcode, e.UserTitle = 2655007, "Recipient phone number not in allowed list"
		e.UserText = "Add the recipient phone number to the list of test recipients and try again."
		return e
	}
	if limit := s.faultsFor(n).MaxPerSecond; limit > 0 && !n.bucket.take(s.now(), limit) {
		return wire.Refuse(130429, "Message failed to send because there were too many messages sent from this phone number in a short period of time")
	}
	return nil
}

const reactFor = 30 * 24 * 3600

// canReact tells whether a number may react to a message: it must be of the same chat and of the last 30 days.
func (s *Simulator) canReact(n *number, to recipient, id string) bool {
	m, found := s.messages.Get(recent.Key(id))
	return found && m.kind != "reaction" && m.number == n && m.to.key() == to.key() && s.now().Unix()-m.created.Unix() < reactFor
}

// accept makes the message and decides its plan.
func (s *Simulator) accept(c *call, n *number, to recipient, v *validation.Send, trick magic, known bool) *message {
	now := s.now()
	m := &message{
		id: s.ids.Wamid(to.key(), names.Outbound), number: n, to: to, kind: v.Env.Type, opaque: v.Env.Opaque,
		category: "service", free: true, body: c.sent, created: now, state: statusAccepted, changed: now, voice: v.Voice,
	}
	open := s.windowOpen(n, to, now)
	if v.Template != nil {
		m.category = strings.ToLower(v.Template.Category)
		m.free = open && m.category == "utility"
	}
	m.plan = s.planFor(m, v, trick, known, open)
	s.counters.accepted.Add(1)
	if m.opaque != "" {
		s.opaque.add(m.opaque)
	}
	s.react(m, now)
	if len(m.body) > maxKeptBody {
		m.body = nil
	}
	s.messages.Put(recent.Key(m.id), m)
	s.schedule(m, 0, now)
	return m
}

// maxKeptBody bounds the body that is remembered of a message, so that a few enormous ones are not kept in full.
const maxKeptBody = 32 << 10

// planFor is the plan of an accepted message.
func (s *Simulator) planFor(m *message, v *validation.Send, trick magic, known, open bool) []step {
	plans := s.plans.Load()
	fail := func(code int) []step { return failPlan(plans.delays, code) }
	if trick.mode == magicFail {
		return fail(trick.value)
	}
	if code := s.asyncFault(m.number); code != 0 {
		return fail(code)
	}
	switch {
	case !known:
		return fail(131026)
	case m.to.person.Fails != 0:
		return fail(m.to.person.Fails)
	case v.LaterCode != 0:
		return fail(v.LaterCode)
	case m.category == "marketing" && s.hasStopped(m.number, m.to):
		return fail(131050)
	case v.Template == nil && !open:
		return fail(131047)
	}
	if plan := s.phones.fate(m, plans.delays); plan != nil {
		return plan
	}
	plan := plans.normal
	switch {
	case m.kind == "reaction":
		return plans.reaction
	case v.Voice:
		plan = plans.voice
	case m.to.person.NoReceipts:
		plan = planFor(plans.delays, statusSent, statusDelivered)
	}
	if trick.mode == magicStatuses {
		plan, _ = oddPlan(trick.value, plans.delays, plan)
	}
	return s.disturbed(m, plan, plans.delays)
}

// disturbed applies the faults that change the statuses of a message.
func (s *Simulator) disturbed(m *message, plan []step, d Delays) []step {
	f := s.faultsFor(m.number)
	switch {
	case s.ids.Chance(f.SilentRate):
		return nil
	case s.ids.Chance(f.SkipDeliveredRate):
		return planFor(d, statusSent, statusRead)
	case s.ids.Chance(f.ReorderRate):
		odd := slices.Clone(plan)
		slices.Reverse(odd)
		return odd
	}
	return plan
}

// accepted is the answer to a send. It is written by hand because it is the most frequent one.
func (s *Simulator) accepted(m *message, v *validation.Send, trick magic) []byte {
	w := &wire.Writer{B: make([]byte, 0, 320)}
	w.Open('{').Field("messaging_product", "whatsapp").Key("contacts").Open('[').Open('{').Field("input", m.to.input)
	if m.to.byUser {
		w.Field("user_id", m.to.input)
	} else {
		w.Field("wa_id", m.to.phone)
	}
	w.Close('}').Close(']').Key("messages").Open('[').Open('{').Field("id", m.id)
	if v.Template != nil {
		status := "accepted"
		if trick.isHeld() {
			status = "held_for_quality_assessment"
		}
		w.Field("message_status", status)
	}
	return w.Close('}').Close(']').Close('}').B
}

// windowFor is how long after a person's last message free-form messages may be sent.
const windowFor = 24 * time.Hour

func (s *Simulator) windowOpen(n *number, to recipient, now time.Time) bool {
	if s.cfg.IgnoreWindow || to.person.AlwaysOpen {
		return true
	}
	last, found := s.windows.Get(recent.Pair{Scope: n.id, User: to.key()})
	return found && now.Sub(time.Unix(0, last)) < windowFor
}

func (s *Simulator) hasStopped(n *number, to recipient) bool {
	stopped, _ := s.stops.Get(recent.Pair{Scope: n.waba.Load().business, User: to.key()})
	return stopped
}

// readReceipt marks a person's message as read, with or without a typing indicator.
func (s *Simulator) readReceipt(n *number, env *validation.Envelope) (answer, *wire.Error) {
	if env.Status != "read" {
		return answer{}, wire.BadParam("Param status must be one of {READ} - got %q.", env.Status)
	}
	if env.MessageID == "" {
		return answer{}, wire.BadParam("The parameter message_id is required.")
	}
	if wire.IsSet(env.Typing) {
		var t struct {
			Type string `json:"type"`
		}
		if err := wire.DecodeField("typing_indicator", env.Typing, &t); err != nil {
			return answer{}, err
		}
		if t.Type != "text" {
			return answer{}, wire.BadParam("Param typing_indicator['type'] must be one of {TEXT} - got %q.", t.Type)
		}
	}
	m, found := s.messages.Get(recent.Key(env.MessageID))
	switch {
	case found && (!m.inbound || m.number != n):
		return answer{}, wire.Invalid("Message ID %s was not received by this number", env.MessageID)
	case found:
		m.mu.Lock()
		m.read = true
		m.mu.Unlock()
		s.phones.wrote(m)
	case !names.IsInboundID(env.MessageID):
		return answer{}, wire.Invalid("Message ID is invalid")
	}
	s.counters.reads.Add(1)
	if wire.IsSet(env.Typing) {
		s.counters.typing.Add(1)
	}
	return success, nil
}
