package simulator

import (
	"encoding/json"
	"slices"
)

// handsetChat is what a handset shows of its chat with one number.
type handsetChat struct{ lines []*chatLine }

// chatLine is a message with the reactions on it.
type chatLine struct {
	m        *message
	seen     bool
	mine     string // the owner's reaction, an emoji
	business string // the business's reaction
	file     string // the id of the file it shows
}

func (c *handsetChat) find(id string) *chatLine {
	i := slices.IndexFunc(c.lines, func(l *chatLine) bool { return l.m.id == id })
	if i < 0 {
		return nil
	}
	return c.lines[i]
}

func (c *handsetChat) add(l *chatLine) {
	c.lines = append(c.lines, l)
	if over := len(c.lines) - maxLines; over > 0 {
		c.lines = slices.Delete(c.lines, 0, over)
	}
}

func (c *handsetChat) unread() (n int) {
	for _, l := range c.lines {
		if !l.m.inbound && !l.seen {
			n++
		}
	}
	return n
}

func (c *handsetChat) takeUnread() (list []*message) {
	for _, l := range c.lines {
		if !l.m.inbound && !l.seen {
			l.seen = true
			list = append(list, l.m)
		}
	}
	return list
}

// chat finds or makes the chat with a number; nil if there are too many.
func (h *handset) chat(phoneNumberID string) *handsetChat {
	c := h.chats[phoneNumberID]
	if c == nil && len(h.chats) < maxChats {
		c = &handsetChat{}
		h.chats[phoneNumberID] = c
	}
	return c
}

// wrote adds a message from the handset's owner to its chat.
func (p *Phones) wrote(m *message) { p.show(m, true) }

// reached adds a message of a business to the chat once it has reached the handset.
func (p *Phones) reached(m *message, status string) {
	switch {
	case status == statusFailed, status == statusSent && m.kind != "reaction":
	default:
		p.show(m, status == statusRead || status == statusPlayed)
	}
}

// show adds a message to its chat. A message about another, such as a reaction, changes that one instead.
func (p *Phones) show(m *message, seen bool) {
	h := p.of(m.to.key())
	if h == nil || m.kind == "system" {
		return
	}
	p.mu.Lock()
	c := h.chat(m.number.id)
	if c != nil {
		c.show(m, seen, p.sim.fileOf(m))
	}
	p.mu.Unlock()
	p.changed(m.number.id)
}

// fileOf is the id of the file that a message shows, if it has one.
func (s *Simulator) fileOf(m *message) string {
	var v ChatMessage
	s.fillMessage(&v, m)
	if v.File == nil {
		return ""
	}
	return v.File.ID
}

func (c *handsetChat) show(m *message, seen bool, file string) {
	if m.kind == "reaction" {
		c.react(m)
		return
	}
	l := c.find(m.id)
	if l == nil {
		l = &chatLine{m: m, file: file}
		c.add(l)
	}
	l.seen = l.seen || seen
}

// react puts a reaction on its message; an empty one removes it.
func (c *handsetChat) react(m *message) {
	var body struct {
		Reaction struct {
			MessageID string `json:"message_id"`
			Emoji     string `json:"emoji"`
		} `json:"reaction"`
	}
	if json.Unmarshal(m.body, &body) != nil {
		return
	}
	l := c.find(body.Reaction.MessageID)
	switch {
	case l == nil:
	case m.inbound:
		l.mine = body.Reaction.Emoji
	default:
		l.business = body.Reaction.Emoji
	}
}

// Chat shows a handset's chat with a number, oldest first.
func (p *Phones) Chat(id, phoneNumberID string) ([]ChatMessage, error) {
	h := p.of(id)
	if h == nil {
		return nil, ErrNoHandset
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := h.chats[phoneNumberID]
	if c == nil {
		return []ChatMessage{}, nil
	}
	list := make([]ChatMessage, len(c.lines))
	read := false // whoever reads a message has read those before it
	for i, l := range slices.Backward(c.lines) {
		read = read || l.m.wasRead()
		list[i] = p.sim.chatMessage(c, l, read)
	}
	return list, nil
}

// File finds a file that one of the numbers sent or received.
func (p *Phones) File(id string, numbers []string) (mimeType, name string, data []byte, found bool) {
	f := p.sim.media.Find(id, p.sim.now())
	if f == nil || !slices.Contains(numbers, f.Number) {
		return "", "", nil, false
	}
	return f.MimeType, f.Name, f.Data, true
}
