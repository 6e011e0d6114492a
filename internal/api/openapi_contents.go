package api

import (
	"maps"

	"github.com/danielgtaylor/huma/v2"
)

// The views of contents pass on what is stored, so their Go types tell the document nothing. This file describes them for
// those who generate clients: a field without a type becomes any, and nobody's editor knows text.body.

// describeContents gives types to the fields that hold what was sent, received or reviewed. All of these objects are open,
// because people's apps and the provider add fields without notice.
func describeContents(r huma.Registry) {
	contents := messageContents(r)
	for _, holder := range []string{"Message", "ReceivedMessage"} {
		describe := r.Map()[holder].Properties
		for name, content := range contents {
			field := *content
			if described := describe[name]; described != nil {
				field.Description = described.Description
			}
			describe[name] = &field
		}
	}
	r.Map()["BroadcastTemplate"].Properties["components"] = listOf(ref("TemplateComponent"))
	r.Map()["Template"].Properties["components"] = listOf(reviewedPart(r))
	describeParameters(r)
}

// messageContents are the objects of messages, by the type that names them.
func messageContents(r huma.Registry) map[string]*huma.Schema {
	file := named(r, "MessageMedia", with(openObject(nil, map[string]string{
		"id": "Of an outbound message, library media (med_…); of an inbound one, the provider's id.", "link": "Of an outbound message.",
		"caption": "", "filename": "Of a document.", "mime_type": "", "sha256": "",
	}), map[string]*huma.Schema{
		"voice": {Type: huma.TypeBoolean, Description: "A voice note."}, "animated": {Type: huma.TypeBoolean, Description: "Of a sticker."},
	}))
	return map[string]*huma.Schema{
		"text": named(r, "MessageText", with(openObject(nil, map[string]string{"body": ""}), map[string]*huma.Schema{
			"preview_url": {Type: huma.TypeBoolean},
		})),
		"image": file, "document": file, "video": file, "audio": file,
		"interactive": messageInteractive(r),
		"reaction": named(r, "MessageReaction", openObject([]string{"message_id", "emoji"}, map[string]string{
			"message_id": "The provider's id of the message reacted to.", "emoji": "Empty takes the reaction back.",
		})),
		"location": named(r, "MessageLocation", with(openObject(nil, map[string]string{"name": "", "address": "", "url": ""}), map[string]*huma.Schema{
			"latitude": {Type: huma.TypeNumber}, "longitude": {Type: huma.TypeNumber},
		})),
		"contacts":    listOf(messageCard(r)),
		"button":      named(r, "MessageButton", openObject(nil, map[string]string{"text": "What stood on it.", "payload": ""})),
		"unsupported": named(r, "MessageUnsupported", openObject([]string{"type"}, map[string]string{"type": "What the provider calls it, unknown where it does not say; more values may come."})),
	}
}

func messageInteractive(r huma.Registry) *huma.Schema {
	row := map[string]string{"id": "", "title": ""}
	listed := maps.Clone(row)
	listed["description"] = ""
	return named(r, "MessageInteractive", with(openObject([]string{"type"}, map[string]string{
		"type": "Outbound: reply_buttons, button, cta_url or list. Inbound: button_reply, list_reply or nfm_reply; more may come.",
	}), map[string]*huma.Schema{
		"header": ref("InteractiveHeader"), "body": ref("InteractiveText"), "footer": ref("InteractiveFooter"), "action": ref("InteractiveAction"),
		"button_reply": named(r, "ButtonReply", openObject(nil, row)),
		"list_reply":   named(r, "ListReply", openObject(nil, listed)),
		"nfm_reply": named(r, "FormReply", openObject(nil, map[string]string{
			"name": "", "body": "", "response_json": "What was filled in, as JSON in a text.",
		})),
	}))
}

func messageCard(r huma.Registry) *huma.Schema {
	name := named(r, "CardName", openObject(nil, map[string]string{"formatted_name": "", "first_name": "", "last_name": ""}))
	phone := named(r, "CardPhone", openObject(nil, map[string]string{"phone": "", "type": "", "wa_id": ""}))
	return named(r, "ContactCard", with(openObject(nil, nil), map[string]*huma.Schema{"name": name, "phones": listOf(phone)}))
}

// reviewedPart is a part of a template as the provider has it. It knows kinds that cannot be made here.
func reviewedPart(r huma.Registry) *huma.Schema {
	button := named(r, "ReviewedButton", openObject([]string{"type"}, map[string]string{
		"type": "As in creation; the provider has more.", "text": "", "url": "", "phone_number": "",
	}))
	card := named(r, "ReviewedCard", with(openObject(nil, nil), map[string]*huma.Schema{"components": listOf(ref("ReviewedPart"))}))
	return named(r, "ReviewedPart", with(openObject([]string{"type"}, map[string]string{
		"type": "HEADER, BODY, FOOTER, BUTTONS or CAROUSEL; the provider has more.", "format": "Of a HEADER.", "text": "",
	}), map[string]*huma.Schema{"buttons": listOf(button), "cards": listOf(card)}))
}

// describeParameters describes how a template is filled in. Nothing of it is required, because what a parameter needs is
// looked at with its template, behind the rules that follow from the document.
func describeParameters(r huma.Registry) {
	file := named(r, "ParameterFile", openObject(nil, map[string]string{
		"link": "Public http or https address of the file. Exactly one of link and id.", "id": "Library media (med_…).", "filename": "Of a document.",
	}))
	place := named(r, "ParameterPlace", openObject(nil, map[string]string{"name": "", "address": ""}))
	parameters := listOf(named(r, "TemplateParameter", with(openObject(nil, map[string]string{
		"type": "text, image, video, document, location, payload or coupon_code, among others.", "text": "",
		"parameter_name": "The placeholder's name, where it has one.", "payload": "Of a quick_reply button.", "coupon_code": "",
	}), map[string]*huma.Schema{"image": file, "video": file, "document": file, "location": place})))
	index := numberOrText("Zero-based place of a button.")
	part := named(r, "TemplateCardComponent", with(openObject(nil, map[string]string{"type": "header, body or button.", "sub_type": ""}),
		map[string]*huma.Schema{"index": index, "parameters": parameters}))
	card := named(r, "TemplateComponentCard", with(openObject(nil, nil), map[string]*huma.Schema{
		"card_index": numberOrText("Zero-based place of the card."), "components": listOf(part),
	}))
	maps.Copy(r.Map()["TemplateComponent"].Properties, map[string]*huma.Schema{"parameters": parameters, "cards": listOf(card), "index": index})
}

func numberOrText(about string) *huma.Schema {
	return &huma.Schema{Description: about, OneOf: []*huma.Schema{{Type: huma.TypeInteger}, {Type: huma.TypeString}}}
}

func ref(name string) *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/" + name} }

func listOf(item *huma.Schema) *huma.Schema { return &huma.Schema{Type: huma.TypeArray, Items: item} }

// with adds fields to an object.
func with(s *huma.Schema, fields map[string]*huma.Schema) *huma.Schema {
	maps.Copy(s.Properties, fields)
	return s
}
