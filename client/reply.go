package client

// Answer makes replies to an inbound message. ReplyTo creates it.
type Answer struct {
	to        string
	messageID string
	quote     bool
}

// ReplyTo makes a reply to a message, also to people without a phone number. Its messages quote the inbound
// one; send them from the number to which it came:
//
//	c.SendMessage(ctx, m.PhoneNumberID, client.ReplyTo(m).Text("Thank you!"))
func ReplyTo(m MessageReceived) Answer {
	return Answer{to: m.From.Address(), messageID: m.ProviderID, quote: true}
}

// Plain makes the reply a message of its own, which quotes nothing.
func (a Answer) Plain() Answer {
	a.quote = false
	return a
}

func (a Answer) with(m NewMessage) NewMessage {
	if a.quote {
		return m.ReplyTo(a.messageID)
	}
	return m
}

// Text answers with a text.
func (a Answer) Text(body string) NewMessage { return a.with(Text(a.to, body)) }

// Image answers with an image.
func (a Answer) Image(file MediaContent) NewMessage { return a.with(Image(a.to, file)) }

// Video answers with a video.
func (a Answer) Video(file MediaContent) NewMessage { return a.with(Video(a.to, file)) }

// Document answers with a file of any other kind.
func (a Answer) Document(file MediaContent) NewMessage { return a.with(Document(a.to, file)) }

// Audio answers with a sound file.
func (a Answer) Audio(file MediaContent) NewMessage { return a.with(Audio(a.to, file)) }

// Template answers with an approved template.
func (a Answer) Template(name, language string, body ...string) NewMessage {
	return a.with(Template(a.to, name, language, body...))
}

// Buttons answers with a text and up to three quick replies.
func (a Answer) Buttons(body string, replies ...Reply) NewMessage {
	return a.with(Buttons(a.to, body, replies...))
}

// LinkButton answers with a text and a button that opens a page.
func (a Answer) LinkButton(body, title, url string) NewMessage {
	return a.with(LinkButton(a.to, body, title, url))
}

// List answers with a text and a list of up to ten choices.
func (a Answer) List(body, button string, sections ...ListSection) NewMessage {
	return a.with(List(a.to, body, button, sections...))
}

// React puts an emoji on the message. An empty one removes it.
func (a Answer) React(emoji string) NewMessage { return Reaction(a.to, a.messageID, emoji) }
