package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// accountEvent tells the business that something happened to its account, and applies it.
func (s *Simulator) accountEvent(in control.AccountEvent) error {
	w, n, err := s.account(in.WABAID, in.PhoneNumberID)
	if err != nil {
		return err
	}
	value := map[string]any{"event": in.Event}
	if strings.HasPrefix(in.Event, "PARTNER_") || strings.HasPrefix(in.Event, "ACCOUNT_") {
		value["waba_info"] = map[string]string{"waba_id": w.id, "owner_business_id": w.business}
	}
	if n != nil && !n.guessed.Load() {
		value["phone_number"], _ = n.snapshot()
	}
	for k, v := range in.Fields {
		value[k] = v
	}
	u := update{field: "account_update", value: wire.JSON(value), at: s.now().Unix()}
	switch {
	case in.Quiet:
	case strings.HasPrefix(in.Event, "PARTNER_"):
		s.callbacks.toApp(u)
	default:
		s.callbacks.aboutAccount(w, u)
	}
	s.applyAccountEvent(w, n, in.Event, in.Fields)
	return nil
}

func (s *Simulator) account(waba, numberID string) (*waba, *number, error) {
	if numberID != "" {
		n, err := s.target(numberID, "")
		if err != nil {
			return nil, nil, err
		}
		return n.waba.Load(), n, nil
	}
	w := s.provisionWABA(waba, token{})
	if w == nil {
		return nil, nil, errors.New("say whom it concerns: waba_id or phone_number_id")
	}
	return w, nil, nil
}

// applyAccountEvent makes later sends behave as they would after such an event.
func (s *Simulator) applyAccountEvent(w *waba, n *number, event string, fields map[string]json.RawMessage) {
	status := ""
	switch event {
	case "PARTNER_REMOVED", "PARTNER_APP_UNINSTALLED", "ACCOUNT_DELETED", "ACCOUNT_OFFBOARDED":
		status = "DISCONNECTED"
	case "ACCOUNT_RECONNECTED":
		status = connected
	case "DISABLED_UPDATE":
		var ban struct {
			State string `json:"waba_ban_state"`
		}
		_ = json.Unmarshal(fields["ban_info"], &ban) // any other content has no effect
		status = map[string]string{"DISABLE": "BANNED", "REINSTATE": connected}[ban.State]
	case "ACCOUNT_RESTRICTION":
		w.restrict(fields["restriction_info"])
	}
	if status == "" {
		return
	}
	numbers := []*number{n}
	if n == nil {
		numbers = s.accounts.numbersOf(w)
	}
	for _, n := range numbers {
		n.mu.Lock()
		n.status = status
		n.mu.Unlock()
	}
}

// restrict records what the account may not send, and until when.
func (w *waba) restrict(raw json.RawMessage) {
	var list []struct {
		Type       string `json:"restriction_type"`
		Expiration int64  `json:"expiration"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.restrictions = map[string]time.Time{}
	for _, r := range list {
		w.restrictions[r.Type] = time.Unix(r.Expiration, 0)
	}
}

// refuses tells whether a restriction forbids templates, or free-form messages.
func (w *waba) refuses(isTemplate bool, now time.Time) bool {
	kind := "RESTRICTED_CUSTOMER_INITIATED_MESSAGING"
	if isTemplate {
		kind = "RESTRICTED_BIZ_INITIATED_MESSAGING"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	until, found := w.restrictions[kind]
	return found && now.Before(until)
}

// controlSetNumber changes a number, and tells the business in the cases where the upstream would.
func (s *Simulator) controlSetNumber(c *control.Call) (any, error) {
	in, err := control.Decode[control.Number](c)
	if err != nil {
		return nil, err
	}
	n, err := s.target(c.ID, "")
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	digits, before := n.digits, n.tier
	for _, set := range []struct{ to, from *string }{
		{&n.status, in.Status}, {&n.quality, in.Quality}, {&n.tier, in.Tier}, {&n.name, in.Name}, {&n.nameStatus, in.NameStatus}, {&n.pin, in.PIN},
	} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	if in.Verified != nil {
		n.verified = *in.Verified
	}
	if in.OnApp != nil {
		n.onApp = *in.OnApp
	}
	tier, name := n.tier, n.name
	n.mu.Unlock()
	tell := func(field string, value map[string]any) {
		value["display_phone_number"] = digits
		s.callbacks.aboutAccount(n.waba.Load(), update{field: field, value: wire.JSON(value), at: s.now().Unix()})
	}
	if in.Tier != nil {
		tell("phone_number_quality_update", map[string]any{
			"event": "THROUGHPUT_UPGRADE", "old_limit": before, "current_limit": tier, "max_daily_conversations_per_business": tier,
		})
	}
	if in.NameStatus != nil {
		tell("phone_number_name_update", map[string]any{"decision": *in.NameStatus, "requested_verified_name": name, "rejection_reason": nil})
	}
	return n.spec(), nil
}

func (s *Simulator) controlSetTemplate(c *control.Call) (any, error) {
	in, err := control.Decode[control.Template](c)
	if err != nil {
		return nil, err
	}
	t, w, found := s.findTemplate(c.ID)
	if !found {
		return nil, control.ErrNotFound
	}
	if in.Status != "" {
		if in.Event == "" {
			in.Event = in.Status
		}
		if in.Reason != "" {
			w.templates.Change(t.ID, func(t *templates.Template) { t.Reason = in.Reason })
		}
		if in.Status == "PAUSED" {
			s.pauseTemplate(w, t.ID)
		} else {
			s.setTemplateStatus(w, t.ID, in.Status, in.Event, nil)
		}
	}
	if in.Quality != "" {
		s.setTemplateQuality(w, t.ID, in.Quality)
	}
	if in.Category != "" {
		s.recategorize(w, t.ID, in.Category)
	}
	t, _ = w.templates.Get(t.ID)
	out, _ := templateNode(t).pick("name,language,status,category,rejected_reason,quality_score")
	return out, nil
}

// controlEcho sends a message from the business's own phone.
func (s *Simulator) controlEcho(c *control.Call) (any, error) {
	var in struct {
		PhoneNumberID string `json:"phone_number_id"`
		To            string `json:"to"`
		Type          string `json:"type"`
	}
	fields := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(c.Body, &in), json.Unmarshal(c.Body, &fields)); err != nil {
		return nil, fmt.Errorf("the body is not a message: %w", err)
	}
	n, to, err := s.pair(in.PhoneNumberID, in.To)
	if err != nil {
		return nil, err
	}
	for _, own := range []string{"phone_number_id", "to", "type"} {
		delete(fields, own)
	}
	filled, kind, err := s.inboundFields(n, to, Inbound{Type: in.Type, Fields: fields})
	if err != nil {
		return nil, err
	}
	return map[string]string{"id": s.echo(n, to, kind, filled)}, nil
}

func (s *Simulator) handOverNow(in control.Sync) error {
	n, err := s.target(in.PhoneNumberID, "")
	if err == nil {
		s.sync(n, in.Type)
	}
	return err
}

// changePhone gives a person another phone. If the phone is hidden, callbacks carry only the user id.
func (s *Simulator) changePhone(in control.Identity) (any, error) {
	n, old, err := s.pair(in.PhoneNumberID, in.Person)
	if err != nil {
		return nil, err
	}
	w := n.waba.Load()
	digits, valid := names.NormalizePhone(in.NewPhone)
	if !valid {
		return nil, errors.New("new_phone must be 7 to 15 digits")
	}
	profile := *old.person
	profile.Phone, profile.UserID, profile.ParentUserID = names.CanonicalPhone(digits), "", ""
	if err := s.people.put(profile); err != nil {
		return nil, err
	}
	id, err := s.receive(n, old, Inbound{Type: "system", Fields: map[string]json.RawMessage{
		"system": wire.MustJSON(changedIdentity(old, s.withPhone(w, profile.Phone))),
	}})
	return map[string]string{"id": id}, err
}

func changedIdentity(old, fresh recipient) map[string]string {
	system := map[string]string{"user_id": fresh.userID, "previous_user_id": old.userID}
	if fresh.parentID != "" {
		system["parent_user_id"], system["previous_parent_user_id"] = fresh.parentID, old.parentID
	}
	if old.person.HidePhone {
		system["type"] = "user_changed_user_id"
		system["body"] = fmt.Sprintf("User %s changed from %s to %s", old.person.Name, old.userID, fresh.userID)
		return system
	}
	system["type"], system["wa_id"] = "user_changed_number", fresh.phone
	system["body"] = fmt.Sprintf("User %s changed from %s to %s", old.person.Name, old.phone, fresh.phone)
	return system
}
