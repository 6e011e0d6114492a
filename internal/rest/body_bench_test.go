package rest

import (
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

// letterBody is a body with parts, like that of a send.
type letterBody struct {
	Product  string                     `json:"messaging_product" enum:"chat"`
	To       *string                    `json:"to,omitempty" format:"phone-number"`
	Type     string                     `json:"type,omitempty" enum:"text,template"`
	Text     Part[chat.TextContent]     `json:"text,omitzero"`
	Template Part[chat.TemplateContent] `json:"template,omitzero"`
	content  chat.Content
}

func (b *letterBody) CheckTogether(f *Fields) {
	name := f.Text("type")
	b.content = chat.NewContent(chat.MessageType(name))
	f.Decode(name, b.content)
}

// BenchmarkDecodeBody is what the body of a send costs.
func BenchmarkDecodeBody(b *testing.B) {
	binder := newInputBinder[struct{ Body letterBody }](newDocument("/", nothing))
	for name, text := range map[string]string{
		"text":     `{"messaging_product":"chat","to":"+4915510000001","type":"text","text":{"body":"Your parcel arrives tomorrow between nine and eleven. Thank you for your order!"}}`,
		"template": `{"messaging_product":"chat","to":"+4915510000001","type":"template","template":{"name":"order_update","language":{"code":"en_US"},"components":[{"type":"header","parameters":[{"type":"image","image":{"link":"https://shop.example/a.png"}}]},{"type":"body","parameters":[{"type":"text","text":"Ada"},{"type":"text","text":"A-1201"}]}]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var body letterBody
				if err := binder.body.decode([]byte(text), &body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
