package simulator

import (
	"maps"
	"time"

	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// reviewLater decides about a template after the review time, unless it is edited meanwhile.
func (s *Simulator) reviewLater(w *waba, t templates.Template) {
	v := templates.ReviewOf(t.Name)
	if v.Never {
		return
	}
	id, version := t.ID, t.Version
	s.sched.after(s.plans.Load().delays.Review, func(time.Time) {
		if now, found := w.templates.Get(id); found && now.Version == version && now.Status == "PENDING" {
			s.review(w, id, v)
		}
	})
}

func (s *Simulator) review(w *waba, id string, v templates.Verdict) {
	t, _ := w.templates.Change(id, func(t *templates.Template) {
		t.Status, t.Reason = v.Status, v.Reason
		if t.Quality == "" {
			t.Quality = "UNKNOWN"
		}
	})
	var extra map[string]any
	if v.Status == "REJECTED" {
		extra = map[string]any{"rejection_info": map[string]string{
			"reason": "The simulator rejects templates with this name.", "recommendation": "Use a name without \"reject\".",
		}}
	}
	s.sendTemplateStatus(w, t, v.Status, extra)
	if v.Category != "" && v.Category != t.Category {
		s.recategorize(w, id, v.Category)
	}
	if v.Then != "" || v.Quality != "" {
		s.sched.after(s.plans.Load().delays.Review, func(time.Time) { s.decline(w, id, v) })
	}
}

// decline applies what happens to a template that is not well received.
func (s *Simulator) decline(w *waba, id string, v templates.Verdict) {
	t, found := w.templates.Get(id)
	if !found || t.Status != "APPROVED" {
		return
	}
	switch {
	case v.Quality != "":
		s.setTemplateQuality(w, id, v.Quality)
	case v.Then == "PAUSED":
		s.pauseTemplate(w, id)
	default:
		s.setTemplateStatus(w, id, v.Then, v.Then, map[string]any{"other_info": templates.OtherInfo("DISABLED", "The template was disabled because of low quality.")})
	}
}

// pauseTemplate pauses a template for 3 hours the first time and 6 hours the second. The third time disables it.
func (s *Simulator) pauseTemplate(w *waba, id string) {
	t, found := w.templates.Change(id, func(t *templates.Template) { t.Pauses++ })
	if !found {
		return
	}
	switch t.Pauses {
	case 1:
		s.pauseFor(w, t, "FIRST_PAUSE", 3*time.Hour)
	case 2:
		s.pauseFor(w, t, "SECOND_PAUSE", 6*time.Hour)
	default:
		s.setTemplateStatus(w, id, "DISABLED", "DISABLED", map[string]any{"other_info": templates.OtherInfo("DISABLED", "The template was paused too often.")})
	}
}

func (s *Simulator) pauseFor(w *waba, t templates.Template, title string, d time.Duration) {
	id, pauses := t.ID, t.Pauses
	s.setTemplateStatus(w, id, "PAUSED", "PAUSED", map[string]any{"other_info": templates.OtherInfo(title, "The template is paused because of low quality.")})
	s.sched.after(d, func(time.Time) {
		if t, found := w.templates.Get(id); found && t.Status == "PAUSED" && t.Pauses == pauses {
			s.setTemplateStatus(w, id, "APPROVED", "REINSTATED", map[string]any{"other_info": templates.OtherInfo("UNPAUSE", "The pause is over.")})
		}
	})
}

// setTemplateStatus changes the status and sends the event to the business.
func (s *Simulator) setTemplateStatus(w *waba, id, status, event string, extra map[string]any) {
	if t, found := w.templates.Change(id, func(t *templates.Template) { t.Status = status }); found {
		s.sendTemplateStatus(w, t, event, extra)
	}
}

func (s *Simulator) sendTemplateStatus(w *waba, t templates.Template, event string, extra map[string]any) {
	value := t.CallbackValue()
	value["event"], value["reason"], value["message_template_category"] = event, t.Reason, t.Category
	maps.Copy(value, extra)
	s.sendTemplateChange(w, "message_template_status_update", value)
}

func (s *Simulator) sendTemplateChange(w *waba, field string, value map[string]any) {
	s.keeper.mark()
	s.callbacks.aboutAccount(w, update{field: field, value: wire.JSON(value), at: s.now().Unix()})
}

func (s *Simulator) setTemplateQuality(w *waba, id, quality string) {
	var before string
	t, found := w.templates.Change(id, func(t *templates.Template) { before, t.Quality = t.Quality, quality })
	if !found {
		return
	}
	value := t.CallbackValue()
	value["previous_quality_score"], value["new_quality_score"] = before, quality
	s.sendTemplateChange(w, "message_template_quality_update", value)
}

func (s *Simulator) recategorize(w *waba, id, category string) {
	var before string
	t, found := w.templates.Change(id, func(t *templates.Template) {
		before = t.Category
		t.Previous, t.Category = t.Category, category
	})
	if !found {
		return
	}
	value := t.CallbackValue()
	value["previous_category"], value["new_category"] = before, category
	s.sendTemplateChange(w, "template_category_update", value)
}
