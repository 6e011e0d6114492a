package client_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
)

func newTemplate(name, language string) client.NewTemplate {
	return client.NewTemplate{
		Name: name, Language: language, Category: client.CategoryUtility, TTLSeconds: new(60),
		Components: []client.TemplatePart{
			{Type: "BODY", Text: "Hi {{1}}, your order is ready.", Example: &client.TemplateExample{BodyText: [][]string{{"Ada"}}}},
			{Type: "BUTTONS", Buttons: []client.TemplateButton{{Type: "URL", Text: "Track", URL: "https://example.com/{{1}}", Example: []string{"https://example.com/9"}}}},
		},
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if got := must(s.SyncTemplates(t.Context(), s.number))(t); got.Created != 9 || got.Synced != 9 {
		t.Errorf("synchronized %+v", got)
	}
	made := must(s.CreateTemplate(t.Context(), s.number, newTemplate("instant_x", "de")))(t)
	if made.Status != client.TemplateApproved || made.Content != "Hi {{1}}, your order is ready." || !slices.Equal(made.Variables, []string{"1"}) ||
		made.Category != client.CategoryUtility || *made.TTLSeconds != 60 || *made.ChatAccount.PhoneNumberID != s.number {
		t.Errorf("created %+v", made)
	}
	must(s.CreateTemplate(t.Context(), s.number, newTemplate("instant_x", "fr")))(t)
	_, err := s.CreateTemplate(t.Context(), s.number, newTemplate("instant_x", "fr"))
	refused(t, err, client.CodeTemplateAlreadyExists, "name")

	if got := must(s.GetTemplate(t.Context(), s.number, "instant_x", client.TemplateVariant{Language: "de"}))(t); got.ID != made.ID {
		t.Errorf("got %+v", got)
	}
	var names []string
	for one, err := range s.Templates(t.Context(), s.number, client.TemplateFilter{Status: client.AnyTemplate, Language: "de", PageOptions: client.PageOptions{Limit: 1}}) {
		names = append(names, must(one, err)(t).Name)
	}
	if d := cmp.Diff([]string{"instant_x", "order_update"}, names); d != "" {
		t.Error(d)
	}

	sent := must(s.SendMessage(t.Context(), s.number, client.Template("+4915110000001", "order_update", "de", "Ada", "A-17")))(t)
	if sent.Preview == nil || sent.Preview.Body != "Hallo Ada, deine Bestellung A-17 ist unterwegs." {
		t.Errorf("sent %+v", sent.Template)
	}
	_, err = s.SendMessage(t.Context(), s.number, client.Template("+4915110000001", "order_update", "es", "Ada", "A-17"))
	refused(t, err, client.CodeInvalidTemplateName, "template.language")

	patch := client.TemplatePatch{Components: []client.TemplatePart{{Type: "BODY", Text: "All is new."}}}
	_, err = s.UpdateTemplate(t.Context(), s.number, "instant_x", patch)
	refused(t, err, client.CodeMissingRequiredField, "language")
	patch.Language = "de"
	if got := must(s.UpdateTemplate(t.Context(), s.number, "instant_x", patch))(t); got.Status != client.TemplatePending || got.Content != "All is new." {
		t.Errorf("changed to %+v", got)
	}

	s.fail.coming(loseAnswer)
	if got := must(s.DeleteTemplate(t.Context(), s.number, "instant_x", client.TemplateVariant{}))(t); !got.Deleted || got.Name != "instant_x" {
		t.Errorf("deleted %+v", got)
	}
	_, err = s.GetTemplate(t.Context(), s.number, "instant_x", client.TemplateVariant{})
	refused(t, err, client.CodeResourceNotFound, "")
}

// A message that was sent with the language as a text is shown with a text.
func TestLanguageInBothForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]client.TemplateLanguage{
		`"en_US"`: {Code: "en_US"}, `{"code":"de","policy":"deterministic"}`: {Code: "de", Policy: "deterministic"}, `null`: {},
	} {
		var content client.TemplateContent
		if err := json.Unmarshal([]byte(`{"name":"hello_world","language":`+text+`}`), &content); err != nil || content.Language != want {
			t.Errorf("%s: %+v, %v", text, content.Language, err)
		}
	}
}
