package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

// FuzzTemplates checks that filling any template with any message gives a preview or a refusal that names a
// field, and that a template that passed the rules can be filled with its own samples.
func FuzzTemplates(f *testing.F) {
	for _, seed := range [][2]string{
		{`[{"type":"BODY","text":"Hi {{1}}, all is well.","example":{"body_text":[["Ada"]]}}]`, `[{"type":"body","parameters":[{"type":"text","text":"Ada"}]}]`},
		{`[{"type":"HEADER","format":"IMAGE","example":{"header_handle":"4::x"}},{"type":"BODY","text":"x"}]`, `[{"type":"header","parameters":[{"type":"image","image":{"id":"med_1"}}]}]`},
		{`[{"type":"BODY","text":"x"},{"type":"BUTTONS","buttons":[{"type":"URL","text":"a","url":"https://a.b/{{1}}","example":["c"]},{"type":"COPY_CODE","example":"x"}]}]`,
			`[{"type":"button","index":"0","sub_type":"url","parameters":[{"type":"text","text":"x"}]},{"type":"button","index":1,"sub_type":"copy_code","parameters":[{"type":"coupon_code","coupon_code":"x"}]}]`},
		{`[{"type":"BODY","text":"x"},{"type":"CAROUSEL","cards":[{"components":[{"type":"HEADER","format":"VIDEO"}]},{}]}]`, `[{"type":"carousel","cards":[{"card_index":"1","components":[{"type":"header"}]},null]}]`},
		{`[{"type":"BODY"},{"type":"BUTTONS","buttons":[{"type":"OTP","otp_type":"COPY_CODE"}]}]`, `[{"type":"body","parameters":[null]}]`},
		{`[null,{"example":null,"buttons":[{"example":[]}],"cards":[{"components":null}]}]`, `[{"type":"button","index":-1},{"type":"button","index":null}]`},
	} {
		f.Add(seed[0], seed[1], false)
		f.Add(seed[0], seed[1], true)
	}
	f.Fuzz(func(t *testing.T, components, filling string, code bool) {
		for _, format := range []string{chat.FormatPositional, chat.FormatNamed} {
			category := chat.CategoryMarketing
			if code {
				category = chat.CategoryAuthentication
			}
			made := chat.Template{Format: format, Category: &category, Components: json.RawMessage(components)}
			made.Content()
			made.Digest()
			content := &chat.TemplateContent{}
			if json.Unmarshal([]byte(filling), &content.Components) == nil {
				if _, refusal := made.Fill(content); refusal != nil && refusal.Param == "" {
					t.Fatalf("the refusal names nothing: %v", refusal)
				}
				text, err := json.Marshal(content)
				if err != nil {
					t.Fatal(err)
				}
				chat.TemplateMedia(text)
			}
			checkWhatPasses(t, made)
		}
	})
}

func checkWhatPasses(t *testing.T, made chat.Template) {
	t.Helper()
	var parts []chat.TemplatePart
	if json.Unmarshal(made.Components, &parts) != nil {
		return
	}
	n := chat.NewTemplate{Name: "x", Language: "de", Category: *made.Category, Format: made.Format, Components: parts}
	if n.Check() != nil {
		return
	}
	sample, err := made.Sample()
	if err != nil {
		t.Fatal(err)
	}
	if _, refusal := made.Fill(sample); refusal != nil && refusal.Code != chat.CodeInvalidFieldValue { // a sample may be too long, or have line breaks
		t.Fatalf("its own samples do not fit %s: %v", made.Components, refusal)
	}
}
