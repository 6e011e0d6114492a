package api

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
)

// MessageExtra holds the parts of a message beside its content, in the shape of events.
type MessageExtra struct {
	Referral shownReferral `json:"referral,omitzero" doc:"The advertisement or post through which a conversation began, as in the event."`
	Order    shownOrder    `json:"order,omitzero" doc:"What was ordered from a catalogue. The message is of type unsupported, with order as its unsupported.type."`
	Errors   shownErrors   `json:"errors,omitzero" doc:"Why an inbound message has no content, or none that can be shown, in the provider's words."`
}

type contextView struct {
	MessageID           string       `json:"message_id,omitzero" doc:"The provider's id of the message this one answers."`
	Forwarded           bool         `json:"forwarded,omitzero" doc:"It was forwarded."`
	FrequentlyForwarded bool         `json:"frequently_forwarded,omitzero" doc:"It was forwarded many times."`
	ReferredProduct     shownProduct `json:"referred_product,omitzero" doc:"The product of a catalogue that it asks about."`
}

// showExtra adds these parts to a message's view.
func (v *MessageView) showExtra(m chat.Message) {
	var extra struct {
		MessageExtra
		Context *contextView `json:"context"`
	}
	if m.Extra != nil && json.Unmarshal(m.Extra, &extra) == nil { // one odd message must not break a list
		v.MessageExtra, v.Context = extra.MessageExtra, extra.Context
	}
	if m.Context == "" {
		return
	}
	if v.Context == nil {
		v.Context = &contextView{}
	}
	v.Context.MessageID = m.Context
}

// The types below pass on what the provider sent, and describe its known fields.
type (
	shownReferral jsontext.Value
	shownOrder    jsontext.Value
	shownProduct  jsontext.Value
	shownErrors   jsontext.Value
)

func (v shownReferral) MarshalJSON() ([]byte, error) { return v, nil }
func (v shownOrder) MarshalJSON() ([]byte, error)    { return v, nil }
func (v shownProduct) MarshalJSON() ([]byte, error)  { return v, nil }
func (v shownErrors) MarshalJSON() ([]byte, error)   { return v, nil }

func (v *shownReferral) UnmarshalJSON(text []byte) error { return keep(v, text) }
func (v *shownOrder) UnmarshalJSON(text []byte) error    { return keep(v, text) }
func (v *shownProduct) UnmarshalJSON(text []byte) error  { return keep(v, text) }
func (v *shownErrors) UnmarshalJSON(text []byte) error   { return keep(v, text) }

// keep copies a text, because the decoder reuses its bytes.
func keep[T ~[]byte](v *T, text []byte) error {
	*v = append(T(nil), text...)
	return nil
}

func (shownReferral) Schema(r huma.Registry) *huma.Schema {
	return named(r, "Referral", openObject(nil, map[string]string{
		"source_url": "", "source_id": "", "source_type": "ad or post.", "headline": "", "body": "", "media_type": "image or video.",
		"image_url": "", "video_url": "", "thumbnail_url": "", "ctwa_clid": "The provider's id of the click.",
	}))
}

func (shownProduct) Schema(r huma.Registry) *huma.Schema {
	return named(r, "ReferredProduct", openObject(nil, map[string]string{"catalog_id": "", "product_retailer_id": ""}))
}

func (shownOrder) Schema(r huma.Registry) *huma.Schema {
	s := openObject(nil, map[string]string{"catalog_id": "", "text": "What the buyer wrote."})
	item := openObject(nil, map[string]string{"product_retailer_id": "", "currency": ""})
	item.Properties["quantity"], item.Properties["item_price"] = &huma.Schema{Type: huma.TypeNumber}, &huma.Schema{Type: huma.TypeNumber}
	s.Properties["product_items"] = &huma.Schema{Type: huma.TypeArray, Items: named(r, "OrderItem", item)}
	return named(r, "Order", s)
}

func (shownErrors) Schema(r huma.Registry) *huma.Schema {
	item := openObject(nil, map[string]string{"title": "", "message": ""})
	item.Properties["code"] = &huma.Schema{Type: huma.TypeInteger, Description: "The provider's code."}
	return &huma.Schema{Type: huma.TypeArray, Items: named(r, "InboundError", item)}
}
