package chat

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// builderLimits are the limits of the dashboard's template builder.
type builderLimits struct {
	Name         int              `json:"name"`
	Header       int              `json:"header"`
	Body         int              `json:"body"`
	Footer       int              `json:"footer"`
	Buttons      int              `json:"buttons"`
	ButtonText   int              `json:"button_text"`
	ButtonURL    int              `json:"button_url"`
	Coupon       int              `json:"coupon"`
	QuickReplies int              `json:"quick_replies"`
	URLButtons   int              `json:"url_buttons"`
	PhoneButtons int              `json:"phone_buttons"`
	CopyButtons  int              `json:"copy_buttons"`
	Cards        int              `json:"cards"`
	CardBody     int              `json:"card_body"`
	CardButtons  int              `json:"card_buttons"`
	CodeMinutes  int              `json:"code_minutes"`
	Apps         int              `json:"apps"`
	TTL          map[string][]int `json:"ttl"`
}

func readBuilderLimits(t *testing.T) (l builderLimits) {
	t.Helper()
	text, err := os.ReadFile("../../web/src/templates/limits.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// The builder's limits equal the rules: the longest text it allows passes, and one character more does not.
func TestBuilderLimits(t *testing.T) {
	t.Parallel()
	l := readBuilderLimits(t)
	fill := func(n int) string { return strings.Repeat("é", n) }
	with := func(parts ...TemplatePart) NewTemplate {
		return NewTemplate{Name: "x", Language: "en", Category: CategoryMarketing, Components: append(parts, TemplatePart{Type: PartBody, Text: "Hello"})}
	}
	buttons := func(n int, b TemplateButton) NewTemplate {
		return with(TemplatePart{Type: PartButtons, Buttons: slices.Repeat([]TemplateButton{b}, n)})
	}
	reply, site := TemplateButton{Type: ButtonQuickReply, Text: "Yes"}, TemplateButton{Type: ButtonURL, Text: "Go", URL: "https://a.example/"}
	card := func(n int, text string, cards int) NewTemplate {
		parts := []TemplateCardPart{
			{Type: PartHeader, Format: "IMAGE", Example: &TemplateExample{HeaderHandle: SampleList("4:x")}},
			{Type: PartBody, Text: text},
			{Type: PartButtons, Buttons: slices.Repeat([]TemplateButton{reply}, n)},
		}
		return with(TemplatePart{Type: PartCarousel, Cards: slices.Repeat([]TemplateCard{{Components: parts}}, cards)})
	}
	code := func(minutes int) NewTemplate {
		return NewTemplate{Category: CategoryAuthentication, Components: []TemplatePart{
			{Type: PartBody}, {Type: PartFooter, CodeExpirationMinutes: &minutes}, {Type: PartButtons, Buttons: []TemplateButton{{Type: ButtonOTP, OTPType: "COPY_CODE"}}},
		}}
	}
	for name, limit := range map[string]struct {
		most int
		made func(n int) NewTemplate
	}{
		"header": {l.Header, func(n int) NewTemplate { return with(TemplatePart{Type: PartHeader, Format: "TEXT", Text: fill(n)}) }},
		"body": {l.Body, func(n int) NewTemplate {
			return NewTemplate{Components: []TemplatePart{{Type: PartBody, Text: fill(n)}}}
		}},
		"footer":      {l.Footer, func(n int) NewTemplate { return with(TemplatePart{Type: PartFooter, Text: fill(n)}) }},
		"button text": {l.ButtonText, func(n int) NewTemplate { return buttons(1, TemplateButton{Type: ButtonQuickReply, Text: fill(n)}) }},
		"address": {l.ButtonURL, func(n int) NewTemplate {
			return buttons(1, TemplateButton{Type: ButtonURL, Text: "Go", URL: "https://a.example/" + strings.Repeat("x", n-18)})
		}},
		"coupon": {l.Coupon, func(n int) NewTemplate {
			return buttons(1, TemplateButton{Type: ButtonCopyCode, Example: SampleList(fill(n))})
		}},
		"quick replies": {l.QuickReplies, func(n int) NewTemplate { return buttons(n, reply) }},
		"buttons":       {l.Buttons, func(n int) NewTemplate { return buttons(n, reply) }},
		"addresses":     {l.URLButtons, func(n int) NewTemplate { return buttons(n, site) }},
		"calls": {l.PhoneButtons, func(n int) NewTemplate {
			return buttons(n, TemplateButton{Type: ButtonPhone, Text: "Call", PhoneNumber: "+4915112345678"})
		}},
		"coupons": {l.CopyButtons, func(n int) NewTemplate {
			return buttons(n, TemplateButton{Type: ButtonCopyCode, Example: SampleList("X")})
		}},
		"cards":        {l.Cards, func(n int) NewTemplate { return card(1, "Look", n) }},
		"card text":    {l.CardBody, func(n int) NewTemplate { return card(1, fill(n), 1) }},
		"card buttons": {l.CardButtons, func(n int) NewTemplate { return card(n, "Look", 1) }},
		"minutes":      {l.CodeMinutes, code},
	} {
		fits, over := limit.made(limit.most), limit.made(limit.most+1)
		if err := fits.Check(); err != nil {
			t.Errorf("%s: %d are refused: %v", name, limit.most, err)
		}
		if over.Check() == nil {
			t.Errorf("%s: %d are taken", name, limit.most+1)
		}
	}
	for category, span := range l.TTL {
		if known := ttlSpans[category]; len(span) != 2 || span[0] != known[0] || span[1] != known[1] {
			t.Errorf("%s: the time to live is %v, not %v", category, known, span)
		}
	}
}
