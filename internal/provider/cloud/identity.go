package cloud

import (
	"cmp"
	"strings"

	"github.com/parleyhq/parley/internal/provider"
)

// system decodes messages that the upstream writes itself. We need those about new identifiers.
func (c *change) system(m node) {
	s := m.get("system")
	switch s.text("type") {
	case "user_changed_number", "customer_changed_number", "user_changed_user_id":
		c.identityMessage(m, s)
	default:
		c.ignore("the system message is not used")
	}
}

func (c *change) identityMessage(m, s node) {
	from, current := m.text("from"), s.text("wa_id", "new_wa_id")
	u := provider.IdentityChange{
		Origin: c.origin,
		Detail: s.text("body"),
		Previous: provider.Person{
			Phone:        cmp.Or(e164(from), e164(s.text("customer"))),
			UserID:       cmp.Or(s.text("previous_user_id"), bsuid(from)),
			ParentUserID: s.text("previous_parent_user_id"),
		},
		Current: provider.Person{
			Phone:        e164(current),
			UserID:       cmp.Or(s.text("user_id"), bsuid(current)),
			ParentUserID: s.text("parent_user_id"),
		},
	}
	completeFromText(&u)
	if id := m.text("from_user_id"); u.Previous.UserID == "" && id != u.Current.UserID {
		u.Previous.UserID = id
	}
	c.addIdentity(u)
}

// completeFromText fills in identifiers that only the sentence has: "User X changed from <old> to <new>". The
// last such phrase counts, because users choose X themselves.
func completeFromText(u *provider.IdentityChange) {
	at := strings.LastIndex(u.Detail, " from ")
	if at < 0 {
		return
	}
	before, after, found := strings.Cut(u.Detail[at+len(" from "):], " to ")
	if !found {
		return
	}
	complete := func(p *provider.Person, id string) {
		id = strings.Trim(id, " .")
		p.Phone = cmp.Or(p.Phone, e164(id))
		p.UserID = cmp.Or(p.UserID, bsuid(id))
	}
	complete(&u.Previous, before)
	complete(&u.Current, after)
}

// identities decodes a field that was documented for some months and may still arrive.
func (c *change) identities() {
	for item := range c.value.elements("user_id_update") {
		user, parent := item.get("user_id"), item.get("parent_user_id")
		who, _ := c.person(item.text("wa_id"), "", "")
		u := provider.IdentityChange{
			Origin:   c.origin,
			Detail:   item.text("detail"),
			Previous: provider.Person{Phone: who.Phone, UserID: user.text("previous"), ParentUserID: parent.text("previous")},
			Current:  who,
		}
		u.Current.UserID = cmp.Or(user.text("current"), who.UserID)
		u.Current.ParentUserID = cmp.Or(parent.text("current"), who.ParentUserID)
		c.addIdentity(u)
	}
}

func (c *change) addIdentity(u provider.IdentityChange) {
	if !known(u.Previous) || !known(u.Current) {
		c.lose("the change of identity names only one side")
		return
	}
	c.add(u)
}

// preferences decodes people's wishes about what they receive.
func (c *change) preferences() {
	for item := range c.value.elements("user_preferences") {
		who, _ := c.person(item.text("wa_id"), item.text("user_id"), item.text("parent_user_id"))
		p := provider.Preference{
			Origin:    c.origin,
			Contact:   who,
			Category:  item.text("category"),
			Value:     strings.ToLower(item.text("value")),
			Timestamp: instant(item.text("timestamp")),
		}
		if !known(who) || p.Value == "" {
			c.lose("the preference does not say whose or what it is")
			continue
		}
		c.add(p)
	}
}
