package simulator

import (
	"strings"
)

// findTemplate finds a template of any account.
func (s *Simulator) findTemplate(id string) (template, *waba, bool) {
	s.accounts.mu.RLock()
	w := s.accounts.owners[id]
	s.accounts.mu.RUnlock()
	if w == nil {
		return template{}, nil, false
	}
	t, found := w.templates.get(id)
	return t, w, found
}

func (a *accounts) own(w *waba, ids ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range ids {
		a.owners[id] = w
	}
}

func (a *accounts) disown(ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range ids {
		delete(a.owners, id)
	}
}

var templateDefaults = []string{"name", "parameter_format", "components", "language", "status", "category", "sub_category"}

func templateNode(t template) node {
	fields := map[string]any{
		"name": t.name, "language": t.language, "status": t.status, "category": t.category, "parameter_format": t.format,
		"components": listedComponents(t.components), "rejected_reason": t.reason, "previous_category": nil,
		"quality_score": map[string]any{"score": t.quality, "date": t.created.Unix()}, "sub_category": nil,
		"message_send_ttl_seconds": nil, "cta_url_link_tracking_opted_out": false, "correct_category": nil,
		"library_template_name": nil,
	}
	if t.previous != "" {
		fields["previous_category"] = t.previous
	}
	if t.ttl != nil {
		fields["message_send_ttl_seconds"] = *t.ttl
	}
	return node{kind: "WhatsAppBusinessHSM", id: t.id, defaults: templateDefaults, fields: fields}
}

func (s *Simulator) listTemplates(c *call) (answer, *graphError) {
	w, err := c.waba()
	if err != nil {
		return answer{}, err
	}
	want := map[string]string{}
	for _, k := range []string{"name", "status", "language", "category", "quality_score"} {
		want[k] = c.param(k)
	}
	list := w.templates.list(func(t *template) bool {
		got := map[string]string{"name": t.name, "status": t.status, "language": t.language, "category": t.category, "quality_score": t.quality}
		for k, v := range want {
			if v != "" && !strings.EqualFold(got[k], v) {
				return false
			}
		}
		return true
	})
	nodes := make([]node, len(list))
	for i, t := range list {
		nodes[i] = templateNode(t)
	}
	return listAnswer(c, nodes, 25)
}

func (s *Simulator) createTemplate(c *call) (answer, *graphError) {
	w, err := c.waba()
	if err != nil {
		return answer{}, err
	}
	var in templateInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	t, err := in.build()
	if err != nil {
		return answer{}, err
	}
	now := s.now()
	t.id, t.created = s.ids.object(prefixTemplate), now
	verdict := reviewOf(t.name)
	if verdict.atOnce {
		t.status, t.reason = verdict.status, verdict.reason
	}
	if err := w.templates.create(t, now); err != nil {
		return answer{}, err
	}
	s.accounts.own(w, t.id)
	s.keeper.mark()
	if !verdict.atOnce {
		s.reviewLater(w, t)
	}
	return ok(map[string]string{"id": t.id, "status": t.status, "category": t.category}), nil
}

func (s *Simulator) editTemplate(c *call) (answer, *graphError) {
	t, w, found := s.findTemplate(c.id)
	if !found || !c.token.maySee(w) {
		return answer{}, unknownObject(c.Method, c.id)
	}
	var in templateInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	edited, err := in.edit(t, s.now())
	if err != nil {
		return answer{}, err
	}
	t, found = w.templates.change(t.id, func(old *template) {
		*old = edited
	})
	if !found {
		return answer{}, unknownObject(c.Method, c.id)
	}
	s.reviewLater(w, t)
	return ok(map[string]any{"success": true, "id": t.id, "name": t.name, "category": t.category}), nil
}

func (s *Simulator) deleteTemplates(c *call) (answer, *graphError) {
	w, err := c.waba()
	if err != nil {
		return answer{}, err
	}
	name := c.param("name")
	if name == "" {
		return answer{}, badParam("The parameter name is required.")
	}
	gone, err := w.templates.remove(name, c.param("hsm_id"), s.now())
	if err != nil {
		return answer{}, err
	}
	for _, t := range gone {
		s.accounts.disown([]string{t.id})
		s.sendTemplateStatus(w, t, "DELETED", nil)
	}
	return success, nil
}

func (s *Simulator) unpauseTemplate(c *call) (answer, *graphError) {
	t, w, found := s.findTemplate(c.id)
	if !found || !c.token.maySee(w) {
		return answer{}, unknownObject(c.Method, c.id)
	}
	if t.status != "PAUSED" {
		return answer{}, templateError(2593007, "Message template is not paused", "The template is %s.", t.status)
	}
	s.setTemplateStatus(w, t.id, "APPROVED", "REINSTATED", map[string]any{"other_info": otherInfo("UNPAUSE", "The template was unpaused.")})
	return success, nil
}
