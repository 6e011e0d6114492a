package simulator

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/validation"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// shownButton is something a person can press in a message.
type shownButton struct {
	kind        string // button, list, template
	id          string
	title       string
	description string
}

// shown is what a person sees of a message: its text, and the buttons.
func (s *Simulator) shown(m *message) (text string, buttons []shownButton) {
	var env validation.Envelope
	if json.Unmarshal(m.body, &env) != nil {
		return "", nil
	}
	switch m.kind {
	case "text":
		var t struct {
			Body string `json:"body"`
		}
		_ = json.Unmarshal(env.Text, &t) // it was valid when it was accepted
		return t.Body, nil
	case "interactive":
		return shownInteractive(env.Interactive)
	case "template":
		return s.shownTemplate(m, env.Template)
	}
	return "", nil
}

func shownInteractive(raw wire.Raw) (string, []shownButton) {
	var in validation.Interactive
	if json.Unmarshal(raw, &in) != nil || in.Body == nil || in.Action == nil {
		return "", nil
	}
	var buttons []shownButton
	for _, b := range in.Action.Buttons {
		buttons = append(buttons, shownButton{kind: "button", id: b.Reply.ID, title: b.Reply.Title})
	}
	for _, section := range in.Action.Sections {
		for _, r := range section.Rows {
			buttons = append(buttons, shownButton{kind: "list", id: r.ID, title: r.Title, description: r.Description})
		}
	}
	return in.Body.Text, buttons
}

func (s *Simulator) shownTemplate(m *message, raw wire.Raw) (string, []shownButton) {
	var send validation.TemplateSend
	if json.Unmarshal(raw, &send) != nil || send.Language == nil {
		return "", nil
	}
	t, found := m.number.waba.Load().templates.Find(send.Name, send.Language.Code)
	if !found {
		return "", nil
	}
	values, payloads := map[string]string{}, map[int]string{}
	for _, c := range send.Components {
		switch strings.ToLower(c.Type) {
		case "body":
			for i, p := range c.Parameters {
				values[p.Place(i)], _ = p.TextValue("body")
			}
		case "button":
			i, err := strconv.Atoi(string(c.Index))
			if err == nil && len(c.Parameters) == 1 && c.Parameters[0].Payload != nil {
				payloads[i] = *c.Parameters[0].Payload
			}
		}
	}
	text := ""
	if body := t.Part("BODY"); body != nil {
		text = templates.Hydrate(body.Text, values)
	}
	return text, templateButtons(t, payloads)
}

// urlParameter is the parameter that completes a button's address.
func urlParameter(sent []validation.SendComponent, button int) string {
	for _, c := range sent {
		if i, err := strconv.Atoi(string(c.Index)); strings.EqualFold(c.Type, "button") && err == nil && i == button && len(c.Parameters) == 1 && c.Parameters[0].Text != nil {
			return *c.Parameters[0].Text
		}
	}
	return ""
}

func templateButtons(t templates.Template, payloads map[int]string) []shownButton {
	part := t.Part("BUTTONS")
	if part == nil {
		return nil
	}
	var buttons []shownButton
	for i, b := range part.Buttons {
		payload := payloads[i]
		if payload == "" {
			payload = b.Text
		}
		buttons = append(buttons, shownButton{kind: "template", id: payload, title: b.Text})
	}
	return buttons
}

// tapped is the message that pressing the button sends.
func (b shownButton) tapped(m *message) map[string]json.RawMessage {
	digits, _ := m.number.snapshot()
	context := wire.MustJSON(map[string]string{"from": digits, "id": m.id})
	reply := map[string]string{"id": b.id, "title": b.title}
	switch b.kind {
	case "template":
		return map[string]json.RawMessage{"type": wire.MustJSON("button"), "context": context, "button": wire.MustJSON(map[string]string{"payload": b.id, "text": b.title})}
	case "list":
		if b.description != "" {
			reply["description"] = b.description
		}
		return interactiveReply(context, "list_reply", reply)
	}
	return interactiveReply(context, "button_reply", reply)
}

func interactiveReply(context json.RawMessage, kind string, reply map[string]string) map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"type": wire.MustJSON("interactive"), "context": context,
		"interactive": wire.MustJSON(map[string]any{"type": kind, kind: reply}),
	}
}
