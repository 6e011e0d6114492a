package cloud

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

const accepted = `{"messaging_product":"whatsapp","contacts":[{"input":"+4915510000001","wa_id":"4915510000001"}],"messages":[{"id":"wamid.A"}]}`

// envelope is what every message to the test's recipient begins with.
const envelope = `{"messaging_product":"whatsapp","recipient_type":"individual","to":"+4915510000001","biz_opaque_callback_data":"msg_1",`

func outbound(kind chat.MessageType, content string) provider.Outbound {
	return provider.Outbound{ID: "msg_1", To: "+4915510000001", Type: kind, Content: json.RawMessage(content)}
}

func with(m provider.Outbound, change func(*provider.Outbound)) provider.Outbound {
	change(&m)
	return m
}

var wireBodies = []struct {
	name    string
	message provider.Outbound
	want    string
}{
	{
		"text", outbound(chat.TypeText, `{"body":"Grüße \"an\" alle","preview_url":true}`),
		envelope + `"type":"text","text":{"body":"Grüße \"an\" alle","preview_url":true}}`,
	},
	{
		"number without plus",
		with(outbound(chat.TypeText, `{"body":"x"}`), func(m *provider.Outbound) { m.To = "4915510000001" }),
		envelope + `"type":"text","text":{"body":"x"}}`,
	},
	{
		"to a user id",
		with(outbound(chat.TypeText, `{"body":"x"}`), func(m *provider.Outbound) { m.To, m.Recipient = "", "DE.7001" }),
		`{"messaging_product":"whatsapp","recipient_type":"individual","recipient":"DE.7001","biz_opaque_callback_data":"msg_1","type":"text","text":{"body":"x"}}`,
	},
	{
		"a number wins over a user id",
		with(outbound(chat.TypeText, `{"body":"x"}`), func(m *provider.Outbound) { m.Recipient = "DE.7001" }),
		envelope + `"type":"text","text":{"body":"x"}}`,
	},
	{
		"reply",
		with(outbound(chat.TypeText, `{"body":"x"}`), func(m *provider.Outbound) { m.ReplyTo = "wamid.\"Q" }),
		envelope + `"context":{"message_id":"wamid.\"Q"},"type":"text","text":{"body":"x"}}`,
	},
	{
		"image by link", outbound(chat.TypeImage, `{"link":"https://files.example.test/p.png","caption":"c"}`),
		envelope + `"type":"image","image":{"link":"https://files.example.test/p.png","caption":"c"}}`,
	},
	{
		"image by id",
		with(outbound(chat.TypeImage, `{"id":"med_1","caption":"c"}`), func(m *provider.Outbound) { m.MediaID = "900100" }),
		envelope + `"type":"image","image":{"id":"900100","caption":"c"}}`,
	},
	{
		"link that was uploaded",
		with(outbound(chat.TypeVideo, `{"link":"https://files.example.test/v.mp4","caption":"c"}`), func(m *provider.Outbound) { m.MediaID = "900100" }),
		envelope + `"type":"video","video":{"id":"900100","caption":"c"}}`,
	},
	{
		"document",
		with(outbound(chat.TypeDocument, `{"id":"med_1","filename":"invoice.pdf","caption":"c"}`), func(m *provider.Outbound) { m.MediaID = "900101" }),
		envelope + `"type":"document","document":{"id":"900101","filename":"invoice.pdf","caption":"c"}}`,
	},
	{
		"voice note",
		with(outbound(chat.TypeAudio, `{"id":"med_1","voice":true}`), func(m *provider.Outbound) { m.MediaID = "900103" }),
		envelope + `"type":"audio","audio":{"id":"900103","voice":true}}`,
	},
	{
		"location", outbound(chat.TypeLocation, `{"latitude":48.1371,"longitude":11.5754,"name":"Shop","address":"Str. 1"}`),
		envelope + `"type":"location","location":{"latitude":48.1371,"longitude":11.5754,"name":"Shop","address":"Str. 1"}}`,
	},
	{
		"contacts", outbound(chat.TypeContacts, `[{"name":{"formatted_name":"Ada L"},"phones":[{"phone":"+4915510000002"}]}]`),
		envelope + `"type":"contacts","contacts":[{"name":{"formatted_name":"Ada L"},"phones":[{"phone":"+4915510000002"}]}]}`,
	},
	{
		"reaction never quotes",
		with(outbound(chat.TypeReaction, `{"message_id":"wamid.Q","emoji":"👍"}`), func(m *provider.Outbound) { m.ReplyTo = "wamid.Q" }),
		envelope + `"type":"reaction","reaction":{"message_id":"wamid.Q","emoji":"👍"}}`,
	},
	{
		"reaction taken off", outbound(chat.TypeReaction, `{"message_id":"wamid.Q","emoji":""}`),
		envelope + `"type":"reaction","reaction":{"message_id":"wamid.Q","emoji":""}}`,
	},
	{
		"reply buttons",
		with(outbound(chat.TypeInteractive, `{"type":"reply_buttons","header":{"type":"image","image":{"id":"med_1"}},"body":{"text":"b"},"footer":{"text":"f"},
			"action":{"buttons":[{"type":"reply","reply":{"id":"med_mine","title":"reply_buttons"}}]}}`), func(m *provider.Outbound) { m.MediaID = "900100" }),
		envelope + `"type":"interactive","interactive":{"type":"button","header":{"type":"image","image":{"id":"900100"}},"body":{"text":"b"},"footer":{"text":"f"},
			"action":{"buttons":[{"type":"reply","reply":{"id":"med_mine","title":"reply_buttons"}}]}}}`,
	},
	{
		"button, the other name of reply buttons",
		outbound(chat.TypeInteractive, `{"type":"button","body":{"text":"b"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"A"}}]}}`),
		envelope + `"type":"interactive","interactive":{"type":"button","body":{"text":"b"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"A"}}]}}}`,
	},
	{
		"link button",
		outbound(chat.TypeInteractive, `{"type":"cta_url","header":{"type":"text","text":"h"},"body":{"text":"b"},"action":{"name":"cta_url","parameters":{"display_text":"Open","url":"https://example.test/a"}}}`),
		envelope + `"type":"interactive","interactive":{"type":"cta_url","header":{"type":"text","text":"h"},"body":{"text":"b"},"action":{"name":"cta_url","parameters":{"display_text":"Open","url":"https://example.test/a"}}}}`,
	},
	{
		"list",
		outbound(chat.TypeInteractive, `{"type":"list","body":{"text":"b"},"action":{"button":"Pick","sections":[{"title":"S","rows":[{"id":"r","title":"R","description":"D"}]}]}}`),
		envelope + `"type":"interactive","interactive":{"type":"list","body":{"text":"b"},"action":{"button":"Pick","sections":[{"title":"S","rows":[{"id":"r","title":"R","description":"D"}]}]}}}`,
	},
	{
		"template, language as a string", outbound(chat.TypeTemplate, `{"name":"order_ready","language":"de"}`),
		envelope + `"type":"template","template":{"name":"order_ready","language":{"code":"de"}}}`,
	},
	{
		"template with media and parameters",
		with(outbound(chat.TypeTemplate, `{"name":"n","language":{"code":"de","policy":"deterministic"},"components":[
			{"type":"header","parameters":[{"type":"document","document":{"id":"med_1","filename":"a.pdf"}}]},
			{"type":"body","parameters":[{"type":"text","parameter_name":"language","text":"de"},{"type":"currency","currency":{"fallback_value":"12","code":"EUR","amount_1000":12500}}]},
			{"type":"button","sub_type":"quick_reply","index":"0","parameters":[{"type":"payload","payload":"P"}]}]}`), func(m *provider.Outbound) { m.MediaID = "900100" }),
		envelope + `"type":"template","template":{"name":"n","language":{"code":"de","policy":"deterministic"},"components":[
			{"type":"header","parameters":[{"type":"document","document":{"id":"900100","filename":"a.pdf"}}]},
			{"type":"body","parameters":[{"type":"text","parameter_name":"language","text":"de"},{"type":"currency","currency":{"fallback_value":"12","code":"EUR","amount_1000":12500}}]},
			{"type":"button","sub_type":"quick_reply","index":"0","parameters":[{"type":"payload","payload":"P"}]}]}}`,
	},
	{
		"carousel with several files",
		with(outbound(chat.TypeTemplate, `{"name":"n","language":"de","components":[{"type":"carousel","cards":[
			{"card_index":0,"components":[{"type":"header","parameters":[{"type":"image","image":{"id":"med_1"}}]}]},
			{"card_index":1,"components":[{"type":"header","parameters":[{"type":"video","video":{"id":"med_2"}}]}]},
			{"card_index":2,"components":[{"type":"header","parameters":[{"type":"image","image":{"link":"https://x.test/p.png"}}]}]}]}]}`),
			func(m *provider.Outbound) { m.MediaIDs = map[string]string{"med_1": "901", "med_2": "902"} }),
		envelope + `"type":"template","template":{"name":"n","language":{"code":"de"},"components":[{"type":"carousel","cards":[
			{"card_index":0,"components":[{"type":"header","parameters":[{"type":"image","image":{"id":"901"}}]}]},
			{"card_index":1,"components":[{"type":"header","parameters":[{"type":"video","video":{"id":"902"}}]}]},
			{"card_index":2,"components":[{"type":"header","parameters":[{"type":"image","image":{"link":"https://x.test/p.png"}}]}]}]}]}}`,
	},
}

func TestSendWireBodies(t *testing.T) {
	u := answering(t, http.StatusOK, nil, accepted)
	for _, test := range wireBodies {
		t.Run(test.name, func(t *testing.T) {
			if _, err := u.Send(context.Background(), number, test.message); err != nil {
				t.Fatal(err)
			}
			got := <-u.requests
			if got.method != http.MethodPost || got.path != "/v24.0/100200300400/messages" {
				t.Errorf("called %s %s", got.method, got.path)
			}
			for name, want := range map[string]string{
				"Authorization": "Bearer EAAtoken", "Content-Type": "application/json", "User-Agent": "Parley",
			} {
				if value := got.header.Get(name); value != want {
					t.Errorf("%s: %q, want %q", name, value, want)
				}
			}
			sameJSON(t, got.body, test.want)
		})
	}
}

func TestSendCannotBeMade(t *testing.T) {
	u := answering(t, http.StatusOK, nil, accepted)
	tests := map[string]provider.Outbound{
		"no content":      outbound(chat.TypeText, ``),
		"no recipient":    with(outbound(chat.TypeText, `{"body":"x"}`), func(m *provider.Outbound) { m.To = "" }),
		"broken template": outbound(chat.TypeTemplate, `{"name":`),
		"broken buttons":  outbound(chat.TypeInteractive, `{} {}`),
		"broken media":    with(outbound(chat.TypeImage, `{`), func(m *provider.Outbound) { m.MediaID = "1" }),
	}
	for name, m := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := u.Send(context.Background(), number, m)
			if e := failure(t, err); e.Transient || e.OutcomeUnknown || e.HTTPStatus != 0 || e.Cause == nil {
				t.Errorf("got %+v", e)
			}
		})
	}
	if len(u.requests) > 0 {
		t.Error("a request went out")
	}
}

func TestSendAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"phone":    accepted,
		"template": `{"contacts":[{"input":"x","wa_id":4915510000001}],"messages":[{"id":"wamid.A","message_status":"accepted"}]}`,
		"held":     `{"contacts":[{"wa_id":"49"}],"messages":[{"id":"wamid.A","message_status":"held_for_quality_assessment"}]}`,
		"user id":  `{"contacts":[{"input":"DE.7001","user_id":"DE.7001"}],"messages":[{"id":"wamid.A"}]}`,
		"id only":  `{"messages":[{"id":"wamid.A"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := answering(t, http.StatusOK, nil, answer).Send(context.Background(), number, outbound(chat.TypeText, `{"body":"x"}`))
			if err != nil || got.MessageID != "wamid.A" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestMarkRead(t *testing.T) {
	u := answering(t, http.StatusOK, nil, `{"success":true}`)
	for typing, want := range map[bool]string{
		false: `{"messaging_product":"whatsapp","status":"read","message_id":"wamid.I"}`,
		true:  `{"messaging_product":"whatsapp","status":"read","message_id":"wamid.I","typing_indicator":{"type":"text"}}`,
	} {
		must(t, u.MarkRead(context.Background(), number, "wamid.I", typing))
		got := <-u.requests
		if got.path != "/v24.0/100200300400/messages" {
			t.Errorf("called %s", got.path)
		}
		sameJSON(t, got.body, want)
	}
}

func TestRegister(t *testing.T) {
	u := answering(t, http.StatusOK, nil, `{"success":true}`)
	must(t, u.Register(context.Background(), number, "123456"))
	got := <-u.requests
	if got.method != http.MethodPost || got.path != "/v24.0/100200300400/register" {
		t.Errorf("called %s %s", got.method, got.path)
	}
	sameJSON(t, got.body, `{"messaging_product":"whatsapp","pin":"123456"}`)

	err := answering(t, http.StatusOK, nil, `{"success":false}`).Register(context.Background(), number, "123456")
	if e := failure(t, err); e.Transient || e.OutcomeUnknown {
		t.Errorf("not carried out: %+v", e)
	}
}

func TestPhoneNumber(t *testing.T) {
	u := answering(t, http.StatusOK, nil, `{"id":100200300400,"display_phone_number":"+49 30 555000","verified_name":"Shop","status":"CONNECTED",
		"quality_rating":"GREEN","platform_type":"CLOUD_API","is_on_biz_app":true,"throughput":{"level":"STANDARD"}}`)
	got, err := u.PhoneNumber(context.Background(), number)
	want := provider.PhoneNumber{
		ID: "100200300400", Display: "+49 30 555000", VerifiedName: "Shop", Status: "CONNECTED", Quality: "GREEN", OnBusinessApp: true,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if r := <-u.requests; r.method != http.MethodGet || r.path != "/v24.0/100200300400?fields="+phoneNumberFields {
		t.Errorf("called %s %s", r.method, r.path)
	}
}

func TestNewRefusesBaseURL(t *testing.T) {
	for _, url := range []string{"", "graph.example.test/v24.0", "ftp://graph.example.test", "http://", ":"} {
		if _, err := New(Options{BaseURL: url}); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
	if _, err := New(Options{BaseURL: "https://graph.example.test/v24.0/"}); err != nil {
		t.Error(err)
	}
}
