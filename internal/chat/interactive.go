package chat

import "unicode/utf8"

// The kinds of interactive messages. button is another name for reply_buttons.
const (
	InteractiveReplyButtons = "reply_buttons"
	InteractiveButton       = "button"
	InteractiveCTA          = "cta_url"
	InteractiveList         = "list"
)

// InteractiveContent is a message with buttons, a link or a list.
type InteractiveContent struct {
	Type   string             `json:"type" enum:"reply_buttons,button,cta_url,list"`
	Header *InteractiveHeader `json:"header,omitempty"`
	Body   InteractiveText    `json:"body"`
	Footer *InteractiveFooter `json:"footer,omitempty"`
	Action InteractiveAction  `json:"action"`
}

// InteractiveText is the text of an interactive message.
type InteractiveText struct {
	Text string `json:"text" minLength:"1" maxLength:"4096" doc:"Up to 4096 characters for a list, 1024 for the other kinds."`
}

// InteractiveFooter is the small text below.
type InteractiveFooter struct {
	Text string `json:"text" minLength:"1" maxLength:"60"`
}

// InteractiveHeader is a text or a file above.
type InteractiveHeader struct {
	Type     string           `json:"type" enum:"text,image,video,document"`
	Text     string           `json:"text,omitempty" maxLength:"60"`
	Image    *ImageContent    `json:"image,omitempty"`
	Video    *ImageContent    `json:"video,omitempty"`
	Document *DocumentContent `json:"document,omitempty"`
}

// InteractiveAction is what the recipient can do.
type InteractiveAction struct {
	Buttons    []ReplyButton  `json:"buttons,omitempty" maxItems:"3" doc:"1 to 3, for reply_buttons."`
	Name       string         `json:"name,omitempty" doc:"cta_url, for cta_url."`
	Parameters *CTAParameters `json:"parameters,omitempty" doc:"For cta_url."`
	Button     string         `json:"button,omitempty" maxLength:"20" doc:"The text that opens a list."`
	Sections   []ListSection  `json:"sections,omitempty" doc:"For list: at most 10 rows in all."`
}

// ReplyButton is a quick reply.
type ReplyButton struct {
	Type  string `json:"type" enum:"reply"`
	Reply Reply  `json:"reply"`
}

// Reply is what comes back when the button is tapped.
type Reply struct {
	ID    string `json:"id" minLength:"1" maxLength:"256"`
	Title string `json:"title" minLength:"1" maxLength:"20"`
}

// CTAParameters is a button that opens a page.
type CTAParameters struct {
	DisplayText string `json:"display_text" minLength:"1" maxLength:"20"`
	URL         string `json:"url" minLength:"1" maxLength:"2048"`
}

// ListSection is a group of rows.
type ListSection struct {
	Title string    `json:"title,omitempty" maxLength:"24"`
	Rows  []ListRow `json:"rows" minItems:"1"`
}

// ListRow is a choice.
type ListRow struct {
	ID          string `json:"id" minLength:"1" maxLength:"200"`
	Title       string `json:"title" minLength:"1" maxLength:"24"`
	Description string `json:"description,omitempty" maxLength:"72"`
}

// Check applies the rules of the kind.
func (c *InteractiveContent) Check(sent Sent) (missing, bad *Error) {
	p := problems{sent: sent}
	if c.Header != nil {
		p.add(c.Header.check(c.Type))
	}
	if most := 1024; c.Type != InteractiveList && utf8.RuneCountInString(c.Body.Text) > most {
		p.add(Invalid("interactive.body.text", "Must be at most %d characters long.", most))
	}
	switch c.Type {
	case InteractiveCTA:
		p.add(c.Action.checkCTA())
	case InteractiveList:
		c.Action.checkList(&p)
	case InteractiveReplyButtons, InteractiveButton:
		p.add(c.Action.checkButtons())
	}
	return p.missing, p.bad
}

func (h *InteractiveHeader) check(kind string) *Error {
	const path = "interactive.header"
	if kind == InteractiveList && h.Type != "text" {
		return Invalid(path+".type", "A list takes a text header only.")
	}
	switch h.Type {
	case "text":
		if h.Text == "" {
			return Missing(path + ".text")
		}
	case "image":
		return checkHeaderFile(path+".image", h.Image)
	case "video":
		return checkHeaderFile(path+".video", h.Video)
	case "document":
		if h.Document == nil {
			return Missing(path + ".document")
		}
		return checkMediaSource(path+".document", h.Document.Link, h.Document.ID)
	}
	return nil
}

func checkHeaderFile(path string, file *ImageContent) *Error {
	if file == nil {
		return Missing(path)
	}
	return checkMediaSource(path, file.Link, file.ID)
}

func (a *InteractiveAction) checkButtons() *Error {
	const path = "interactive.action.buttons"
	if len(a.Buttons) == 0 {
		return Missing(path)
	}
	ids, titles := map[string]bool{}, map[string]bool{}
	for i, b := range a.Buttons {
		if ids[b.Reply.ID] {
			return Invalid(indexed(path, i)+".reply.id", "Another button has this id.")
		}
		if titles[b.Reply.Title] {
			return Invalid(indexed(path, i)+".reply.title", "Another button has this title.")
		}
		ids[b.Reply.ID], titles[b.Reply.Title] = true, true
	}
	return nil
}

func (a *InteractiveAction) checkCTA() *Error {
	const path = "interactive.action"
	switch {
	case a.Name == "":
		return Missing(path + ".name")
	case a.Parameters == nil:
		return Missing(path + ".parameters")
	case a.Name != InteractiveCTA:
		return Invalid(path+".name", "Must be cta_url.")
	}
	return checkWebURL(path+".parameters.url", a.Parameters.URL)
}

func (a *InteractiveAction) checkList(p *problems) {
	const path = "interactive.action"
	if a.Button == "" {
		p.add(Missing(path + ".button"))
	}
	if len(a.Sections) == 0 {
		p.add(Missing(path + ".sections"))
	}
	rows, ids := 0, map[string]bool{}
	for i, s := range a.Sections {
		at := indexed(path+".sections", i)
		if len(a.Sections) > 1 && s.Title == "" {
			p.add(Missing(at + ".title"))
		}
		for j, row := range s.Rows {
			if ids[row.ID] {
				p.add(Invalid(indexed(at+".rows", j)+".id", "Another row has this id."))
			}
			ids[row.ID] = true
		}
		rows += len(s.Rows)
	}
	if rows > 10 {
		p.add(Invalid(path+".sections", "A list has at most 10 rows in all."))
	}
}
