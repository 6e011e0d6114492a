package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

// Every event has a type with every field that the service sends.
func TestEveryEventHasAType(t *testing.T) {
	t.Parallel()
	for _, kind := range chat.EventTypes {
		payload := core.SamplePayload(kind)
		value, err := client.DecodeEvent(client.EventType(kind), payload)
		if err != nil || value == nil {
			t.Errorf("%s: %v, %v", kind, value, err)
			continue
		}
		if kind == chat.EventMessageReceived || kind == chat.EventMessageStatus { // flattened; they have tests of their own
			continue
		}
		var envelope struct {
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(payload, &envelope); err != nil {
			t.Fatal(err)
		}
		strict := json.NewDecoder(bytes.NewReader(envelope.Data))
		strict.DisallowUnknownFields()
		again := reflect.New(reflect.TypeOf(value).Elem()).Interface()
		if err := strict.Decode(again); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if !reflect.DeepEqual(again, value) || reflect.ValueOf(value).Elem().IsZero() {
			t.Errorf("%s: decoded %+v", kind, value)
		}
	}
	if value, err := client.DecodeEvent("galaxy.formed", []byte(`{}`)); value != nil || err != nil {
		t.Errorf("an unknown type: %v, %v", value, err)
	}
}

func decodeAs[T any](t *testing.T, kind client.EventType, payload string) T {
	t.Helper()
	value, err := client.DecodeEvent(kind, []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return *value.(*T)
}

// received is a message.received with a message and the contact beside it.
func received(message, contact string) string {
	return `{"object":"chat_business_account","entry":[{"id":"2","changes":[{"field":"messages","value":{"messaging_product":"chat",
		"metadata":{"display_phone_number":"15550100200","phone_number_id":"1001"},"contacts":[` + contact + `],"messages":[` + message + `]}}]}],
		"svc":{"conversation_id":"cnv_1","contact_id":"ctc_1","message_id":"msg_1","phone_number_id":"1001","labels":[],
		"conversation":{"status":"open","assigned_to":null},"contact":{"name":null,"phone_number":null},"media_url":"https://x/f","media_status":"ready"}}`
}

func TestMessageReceived(t *testing.T) {
	t.Parallel()
	m := decodeAs[client.MessageReceived](t, client.EventMessageReceived, received(
		`{"from":"4915510000001","from_user_id":"DE.1","id":"wamid.1","timestamp":"1772366400","type":"image","image":{"caption":"Look","mime_type":"image/png"},"context":{"id":"wamid.0","forwarded":true}}`,
		`{"profile":{"name":"Bea","username":"bea.b"},"wa_id":"4915510000001","user_id":"DE.1"}`))
	want := client.Person{PhoneNumber: "+4915510000001", BSUID: "DE.1", Username: "bea.b", Name: "Bea"}
	if m.From != want || m.ID != "msg_1" || m.ProviderID != "wamid.1" || m.PhoneNumberID != "1001" || m.Type != client.TypeImage || m.Body() != "Look" ||
		m.Image.MimeType != "image/png" || m.Context.MessageID != "wamid.0" || !m.Context.Forwarded || m.MediaURL != "https://x/f" ||
		!m.At.Equal(time.Unix(1772366400, 0)) || m.Conversation.Status != client.ConversationOpen {
		t.Errorf("got %+v", m)
	}
	if _, err := client.DecodeEvent(client.EventMessageReceived, []byte(`{"entry":[]}`)); err == nil {
		t.Error("an empty envelope is taken")
	}
}

// Body returns the visible text of each type of content.
func TestBodyOfWhatCameIn(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`"type":"text","text":{"body":"Hello"}`:                                                                            "Hello",
		`"type":"button","button":{"text":"Stop","payload":"p"}`:                                                           "Stop",
		`"type":"reaction","reaction":{"message_id":"wamid.0","emoji":"👍"}`:                                                "👍",
		`"type":"interactive","interactive":{"type":"button_reply","button_reply":{"id":"y","title":"Yes"}}`:               "Yes",
		`"type":"interactive","interactive":{"type":"list_reply","list_reply":{"id":"r","title":"Red","description":"…"}}`: "Red",
		`"type":"location","location":{"latitude":1,"longitude":2}`:                                                        "",
		`"type":"text","text":{"body":["an odd one"]}`:                                                                     "",
	} {
		m := decodeAs[client.MessageReceived](t, client.EventMessageReceived, received(`{"from":"49","id":"wamid.1","timestamp":"1",`+content+`}`, `{}`))
		if m.Body() != want {
			t.Errorf("%s: %q", content, m.Body())
		}
	}
}

// People who hide their number can be answered like all others.
func TestReplyToSomebodyWithoutANumber(t *testing.T) {
	t.Parallel()
	m := decodeAs[client.MessageReceived](t, client.EventMessageReceived, received(
		`{"from_user_id":"DE.7x","id":"wamid.1","timestamp":"1","type":"text","text":{"body":"Hello"}}`, `{"profile":{"username":"bea.b"},"user_id":"DE.7x"}`))
	if m.From.PhoneNumber != "" || m.From.Address() != "DE.7x" {
		t.Fatalf("from %+v", m.From)
	}
	reply, file := client.ReplyTo(m), client.MediaContent{Link: "https://files.example/a"}
	for kind, answers := range map[client.MessageType][]client.NewMessage{
		"text": {reply.Text("Hello")}, "image": {reply.Image(file)}, "video": {reply.Video(file)}, "document": {reply.Document(file)},
		"audio": {reply.Audio(file)}, "template": {reply.Template("hello_world", "en_US")},
		"interactive": {
			reply.Buttons("Well?", client.Reply{ID: "y", Title: "Yes"}), reply.LinkButton("See", "Open", "https://shop.example"),
			reply.List("Choose", "Show", client.ListSection{}),
		},
	} {
		for _, a := range answers {
			if a.Type != kind || a.To != "" || a.Recipient != "DE.7x" || a.Context.MessageID != "wamid.1" {
				t.Errorf("the answer with %s is %+v", kind, a)
			}
		}
	}
	if plain := client.ReplyTo(m).Plain().Text("Hello"); plain.Context != nil || plain.Recipient != "DE.7x" {
		t.Errorf("the plain answer is %+v", plain)
	}
	if reaction := client.ReplyTo(m).React("👍"); reaction.Reaction.MessageID != "wamid.1" || reaction.Context != nil {
		t.Errorf("the reaction is %+v", reaction)
	}
}

func TestMessageStatusChanged(t *testing.T) {
	t.Parallel()
	m := decodeAs[client.MessageStatusChanged](t, client.EventMessageStatus, string(core.SamplePayload(chat.EventMessageStatus)))
	if m.Status != "delivered" || m.RecipientPhone != "+12025550111" || !strings.HasPrefix(m.ID, "msg_") || m.PhoneNumberID == "" {
		t.Errorf("got %+v", m)
	}
}

// deliver posts an event to a handler and returns the status of its answer.
func deliver(h http.Handler, kind chat.EventType, payload []byte) int {
	w := httptest.NewRecorder()
	source := chat.SourceService
	if kind == chat.EventMessageReceived || kind == chat.EventMessageStatus {
		source = chat.SourceProvider
	}
	h.ServeHTTP(w, delivery(kind, source, time.Now(), string(payload)))
	return w.Code
}

// Each event reaches the function of its type once, and again after a failure.
func TestWebhookHandler(t *testing.T) {
	t.Parallel()
	h := &client.WebhookHandler{Secrets: []string{"whsec_x"}}
	calls := map[string]int{}
	fail := true
	functions := reflect.ValueOf(h).Elem()
	for i := range functions.NumField() {
		field := functions.Type().Field(i)
		if field.Type.Kind() != reflect.Func || field.Name == "Other" {
			continue
		}
		functions.Field(i).Set(reflect.MakeFunc(field.Type, func([]reflect.Value) []reflect.Value {
			calls[field.Name]++
			err := reflect.Zero(reflect.TypeFor[error]())
			if fail {
				err = reflect.ValueOf(errors.New("not now"))
			}
			return []reflect.Value{err.Convert(reflect.TypeFor[error]())}
		}))
	}
	for _, kind := range chat.EventTypes {
		payload := core.SamplePayload(kind)
		fail = true
		if status := deliver(h, kind, payload); status != http.StatusInternalServerError {
			t.Errorf("%s that fails: %d", kind, status)
		}
		fail = false
		for range 3 {
			if status := deliver(h, kind, payload); status != http.StatusOK {
				t.Errorf("%s: %d", kind, status)
			}
		}
	}
	if len(calls) != len(chat.EventTypes) {
		t.Errorf("called %v", calls)
	}
	for name, n := range calls {
		if n != 2 { // the failure, and the one that counts
			t.Errorf("%s was called %d times", name, n)
		}
	}
}

func TestWebhookHandlerTellsStatusesApart(t *testing.T) {
	t.Parallel()
	var seen []string
	h := &client.WebhookHandler{Secrets: []string{"whsec_x"}, MessageStatusChanged: func(_ context.Context, m client.MessageStatusChanged) error {
		seen = append(seen, m.Status)
		return nil
	}}
	payload := string(core.SamplePayload(chat.EventMessageStatus))
	for _, status := range []string{"sent", "delivered", "sent", "read"} {
		deliver(h, chat.EventMessageStatus, []byte(strings.Replace(payload, "delivered", status, 1)))
	}
	if got := strings.Join(seen, " "); got != "sent delivered read" {
		t.Errorf("saw %s", got)
	}
}

// A repetition of an event that is still being handled is not answered with 200, because the handling may fail yet.
func TestWebhookHandlerWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}), make(chan error)
	h := &client.WebhookHandler{Secrets: []string{"whsec_x"}, ContactCreated: func(context.Context, client.ContactCreated) error {
		began <- struct{}{}
		return <-end
	}}
	deliverFor := func(ctx context.Context) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, delivery(chat.EventContactCreated, chat.SourceService, time.Now(), string(core.SamplePayload(chat.EventContactCreated))).WithContext(ctx))
		return w.Code
	}
	answers := make(chan int, 2)
	go func() { answers <- deliverFor(context.Background()) }()
	<-began
	impatient, cancel := context.WithCancel(context.Background())
	cancel()
	if status := deliverFor(impatient); status != http.StatusInternalServerError {
		t.Errorf("a repetition that does not wait: %d", status)
	}
	go func() { answers <- deliverFor(context.Background()) }()
	end <- errors.New("not now")
	if status := <-answers; status != http.StatusInternalServerError {
		t.Errorf("the first: %d", status)
	}
	<-began // by the repetition
	end <- nil
	if status := <-answers; status != http.StatusOK {
		t.Errorf("the repetition: %d", status)
	}
}

func TestWebhookHandlerTakesTests(t *testing.T) {
	t.Parallel()
	answered, tests := 0, 0
	h := &client.WebhookHandler{
		Secrets: []string{"whsec_x"}, Other: func(context.Context, client.WebhookEvent) error { answered++; return nil },
		MessageReceived: func(context.Context, client.MessageReceived) error { answered++; return nil },
	}
	test := func() int {
		r := delivery(chat.EventMessageReceived, chat.SourceProvider, time.Now(), string(core.SamplePayload(chat.EventMessageReceived)))
		r.Header.Set(client.HeaderWebhookTest, "true")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	if status := test(); status != http.StatusOK || answered != 0 {
		t.Errorf("answered with %d; %d functions were called", status, answered)
	}
	h = &client.WebhookHandler{Secrets: h.Secrets, MessageReceived: h.MessageReceived, Test: func(_ context.Context, e client.WebhookEvent) error {
		if e.Type == client.EventMessageReceived && e.Test {
			tests++
		}
		return nil
	}}
	if status := test(); status != http.StatusOK || answered != 0 || tests != 1 {
		t.Errorf("answered with %d; %d other functions were called, Test %d times", status, answered, tests)
	}
}

func TestWebhookHandlerRefusesAndPassesOn(t *testing.T) {
	t.Parallel()
	other := 0
	h := &client.WebhookHandler{Secrets: []string{"whsec_other"}, Other: func(context.Context, client.WebhookEvent) error { other++; return nil }}
	if status := deliver(h, chat.EventContactCreated, core.SamplePayload(chat.EventContactCreated)); status != http.StatusBadRequest {
		t.Errorf("a wrong signature: %d", status)
	}
	h.Secrets = append(h.Secrets, "whsec_x")
	if status := deliver(h, chat.EventContactCreated, core.SamplePayload(chat.EventContactCreated)); status != http.StatusOK || other != 1 {
		t.Errorf("%d, %d", status, other)
	}
	if status := deliver(&client.WebhookHandler{Secrets: h.Secrets}, chat.EventContactCreated, core.SamplePayload(chat.EventContactCreated)); status != http.StatusOK {
		t.Errorf("without a function: %d", status)
	}
}
