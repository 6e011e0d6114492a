package cloud

import "github.com/parleyhq/parley/internal/provider"

// messages decodes people's messages, the statuses of our messages, and errors that belong to neither.
func (c *change) messages() {
	for m := range c.value.elements("messages") {
		switch {
		case m.text("type") == "system":
			c.system(m)
		case m.text("group_id") != "":
			c.ignore("the message is a group's")
		default:
			c.written(m, false)
		}
	}
	for s := range c.value.elements("statuses") {
		c.status(s)
	}
	if errs := faults(c.value.get("errors")); len(errs) > 0 {
		c.add(provider.ErrorReport{Origin: c.origin, Errors: errs})
	}
}

// echoes decodes messages that the business wrote in its phone app.
func (c *change) echoes() {
	for m := range c.value.elements("message_echoes") {
		c.written(m, true)
	}
}

// written decodes a message, or a change to one, by a person or by the business to that person.
func (c *change) written(m node, byBusiness bool) {
	who, contact := c.author(m, byBusiness)
	switch {
	case m.text("id") == "":
		c.lose("the message has no id")
	case !known(who):
		c.lose("the message does not say whom it is with")
	case m.text("type") == "edit":
		c.edit(m, who, contact, byBusiness)
	case m.text("type") == "revoke":
		c.revoke(m, byBusiness)
	case byBusiness:
		c.add(provider.Echo{Origin: c.origin, Message: c.message(m, who, contact)})
	default:
		c.add(provider.InboundMessage{Origin: c.origin, Message: c.message(m, who, contact)})
	}
}

// author is the person at the other end of a message.
func (c *change) author(m node, byBusiness bool) (provider.Person, node) {
	if byBusiness {
		return c.person(m.text("to"), m.text("to_user_id"), m.text("to_parent_user_id"))
	}
	return c.person(m.text("from"), m.text("from_user_id"), m.text("from_parent_user_id"))
}

// message decodes the parts that all messages have.
func (c *change) message(m node, who provider.Person, contact node) provider.Message {
	body := readContent(m)
	message := provider.Message{
		Contact:    who,
		ProviderID: m.text("id"),
		Timestamp:  instant(m.text("timestamp")),
		Type:       body.kind,
		Content:    body.json,
		Context:    m.get("context").text("id", "message_id"),
		Extra:      extra(m),
		Media:      body.media(),
		Raw:        provider.Raw{Item: body.item(), Metadata: c.metadata},
	}
	if contact.isObject() {
		message.Raw.Contact = neutral(contact)
	}
	return message
}

// extra is the shown parts of a message beside its content; nil if there are none.
func extra(m node) []byte {
	r := rewriter{out: []byte{'{'}, member: renameProduct}
	for member := range m.each {
		switch {
		case member.isObject() && (member.called("referral") || member.called("order")),
			member.isArray() && member.called("errors"):
			r.keyOf(member)
			r.copy(member)
		case member.called("context"):
			r.circumstances(member)
		}
	}
	if len(r.out) == 1 {
		return nil
	}
	return append(r.out, '}')
}

// circumstances writes a message's context, except for the message that it replies to.
func (r *rewriter) circumstances(context node) {
	before := len(r.out)
	r.key("context")
	r.out = append(r.out, '{')
	empty := len(r.out)
	for _, flag := range []string{"forwarded", "frequently_forwarded"} {
		if context.flag(flag) {
			r.key(flag)
			r.out = append(r.out, "true"...)
		}
	}
	if product := context.get("referred_product"); product.isObject() {
		r.key("referred_product")
		r.copy(product)
	}
	if len(r.out) == empty {
		r.out = r.out[:before]
		return
	}
	r.out = append(r.out, '}')
}

// edit decodes a message's new content. If the upstream withholds it, a person's edit becomes a message that
// cannot be shown.
func (c *change) edit(m node, who provider.Person, contact node, byBusiness bool) {
	object := m.get("edit")
	e := provider.Edit{
		Origin:     c.origin,
		ProviderID: m.text("id"),
		OriginalID: object.text("original_message_id"),
		Timestamp:  instant(m.text("timestamp")),
		ByBusiness: byBusiness,
	}
	if e.OriginalID == "" {
		c.lose("the edit does not name a message")
		return
	}
	body := readContent(object.get("message"))
	if body.understood() {
		e.Content = body.json
	} else if !byBusiness {
		message := c.message(m, who, contact)
		message.Context = e.OriginalID
		c.add(provider.InboundMessage{Origin: c.origin, Message: message})
		return
	}
	c.add(e)
}

func (c *change) revoke(m node, byBusiness bool) {
	r := provider.Revoke{
		Origin:     c.origin,
		ProviderID: m.text("id"),
		OriginalID: m.get("revoke").text("original_message_id"),
		Timestamp:  instant(m.text("timestamp")),
		ByBusiness: byBusiness,
	}
	if r.OriginalID == "" {
		c.lose("the revocation does not name a message")
		return
	}
	c.add(r)
}

// status decodes the status of a message.
func (c *change) status(s node) {
	to := s.text("recipient_id")
	if s.text("recipient_type") == "group" {
		to = ""
	}
	who, contact := c.person(to, s.text("recipient_user_id"),
		s.text("recipient_parent_user_id", "parent_recipient_user_id", "parent_user_id"))
	u := provider.StatusUpdate{
		Origin:       c.origin,
		ProviderID:   s.text("id"),
		Status:       s.text("status"),
		Timestamp:    instant(s.text("timestamp")),
		Recipient:    who,
		CallbackData: s.text("biz_opaque_callback_data"),
		Errors:       faults(s.get("errors")),
		Raw:          provider.Raw{Item: rawStatus(s), Metadata: c.metadata},
	}
	if u.Status == "" || (u.ProviderID == "" && u.CallbackData == "") {
		c.lose("the status does not name a message and its state")
		return
	}
	if contact.isObject() {
		u.Raw.Contact = neutral(contact)
	}
	c.add(u)
}

// rawStatus leaves out the callback data, which is only for us.
func rawStatus(s node) []byte {
	r := rewriter{out: make([]byte, 1, len(s.raw())+1), member: renameProduct}
	r.out[0] = '{'
	for member := range s.each {
		switch {
		case member.called("biz_opaque_callback_data"):
		case member.called("timestamp"):
			r.keyOf(member)
			r.seconds(member)
		default:
			r.keyOf(member)
			r.copy(member)
		}
	}
	return append(r.out, '}')
}
