package cloud

import (
	"cmp"
	"strings"

	"github.com/parleyhq/parley/internal/provider"
)

// account decodes an update of a business account. Updates about partners arrive under the partner's id, and
// name the account inside.
func (c *change) account() {
	v := c.value
	u := provider.AccountUpdate{
		Origin:       c.origin,
		Event:        v.text("event"),
		Phone:        e164(v.text("phone_number")),
		BanState:     v.get("ban_info").text("waba_ban_state"),
		Restrictions: restrictions(v.get("restriction_info")),
	}
	u.WABAID = cmp.Or(v.get("waba_info").text("waba_id"), u.WABAID)
	if u.Event == "" {
		c.lose("the account's update has no event")
		return
	}
	c.add(u)
}

// restrictions reads a list, or a single item in place of one.
func restrictions(info node) []provider.Restriction {
	var all []provider.Restriction
	add := func(item node) bool {
		if kind := item.text("restriction_type"); kind != "" {
			all = append(all, provider.Restriction{Type: kind, Until: instant(item.text("expiration"))})
		}
		return true
	}
	if info.isArray() {
		info.each(add)
	} else {
		add(info)
	}
	return all
}

func (c *change) accountReview() {
	c.add(provider.AccountUpdate{Origin: c.origin, Event: provider.EventAccountReview})
}

func (c *change) capability() {
	c.add(provider.AccountUpdate{
		Origin:         c.origin,
		Event:          provider.EventCapability,
		MessagingLimit: c.value.text("max_daily_conversations_per_business", "max_daily_conversation_per_phone"),
	})
}

func (c *change) numberQuality() {
	c.number(provider.NumberUpdate{
		Event: c.value.text("event"),
		Limit: c.value.text("max_daily_conversations_per_business", "current_limit"),
	})
}

func (c *change) numberName() {
	c.number(provider.NumberUpdate{
		Event:        provider.EventNameUpdate,
		Name:         c.value.text("requested_verified_name"),
		NameDecision: c.value.text("decision"),
	})
}

func (c *change) number(u provider.NumberUpdate) {
	u.Origin, u.Phone = c.origin, e164(c.origin.DisplayPhoneNumber)
	if u.Phone == "" && u.PhoneNumberID == "" {
		c.lose("the update does not say of which number")
		return
	}
	c.add(u)
}

// template decodes an update of a template. The members tell its kind, because the upstream sometimes sends one
// kind under another's field.
func (c *change) template() {
	v := c.value
	u := provider.TemplateUpdate{
		Origin:   c.origin,
		Aspect:   aspect(v),
		ID:       v.text("message_template_id"),
		Name:     v.text("message_template_name"),
		Language: strings.ReplaceAll(v.text("message_template_language"), "-", "_"),
	}
	if u.Aspect == "" || (u.ID == "" && u.Name == "") {
		c.lose("the template's update does not say of which template or what")
		return
	}
	switch u.Aspect {
	case provider.TemplateStatus:
		readTemplateStatus(&u, v)
	case provider.TemplateQuality:
		u.Quality = v.text("new_quality_score")
	case provider.TemplateCategory:
		readTemplateCategory(&u, v)
	}
	c.add(u)
}

func aspect(v node) provider.TemplateAspect {
	switch {
	case v.text("new_quality_score", "previous_quality_score") != "":
		return provider.TemplateQuality
	case v.text("event") != "":
		return provider.TemplateStatus
	case v.text("new_category", "previous_category", "correct_category") != "":
		return provider.TemplateCategory
	case v.text("message_template_element", "message_template_title", "message_template_footer") != "",
		v.get("message_template_buttons").isArray():
		return provider.TemplateComponents
	default:
		return ""
	}
}

func readTemplateStatus(u *provider.TemplateUpdate, v node) {
	rejection := v.get("rejection_info")
	u.Event = v.text("event")
	u.Reason = v.text("reason")
	u.Category = v.text("message_template_category")
	u.Description = cmp.Or(v.get("other_info").text("description"),
		strings.TrimSpace(rejection.text("reason")+" "+rejection.text("recommendation")))
}

// readTemplateCategory reads a change of category. If correct_category is present, the change is only
// announced, and the "new" category is the current one.
func readTemplateCategory(u *provider.TemplateUpdate, v node) {
	u.Category = v.text("new_category")
	u.NextCategory = v.text("correct_category")
	u.NextCategoryAt = instant(v.text("category_update_timestamp"))
}
