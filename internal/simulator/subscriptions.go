package simulator

import (
	"github.com/parleyhq/parley/internal/simulator/wire"
)

func (w *waba) node() node {
	w.mu.Lock()
	defer w.mu.Unlock()
	return node{kind: "WhatsAppBusinessAccount", id: w.id, defaults: []string{"name", "timezone_id", "message_template_namespace"}, fields: map[string]any{
		"name": w.name, "timezone_id": "1", "currency": "USD", "country": "US", "status": "ACTIVE", "ownership_type": "CLIENT_OWNED",
		"message_template_namespace": "simulated_" + w.id, "account_review_status": "APPROVED",
		"business_verification_status": "verified", "owner_business_info": map[string]any{"id": w.business, "name": w.name},
		"on_behalf_of_business_info": map[string]any{"id": w.business, "name": w.name, "status": "APPROVED", "type": "SELF"},
	}}
}

// subscribe turns an account's callbacks on, and sets or removes its own address.
func (s *Simulator) subscribe(c *call, w *waba) (answer, *wire.Error) {
	var in struct {
		URL         string `json:"override_callback_uri"`
		VerifyToken string `json:"verify_token"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.URL != "" {
		w.mu.Lock()
		subscribed := w.subscribed
		w.mu.Unlock()
		if !subscribed {
			return answer{}, wire.Refuse(100, "Subscribe the app before giving it another callback address")
		}
		if err := s.callbacks.verify(c.Context(), in.URL, in.VerifyToken); err != nil {
			return answer{}, err
		}
	}
	w.mu.Lock()
	w.subscribed, w.overrideURL = true, in.URL
	w.mu.Unlock()
	return success, nil
}

func (s *Simulator) subscribers(c *call, w *waba) (answer, *wire.Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	data := []any{}
	if w.subscribed {
		item := map[string]any{"whatsapp_business_api_data": map[string]string{
			"id": s.cfg.AppID, "name": "Simulated app", "link": "https://www.facebook.com/games/?app_id=" + s.cfg.AppID,
		}}
		if w.overrideURL != "" {
			item["override_callback_uri"] = w.overrideURL
		}
		data = append(data, item)
	}
	return ok(map[string]any{"data": data}), nil
}

func (s *Simulator) unsubscribe(c *call, w *waba) (answer, *wire.Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribed, w.overrideURL = false, ""
	return success, nil
}

// setAppCallback changes the app's own subscription: where callbacks go, and which.
func (s *Simulator) setAppCallback(c *call) (answer, *wire.Error) {
	if c.id != s.cfg.AppID {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	var in struct {
		Object      string            `json:"object"`
		URL         string            `json:"callback_url"`
		VerifyToken string            `json:"verify_token"`
		Fields      wire.StringOrList `json:"fields"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.Object != "whatsapp_business_account" {
		return answer{}, wire.BadParam("Param object must be one of {WHATSAPP_BUSINESS_ACCOUNT} - got %q.", in.Object)
	}
	if err := s.callbacks.verify(c.Context(), in.URL, in.VerifyToken); err != nil {
		return answer{}, err
	}
	sub := &subscription{url: in.URL}
	for _, list := range in.Fields {
		for _, name := range splitFields(list) {
			if sub.fields == nil {
				sub.fields = map[string]bool{}
			}
			sub.fields[name] = true
		}
	}
	s.callbacks.app.Store(sub)
	return success, nil
}

func (s *Simulator) appCallback(c *call) (answer, *wire.Error) {
	if c.id != s.cfg.AppID {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	sub := s.callbacks.app.Load()
	fields := []any{}
	for _, name := range sortedKeys(sub.fields) {
		fields = append(fields, map[string]string{"name": name, "version": versionHeader[0]})
	}
	return ok(map[string]any{"data": []any{map[string]any{
		"object": "whatsapp_business_account", "callback_url": sub.url, "active": sub.url != "", "fields": fields,
	}}}), nil
}
