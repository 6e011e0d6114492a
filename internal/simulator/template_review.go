package simulator

import (
	"time"
)

// reviewLater decides about a template after the review time, unless it is edited meanwhile.
func (s *Simulator) reviewLater(w *waba, t template) {
	v := reviewOf(t.name)
	if v.never {
		return
	}
	id, version := t.id, t.version
	s.sched.after(s.plans.Load().delays.Review, func(time.Time) {
		if now, found := w.templates.get(id); found && now.version == version && now.status == "PENDING" {
			s.review(w, id, v)
		}
	})
}

func (s *Simulator) review(w *waba, id string, v verdict) {
	t, _ := w.templates.change(id, func(t *template) {
		t.status, t.reason = v.status, v.reason
		if t.quality == "" {
			t.quality = "UNKNOWN"
		}
	})
	var extra map[string]any
	if v.status == "REJECTED" {
		extra = map[string]any{"rejection_info": map[string]string{
			"reason": "The simulator rejects templates with this name.", "recommendation": "Use a name without \"reject\".",
		}}
	}
	s.sendTemplateStatus(w, t, v.status, extra)
	if v.category != "" && v.category != t.category {
		s.recategorize(w, id, v.category)
	}
	if v.then != "" || v.quality != "" {
		s.sched.after(s.plans.Load().delays.Review, func(time.Time) { s.decline(w, id, v) })
	}
}

// decline is what happens to a template that is not well received.
func (s *Simulator) decline(w *waba, id string, v verdict) {
	t, found := w.templates.get(id)
	if !found || t.status != "APPROVED" {
		return
	}
	switch {
	case v.quality != "":
		s.setTemplateQuality(w, id, v.quality)
	case v.then == "PAUSED":
		s.pauseTemplate(w, id)
	default:
		s.setTemplateStatus(w, id, v.then, v.then, map[string]any{"other_info": otherInfo("DISABLED", "The template was disabled because of low quality.")})
	}
}

// pauseTemplate pauses for 3 hours the first time, 6 the second; the third time is the last.
func (s *Simulator) pauseTemplate(w *waba, id string) {
	t, found := w.templates.change(id, func(t *template) { t.pauses++ })
	if !found {
		return
	}
	switch t.pauses {
	case 1:
		s.pauseFor(w, t, "FIRST_PAUSE", 3*time.Hour)
	case 2:
		s.pauseFor(w, t, "SECOND_PAUSE", 6*time.Hour)
	default:
		s.setTemplateStatus(w, id, "DISABLED", "DISABLED", map[string]any{"other_info": otherInfo("DISABLED", "The template was paused too often.")})
	}
}

func (s *Simulator) pauseFor(w *waba, t template, title string, d time.Duration) {
	id, pauses := t.id, t.pauses
	s.setTemplateStatus(w, id, "PAUSED", "PAUSED", map[string]any{"other_info": otherInfo(title, "The template is paused because of low quality.")})
	s.sched.after(d, func(time.Time) {
		if t, found := w.templates.get(id); found && t.status == "PAUSED" && t.pauses == pauses {
			s.setTemplateStatus(w, id, "APPROVED", "REINSTATED", map[string]any{"other_info": otherInfo("UNPAUSE", "The pause is over.")})
		}
	})
}

// setTemplateStatus changes the status and tells the business with the event.
func (s *Simulator) setTemplateStatus(w *waba, id, status, event string, extra map[string]any) {
	if t, found := w.templates.change(id, func(t *template) { t.status = status }); found {
		s.sendTemplateStatus(w, t, event, extra)
	}
}

func (s *Simulator) sendTemplateStatus(w *waba, t template, event string, extra map[string]any) {
	value := t.callbackValue()
	value["event"], value["reason"], value["message_template_category"] = event, t.reason, t.category
	for k, v := range extra {
		value[k] = v
	}
	s.sendTemplateChange(w, "message_template_status_update", value)
}

func (s *Simulator) sendTemplateChange(w *waba, field string, value map[string]any) {
	s.keeper.mark()
	s.callbacks.aboutAccount(w, update{field: field, value: phpJSON(value), at: s.now().Unix()})
}

func (s *Simulator) setTemplateQuality(w *waba, id, quality string) {
	var before string
	t, found := w.templates.change(id, func(t *template) { before, t.quality = t.quality, quality })
	if !found {
		return
	}
	value := t.callbackValue()
	value["previous_quality_score"], value["new_quality_score"] = before, quality
	s.sendTemplateChange(w, "message_template_quality_update", value)
}

func (s *Simulator) recategorize(w *waba, id, category string) {
	var before string
	t, found := w.templates.change(id, func(t *template) {
		before = t.category
		t.previous, t.category = t.category, category
	})
	if !found {
		return
	}
	value := t.callbackValue()
	value["previous_category"], value["new_category"] = before, category
	s.sendTemplateChange(w, "template_category_update", value)
}
