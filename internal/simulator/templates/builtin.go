package templates

import (
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Builtins exist in every account from the start, so that a first attempt needs no review. The accounts share their
// components, which are never changed in place.
var Builtins = builtinTemplates()

func builtinTemplates() []Template {
	list := []Template{
		{Name: "hello_world", Language: "en_US", Category: "UTILITY", Components: []Component{
			{Type: "HEADER", Format: "TEXT", Text: "Hello World"},
			{Type: "BODY", Text: "Welcome! This message shows that your number can send. Thank you for trying it."},
			{Type: "FOOTER", Text: "Simulated business"},
		}},
		{Name: "order_update", Language: "en_US", Category: "UTILITY", Components: []Component{
			{Type: "BODY", Text: "Hi {{1}}, your order {{2}} is on its way.", Example: bodyExample("Ada", "A-17")},
		}},
		{Name: "order_update", Language: "de", Category: "UTILITY", Components: []Component{
			{Type: "BODY", Text: "Hallo {{1}}, deine Bestellung {{2}} ist unterwegs.", Example: bodyExample("Ada", "A-17")},
		}},
		{Name: "promo", Language: "en_US", Category: "MARKETING", Components: []Component{
			{Type: "BODY", Text: "Only this week: {{1}} percent off everything.", Example: bodyExample("20")},
			{Type: "FOOTER", Text: "Reply STOP to opt out"},
			{Type: "BUTTONS", Buttons: []Button{
				{Type: "QUICK_REPLY", Text: "Tell me more"},
				{Type: "URL", Text: "Shop now", URL: "https://shop.example.com/{{1}}", Example: wire.StringOrList{"https://shop.example.com/sale"}},
			}},
		}},
		{Name: "login_code", Language: "en_US", Category: "AUTHENTICATION", Components: []Component{
			{Type: "BODY", SecurityAdvice: new(true)}, {Type: "FOOTER", CodeExpirationAfter: new(10)},
			{Type: "BUTTONS", Buttons: []Button{{Type: "OTP", OTPType: "COPY_CODE"}}},
		}},
		{Name: "appointment_reminder", Language: "en_US", Category: "UTILITY", Format: "NAMED", Components: []Component{
			{Type: "BODY", Text: "Hi {{first_name}}, see you on {{day}} at noon.", Example: &Example{BodyNamed: []namedExample{
				{"first_name", "Ada"}, {"day", "Monday"},
			}}},
		}},
		{Name: "invoice_ready", Language: "en_US", Category: "UTILITY", Components: []Component{
			{Type: "HEADER", Format: "DOCUMENT", Example: handleExample("4::YXBwbGljYXRpb24vcGRm")},
			{Type: "BODY", Text: "Hi {{1}}, here is your invoice.", Example: bodyExample("Ada")},
		}},
		{Name: "new_arrivals", Language: "en_US", Category: "MARKETING", Components: []Component{
			{Type: "HEADER", Format: "IMAGE", Example: handleExample("4::aW1hZ2UvcG5n")},
			{Type: "BODY", Text: "Look what just came in."},
		}},
		{Name: "summer_carousel", Language: "en_US", Category: "MARKETING", Components: []Component{
			{Type: "BODY", Text: "Hi {{1}}, our picks for you.", Example: bodyExample("Ada")},
			{Type: "CAROUSEL", Cards: []Card{carouselCard("hat"), carouselCard("scarf")}},
		}},
	}
	for i := range list {
		t := &list[i]
		t.Status, t.Reason, t.Quality = "APPROVED", "NONE", "GREEN"
		if t.Format == "" {
			t.Format = "POSITIONAL"
		}
		if t.Category == "AUTHENTICATION" {
			t.fillAuthentication()
		}
	}
	return list
}

func bodyExample(values ...string) *Example {
	return &Example{BodyText: [][]string{values}}
}

func handleExample(handle string) *Example {
	return &Example{HeaderHandle: []string{handle}}
}

// otpButton is the button of an authentication template as listed.
func otpButton(otpType, text string) Button {
	address := "https://www.whatsapp.com/otp/code/?otp_type=" + otpType + "&code=otp"
	return Button{Type: "URL", Text: text, URL: address + "{{1}}", Example: wire.StringOrList{address + "123456"}}
}

func carouselCard(item string) Card {
	return Card{Components: []Component{
		{Type: "HEADER", Format: "IMAGE", Example: handleExample("4::aW1hZ2UvcG5n")},
		{Type: "BODY", Text: "A {{1}} for the summer.", Example: bodyExample(item)},
		{Type: "BUTTONS", Buttons: []Button{
			{Type: "QUICK_REPLY", Text: "I like it"},
			{Type: "URL", Text: "Buy", URL: "https://shop.example.com/p/{{1}}", Example: wire.StringOrList{"https://shop.example.com/p/" + item}},
		}},
	}}
}
