package app

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
)

type signatureInput struct {
	ID      rest.DeliveryID `path:"id"`
	Attempt string          `query:"attempt" pattern:"^[1-9][0-9]{0,3}$" doc:"Which one, from 1. Without it, the last."`
}

type signatureView struct {
	Attempt   int            `json:"attempt"`
	Timestamp int64          `json:"timestamp" doc:"t: when it was signed, in Unix seconds."`
	Body      *string        `json:"body" nullable:"true" doc:"Null where the message it told of was removed."`
	Headers   []headerView   `json:"headers" doc:"As they were sent."`
	Secrets   []signedByView `json:"secrets" doc:"Those that signed and are still there. None where all are gone."`
}

type headerView struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type signedByView struct {
	ID        string `json:"id"`
	Hint      string `json:"hint" doc:"The secret's end, to know it by."`
	Signature string `json:"signature" doc:"v1: the HMAC-SHA256 of t, a dot and the body, in hex."`
}

func (a *App) getDeliverySignature(c *rest.Call, in *signatureInput) (view signatureView, err error) {
	r := c.Read()
	d, err := core.WebhookDelivery(r, c.OrgID(), string(in.ID))
	if err != nil {
		return view, err
	}
	attempts := d.Attempts()
	n := len(attempts)
	if in.Attempt != "" {
		n, _ = strconv.Atoi(in.Attempt) // by its pattern
	}
	if n < 1 || n > len(attempts) {
		return view, chat.Invalid("attempt", "The delivery has %d attempts.", len(attempts))
	}
	event, err := r.Event(c.OrgID(), d.EventRow)
	if err != nil {
		return view, err
	}
	at := time.UnixMilli(attempts[n-1].At)
	view = signatureView{Attempt: n, Timestamp: at.Unix(), Headers: []headerView{}, Secrets: []signedByView{}}
	if d.Payload == nil {
		return view, nil
	}
	view.Body = new(string(d.Payload))
	secrets, err := r.WebhookSecrets(c.OrgID(), d.SubscriptionID)
	if err != nil {
		return view, err
	}
	header, err := a.signAgain(&view, secrets[d.SubscriptionID], at, d.Payload)
	view.Headers = viewHeaders(chat.SignedDelivery{
		ID: d.ID, EventID: d.EventID, EventType: d.EventType, Source: event.Source, Attempt: n, Signature: header, Test: core.IsSample(event),
	}.Headers())
	return view, err
}

// signAgain computes the signature of each secret that was active at the instant, and returns their header.
func (a *App) signAgain(view *signatureView, secrets []chat.WebhookSecret, at time.Time, body []byte) (string, error) {
	secrets = slices.DeleteFunc(slices.Clone(secrets), func(s chat.WebhookSecret) bool { return s.CreatedAt.After(at) })
	var texts []string
	for _, s := range chat.ActiveSecrets(secrets, at) {
		text, err := a.secretText(s)
		if err != nil {
			return "", err
		}
		_, signature, _ := strings.Cut(chat.SignWebhook([]string{text}, at, body), ",v1=")
		view.Secrets = append(view.Secrets, signedByView{s.ID, "whsec_…" + text[len(text)-4:], signature})
		texts = append(texts, text)
	}
	return chat.SignWebhook(texts, at, body), nil
}

func viewHeaders(h http.Header) (views []headerView) {
	for name, values := range h {
		views = append(views, headerView{name, strings.Join(values, ", ")})
	}
	slices.SortFunc(views, func(a, b headerView) int { return strings.Compare(a.Name, b.Name) })
	return views
}
