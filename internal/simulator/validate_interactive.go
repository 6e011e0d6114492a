package simulator

import "encoding/json"

type interactive struct {
	Type   string             `json:"type"`
	Header *interactiveHeader `json:"header"`
	Body   *textPart          `json:"body"`
	Footer *textPart          `json:"footer"`
	Action *interactiveAction `json:"action"`
}

type textPart struct {
	Text string `json:"text"`
}

type interactiveHeader struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Image    *asset `json:"image"`
	Video    *asset `json:"video"`
	Document *asset `json:"document"`
}

type interactiveAction struct {
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
	Rows  []listRow `json:"rows"`
}

type listRow struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

func (v *validation) interactive() *graphError {
	var in interactive
	if err := v.content(v.env.Interactive, &in); err != nil {
		return err
	}
	if in.Type == "" {
		return missing("interactive['type']", "interactive")
	}
	bodyLimit := 1024
	if in.Type == "list" {
		bodyLimit = 4096
	}
	if err := firstError(in.checkTexts(bodyLimit), v.header(in)); err != nil {
		return err
	}
	if in.Action == nil {
		return missing("interactive['action']", "interactive")
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
		return nil // they exist, but nobody here sends them
	}
	return badParam("Param interactive['type'] must be one of {ADDRESS_MESSAGE, BUTTON, CATALOG_MESSAGE, CTA_URL, FLOW, LIST, LOCATION_REQUEST_MESSAGE, PRODUCT, PRODUCT_LIST, REQUEST_CONTACT_INFO} - got %q.", in.Type)
}

func (in interactive) checkTexts(bodyLimit int) *graphError {
	if in.Body == nil {
		if in.Type == "product" {
			return nil
		}
		return missing("interactive['body']", "interactive")
	}
	if err := between("interactive['body']['text']", "interactive", in.Body.Text, bodyLimit); err != nil {
		return err
	}
	if in.Footer == nil {
		return nil
	}
	return between("interactive['footer']['text']", "interactive", in.Footer.Text, 60)
}

func (v *validation) header(in interactive) *graphError {
	h := in.Header
	if h == nil {
		return nil
	}
	if in.Type == "list" && h.Type != "text" {
		return invalid("Header type '%s' is not supported for interactive type 'list'", h.Type)
	}
	files := map[string]*asset{"image": h.Image, "video": h.Video, "document": h.Document}
	if h.Type == "text" {
		return between("interactive['header']['text']", "interactive", h.Text, 60)
	}
	file, supported := files[h.Type]
	if !supported {
		return badParam("Param interactive['header']['type'] must be one of {DOCUMENT, IMAGE, TEXT, VIDEO} - got %q.", h.Type)
	}
	if file == nil {
		return missing("interactive['header']['"+h.Type+"']", "interactive")
	}
	return v.file(*file, h.Type, "interactive['header']['"+h.Type+"']")
}

func (a *interactiveAction) checkName(want string) *graphError {
	if a.Name != want {
		return invalid("Parameter 'interactive['action']['name']' must be '%s'", want)
	}
	return nil
}

func (a *interactiveAction) checkButtons() *graphError {
	if len(a.Buttons) == 0 {
		return missing("interactive['action']['buttons']", "interactive")
	}
	if len(a.Buttons) > 3 {
		return invalid("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3")
	}
	ids, titles := map[string]bool{}, map[string]bool{}
	for _, b := range a.Buttons {
		if b.Type != "reply" {
			return badParam("Param interactive['action']['buttons']['type'] must be one of {REPLY} - got %q.", b.Type)
		}
		err := firstError(
			between("interactive['action']['buttons']['reply']['id']", "interactive", b.Reply.ID, 256),
			between("interactive['action']['buttons']['reply']['title']", "interactive", b.Reply.Title, 20),
		)
		if err != nil {
			return err
		}
		if ids[b.Reply.ID] || titles[b.Reply.Title] {
			return invalid("Duplicate button: ids and titles must be unique")
		}
		ids[b.Reply.ID], titles[b.Reply.Title] = true, true
	}
	return nil
}

func (a *interactiveAction) checkList() *graphError {
	if err := between("interactive['action']['button']", "interactive", a.Button, 20); err != nil {
		return err
	}
	if len(a.Sections) == 0 {
		return missing("interactive['action']['sections']", "interactive")
	}
	if len(a.Sections) > 10 {
		return invalid("Invalid sections count. Max allowed sections: 10")
	}
	rows, ids := 0, map[string]bool{}
	for _, s := range a.Sections {
		if s.Title == "" && len(a.Sections) > 1 {
			return missing("interactive['action']['sections']['title']", "interactive")
		}
		if err := tooLong("interactive['action']['sections']['title']", s.Title, 24); err != nil {
			return err
		}
		if err := checkRows(s.Rows, ids); err != nil {
			return err
		}
		if rows += len(s.Rows); rows > 10 {
			return invalid("Total row count exceed max allowed count: 10")
		}
	}
	return nil
}

func checkRows(rows []listRow, ids map[string]bool) *graphError {
	if len(rows) == 0 {
		return missing("interactive['action']['sections']['rows']", "interactive")
	}
	for _, r := range rows {
		err := firstError(
			between("interactive['action']['sections']['rows']['id']", "interactive", r.ID, 200),
			between("interactive['action']['sections']['rows']['title']", "interactive", r.Title, 24),
			tooLong("interactive['action']['sections']['rows']['description']", r.Description, 72),
		)
		if err != nil {
			return err
		}
		if ids[r.ID] {
			return invalid("Duplicate row id: %s", r.ID)
		}
		ids[r.ID] = true
	}
	return nil
}

func (a *interactiveAction) checkURL() *graphError {
	if err := a.checkName("cta_url"); err != nil {
		return err
	}
	var p struct {
		DisplayText string `json:"display_text"`
		URL         string `json:"url"`
	}
	if !isSet(a.Parameters) {
		return missing("interactive['action']['parameters']", "interactive")
	}
	if err := decodeField("interactive.action.parameters", a.Parameters, &p); err != nil {
		return err
	}
	if err := between("interactive['action']['parameters']['display_text']", "interactive", p.DisplayText, 20); err != nil {
		return err
	}
	if p.URL == "" {
		return missing("interactive['action']['parameters']['url']", "interactive")
	}
	if !isWebURL(p.URL) {
		return invalid("Parameter 'url' is not a valid web address")
	}
	return nil
}
