package simulator

// builtins exist in every account from the start, so that a first try needs no review. The accounts
// share their components, which are never changed in place.
var builtins = builtinTemplates()

func builtinTemplates() []template {
	list := []template{
		{name: "hello_world", language: "en_US", category: "UTILITY", components: []component{
			{Type: "HEADER", Format: "TEXT", Text: "Hello World"},
			{Type: "BODY", Text: "Welcome! This message shows that your number can send. Thank you for trying it."},
			{Type: "FOOTER", Text: "Simulated business"},
		}},
		{name: "order_update", language: "en_US", category: "UTILITY", components: []component{
			{Type: "BODY", Text: "Hi {{1}}, your order {{2}} is on its way.", Example: bodyExample("Ada", "A-17")},
		}},
		{name: "order_update", language: "de", category: "UTILITY", components: []component{
			{Type: "BODY", Text: "Hallo {{1}}, deine Bestellung {{2}} ist unterwegs.", Example: bodyExample("Ada", "A-17")},
		}},
		{name: "promo", language: "en_US", category: "MARKETING", components: []component{
			{Type: "BODY", Text: "Only this week: {{1}} percent off everything.", Example: bodyExample("20")},
			{Type: "FOOTER", Text: "Reply STOP to opt out"},
			{Type: "BUTTONS", Buttons: []templateButton{
				{Type: "QUICK_REPLY", Text: "Tell me more"},
				{Type: "URL", Text: "Shop now", URL: "https://shop.example.com/{{1}}", Example: stringOrList{"https://shop.example.com/sale"}},
			}},
		}},
		{name: "login_code", language: "en_US", category: "AUTHENTICATION", components: otpComponents()},
		{name: "appointment_reminder", language: "en_US", category: "UTILITY", format: "NAMED", components: []component{
			{Type: "BODY", Text: "Hi {{first_name}}, see you on {{day}} at noon.", Example: &templateExample{BodyNamed: []namedExample{
				{"first_name", "Ada"}, {"day", "Monday"},
			}}},
		}},
		{name: "invoice_ready", language: "en_US", category: "UTILITY", components: []component{
			{Type: "HEADER", Format: "DOCUMENT", Example: handleExample("4::YXBwbGljYXRpb24vcGRm")},
			{Type: "BODY", Text: "Hi {{1}}, here is your invoice.", Example: bodyExample("Ada")},
		}},
		{name: "new_arrivals", language: "en_US", category: "MARKETING", components: []component{
			{Type: "HEADER", Format: "IMAGE", Example: handleExample("4::aW1hZ2UvcG5n")},
			{Type: "BODY", Text: "Look what just came in."},
		}},
		{name: "summer_carousel", language: "en_US", category: "MARKETING", components: []component{
			{Type: "BODY", Text: "Hi {{1}}, our picks for you.", Example: bodyExample("Ada")},
			{Type: "CAROUSEL", Cards: []templateCard{carouselCard("hat"), carouselCard("scarf")}},
		}},
	}
	for i := range list {
		t := &list[i]
		t.status, t.reason, t.quality = "APPROVED", "NONE", "GREEN"
		if t.format == "" {
			t.format = "POSITIONAL"
		}
	}
	return list
}

func bodyExample(values ...string) *templateExample {
	return &templateExample{BodyText: [][]string{values}}
}

func handleExample(handle string) *templateExample {
	return &templateExample{HeaderHandle: []string{handle}}
}

// otpComponents is what an authentication template looks like once it exists.
func otpComponents() []component {
	yes, minutes := true, 10
	return []component{
		{Type: "BODY", Text: "*{{1}}* is your verification code. For your security, do not share this code.", SecurityAdvice: &yes, Example: bodyExample("123456")},
		{Type: "FOOTER", Text: "This code expires in 10 minutes.", CodeExpirationAfter: &minutes},
		{Type: "BUTTONS", Buttons: []templateButton{otpButton("COPY_CODE", "Copy code")}},
	}
}

// otpButton is how the button of an authentication template is listed.
func otpButton(otpType, text string) templateButton {
	address := "https://www.whatsapp.com/otp/code/?otp_type=" + otpType + "&code=otp"
	return templateButton{Type: "URL", Text: text, URL: address + "{{1}}", Example: stringOrList{address + "123456"}}
}

func carouselCard(item string) templateCard {
	return templateCard{Components: []component{
		{Type: "HEADER", Format: "IMAGE", Example: handleExample("4::aW1hZ2UvcG5n")},
		{Type: "BODY", Text: "A {{1}} for the summer.", Example: bodyExample(item)},
		{Type: "BUTTONS", Buttons: []templateButton{
			{Type: "QUICK_REPLY", Text: "I like it"},
			{Type: "URL", Text: "Buy", URL: "https://shop.example.com/p/{{1}}", Example: stringOrList{"https://shop.example.com/p/" + item}},
		}},
	}}
}
