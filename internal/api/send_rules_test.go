package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
)

const (
	missing = "missing_required_field"
	bad     = "invalid_field_value"
	noPhone = "invalid_phone_number"
	noMedia = "media_not_found"
)

// wide is n characters of four bytes each.
func wide(n int) string { return strings.Repeat("😀", n) }

// webLink is an address of n characters.
func webLink(n int) string {
	const start = "https://example.com/"
	return start + strings.Repeat("a", n-len(start))
}

const hello = `"type":"text","text":{"body":"x"}`

func TestSendEnvelope(t *testing.T) {
	t.Parallel()
	const product = `{"messaging_product":"chat",`
	refuseAll(t, []refusedBody{
		{"nothing", `{}`, missing, "messaging_product"},
		{"no body", ``, missing, "messaging_product"},
		{"no product", `{"to":"+15550001111",` + hello + `}`, missing, "messaging_product"},
		{"another product", `{"messaging_product":"whatsapp","to":"+15550001111",` + hello + `}`, bad, "messaging_product"},
		{"product in capitals", `{"messaging_product":"Chat","to":"+15550001111",` + hello + `}`, bad, "messaging_product"},
		{"null product", `{"messaging_product":null,"to":"+15550001111",` + hello + `}`, bad, "messaging_product"},
		{"another recipient type", toAda(`"recipient_type":"group",` + hello), bad, "recipient_type"},
		{"empty recipient type", toAda(`"recipient_type":"",` + hello), bad, "recipient_type"},
		{"null recipient type", toAda(`"recipient_type":null,` + hello), bad, "recipient_type"},
		{"nobody to send to", product + hello + `}`, missing, "to"},
		{"neither type nor status", product + `"to":"+15550001111","text":{"body":"x"}}`, missing, "type"},
		{"unknown type", toAda(`"type":"sticker","sticker":{"id":"1"}`), bad, "type"},
		{"a type that only comes in", toAda(`"type":"location","location":{}`), bad, "type"},
		{"empty type", toAda(`"type":"","text":{"body":"x"}`), bad, "type"},
		{"null type", toAda(`"type":null,"text":{"body":"x"}`), bad, "type"},
		{"type in capitals", toAda(`"type":"TEXT","text":{"body":"x"}`), bad, "type"},
		{"no content", toAda(`"type":"text"`), missing, "text"},
		{"the content of another type", toAda(`"type":"image","text":{"body":"x"}`), missing, "image"},
		{"null content", toAda(`"type":"text","text":null`), bad, "text"},
		{"a text as content", toAda(`"type":"text","text":"x"`), bad, "text"},
		{"a list as content", toAda(`"type":"text","text":[{"body":"x"}]`), bad, "text"},
		{"context without id", toAda(`"context":{},` + hello), missing, "context.message_id"},
		{"empty id in the context", toAda(`"context":{"message_id":""},` + hello), bad, "context.message_id"},
		{"null id in the context", toAda(`"context":{"message_id":null},` + hello), bad, "context.message_id"},
		{"a long id in the context", toAda(`"context":{"message_id":"` + wide(513) + `"},` + hello), bad, "context.message_id"},
		{"our id in the context", toAda(`"context":{"message_id":"msg_01ARZ3NDEKTSV4RRFFQ69G5FAV"},` + hello), bad, "context.message_id"},
		{"a text as context", toAda(`"context":"wamid.1",` + hello), bad, "context"},
		{"null context", toAda(`"context":null,` + hello), bad, "context"},
		{"NUL", toAda(`"type":"text","text":{"body":"a\u0000b"}`), bad, "text.body"},
		{"duplicate field", toAda(`"type":"text","text":{"body":"x","body":"y"}`), "invalid_json", "text.body"},
		{"no JSON", `{"to":`, "invalid_json", ""},
	})
}

// A missing field is reported before a wrong value, wherever the two are.
func TestSendTellsMissingFieldsFirst(t *testing.T) {
	t.Parallel()
	const product = `{"messaging_product":"chat",`
	refuseAll(t, []refusedBody{
		{"product before a bad number", `{"to":"x",` + hello + `}`, missing, "messaging_product"},
		{"recipient before another product", `{"messaging_product":"x",` + hello + `}`, missing, "to"},
		{"recipient before a bad recipient type", product + `"recipient_type":"group",` + hello + `}`, missing, "to"},
		{"recipient before an unknown type", product + `"type":"x"}`, missing, "to"},
		{"recipient before the content", product + `"type":"text"}`, missing, "to"},
		{"type before a bad number", product + `"to":"x"}`, missing, "type"},
		{"type before a bad recipient", product + `"recipient":"x"}`, missing, "type"},
		{"type before a bad context", toAda(`"context":{"message_id":""}`), missing, "type"},
		{"context before type", toAda(`"context":{}`), missing, "context.message_id"},
		{"content before a bad number", product + `"to":"x","type":"text"}`, missing, "text"},
		{"content before a bad recipient type", toAda(`"recipient_type":"group","type":"text"`), missing, "text"},
		{"a field of the content before a bad number", product + `"to":"x","type":"text","text":{}}`, missing, "text.body"},
		{"a field of the content before a bad context", toAda(`"context":{"message_id":""},"type":"text","text":{}`), missing, "text.body"},
		{"a field of the content before its bad ones", content("reaction", `{"message_id":""}`), missing, "reaction.emoji"},
		{"a media file's source before its caption", content("image", `{"caption":"`+wide(1025)+`"}`), missing, "image.link"},
		{"buttons before a long text", content("interactive", `{"type":"button","body":{"text":""},"action":{}}`), missing, "interactive.action.buttons"},
		{"buttons before a bad header", content("interactive", `{"type":"button","header":{"type":"image","image":{"link":"ftp://x"}},"body":{"text":"x"},"action":{}}`), missing, "interactive.action.buttons"},
		{"header before a bad button", content("interactive", `{"type":"button","header":{"type":"text"},"body":{"text":"x"},"action":{"buttons":[{"type":"reply","reply":{"id":"","title":"x"}}]}}`), missing, "interactive.header.text"},
		{"a section's title before a row that is there twice", content("interactive", `{"type":"list","body":{"text":"x"},"action":{"button":"b","sections":[
			{"title":"a","rows":[{"id":"1","title":"a"},{"id":"1","title":"b"}]},{"rows":[{"id":"2","title":"a"}]}]}}`), missing, "interactive.action.sections[1].title"},
		{"bad ones by their order: recipient type", toAda(`"recipient_type":"x","context":{"message_id":""},"type":"text","text":{"body":""}`), bad, "recipient_type"},
		{"bad ones by their order: number", `{"text":{"body":""},"type":"text","context":{"message_id":""},"to":"x","messaging_product":"chat"}`, noPhone, "to"},
		{"bad ones by their order: context", toAda(`"type":"text","text":{"body":""},"context":{"message_id":""}`), bad, "context.message_id"},
	})
}

// A business-scoped user id in place of a number gets an error that says where it belongs.
func TestUserIDsInThePlaceOfNumbers(t *testing.T) {
	named := func(name, field string, request apitest.Request, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: connected, Request: request, Code: noPhone, Param: param,
			Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
				if m := r.Failure(t).Message; strings.Contains(m, "give it as "+field+".") != (field != "") {
					t.Errorf("got %q", m)
				}
			}}
	}
	to := func(s string) apitest.Request {
		return post(`{"messaging_product":"chat","to":"` + s + `",` + hello + `}`)
	}
	contact := func(body string) apitest.Request {
		return apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/contacts", Body: body}
	}
	apitest.RunEach(t, []apitest.Scenario{
		named("in a send", "recipient", to("DE.abc123"), "to"),
		named("a parent's in a send", "recipient", to("DE.ENT.abc123"), "to"),
		named("what is neither", "", to("DE-abc123"), "to"),
		named("in a contact", "bsuid", contact(`{"phone_number":"DE.abc123"}`), "phone_number"),
		named("a parent's in a contact", "", contact(`{"phone_number":"DE.ENT.abc123"}`), "phone_number"),
		named("in a filter", "bsuid", apitest.Request{Path: "/v1/${number}/contacts?phone=DE.abc123"}, "phone"),
	})
}

func TestSendRecipients(t *testing.T) {
	t.Parallel()
	const digits15 = "123456789012345"
	with := func(fields string) string { return `{"messaging_product":"chat",` + fields + `,` + hello + `}` }
	var refused []refusedBody
	for name, to := range map[string]string{
		"empty": "", "only a plus": "+", "six digits": "123456", "six digits with +": "+123456", "sixteen digits": digits15 + "6", "sixteen digits with +": "+" + digits15 + "6",
		"first digit 0": "0123456789", "first digit 0 with +": "+0123456789", "00 instead of +": "0049301234567", "two pluses": "++4930123456", "plus at the end": "4930123456+",
		"blank around": " 4930123456", "blank behind": "4930123456 ", "blanks inside": "49 30 123456", "dashes": "49-30-123456", "brackets": "(49)30123456", "dots": "49.30.123456",
		"letters": "49301234AB", "a name": "Ada", "other digits": "٤٩٣٠١٢٣٤٥٦", "full-width digits": "４９３０１２３４５６", "a line break": `4930123456\n`, "a BSUID": "DE.abc123", "exponent": "4.9e9",
	} {
		refused = append(refused, refusedBody{"to: " + name, with(`"to":"` + to + `"`), noPhone, "to"})
	}
	for name, recipient := range map[string]string{
		"empty": "", "lower case country": "de.abc", "one letter": "D.abc", "three letters": "DEU.abc", "no dot": "DEabc", "nothing behind the dot": "DE.", "a number": "+15550001111",
		"129 characters": "DE." + strings.Repeat("a", 129), "parent with 129 characters": "DE.ENT." + strings.Repeat("a", 129), "parent without an id": "DE.ENT.",
		"not alphanumeric": "DE.abc_1", "letters of another kind": "DE.äbc", "blank": "DE.a b", "line break": `DE.abc\n`, "two dots": "DE.a.b",
	} {
		refused = append(refused, refusedBody{"recipient: " + name, with(`"recipient":"` + recipient + `"`), bad, "recipient"})
	}
	refuseAll(t, append(refused,
		refusedBody{"to: NUL", with(`"to":"4930123456\u0000"`), bad, "to"},
		refusedBody{"to: a number as such", with(`"to":4930123456`), bad, "to"},
		refusedBody{"to: null", with(`"to":null`), bad, "to"},
		refusedBody{"to: null beside a recipient", with(`"to":null,"recipient":"DE.abc"`), bad, "to"},
		refusedBody{"to: a bad one beside a recipient", with(`"to":"x","recipient":"DE.abc"`), noPhone, "to"},
		refusedBody{"recipient: a list", with(`"recipient":["DE.abc"]`), bad, "recipient"},
	))
	eachNamed(t, "taken", func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		connected(t, c)
		for fields, want := range map[string]string{
			`"to":"1234567"`: "+1234567", `"to":"+1234568"`: "+1234568", `"to":"` + digits15 + `"`: "+" + digits15, `"to":"+99` + digits15[2:] + `"`: "+99" + digits15[2:],
			`"recipient":"DE.` + strings.Repeat("a", 128) + `"`: "", `"recipient":"ZZ.1"`: "", `"recipient":"DE.ENT.` + strings.Repeat("Z", 128) + `"`: "", `"recipient":"DE.ENT"`: "",
		} {
			var got struct{ To *string }
			c.Call(t, post(with(fields))).RequireStatus(t, http.StatusOK).Data(t, &got)
			if (got.To == nil) != (want == "") || got.To != nil && *got.To != want {
				t.Errorf("%s: sent to %v, want %q", fields, got.To, want)
			}
		}
	})
}

func TestSendText(t *testing.T) {
	t.Parallel()
	refuseAll(t, []refusedBody{
		{"no body", content("text", `{}`), missing, "text.body"},
		{"empty", content("text", `{"body":""}`), bad, "text.body"},
		{"null", content("text", `{"body":null}`), bad, "text.body"},
		{"a number", content("text", `{"body":1}`), bad, "text.body"},
		{"4097 characters", content("text", `{"body":"`+strings.Repeat("x", 4097)+`"}`), bad, "text.body"},
		{"4097 characters of four bytes", content("text", `{"body":"`+wide(4097)+`"}`), bad, "text.body"},
		{"preview as a text", content("text", `{"body":"x","preview_url":"true"}`), bad, "text.preview_url"},
		{"null preview", content("text", `{"body":"x","preview_url":null}`), bad, "text.preview_url"},
	})
	takeAll(t, []takenBody{
		{"one character", "text", `{"body":"x"}`, ""},
		{"a blank", "text", `{"body":" "}`, ""},
		{"4096 characters", "text", `{"body":"` + strings.Repeat("x", 4096) + `"}`, ""},
		{"4096 characters of four bytes", "text", `{"body":"` + wide(4096) + `","preview_url":true}`, ""},
		{"kept byte for byte", "text", `{"body":" \t\r\n<b>&\"\\ \u202e👩‍👩‍👧\u2028 e\u0301 "}`, ""},
		{"unknown fields", "text", `{"body":"x","Body":"y","markdown":true}`, `{"body":"x"}`},
	})
}

func TestSendMedia(t *testing.T) {
	t.Parallel()
	var refused []refusedBody
	var taken []takenBody
	for _, kind := range []string{"image", "video", "document", "audio"} {
		no := func(name, object, code, param string) {
			refused = append(refused, refusedBody{kind + ": " + name, content(kind, object), code, strings.Replace(param, "*", kind, 1)})
		}
		ok := func(name, object, want string) {
			taken = append(taken, takenBody{kind + ": " + name, kind, object, want})
		}
		no("no source", `{}`, missing, "*.link")
		no("both", `{"link":"https://example.com/a","id":"med_00000000000000000000000000"}`, bad, "*.id")
		no("null instead of a link", `{"link":null}`, bad, "*.link")
		no("an empty link", `{"link":""}`, bad, "*.link")
		no("an empty id", `{"id":""}`, bad, "*.id")
		no("null beside an id", `{"link":null,"id":"med_00000000000000000000000000"}`, bad, "*.link")
		no("null beside a link", `{"link":"https://example.com/a","id":null}`, bad, "*.id")
		no("long link", `{"link":"`+webLink(2049)+`"}`, bad, "*.link")
		no("a number as link", `{"link":7}`, bad, "*.link")
		for _, link := range []string{"example.com/a.png", "/a.png", "ftp://example.com/a", "file:///etc/passwd", "data:image/png;base64,AA", "https://", "https:///a", "http:example.com", "javascript:alert(1)", "https://exa mple.com/", "://", "https://[::1/"} {
			no("the link "+link, `{"link":"`+link+`"}`, bad, "*.link")
		}
		no("unknown media", `{"id":"med_00000000000000000000000000"}`, noMedia, "*.id")
		no("no id of ours", `{"id":"1234567890"}`, noMedia, "*.id")
		no("the id of something else", `{"id":"msg_00000000000000000000000000"}`, noMedia, "*.id")
		no("another team's media", `{"id":"${other}"}`, noMedia, "*.id")
		no("unknown media with a bad caption", `{"id":"med_00000000000000000000000000","caption":1,"voice":1}`, bad, map[bool]string{true: "audio.voice", false: "*.caption"}[kind == "audio"])
		ok("a link", `{"link":"https://example.com/a.png?x=1#y"}`, "")
		ok("a plain http link", `{"link":"http://127.0.0.1:8080/a"}`, "")
		ok("a long link", `{"link":"`+webLink(2048)+`"}`, "")
		ok("library media", `{"id":"${media_`+kind+`}"}`, "")
		if kind == "document" {
			ok("an image", `{"id":"${media_image}"}`, "")
			continue
		}
		no("another kind of file", `{"id":"${media_document}"}`, bad, "*.id")
	}
	for _, kind := range []string{"image", "video", "document"} {
		refused = append(refused, refusedBody{kind + ": long caption", content(kind, `{"link":"https://a.b/","caption":"`+wide(1025)+`"}`), bad, kind + ".caption"})
		taken = append(taken, takenBody{kind + ": long caption", kind, `{"link":"https://a.b/","caption":"` + wide(1024) + `"}`, ""},
			takenBody{kind + ": empty caption", kind, `{"link":"https://a.b/","caption":""}`, `{"link":"https://a.b/"}`})
	}
	refuseAll(t, append(refused,
		refusedBody{"document: long name", content("document", `{"link":"https://a.b/","filename":"`+wide(241)+`"}`), bad, "document.filename"},
		refusedBody{"audio: voice as a text", content("audio", `{"link":"https://a.b/","voice":"yes"}`), bad, "audio.voice"},
	))
	takeAll(t, append(taken,
		takenBody{"document: long name", "document", `{"link":"https://a.b/","filename":"` + wide(240) + `","caption":"c"}`, ""},
		takenBody{"image has no name", "image", `{"link":"https://a.b/","filename":"a.png"}`, `{"link":"https://a.b/"}`},
		takenBody{"a voice note", "audio", `{"link":"https://a.b/","voice":true}`, ""},
		takenBody{"no voice note", "audio", `{"link":"https://a.b/","voice":false}`, ""},
		takenBody{"audio has no caption", "audio", `{"link":"https://a.b/","caption":"` + wide(2000) + `"}`, `{"link":"https://a.b/"}`},
	))
}

func TestSendReaction(t *testing.T) {
	t.Parallel()
	refuseAll(t, []refusedBody{
		{"nothing", content("reaction", `{}`), missing, "reaction.message_id"},
		{"no emoji", content("reaction", `{"message_id":"wamid.1"}`), missing, "reaction.emoji"},
		{"no message", content("reaction", `{"emoji":"👍"}`), missing, "reaction.message_id"},
		{"empty message", content("reaction", `{"message_id":"","emoji":"👍"}`), bad, "reaction.message_id"},
		{"our id of the message", content("reaction", `{"message_id":"msg_01ARZ3NDEKTSV4RRFFQ69G5FAV","emoji":"👍"}`), bad, "reaction.message_id"},
		{"null emoji", content("reaction", `{"message_id":"wamid.1","emoji":null}`), bad, "reaction.emoji"},
		{"17 characters", content("reaction", `{"message_id":"wamid.1","emoji":"`+wide(17)+`"}`), bad, "reaction.emoji"},
	})
	takeAll(t, []takenBody{
		{"an emoji", "reaction", `{"message_id":"wamid.1","emoji":"👍"}`, ""},
		{"none, which removes it", "reaction", `{"message_id":"wamid.1","emoji":""}`, ""},
		{"16 characters", "reaction", `{"message_id":"wamid.1","emoji":"` + wide(16) + `"}`, ""},
	})
}

func TestSendTemplate(t *testing.T) {
	t.Parallel()
	refuseAll(t, []refusedBody{
		{"nothing", content("template", `{}`), missing, "template.name"},
		{"no language", content("template", `{"name":"hello"}`), missing, "template.language"},
		{"no name", content("template", `{"language":"en_US"}`), missing, "template.name"},
		{"blank name", content("template", `{"name":" \t\n","language":"en_US"}`), bad, "template.name"},
		{"long name", content("template", `{"name":"`+strings.Repeat("a", 513)+`","language":"en_US"}`), bad, "template.name"},
		{"null name", content("template", `{"name":null,"language":"en_US"}`), bad, "template.name"},
		{"empty language", content("template", `{"name":"hello","language":""}`), bad, "template.language"},
		{"null language", content("template", `{"name":"hello","language":null}`), bad, "template.language"},
		{"a number as language", content("template", `{"name":"hello","language":5}`), bad, "template.language"},
		{"a list as language", content("template", `{"name":"hello","language":["en"]}`), bad, "template.language"},
		{"a language without its code", content("template", `{"name":"hello","language":{"policy":"deterministic"}}`), missing, "template.language.code"},
		{"a language with an empty code", content("template", `{"name":"hello","language":{"code":""}}`), bad, "template.language.code"},
		{"a language with a number as code", content("template", `{"name":"hello","language":{"code":5}}`), bad, "template.language.code"},
		{"components that are no list", content("template", `{"name":"hello","language":"en","components":{}}`), bad, "template.components"},
		{"a component without type", content("template", `{"name":"hello","language":"en","components":[{"type":"body"},{}]}`), missing, "template.components[1].type"},
		{"a component of an unknown type", content("template", `{"name":"hello","language":"en","components":[{"type":"footer"}]}`), bad, "template.components[0].type"},
		{"parameters that are no list", content("template", `{"name":"hello","language":"en","components":[{"type":"body","parameters":{}}]}`), bad, "template.components[0].parameters"},
		{"NUL in a parameter", content("template", `{"name":"hello","language":"en","components":[{"type":"body","parameters":[{"type":"text","text":"\u0000"}]}]}`), bad, "template.components[0].parameters[0]"},
	})
	takeAll(t, []takenBody{
		{"a language as a text", "template", `{"name":"hello","language":"en_US"}`, ""},
		{"a language as an object", "template", `{"name":"hello","language":{"code":"en_US","policy":"deterministic"}}`, ""},
		{"blanks around the name", "template", `{"name":" \u00a0hello\n","language":"en"}`, `{"name":"hello","language":"en"}`},
		{"a long name with blanks", "template", `{"name":"  ` + strings.Repeat("a", 512) + `  ","language":"en"}`, `{"name":"` + strings.Repeat("a", 512) + `","language":"en"}`},
		{"components", "template", `{"name":"hello","language":{"code":"en"},"components":[
			{"type":"header","parameters":[{"type":"image","image":{"link":"https://a.b/c.png"}}]},
			{"type":"body","parameters":[{"type":"text","text":"Ada"},{"type":"currency","currency":{"fallback_value":"1","code":"EUR","amount_1000":1000}}]},
			{"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"x"}]},{"type":"button","sub_type":"quick_reply","index":1,"parameters":[{"type":"payload","payload":"p"}]},
			{"type":"carousel","cards":[{"card_index":0,"components":[]}]}]}`, ""},
	})
}
