package templates_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/simulator"
)

// TestWhatWeAcceptTheProviderAccepts: a template that passes our rules passes the simulator's, which were written
// independently; and so does a message that fills it in.
func TestWhatWeAcceptTheProviderAccepts(t *testing.T) {
	t.Parallel()
	passed := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := drawTemplate(rt)
		if n.Check() != nil {
			return
		}
		passed++
		sim := simulator.New(simulator.Config{Seed: 1})
		components, err := json.Marshal(n.Components)
		if err != nil {
			rt.Fatal(err)
		}
		body := map[string]any{
			"name": "instant_" + n.Name, "language": n.Language, "category": n.Category, "parameter_format": n.Format, "components": n.Components,
		}
		if n.TTLSeconds != nil {
			body["message_send_ttl_seconds"] = *n.TTLSeconds
		}
		if code, answer := ask(sim, "/200100100100100/message_templates", body); code != http.StatusOK {
			rt.Fatalf("the provider refuses %s: %s", components, answer)
		}
		category := n.Category
		made := chat.Template{Name: "instant_" + n.Name, Language: n.Language, Format: n.Format, Category: &category, Components: components}
		content := drawContent(rt, made)
		if _, refusal := made.Fill(content); refusal != nil {
			return
		}
		sent := map[string]any{"messaging_product": "whatsapp", "to": "+4915510000001", "type": "template", "template": content}
		if code, answer := ask(sim, "/100200300400500/messages", sent); code != http.StatusOK {
			rt.Fatalf("the provider refuses to send %s with %s: %s", components, mustJSON(content), answer)
		}
	})
	if passed < 10 {
		t.Errorf("only %d of the templates passed our rules: the test says little", passed)
	}
}

// ask posts to the simulator as the business account's owner.
func ask(sim *simulator.Simulator, path string, body any) (int, string) {
	post := func(path string, body any) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(mustJSON(body)))
		r.Header.Set("Authorization", "Bearer t")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		sim.ServeHTTP(w, r)
		return w
	}
	post("/_sim/numbers", map[string]any{"id": "100200300400500", "waba_id": "200100100100100"})
	w := post(path, body)
	return w.Code, w.Body.String()
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// seldom is true now and then: most of what is drawn must be valid, or the rules refuse everything.
func seldom(t *rapid.T) bool { return rapid.IntRange(0, 30).Draw(t, "seldom") == 0 }

func drawTemplate(t *rapid.T) chat.NewTemplate {
	n := chat.NewTemplate{
		Name: rapid.StringMatching(`[a-z0-9_]{1,20}`).Draw(t, "name"), Language: rapid.SampledFrom([]string{"de", "en_US", "pt_BR", "fil"}).Draw(t, "language"),
		Category: rapid.SampledFrom([]string{"MARKETING", "MARKETING", "UTILITY", "AUTHENTICATION"}).Draw(t, "category"),
		Format:   rapid.SampledFrom([]string{"positional", "positional", "named", ""}).Draw(t, "format"),
	}
	if rapid.Bool().Draw(t, "ttl") {
		n.TTLSeconds = new(rapid.SampledFrom([]int{-1, 30, 60, 900, 43_200, 43_201, 2_592_000}).Draw(t, "seconds"))
	}
	named := n.Format == "named"
	if n.Category == chat.CategoryAuthentication {
		n.Components = drawAuthentication(t)
		return n
	}
	text, samples := drawText(t, 4, named)
	n.Components = []chat.TemplatePart{{Type: "BODY", Text: text, Example: samples.body(named)}}
	if n.Category == chat.CategoryMarketing && rapid.Bool().Draw(t, "carousel") {
		n.Components = append(n.Components, drawCarousel(t, named))
		return n
	}
	if rapid.Bool().Draw(t, "header") {
		n.Components = append(n.Components, drawHeader(t, named))
	}
	if rapid.Bool().Draw(t, "footer") {
		n.Components = append(n.Components, chat.TemplatePart{Type: "FOOTER", Text: drawWords(t, 6)})
	}
	if rapid.Bool().Draw(t, "buttons") {
		n.Components = append(n.Components, chat.TemplatePart{Type: "BUTTONS", Buttons: drawButtons(t, 6)})
	}
	if seldom(t) {
		n.Components = append(n.Components, n.Components[0])
	}
	return n
}

func drawWords(t *rapid.T, most int) string {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"all", "is", "well", "ärgern", "今日", "10 %", "*bold*", "—", "🎉", "{", "}", "\n", "don't", "."}), 1, most).Draw(t, "words")
	return strings.Join(words, " ")
}

// samples are the examples of placeholders.
type samples []chat.NamedExample

func (s samples) body(named bool) *chat.TemplateExample {
	switch {
	case len(s) == 0:
		return nil
	case named:
		return &chat.TemplateExample{BodyTextNamed: s}
	}
	return &chat.TemplateExample{BodyText: [][]string{s.values()}}
}

func (s samples) values() (values []string) {
	for _, e := range s {
		values = append(values, e.Example)
	}
	return values
}

// drawText makes a text with placeholders. Their samples are in the order of their numbers.
func drawText(t *rapid.T, most int, named bool) (string, samples) {
	count := rapid.IntRange(0, most).Draw(t, "placeholders")
	order := rapid.Permutation(indexes(count)).Draw(t, "order")
	text := drawWords(t, 5)
	var given samples
	for i := range count {
		name := fmt.Sprint(i + 1)
		if named {
			name = []string{"first_name", "day", "x1", "_y", "order"}[i]
		}
		given = append(given, chat.NamedExample{Name: name, Example: rapid.SampledFrom([]string{"Ada", "A-17", "5 €"}).Draw(t, "sample")})
	}
	for _, i := range order {
		text += " {{" + given[i].Name + "}} " + drawWords(t, 6)
	}
	if seldom(t) {
		text = strings.Replace(text, "{{", rapid.SampledFrom([]string{"{{ ", "{", "{{{", "}}{{"}).Draw(t, "damage"), 1)
	}
	if seldom(t) && len(given) > 0 {
		given = given[1:]
	}
	return text, given
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func drawHeader(t *rapid.T, named bool) chat.TemplatePart {
	switch format := rapid.SampledFrom([]string{"TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"}).Draw(t, "format"); format {
	case "TEXT":
		text, given := drawText(t, 1, named)
		e := &chat.TemplateExample{HeaderText: given.values()}
		if named {
			e = &chat.TemplateExample{HeaderTextNamed: given}
		}
		return chat.TemplatePart{Type: "HEADER", Format: format, Text: text, Example: e}
	case "LOCATION":
		return chat.TemplatePart{Type: "HEADER", Format: format}
	default:
		return chat.TemplatePart{Type: "HEADER", Format: format, Example: &chat.TemplateExample{HeaderHandle: chat.SampleList("4::aW1hZ2U=")}}
	}
}

func drawButtons(t *rapid.T, most int) []chat.TemplateButton {
	var buttons []chat.TemplateButton
	for range rapid.IntRange(1, most).Draw(t, "buttons") {
		b := chat.TemplateButton{Type: rapid.SampledFrom([]string{"QUICK_REPLY", "QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE"}).Draw(t, "type"), Text: drawWords(t, 3)}
		switch b.Type {
		case "URL":
			b.URL = rapid.SampledFrom([]string{"https://a.example/x", "https://a.example/{{1}}", "http://a.example/?q={{1}}", "https://{{1}}", "https://a.example/{{1}}/x", "a.example"}).Draw(t, "url")
			b.Example = chat.SampleList("https://a.example/9")
		case "PHONE_NUMBER":
			b.PhoneNumber = rapid.SampledFrom([]string{"+4930555000", "4930555000", "+0123", "12 34"}).Draw(t, "number")
		case "COPY_CODE":
			b.Text, b.Example = "", chat.SampleList(rapid.SampledFrom([]string{"SAVE10", strings.Repeat("x", 20), strings.Repeat("x", 21)}).Draw(t, "code"))
		}
		buttons = append(buttons, b)
	}
	return buttons
}

func drawCarousel(t *rapid.T, named bool) chat.TemplatePart {
	format := rapid.SampledFrom([]string{"IMAGE", "VIDEO"}).Draw(t, "format")
	withText := rapid.Bool().Draw(t, "text")
	buttons := drawButtons(t, 2)
	carousel := chat.TemplatePart{Type: "CAROUSEL"}
	for range rapid.IntRange(1, 10).Draw(t, "cards") {
		card := chat.TemplateCard{Components: []chat.TemplateCardPart{{Type: "HEADER", Format: format, Example: &chat.TemplateExample{HeaderHandle: chat.SampleList("4::x")}}}}
		if withText {
			text, given := drawText(t, 2, named)
			card.Components = append(card.Components, chat.TemplateCardPart{Type: "BODY", Text: text, Example: given.body(named)})
		}
		card.Components = append(card.Components, chat.TemplateCardPart{Type: "BUTTONS", Buttons: buttons})
		carousel.Cards = append(carousel.Cards, card)
	}
	return carousel
}

func drawAuthentication(t *rapid.T) []chat.TemplatePart {
	button := chat.TemplateButton{Type: "OTP", OTPType: rapid.SampledFrom([]string{"COPY_CODE", "ONE_TAP", "ZERO_TAP"}).Draw(t, "kind"), Text: rapid.SampledFrom([]string{"", "Copy"}).Draw(t, "text")}
	if rapid.Bool().Draw(t, "apps") {
		button.SupportedApps = []chat.TemplateApp{{PackageName: "com.example.app", SignatureHash: "K8a/AINcGX7"}}
	}
	if rapid.Bool().Draw(t, "terms") {
		button.ZeroTapTermsOkay = new(rapid.Bool().Draw(t, "accepted"))
	}
	parts := []chat.TemplatePart{{Type: "BODY"}, {Type: "BUTTONS", Buttons: []chat.TemplateButton{button}}}
	if rapid.Bool().Draw(t, "expires") {
		parts = append(parts, chat.TemplatePart{Type: "FOOTER", CodeExpirationMinutes: new(rapid.IntRange(0, 91).Draw(t, "minutes"))})
	}
	return parts
}

// drawContent makes a message that fills a template, sometimes wrongly.
func drawContent(t *rapid.T, made chat.Template) *chat.TemplateContent {
	content, err := made.Sample()
	if err != nil {
		t.Fatal(err)
	}
	for i := range content.Components {
		if !seldom(t) {
			continue
		}
		switch c := &content.Components[i]; rapid.IntRange(0, 4).Draw(t, "fault") {
		case 0:
			c.Parameters = append(c.Parameters, json.RawMessage(`{"type":"text","text":"x"}`))
		case 1:
			c.Parameters = nil
		case 2:
			c.SubType = "quick_reply"
		case 3:
			c.Index = json.RawMessage(`7`)
		case 4:
			c.Cards = nil
		}
	}
	return content
}
