package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// work performs the crew's actions of the week.
func (w *week) work(ctx context.Context, all []talk) error {
	found, err := w.conversations(ctx)
	if err != nil {
		return err
	}
	for _, number := range []string{w.Demo.PhoneNumberID, salesNumber} { // their quality and limit
		if err := w.as(ctx, "demo", http.MethodPost, "/"+number+"/number/refresh", map[string]any{}, nil); err != nil {
			return err
		}
	}
	for _, r := range replies {
		r.TeamID = w.crew.team
		if err := w.as(ctx, "demo", http.MethodPost, "/replies", r, nil); err != nil {
			return err
		}
	}
	for _, t := range all {
		c := found["+"+t.phone]
		if err := w.handle(ctx, c.ID, t); err != nil {
			return fmt.Errorf("%s (%s): %w", t.name, c.ID, err)
		}
		if err := w.describe(ctx, c.Contact.ID, t); err != nil {
			return fmt.Errorf("%s (%s): %w", t.name, c.Contact.ID, err)
		}
	}
	return nil
}

type cannedReply struct {
	Name   string `json:"name"`
	Body   string `json:"body"`
	TeamID string `json:"team_id"`
}

// replies are the canned replies of the first number's team.
var replies = []cannedReply{
	{Name: "hours", Body: "Hi {{contact.first_name}}, we are here Monday to Friday from 9:00 to 17:00."},
	{Name: "shipping", Body: "Parcels leave every day at 15:00. You get the tracking number by message."},
	{Name: "terima kasih", Body: "Terima kasih, Kak {{contact.first_name}}! Salam, {{agent.first_name}}"},
}

type conversation struct {
	ID      string
	Contact struct {
		ID          string
		PhoneNumber string `json:"phone_number"`
	}
}

// conversations returns the conversations by the person's number. It also learns the labels.
func (w *week) conversations(ctx context.Context) (map[string]conversation, error) {
	var labels []struct{ ID, Name string }
	if err := w.as(ctx, "demo", http.MethodGet, "/labels", nil, &labels); err != nil {
		return nil, err
	}
	for _, l := range labels {
		w.crew.labels[l.Name] = l.ID
	}
	var list []conversation
	err := w.as(ctx, "demo", http.MethodGet, "/conversations?status=any&limit=100", nil, &list)
	found := make(map[string]conversation, len(list))
	for _, c := range list {
		found[c.Contact.PhoneNumber] = c
	}
	return found, err
}

// handle performs the actions on a conversation, in the order in which people would.
func (w *week) handle(ctx context.Context, id string, t talk) error {
	path := "/conversations/" + id
	for _, label := range t.labels {
		if err := w.as(ctx, "demo", http.MethodPost, path+"/labels", map[string]any{"label_id": w.crew.labels[label]}, nil); err != nil {
			return err
		}
	}
	if t.to != "" {
		if err := w.as(ctx, "demo", http.MethodPatch, path, map[string]any{"assigned_to": w.crew.users[t.to].ID}, nil); err != nil {
			return err
		}
	}
	for _, n := range t.notes {
		mentions := []string{}
		if n.mentions != "" {
			mentions = append(mentions, w.crew.users[n.mentions].ID)
		}
		if err := w.as(ctx, n.by, http.MethodPost, path+"/notes", map[string]any{"body": n.text, "mentions": mentions}, nil); err != nil {
			return err
		}
	}
	if err := w.answer(ctx, t); err != nil {
		return err
	}
	return w.leave(ctx, path, t)
}

// describe writes down what the team knows about the person.
func (w *week) describe(ctx context.Context, id string, t talk) error {
	path := "/" + w.numberOf(t) + "/contacts/" + id
	if t.person.consent != "" {
		if err := w.as(ctx, "demo", http.MethodPatch, path, map[string]any{"marketing_consent": t.person.consent}, nil); err != nil {
			return err
		}
	}
	for _, label := range t.person.labels {
		if err := w.as(ctx, "demo", http.MethodPost, path+"/labels", map[string]any{"label_id": w.crew.labels[label]}, nil); err != nil {
			return err
		}
	}
	if t.person.note == "" {
		return nil
	}
	return w.as(ctx, "demo", http.MethodPost, "/contacts/"+id+"/notes", map[string]any{"body": t.person.note}, nil)
}

// numberOf is the number that a talk is with.
func (w *week) numberOf(t talk) string {
	if t.sales {
		return salesNumber
	}
	return w.Demo.PhoneNumberID
}

// answer marks the talk as read and sends the team's messages.
func (w *week) answer(ctx context.Context, t talk) error {
	messages := "/" + w.numberOf(t) + "/messages"
	if t.read {
		read := map[string]any{"messaging_product": "chat", "status": "read", "message_id": w.last[t.phone]}
		if err := w.as(ctx, t.to, http.MethodPost, messages, read, nil); err != nil {
			return err
		}
	}
	for _, s := range t.sends {
		body := map[string]any{"messaging_product": "chat", "to": "+" + t.phone, "type": s.kind, s.kind: s.content}
		var accepted struct{ ID string }
		if err := w.as(ctx, s.by, http.MethodPost, messages, body, &accepted); err != nil {
			return err
		}
		w.sent[accepted.ID] = t.phone
	}
	return nil
}

// leave sets the conversation's final status.
func (w *week) leave(ctx context.Context, path string, t talk) error {
	change := map[string]any{"status": t.end}
	switch t.end {
	case "":
		return nil
	case "tomorrow":
		change = map[string]any{"snoozed_until": w.now.Add(day).Truncate(time.Hour).UTC().Format(time.RFC3339)}
	case "reply":
		change = map[string]any{"until_reply": true}
	}
	by := t.to
	if by == "" {
		by = "demo"
	}
	return w.as(ctx, by, http.MethodPatch, path, change, nil)
}

// as calls an operation of the dashboard as one of the crew, and decodes the answer into data.
func (w *week) as(ctx context.Context, who, method, path string, body, data any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, "/app/api"+path, content)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	w.Sign(r, w.crew.tokens[who])
	answer := &answer{status: http.StatusOK, header: http.Header{}}
	w.Dashboard.ServeHTTP(answer, r)
	if answer.status >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %d %s", method, path, answer.status, answer.body.Bytes())
	}
	if data == nil {
		return nil
	}
	return json.Unmarshal(answer.body.Bytes(), &struct{ Data any }{data})
}

// answer is a response in memory, because the demo calls the handler without a network.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
func (a *answer) WriteHeader(status int)      { a.status = status }
