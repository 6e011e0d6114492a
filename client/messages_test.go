package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const person = "+4915510000001"

// outgoing is a message of each sendable type, with all its fields.
func outgoing(mediaID string) map[client.MessageType]client.NewMessage {
	buttons := client.Buttons(person, "Shall we?", client.Reply{ID: "yes", Title: "Yes"}, client.Reply{ID: "no", Title: "No"})
	buttons.Interactive.Header = &client.InteractiveHeader{Type: client.TypeImage, Image: &client.MediaContent{ID: mediaID}}
	buttons.Interactive.Footer = &client.InteractiveText{Text: "Any time"}
	preview := client.Text(person, "See https://example.com")
	preview.Text.PreviewURL = new(true)
	return map[client.MessageType]client.NewMessage{
		client.TypeText:        preview,
		client.TypeImage:       client.Image(person, client.MediaContent{ID: mediaID, Caption: "A <bird> & a tree"}),
		client.TypeVideo:       client.Video(person, client.MediaContent{Link: "https://example.com/v.mp4", Caption: "Moving"}),
		client.TypeDocument:    client.Document(person, client.MediaContent{Link: "https://example.com/a.pdf", Caption: "Terms", Filename: "Terms.pdf"}),
		client.TypeAudio:       client.Audio(person, client.MediaContent{Link: "https://example.com/a.ogg", Voice: new(true)}),
		client.TypeInteractive: buttons,
		client.TypeReaction:    client.Reaction(person, "wamid.1", "👍"),
	}
}

// contentOf is the field that a message's type names.
func contentOf(m any, t client.MessageType) any {
	v := reflect.ValueOf(m)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("json"); name == string(t)+",omitempty" {
			return v.Field(i).Interface()
		}
	}
	return nil
}

func TestSendEachType(t *testing.T) {
	t.Parallel()
	s := newService(t)
	media := upload(t, s)
	for kind, m := range outgoing(media.ID) {
		sent := must(s.SendMessage(t.Context(), s.number, m))(t)
		if sent.Type != kind || sent.Status != client.StatusQueued || sent.Direction != client.Outbound || *sent.Source != client.SourceAPI ||
			*sent.To != person || *sent.From != *s.acct.PhoneNumber || sent.CreatedAt.IsZero() {
			t.Errorf("%s became %+v", kind, sent)
		}
		if diff := cmp.Diff(contentOf(m, kind), contentOf(*sent, kind)); diff != "" {
			t.Errorf("%s came back as another: %s", kind, diff)
		}
		got := must(s.GetMessage(t.Context(), s.number, sent.ID))(t)
		if diff := cmp.Diff(sent, got); diff != "" {
			t.Errorf("%s read again: %s", kind, diff)
		}
	}
}

func TestSendInteractives(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, m := range []client.NewMessage{
		client.Buttons(person, "Shall we?", client.Reply{ID: "yes", Title: "Yes"}),
		client.LinkButton(person, "Your order", "Track it", "https://example.com/track"),
		client.List(person, "When?", "Choose", client.ListSection{Title: "Monday", Rows: []client.ListRow{{ID: "1", Title: "9:00", Description: "early"}}},
			client.ListSection{Title: "Tuesday", Rows: []client.ListRow{{ID: "2", Title: "9:00"}}}),
	} {
		sent := must(s.SendMessage(t.Context(), s.number, m))(t)
		if diff := cmp.Diff(m.Interactive, sent.Interactive); diff != "" {
			t.Errorf("%s came back as another: %s", m.Interactive.Type, diff)
		}
	}
}

// TestTemplateOnTheWire checks the request body, because the API refuses a template that the number does not
// have.
func TestTemplateOnTheWire(t *testing.T) {
	t.Parallel()
	var sent bytes.Buffer
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(&sent, r.Body)
		io.WriteString(w, `{"data":{}}`)
	})
	m := client.Template(person, "order_shipped", "en_US", "Ada", "A-17")
	m.Template.Components = append(m.Template.Components,
		client.TemplateComponent{Type: "header", Parameters: []client.TemplateParameter{
			client.FileParameter(client.TypeImage, client.MediaContent{Link: "https://example.com/a.jpg"})}},
		client.TemplateComponent{Type: "button", SubType: "quick_reply", Index: "0", Parameters: []client.TemplateParameter{client.PayloadParameter("p")}},
		client.TemplateComponent{Type: "carousel", Cards: []client.TemplateCard{{CardIndex: 0, Components: []client.TemplateComponent{
			{Type: "body", Parameters: []client.TemplateParameter{client.NamedParameter("name", "Ada")}}}}}},
	)
	must(c.SendMessage(t.Context(), "100200300", m))(t)
	want := `{"messaging_product":"chat","to":"+4915510000001","type":"template","template":{"name":"order_shipped","language":{"code":"en_US"},"components":[` +
		`{"type":"body","parameters":[{"text":"Ada","type":"text"},{"text":"A-17","type":"text"}]},` +
		`{"type":"header","parameters":[{"image":{"link":"https://example.com/a.jpg"},"type":"image"}]},` +
		`{"type":"button","sub_type":"quick_reply","index":0,"parameters":[{"payload":"p","type":"payload"}]},` +
		`{"type":"carousel","cards":[{"card_index":0,"components":[{"type":"body","parameters":[{"parameter_name":"name","text":"Ada","type":"text"}]}]}]}]}}`
	if sent.String() != want {
		t.Errorf("sent %s\nwant %s", sent.String(), want)
	}
}

func TestSendToUserAndReply(t *testing.T) {
	t.Parallel()
	s := newService(t)
	sent := must(s.SendMessage(t.Context(), s.number, client.Text("DE.abc123", "Hello").ReplyTo("wamid.7")))(t)
	if sent.To != nil || sent.BSUID == nil || *sent.BSUID != "DE.abc123" || sent.Context == nil || sent.Context.MessageID != "wamid.7" {
		t.Errorf("sent %+v", sent)
	}
}

func TestSendRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, test := range []struct {
		m     client.NewMessage
		code  client.ErrorCode
		param string
	}{
		{client.Text("12", "Hello"), client.CodeInvalidPhoneNumber, "to"},
		{client.Text("", "Hello"), client.CodeMissingRequiredField, "to"},
		{client.Text(person, ""), client.CodeInvalidFieldValue, "text.body"},
		{client.Image(person, client.MediaContent{}), client.CodeMissingRequiredField, "image.link"},
		{client.Image(person, client.MediaContent{ID: "med_1"}), client.CodeMediaNotFound, "image.id"},
	} {
		_, err := s.SendMessage(t.Context(), s.number, test.m)
		refused(t, err, test.code, test.param)
	}
	_, err := s.SendMessage(t.Context(), "999999999", client.Text(person, "Hello"))
	refused(t, err, client.CodeResourceNotFound, "")
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var first, second client.Response
	m := client.Text(person, "Once")
	a := must(s.SendMessage(t.Context(), s.number, m, client.IdempotencyKey("k 1"), client.Capture(&first)))(t)
	b := must(s.SendMessage(t.Context(), s.number, m, client.IdempotencyKey("k 1"), client.Capture(&second)))(t)
	if a.ID != b.ID || first.Replayed || !second.Replayed || first.RequestID != second.RequestID {
		t.Errorf("%s (%+v), then %s (%+v)", a.ID, first, b.ID, second)
	}
	if first.HTTPStatus != 200 || first.Attempts != 1 || first.RateLimit == nil || first.RateLimit.PerMinute != 600_000 || first.RateLimit.Remaining < 1 {
		t.Errorf("the answer was %+v", first)
	}
	_, err := s.SendMessage(t.Context(), s.number, client.Text(person, "Other"), client.IdempotencyKey("k 1"))
	refused(t, err, client.CodeIdempotencyKeyReuse, "Idempotency-Key")
	if c := must(s.SendMessage(t.Context(), s.number, m))(t); c.ID == a.ID {
		t.Error("a call without a key repeated another")
	}
	if _, err := s.SendMessage(t.Context(), s.number, m, client.IdempotencyKey("two\nlines")); err == nil || client.IsCode(err, client.CodeInvalidFieldValue) {
		t.Errorf("a key that is no header: %v", err)
	}
}

func TestListAndWalkMessages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var sent []string
	for range 5 {
		sent = append([]string{must(s.SendMessage(t.Context(), s.number, client.Text(person, "Hello")))(t).ID}, sent...)
	}
	filter := client.MessageFilter{Direction: client.Outbound, Status: client.StatusQueued, Type: client.TypeText, PageOptions: client.PageOptions{Limit: 2}}
	page := must(s.ListMessages(t.Context(), s.number, filter))(t)
	if len(page.Data) != 2 || !page.HasMore || page.NextCursor == nil || page.RequestID == "" {
		t.Fatalf("got %+v", page)
	}
	walked := s.Messages(t.Context(), s.number, filter)
	for range 2 { // a walk can be started again
		var ids []string
		for m, err := range walked {
			ids = append(ids, must(m, err)(t).ID)
		}
		if diff := cmp.Diff(sent, ids); diff != "" {
			t.Error(diff)
		}
	}
	for m, err := range walked {
		if must(m, err)(t).ID != sent[0] {
			t.Errorf("got %s first", m.ID)
		}
		break
	}
	last := must(s.GetMessage(t.Context(), s.number, sent[0]))(t)
	for name, f := range map[string]client.MessageFilter{
		"conversation": {ConversationID: "cnv_01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "inbound": {Direction: client.Inbound},
		"after": {CreatedAfter: last.CreatedAt}, "before": {CreatedBefore: must(s.GetMessage(t.Context(), s.number, sent[4]))(t).CreatedAt},
	} {
		if page := must(s.ListMessages(t.Context(), s.number, f))(t); len(page.Data) != 0 {
			t.Errorf("%s: got %d", name, len(page.Data))
		}
	}
}

func TestWalkEndsWithTheError(t *testing.T) {
	t.Parallel()
	s := newService(t)
	steps := 0
	for _, err := range s.Messages(t.Context(), s.number, client.MessageFilter{Status: "lost"}) {
		refused(t, err, client.CodeInvalidFieldValue, "status")
		steps++
	}
	if steps != 1 {
		t.Errorf("%d steps", steps)
	}
}

func TestConditionalMessage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	sent := must(s.SendMessage(t.Context(), s.number, client.Text(person, "Hello")))(t)
	var answer client.Response
	read := func() (*client.Message, error) {
		return s.GetMessage(t.Context(), s.number, sent.ID, client.IfNoneMatch(answer.ETag), client.Capture(&answer))
	}
	must(read())(t)
	tag := answer.ETag
	if m, err := read(); m != nil || !errors.Is(err, client.ErrNotModified) || tag == "" || answer.ETag != tag || answer.HTTPStatus != 304 {
		t.Errorf("got %v, %v; the answer was %+v", m, err, answer)
	}
	s.rows.InTx(t, func(tx *store.Tx) error {
		m, err := tx.Message(s.org.ID, s.acct.ID, sent.ID)
		if err != nil {
			return err
		}
		m.Status, m.Error = chat.StatusFailed, &chat.MessageError{Code: "undeliverable", Message: "Gone.", ProviderCode: new(131026)}
		m.ProviderID, m.PlayedAt = "wamid.9", &m.CreatedAt
		return tx.UpdateMessage(m)
	})
	m := must(read())(t)
	want := &client.MessageError{Code: "undeliverable", Message: "Gone.", ProviderCode: new(131026)}
	if diff := cmp.Diff(want, m.Error); diff != "" || m.Status != client.StatusFailed || m.MessageID != "wamid.9" || m.PlayedAt == nil || answer.ETag == tag {
		t.Errorf("got %+v: %s", m, diff)
	}
}

// TestReceived decodes inbound messages in the provider's shapes.
func TestReceived(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, test := range []struct {
		kind    client.MessageType
		content string
		want    any
	}{
		{client.TypeText, `{"body":"Hi"}`, &client.TextContent{Body: "Hi"}},
		{client.TypeImage, `{"id":"9","mime_type":"image/jpeg","sha256":"aa","caption":"c","new":1}`,
			&client.MediaContent{ID: "9", MimeType: "image/jpeg", SHA256: "aa", Caption: "c"}},
		{client.TypeInteractive, `{"type":"list_reply","list_reply":{"id":"1","title":"9:00","description":"early"}}`,
			&client.InteractiveContent{Type: "list_reply", ListReply: &client.ListRow{ID: "1", Title: "9:00", Description: "early"}}},
		{client.TypeInteractive, `{"type":"button_reply","button_reply":{"id":"yes","title":"Yes"}}`,
			&client.InteractiveContent{Type: "button_reply", ButtonReply: &client.Reply{ID: "yes", Title: "Yes"}}},
		{client.TypeReaction, `{"message_id":"wamid.1","emoji":""}`, &client.ReactionContent{MessageID: "wamid.1"}},
		{client.TypeLocation, `{"latitude":52.5,"longitude":-13.4,"name":"Here"}`, &client.LocationContent{Latitude: 52.5, Longitude: -13.4, Name: "Here"}},
		{client.TypeLocation, `{"latitude":"52.5","name":"Odd"}`, &client.LocationContent{Name: "Odd"}},
		{client.TypeContacts, `[{"name":{"formatted_name":"Ada"}}]`, json.RawMessage(`[{"name":{"formatted_name":"Ada"}}]`)},
		{client.TypeButton, `{"text":"Yes","payload":"p"}`, &client.ButtonContent{Text: "Yes", Payload: "p"}},
		{client.TypeUnsupported, `{"type":"unknown"}`, &client.UnsupportedContent{Type: "unknown"}},
	} {
		id := "wamid." + test.content
		s.receive(t, person, provider.Message{ProviderID: id, Type: chat.MessageType(test.kind), Content: json.RawMessage(test.content)})
		page := must(s.ListMessages(t.Context(), s.number, client.MessageFilter{Direction: client.Inbound, Type: test.kind}))(t)
		m := page.Data[0]
		if diff := cmp.Diff(test.want, contentOf(m, test.kind)); diff != "" || m.MessageID != id || m.Source != nil || *m.From != person {
			t.Errorf("%s: got %+v: %s", test.content, m, diff)
		}
	}
}

// TestReceivedBesideTheContent decodes the parts beside the content.
func TestReceivedBesideTheContent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.receive(t, person, provider.Message{
		ProviderID: "wamid.1", Type: chat.TypeUnsupported, Content: json.RawMessage(`{"type":"order"}`), Context: "wamid.0",
		Extra: json.RawMessage(`{"referral":{"source_type":"ad"},"order":{"catalog_id":"7"},"errors":[{"code":1}],"context":{"forwarded":true,"frequently_forwarded":true,"referred_product":{"catalog_id":"7"}}}`),
	})
	m := must(s.ListMessages(t.Context(), s.number, client.MessageFilter{MessageID: "wamid.1"}))(t).Data[0]
	want := &client.MessageContext{MessageID: "wamid.0", Forwarded: true, FrequentlyForwarded: true, ReferredProduct: json.RawMessage(`{"catalog_id":"7"}`)}
	if diff := cmp.Diff(want, m.Context); diff != "" {
		t.Error(diff)
	}
	if string(m.Referral) != `{"source_type":"ad"}` || string(m.Order) != `{"catalog_id":"7"}` || string(m.Errors) != `[{"code":1}]` {
		t.Errorf("got %+v", m)
	}
}

func TestMarkRead(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.receive(t, person, provider.Message{ProviderID: "wamid.in", Type: chat.TypeText, Content: json.RawMessage(`{"body":"Hi"}`)})
	for _, typing := range []bool{false, true} {
		got := must(s.MarkRead(t.Context(), s.number, client.ReadReceipt{MessageID: "wamid.in", Typing: typing}))(t)
		if got.Status != client.StatusRead || got.MessageID != "wamid.in" || got.Object != "message" || got.ID == "" {
			t.Errorf("got %+v", got)
		}
	}
	_, err := s.MarkRead(t.Context(), s.number, client.ReadReceipt{MessageID: "wamid.out"})
	refused(t, err, client.CodeResourceNotFound, "")
}

func TestMessageMediaURL(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.receive(t, person, provider.Message{
		ProviderID: "wamid.in", Type: chat.TypeImage, Content: json.RawMessage(`{"id":"9"}`), Media: &provider.Media{ID: "9", MimeType: "image/jpeg"},
	})
	id := must(s.ListMessages(t.Context(), s.number, client.MessageFilter{}))(t).Data[0].ID
	_, err := s.MessageMediaURL(t.Context(), s.number, id)
	refused(t, err, client.CodeResourceNotFound, "")
	s.rows.InTx(t, func(tx *store.Tx) error {
		media, err := core.AddMedia(tx, s.acct, chat.MediaInbound, core.StoredFile{BlobKey: "key", MimeType: "image/jpeg", Size: 3, SHA256: "aa"})
		if err != nil {
			return err
		}
		m, err := tx.Message(s.org.ID, s.acct.ID, id)
		m.MediaID = media.ID
		return errors.Join(err, tx.UpdateMessage(m))
	})
	address := must(s.MessageMediaURL(t.Context(), s.number, id))(t)
	if len(address) < 40 || address[:30] != "https://chat.example.com/media" {
		t.Errorf("got %q", address)
	}
}
