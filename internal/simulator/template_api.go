package simulator

import (
	"strings"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// findTemplate finds a template of any account.
func (s *Simulator) findTemplate(id string) (templates.Template, *waba, bool) {
	s.accounts.mu.RLock()
	w := s.accounts.owners[id]
	s.accounts.mu.RUnlock()
	if w == nil {
		return templates.Template{}, nil, false
	}
	t, found := w.templates.Get(id)
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

func templateNode(t templates.Template) node {
	fields := map[string]any{
		"name": t.Name, "language": t.Language, "status": t.Status, "category": t.Category, "parameter_format": t.Format,
		"components": templates.ListedComponents(t.Components), "rejected_reason": t.Reason, "previous_category": nil,
		"quality_score": map[string]any{"score": t.Quality, "date": t.Created.Unix()}, "sub_category": nil,
		"message_send_ttl_seconds": nil, "cta_url_link_tracking_opted_out": false, "correct_category": nil,
		"library_template_name": nil,
	}
	if t.Previous != "" {
		fields["previous_category"] = t.Previous
	}
	if t.TTL != nil {
		fields["message_send_ttl_seconds"] = *t.TTL
	}
	return node{kind: "WhatsAppBusinessHSM", id: t.ID, defaults: templateDefaults, fields: fields}
}

func (s *Simulator) listTemplates(c *call, w *waba) (answer, *wire.Error) {
	want := map[string]string{}
	for _, k := range []string{"name", "status", "language", "category", "quality_score"} {
		want[k] = c.param(k)
	}
	list := w.templates.List(func(t *templates.Template) bool {
		got := map[string]string{"name": t.Name, "status": t.Status, "language": t.Language, "category": t.Category, "quality_score": t.Quality}
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
	return listAnswer(c, nodes)
}

func (s *Simulator) createTemplate(c *call, w *waba) (answer, *wire.Error) {
	var in templates.Input
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	t, err := in.Build()
	if err != nil {
		return answer{}, err
	}
	now := s.now()
	t.ID, t.Created = s.ids.Object(names.Template), now
	verdict := templates.ReviewOf(t.Name)
	if verdict.AtOnce {
		t.Status, t.Reason = verdict.Status, verdict.Reason
	}
	if err := w.templates.Create(t, now); err != nil {
		return answer{}, err
	}
	s.accounts.own(w, t.ID)
	s.keeper.mark()
	if !verdict.AtOnce {
		s.reviewLater(w, t)
	}
	return ok(map[string]string{"id": t.ID, "status": t.Status, "category": t.Category}), nil
}

func (s *Simulator) editTemplate(c *call) (answer, *wire.Error) {
	t, w, found := s.findTemplate(c.id)
	if !found || !c.token.maySee(w) {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	var in templates.Input
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	edited, err := in.Edit(t, s.now())
	if err != nil {
		return answer{}, err
	}
	t, found = w.templates.Change(t.ID, func(old *templates.Template) {
		*old = edited
	})
	if !found {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	s.reviewLater(w, t)
	return ok(map[string]any{"success": true, "id": t.ID, "name": t.Name, "category": t.Category}), nil
}

func (s *Simulator) deleteTemplates(c *call, w *waba) (answer, *wire.Error) {
	name := c.param("name")
	if name == "" {
		return answer{}, wire.BadParam("The parameter name is required.")
	}
	gone, err := w.templates.Remove(name, c.param("hsm_id"), s.now())
	if err != nil {
		return answer{}, err
	}
	for _, t := range gone {
		s.accounts.disown([]string{t.ID})
		s.sendTemplateStatus(w, t, "DELETED", nil)
	}
	return success, nil
}

func (s *Simulator) unpauseTemplate(c *call) (answer, *wire.Error) {
	t, w, found := s.findTemplate(c.id)
	if !found || !c.token.maySee(w) {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	if t.Status != "PAUSED" {
		return answer{}, templates.Refuse(2593007, "Message template is not paused", "The template is %s.", t.Status)
	}
	s.setTemplateStatus(w, t.ID, "APPROVED", "REINSTATED", map[string]any{"other_info": templates.OtherInfo("UNPAUSE", "The template was unpaused.")})
	return success, nil
}
