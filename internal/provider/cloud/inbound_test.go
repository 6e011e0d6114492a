package cloud

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"reflect"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

const ada = `{"profile":{"name":"Ada","username":"@ada.l"},"wa_id":"4915510000001","user_id":"DE.7001","parent_user_id":"DE.ENT.9001","identity_key_hash":"Ab="}`

var adaPerson = provider.Person{Phone: "+4915510000001", UserID: "DE.7001", ParentUserID: "DE.ENT.9001", Username: "ada.l", ProfileName: "Ada"}

// inboundMessage decodes a message from Ada; rest is its type and content.
func inboundMessage(t *testing.T, rest string) provider.InboundMessage {
	t.Helper()
	return decodeOne[provider.InboundMessage](t, "messages", `{`+metadata+`,"contacts":[`+ada+`],"messages":[`+wireMessage(rest)+`]}`)
}

func wireMessage(rest string) string {
	return `{"from":"4915510000001","from_user_id":"DE.7001","from_parent_user_id":"DE.ENT.9001","id":"wamid.I","timestamp":"1767225600",` + rest + `}`
}

func TestInboundCommonParts(t *testing.T) {
	m := inboundMessage(t, `"context":{"from":"4930555000","id":"wamid.Q"},"referral":{"source_url":"https://fb.test/1","source_type":"ad","ctwa_clid":"c"},"type":"text","text":{"body":"hi 👍 /"}`)
	if m.About() != origin || m.Contact != adaPerson {
		t.Errorf("got %+v, %+v", m.About(), m.Contact)
	}
	if m.ProviderID != "wamid.I" || !m.Timestamp.Equal(time.Unix(1767225600, 0)) || m.Context != "wamid.Q" {
		t.Errorf("got %+v", m.Message)
	}
	sameJSON(t, m.Content, `{"body":"hi 👍 /"}`)
	sameJSON(t, m.Extra, `{"referral":{"source_url":"https://fb.test/1","source_type":"ad","ctwa_clid":"c"}}`)
	sameJSON(t, m.Raw.Contact, ada)
	sameJSON(t, m.Raw.Metadata, `{"display_phone_number":"4930555000","phone_number_id":"100200300400"}`)
	sameJSON(t, m.Raw.Item, wireMessage(`"context":{"from":"4930555000","id":"wamid.Q"},"referral":{"source_url":"https://fb.test/1","source_type":"ad","ctwa_clid":"c"},"type":"text","text":{"body":"hi 👍 /"}`))
}

// The parts beside the content are kept if they are understood, with the product under our name.
func TestExtra(t *testing.T) {
	for wire, want := range map[string]string{
		``: ``,
		`"context":{"from":"4930555000","id":"wamid.Q"},`:                           ``,
		`"context":{"forwarded":true},`:                                             `{"context":{"forwarded":true}}`,
		`"context":{"frequently_forwarded":true,"forwarded":false},`:                `{"context":{"frequently_forwarded":true}}`,
		`"context":{"id":"wamid.Q","referred_product":{"catalog_id":"77"}},`:        `{"context":{"referred_product":{"catalog_id":"77"}}}`,
		`"context":"odd","referral":"odd","order":[],"errors":{},`:                  ``,
		`"context":{"forwarded":"odd","referred_product":5},`:                       ``,
		`"context":{},"referral":{"a":1},`:                                          `{"referral":{"a":1}}`,
		`"referral":{"a":1},"context":{"id":"x"},"errors":[{"code":1}],`:            `{"referral":{"a":1},"errors":[{"code":1}]}`,
		`"errors":[{"code":131051,"error_data":{"messaging_product":"whatsapp"}}],`: `{"errors":[{"code":131051,"error_data":{"messaging_product":"chat"}}]}`,
		`"order":{"catalog_id":"77","product_items":[{"item_price":30.50}]},`:       `{"order":{"catalog_id":"77","product_items":[{"item_price":30.50}]}}`,
	} {
		m := inboundMessage(t, wire+`"type":"text","text":{"body":"x"}`)
		if string(m.Extra) != want {
			t.Errorf("%s: got %s, want %s", wire, m.Extra, want)
		}
	}
}

// TestInboundContents has every type of message. raw is the type and content as passed on, where it
// differs from what came.
func TestInboundContents(t *testing.T) {
	const (
		contact = `{"name":{"formatted_name":"B","first_name":"B"},"phones":[{"phone":"+49 1","wa_id":"491","type":"MOBILE"}],"emails":[],"org":{"company":""},"birthday":"1990-01-01","vcard":"BEGIN:VCARD","origin":"other"}`
		failed  = `"errors":[{"code":131051,"title":"Message type unknown","error_data":{"messaging_product":"whatsapp","details":"not supported"}}]`
		passed  = `"errors":[{"code":131051,"title":"Message type unknown","error_data":{"messaging_product":"chat","details":"not supported"}}]`
	)
	tests := []struct {
		name, wire, raw string
		kind            chat.MessageType
		content         string
	}{
		{"text", `"type":"text","text":{"body":"hi"}`, ``, chat.TypeText, `{"body":"hi"}`},
		{
			"location", `"type":"location","location":{"latitude":48.13,"longitude":11.57,"name":"N","address":"A","url":"https://shop.test"}`, ``,
			chat.TypeLocation, `{"latitude":48.13,"longitude":11.57,"name":"N","address":"A","url":"https://shop.test"}`,
		},
		{"current location", `"type":"location","location":{"latitude":48.13,"longitude":11.57}`, ``, chat.TypeLocation, `{"latitude":48.13,"longitude":11.57}`},
		{"contacts", `"type":"contacts","contacts":[` + contact + `]`, ``, chat.TypeContacts, `[` + contact + `]`},
		{
			"button reply", `"type":"interactive","context":{"id":"wamid.O"},"interactive":{"type":"button_reply","button_reply":{"id":"b1","title":"Yes"}}`, ``,
			chat.TypeInteractive, `{"type":"button_reply","button_reply":{"id":"b1","title":"Yes"}}`,
		},
		{
			"list reply", `"type":"interactive","context":{},"interactive":{"type":"list_reply","list_reply":{"id":"r1","title":"T","description":"D"}}`, ``,
			chat.TypeInteractive, `{"type":"list_reply","list_reply":{"id":"r1","title":"T","description":"D"}}`,
		},
		{
			"flow reply", `"type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":"{\"flow_token\":\"t\"}"}}`, ``,
			chat.TypeInteractive, `{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":"{\"flow_token\":\"t\"}"}}`,
		},
		{
			"call permission", `"type":"interactive","interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"accept","expiration_timestamp":1767225600}}`, ``,
			chat.TypeInteractive, `{"type":"call_permission_reply","call_permission_reply":{"response":"accept","expiration_timestamp":1767225600}}`,
		},
		{"template button", `"type":"button","button":{"payload":"CONFIRM_1","text":"Confirm"}`, ``, chat.TypeButton, `{"payload":"CONFIRM_1","text":"Confirm"}`},
		{"reaction", `"type":"reaction","reaction":{"message_id":"wamid.O","emoji":"👍"}`, ``, chat.TypeReaction, `{"message_id":"wamid.O","emoji":"👍"}`},
		{
			"reaction taken off", `"type":"reaction","reaction":{"message_id":"wamid.O"}`, `"type":"reaction","reaction":{"message_id":"wamid.O","emoji":""}`,
			chat.TypeReaction, `{"message_id":"wamid.O","emoji":""}`,
		},
		{
			"reaction to nothing", `"type":"reaction","reaction":{"emoji":"x"}`, `"reaction":{"emoji":"x"},"type":"unsupported","unsupported":{"type":"reaction"}`,
			chat.TypeUnsupported, `{"type":"reaction"}`,
		},
		{
			"order", `"type":"order","order":{"catalog_id":"77","product_items":[{"quantity":2}]}`,
			`"order":{"catalog_id":"77","product_items":[{"quantity":2}]},"type":"unsupported","unsupported":{"type":"order"}`,
			chat.TypeUnsupported, `{"type":"order"}`,
		},
		{"welcome", `"type":"request_welcome"`, `"type":"unsupported","unsupported":{"type":"request_welcome"}`, chat.TypeUnsupported, `{"type":"request_welcome"}`},
		{
			"unsupported", `"type":"unsupported",` + failed + `,"unsupported":{"type":"poll_creation"}`,
			`"type":"unsupported",` + passed + `,"unsupported":{"type":"poll_creation"}`, chat.TypeUnsupported, `{"type":"poll_creation"}`,
		},
		{
			"unsupported of old", `"type":"unsupported",` + failed, `"type":"unsupported",` + passed + `,"unsupported":{"type":"unknown"}`,
			chat.TypeUnsupported, `{"type":"unknown"}`,
		},
		{"unknown", `"type":"unknown"`, `"type":"unsupported","unsupported":{"type":"unknown"}`, chat.TypeUnsupported, `{"type":"unknown"}`},
		{
			"edit whose content is withheld", `"type":"unsupported","unsupported":{"type":"edit"}`, ``,
			chat.TypeUnsupported, `{"type":"edit"}`,
		},
		{"a type yet to come", `"type":"hologram","hologram":{}`, `"hologram":{},"type":"unsupported","unsupported":{"type":"hologram"}`, chat.TypeUnsupported, `{"type":"hologram"}`},
		{"a type that is none", `"type":"Ho <b>"`, `"type":"unsupported","unsupported":{"type":"unknown"}`, chat.TypeUnsupported, `{"type":"unknown"}`},
		{"no type", `"text":{"body":"x"}`, `"text":{"body":"x"},"type":"unsupported","unsupported":{"type":"unknown"}`, chat.TypeUnsupported, `{"type":"unknown"}`},
		{"content of another type", `"type":"text","text":"x"`, `"text":"x","type":"unsupported","unsupported":{"type":"text"}`, chat.TypeUnsupported, `{"type":"text"}`},
		{"contacts of another type", `"type":"contacts","contacts":{}`, `"contacts":{},"type":"unsupported","unsupported":{"type":"contacts"}`, chat.TypeUnsupported, `{"type":"contacts"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := inboundMessage(t, test.wire)
			if m.Type != test.kind || m.Media != nil {
				t.Errorf("got %+v", m.Message)
			}
			sameJSON(t, m.Content, test.content)
			if test.raw == "" {
				test.raw = test.wire
			}
			sameJSON(t, m.Raw.Item, wireMessage(test.raw))
		})
	}
}

func TestInboundMedia(t *testing.T) {
	sum := sha256.Sum256([]byte("file"))
	b64, hexed := base64.StdEncoding.EncodeToString(sum[:]), hex.EncodeToString(sum[:])
	tests := []struct {
		name, wire string
		kind       chat.MessageType
		content    string
		media      provider.Media
	}{
		{
			"image", `"type":"image","image":{"caption":"c","mime_type":"image/jpeg","sha256":"` + b64 + `","id":"9001","url":"https://files.test/1"}`,
			chat.TypeImage, `{"caption":"c","mime_type":"image/jpeg","sha256":"` + b64 + `","id":"9001"}`,
			provider.Media{ID: "9001", URL: "https://files.test/1", MimeType: "image/jpeg"},
		},
		{
			"video, hexadecimal", `"type":"video","video":{"mime_type":"video/mp4","sha256":"` + hexed + `","id":9002}`,
			chat.TypeVideo, `{"mime_type":"video/mp4","sha256":"` + hexed + `","id":9002}`,
			provider.Media{ID: "9002", MimeType: "video/mp4"},
		},
		{
			"document", `"type":"document","document":{"caption":"c","filename":"f.pdf","mime_type":"application/pdf","sha256":"` + b64 + `","id":"9003","url":"u"}`,
			chat.TypeDocument, `{"caption":"c","filename":"f.pdf","mime_type":"application/pdf","sha256":"` + b64 + `","id":"9003"}`,
			provider.Media{ID: "9003", URL: "u", MimeType: "application/pdf", Filename: "f.pdf"},
		},
		{
			"voice note", `"type":"audio","audio":{"mime_type":"audio/ogg; codecs=opus","sha256":"` + b64 + `","id":"9004","url":"u","voice":true}`,
			chat.TypeAudio, `{"mime_type":"audio/ogg; codecs=opus","sha256":"` + b64 + `","id":"9004","voice":true}`,
			provider.Media{ID: "9004", URL: "u", MimeType: "audio/ogg; codecs=opus"},
		},
		{
			"voice note of old", `"type":"voice","voice":{"mime_type":"audio/ogg","sha256":"` + b64 + `","id":"9004"}`,
			chat.TypeAudio, `{"mime_type":"audio/ogg","sha256":"` + b64 + `","id":"9004","voice":true}`,
			provider.Media{ID: "9004", MimeType: "audio/ogg"},
		},
		{
			"sticker", `"type":"sticker","sticker":{"mime_type":"image/webp","sha256":"` + b64 + `","id":"9005","url":"u","animated":false}`,
			chat.TypeImage, `{"mime_type":"image/webp","sha256":"` + b64 + `","id":"9005","animated":false}`,
			provider.Media{ID: "9005", URL: "u", MimeType: "image/webp"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := inboundMessage(t, test.wire)
			test.media.SHA256 = sum[:]
			if m.Type != test.kind || !reflect.DeepEqual(m.Media, &test.media) {
				t.Errorf("got %s %+v", m.Type, m.Media)
			}
			sameJSON(t, m.Content, test.content)
			sameJSON(t, m.Raw.Item, wireMessage(`"type":"`+string(test.kind)+`","`+string(test.kind)+`":`+test.content))
		})
	}
}

func TestInboundMediaThatFailed(t *testing.T) {
	m := inboundMessage(t, `"type":"image","image":{"caption":"c","sha256":"bad"},"errors":[{"code":131052,"title":"too large"}]`)
	if m.Type != chat.TypeImage || m.Media != nil || string(m.Extra) != `{"errors":[{"code":131052,"title":"too large"}]}` {
		t.Errorf("got %+v", m.Message)
	}
	if m := inboundMessage(t, `"type":"image","image":{"id":"1","sha256":"bad"}`); m.Media.SHA256 != nil {
		t.Errorf("a digest of %d bytes", len(m.Media.SHA256))
	}
}

// TestIdentities finds the author, however much of it the upstream tells.
func TestIdentities(t *testing.T) {
	tests := []struct {
		name, contacts, message string
		want                    provider.Person
	}{
		{"all", ada, `"from":"4915510000001","from_user_id":"DE.7001"`, adaPerson},
		{"number only", `{"profile":{"name":"A"},"wa_id":"4915510000001"}`, `"from":"4915510000001"`, provider.Person{Phone: "+4915510000001", ProfileName: "A"}},
		{"number as a number", `{"profile":{"name":"A"},"wa_id":4915510000001}`, `"from":4915510000001`, provider.Person{Phone: "+4915510000001", ProfileName: "A"}},
		{"no contacts", ``, `"from":"4915510000001"`, provider.Person{Phone: "+4915510000001"}},
		{
			"number withheld", `{"profile":{"name":"A","username":"a.b"},"user_id":"DE.7001"}`, `"from_user_id":"DE.7001","from_parent_user_id":"DE.ENT.9"`,
			provider.Person{UserID: "DE.7001", ParentUserID: "DE.ENT.9", Username: "a.b", ProfileName: "A"},
		},
		{"number in the contact only", ada, `"from_user_id":"DE.7001"`, adaPerson},
		{"user id in the contact only", ada, `"from":"4915510000001"`, adaPerson},
		{"user id in place of the number", `{"profile":{"name":"A"},"wa_id":"DE.7001"}`, `"from":"DE.7001"`, provider.Person{UserID: "DE.7001", ProfileName: "A"}},
		{"only a contact", ada, `"x":1`, adaPerson},
		{"another's contact", ada, `"from":"4915510000009","from_user_id":"DE.7009"`, provider.Person{Phone: "+4915510000009", UserID: "DE.7009"}},
		{
			"among several", `{"profile":{"name":"B"},"wa_id":"4915510000002"},` + ada, `"from":"4915510000001"`, adaPerson,
		},
		{"username beside the profile", `{"username":"@a","wa_id":"4915510000001"}`, `"from":"4915510000001"`, provider.Person{Phone: "+4915510000001", Username: "a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decodeOne[provider.InboundMessage](t, "messages",
				`{`+metadata+`,"contacts":[`+test.contacts+`],"messages":[{`+test.message+`,"id":"wamid.I","type":"text","text":{"body":"x"}}]}`)
			if m.Contact != test.want {
				t.Errorf("got %+v, want %+v", m.Contact, test.want)
			}
			if m.Timestamp != (time.Time{}) {
				t.Errorf("a time from nowhere: %v", m.Timestamp)
			}
		})
	}
}

func TestEditAndRevoke(t *testing.T) {
	edit := func(rest string) provider.Edit {
		return decodeOne[provider.Edit](t, "messages", `{`+metadata+`,"contacts":[`+ada+`],"messages":[`+wireMessage(`"type":"edit","edit":`+rest)+`]}`)
	}
	e := edit(`{"original_message_id":"wamid.O","message":{"context":{"id":"M0"},"type":"text","text":{"body":"new"}}}`)
	if e.OriginalID != "wamid.O" || e.ProviderID != "wamid.I" || e.ByBusiness || e.Timestamp.IsZero() {
		t.Errorf("got %+v", e)
	}
	sameJSON(t, e.Content, `{"body":"new"}`)

	e = edit(`{"original_message_id":"wamid.O","message":{"type":"image","image":{"id":"9001","caption":"new"}}}`)
	sameJSON(t, e.Content, `{"id":"9001","caption":"new"}`)
	for _, withheld := range []string{`{"original_message_id":"wamid.O"}`, `{"original_message_id":"wamid.O","message":{"type":"unsupported"}}`, `{"original_message_id":"wamid.O","message":7}`} {
		m := inboundMessage(t, `"type":"edit","edit":`+withheld)
		if m.Type != chat.TypeUnsupported || m.Context != "wamid.O" || m.ProviderID != "wamid.I" || m.Contact != adaPerson {
			t.Errorf("%s: got %+v", withheld, m)
		}
		sameJSON(t, m.Content, `{"type":"edit"}`)
		sameJSON(t, m.Raw.Item, wireMessage(`"edit":`+withheld+`,"type":"unsupported","unsupported":{"type":"edit"}`))
	}

	r := decodeOne[provider.Revoke](t, "messages", `{`+metadata+`,"contacts":[`+ada+`],"messages":[`+wireMessage(`"type":"revoke","revoke":{"original_message_id":"wamid.O"}`)+`]}`)
	if r.OriginalID != "wamid.O" || r.ProviderID != "wamid.I" || r.ByBusiness || r.About() != origin {
		t.Errorf("got %+v", r)
	}
}

func TestEcho(t *testing.T) {
	const to = `"from":"4930555000","to":"4915510000001","to_user_id":"DE.7001","to_parent_user_id":"DE.ENT.9001","id":"wamid.E","timestamp":"1767225600",`
	value := func(rest string) string {
		return `{` + metadata + `,"contacts":[` + ada + `],"message_echoes":[{` + to + rest + `}]}`
	}
	for _, field := range []string{"smb_message_echoes", "message_echoes"} {
		e := decodeOne[provider.Echo](t, field, value(`"type":"sticker","sticker":{"id":"9005"}`))
		if e.Contact != adaPerson || e.ProviderID != "wamid.E" || e.Type != chat.TypeImage || e.Media.ID != "9005" || e.About() != origin {
			t.Errorf("got %+v", e)
		}
		sameJSON(t, e.Raw.Item, `{`+to+`"type":"image","image":{"id":"9005"}}`)
	}
	if e := decodeOne[provider.Edit](t, "smb_message_echoes", value(`"type":"edit","edit":{"original_message_id":"wamid.O","message":{"type":"text","text":{"body":"n"}}}`)); !e.ByBusiness || e.OriginalID != "wamid.O" {
		t.Errorf("got %+v", e)
	}
	if r := decodeOne[provider.Revoke](t, "smb_message_echoes", value(`"type":"revoke","revoke":{"original_message_id":"wamid.O"}`)); !r.ByBusiness || r.OriginalID != "wamid.O" {
		t.Errorf("got %+v", r)
	}
}

func TestInstant(t *testing.T) {
	at := time.Unix(1767225600, 0).UTC()
	for text, want := range map[string]time.Time{
		"1767225600": at, " 1767225600 ": at, "1767225600123": at.Add(123 * time.Millisecond),
		"1767225600.5": at, "1.7672256e9": at, "1767225600123.9": at.Add(123 * time.Millisecond),
		"2026-01-01T00:00:00Z": at, "2026-01-01T01:00:00+01:00": at, "2026-01-01T00:00:00+0000": at, "2026-01-01": at, "2026-01-01 00:00:00": at,
		"": {}, "0": {}, "0.5": {}, "-5": {}, "-1767225600.5": {}, "NaN": {}, "Infinity": {}, "1e300": {}, "soon": {}, "99999999999999999999": {}, "9223372036854775807": {},
	} {
		if got := instant(text); !got.Equal(want) || got.IsZero() != want.IsZero() {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Receivers are promised unix seconds in a string. What is no instant is passed on as it came.
func TestInstantsPassedOn(t *testing.T) {
	for came, want := range map[string]string{
		`"1767225600"`: `"1767225600"`, `1767225600`: `"1767225600"`, `"1767225600123"`: `"1767225600"`, `1767225600123`: `"1767225600"`,
		`"2026-01-01T00:00:00Z"`: `"1767225600"`, `"soon"`: `"soon"`, `""`: `""`, `null`: `null`,
	} {
		s := decodeStatus(t, ada, `{"id":"wamid.S","status":"read","timestamp":`+came+`}`)
		sameJSON(t, s.Raw.Item, `{"id":"wamid.S","status":"read","timestamp":`+want+`}`)
		m := decodeOne[provider.InboundMessage](t, "messages", `{`+metadata+`,"contacts":[`+ada+`],"messages":[{"from":"4915510000001","id":"wamid.I","timestamp":`+came+`,"type":"text","text":{"body":"hi"}}]}`)
		sameJSON(t, m.Raw.Item, `{"from":"4915510000001","id":"wamid.I","timestamp":`+want+`,"type":"text","text":{"body":"hi"}}`)
	}
}

func TestE164AndUserIDs(t *testing.T) {
	for text, want := range map[string]string{
		"4930555000": "+4930555000", "+49 (30) 555-000": "+4930555000", "": "", "+": "", "1234": "", "049305550": "",
		"1234567890123456": "", "DE.7001": "", "49x": "", "493०": "",
	} {
		if got := e164(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"DE.7001": true, "US.ENT.a1B2": true, "4930555000": false, "DE.": false, "DE.ENT.": false, "de.7001": false, "DE.70 01": false, "DEU.1": false, ".": false,
	} {
		if got := bsuid(text) != ""; got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestNeutralKeepsNumbers(t *testing.T) {
	n, err := parse([]byte(` { "a" : 12345678901234567890.10 , "b":[ true,null,{ } ,[]], "messaging_product":"whatsapp","c":{"messaging_product":"other"}} `))
	must(t, err)
	want := `{"a":12345678901234567890.10,"b":[true,null,{},[]],"messaging_product":"chat","c":{"messaging_product":"other"}}`
	if got := neutral(n); !bytes.Equal(got, []byte(want)) {
		t.Errorf("got %s", got)
	}
}
