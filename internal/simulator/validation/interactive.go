package validation

import (
	"encoding/json"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

type Interactive struct {
	Type   string             `json:"type"`
	Header *interactiveHeader `json:"header"`
	Body   *textPart          `json:"body"`
	Footer *textPart          `json:"footer"`
	Action *InteractiveAction `json:"action"`
}

type textPart struct {
	Text string `json:"text"`
}

type interactiveHeader struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Image    *Asset `json:"image"`
	Video    *Asset `json:"video"`
	Document *Asset `json:"document"`
}

type InteractiveAction struct {
	Name       string          `json:"name"`
	Button     string          `json:"button"`
	Buttons    []replyButton   `json:"buttons"`
	Sections   []listSection   `json:"sections"`
	Parameters json.RawMessage `json:"parameters"`
}

type replyButton struct {
	Type  string `json:"type"`
	Reply struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	} `json:"reply"`
}

type listSection struct {
	Title string    `json:"title"`
	Rows  []ListRow `json:"rows"`
}

type ListRow struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

func (v *Send) interactive() *wire.Error {
	var in Interactive
	if err := v.content(v.Env.Interactive, &in); err != nil {
		return err
	}
	if in.Type == "" {
		return wire.Missing("interactive['type']", "interactive")
	}
	bodyLimit := 1024
	if in.Type == "list" {
		bodyLimit = 4096
	}
	if err := wire.FirstError(in.checkTexts(bodyLimit), v.header(in)); err != nil {
		return err
	}
	if in.Action == nil {
		return wire.Missing("interactive['action']", "interactive")
	}
	switch in.Type {
	case "button":
		return in.Action.checkButtons()
	case "list":
		return in.Action.checkList()
	case "cta_url":
		return in.Action.checkURL()
	case "location_request_message":
		return in.Action.checkName("send_location")
	case "request_contact_info":
		return in.Action.checkName("request_contact_info")
	case "flow", "product", "product_list", "catalog_message", "address_message", "carousel", "call_permission_request", "voice_call":
		return nil // these types exist, but are not sent here
	}
	return wire.BadParam("Param interactive['type'] must be one of {ADDRESS_MESSAGE, BUTTON, CATALOG_MESSAGE, CTA_URL, FLOW, LIST, LOCATION_REQUEST_MESSAGE, PRODUCT, PRODUCT_LIST, REQUEST_CONTACT_INFO} - got %q.", in.Type)
}

func (in Interactive) checkTexts(bodyLimit int) *wire.Error {
	if in.Body == nil {
		if in.Type == "product" {
			return nil
		}
		return wire.Missing("interactive['body']", "interactive")
	}
	if err := wire.Between("interactive['body']['text']", "interactive", in.Body.Text, bodyLimit); err != nil {
		return err
	}
	if in.Footer == nil {
		return nil
	}
	return wire.Between("interactive['footer']['text']", "interactive", in.Footer.Text, 60)
}

func (v *Send) header(in Interactive) *wire.Error {
	h := in.Header
	if h == nil {
		return nil
	}
	if in.Type == "list" && h.Type != "text" {
		return wire.Invalid("Header type '%s' is not supported for interactive type 'list'", h.Type)
	}
	files := map[string]*Asset{"image": h.Image, "video": h.Video, "document": h.Document}
	if h.Type == "text" {
		return wire.Between("interactive['header']['text']", "interactive", h.Text, 60)
	}
	file, supported := files[h.Type]
	if !supported {
		return wire.BadParam("Param interactive['header']['type'] must be one of {DOCUMENT, IMAGE, TEXT, VIDEO} - got %q.", h.Type)
	}
	if file == nil {
		return wire.Missing("interactive['header']['"+h.Type+"']", "interactive")
	}
	return v.file(*file, h.Type, "interactive['header']['"+h.Type+"']")
}

func (a *InteractiveAction) checkName(want string) *wire.Error {
	if a.Name != want {
		return wire.Invalid("Parameter 'interactive['action']['name']' must be '%s'", want)
	}
	return nil
}

func (a *InteractiveAction) checkButtons() *wire.Error {
	if len(a.Buttons) == 0 {
		return wire.Missing("interactive['action']['buttons']", "interactive")
	}
	if len(a.Buttons) > 3 {
		return wire.Invalid("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3")
	}
	ids, titles := map[string]bool{}, map[string]bool{}
	for _, b := range a.Buttons {
		if b.Type != "reply" {
			return wire.BadParam("Param interactive['action']['buttons']['type'] must be one of {REPLY} - got %q.", b.Type)
		}
		err := wire.FirstError(
			wire.Between("interactive['action']['buttons']['reply']['id']", "interactive", b.Reply.ID, 256),
			wire.Between("interactive['action']['buttons']['reply']['title']", "interactive", b.Reply.Title, 20),
		)
		if err != nil {
			return err
		}
		if ids[b.Reply.ID] || titles[b.Reply.Title] {
			return wire.Invalid("Duplicate button: ids and titles must be unique")
		}
		ids[b.Reply.ID], titles[b.Reply.Title] = true, true
	}
	return nil
}

func (a *InteractiveAction) checkList() *wire.Error {
	if err := wire.Between("interactive['action']['button']", "interactive", a.Button, 20); err != nil {
		return err
	}
	if len(a.Sections) == 0 {
		return wire.Missing("interactive['action']['sections']", "interactive")
	}
	if len(a.Sections) > 10 {
		return wire.Invalid("Invalid sections count. Max allowed sections: 10")
	}
	rows, ids := 0, map[string]bool{}
	for _, s := range a.Sections {
		if s.Title == "" && len(a.Sections) > 1 {
			return wire.Missing("interactive['action']['sections']['title']", "interactive")
		}
		if err := wire.TooLong("interactive['action']['sections']['title']", s.Title, 24); err != nil {
			return err
		}
		if err := checkRows(s.Rows, ids); err != nil {
			return err
		}
		if rows += len(s.Rows); rows > 10 {
			return wire.Invalid("Total row count exceed max allowed count: 10")
		}
	}
	return nil
}

func checkRows(rows []ListRow, ids map[string]bool) *wire.Error {
	if len(rows) == 0 {
		return wire.Missing("interactive['action']['sections']['rows']", "interactive")
	}
	for _, r := range rows {
		err := wire.FirstError(
			wire.Between("interactive['action']['sections']['rows']['id']", "interactive", r.ID, 200),
			wire.Between("interactive['action']['sections']['rows']['title']", "interactive", r.Title, 24),
			wire.TooLong("interactive['action']['sections']['rows']['description']", r.Description, 72),
		)
		if err != nil {
			return err
		}
		if ids[r.ID] {
			return wire.Invalid("Duplicate row id: %s", r.ID)
		}
		ids[r.ID] = true
	}
	return nil
}

func (a *InteractiveAction) checkURL() *wire.Error {
	if err := a.checkName("cta_url"); err != nil {
		return err
	}
	var p struct {
		DisplayText string `json:"display_text"`
		URL         string `json:"url"`
	}
	if !wire.IsSet(a.Parameters) {
		return wire.Missing("interactive['action']['parameters']", "interactive")
	}
	if err := wire.DecodeField("interactive.action.parameters", a.Parameters, &p); err != nil {
		return err
	}
	if err := wire.Between("interactive['action']['parameters']['display_text']", "interactive", p.DisplayText, 20); err != nil {
		return err
	}
	if p.URL == "" {
		return wire.Missing("interactive['action']['parameters']['url']", "interactive")
	}
	if !wire.IsWebURL(p.URL) {
		return wire.Invalid("Parameter 'url' is not a valid web address")
	}
	return nil
}
