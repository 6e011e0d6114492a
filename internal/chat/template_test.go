package chat_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

func TestTemplateStatusOf(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]chat.TemplateStatus{
		"APPROVED": chat.TemplateApproved, "REJECTED": chat.TemplateRejected, "DISABLED": chat.TemplateRejected, "PENDING": chat.TemplatePending,
		"PAUSED": chat.TemplatePending, "IN_APPEAL": chat.TemplatePending, "ARCHIVED": chat.TemplatePending, "": chat.TemplatePending, "NEW_WORD": chat.TemplatePending,
	} {
		if got := chat.TemplateStatusOf(provider); got != want {
			t.Errorf("%s: %s, want %s", provider, got, want)
		}
	}
}

func TestTemplateDigest(t *testing.T) {
	t.Parallel()
	base := chat.Template{ProviderStatus: "APPROVED", Format: chat.FormatPositional, Components: json.RawMessage(
		`[{"type":"HEADER","format":"IMAGE","example":{"header_handle":["https://a.example/1"]}},{"type":"CAROUSEL","cards":[{"components":[{"example":{"header_handle":["x"]}}]}]}]`)}
	same := base
	same.ID, same.Components = "tmpl_x", json.RawMessage(
		`[ {"format":"IMAGE","type":"HEADER","example":{"header_handle":["https://b.example/2"]}},{"type":"CAROUSEL","cards":[{"components":[{"example":{"header_handle":["y"]}}]}]}]`)
	if base.Digest() != same.Digest() {
		t.Error("the digest depends on the addresses of samples")
	}
	for name, change := range map[string]func(*chat.Template){
		"status":     func(t *chat.Template) { t.ProviderStatus = "PAUSED" },
		"category":   func(t *chat.Template) { t.Category = new("UTILITY") },
		"quality":    func(t *chat.Template) { t.Quality = new("RED") },
		"reason":     func(t *chat.Template) { t.RejectedReason = new("SCAM") },
		"id":         func(t *chat.Template) { t.ProviderID = new("1") },
		"life":       func(t *chat.Template) { t.TTLSeconds = new(60) },
		"format":     func(t *chat.Template) { t.Format = chat.FormatNamed },
		"components": func(t *chat.Template) { t.Components = json.RawMessage(`[]`) },
		"no JSON":    func(t *chat.Template) { t.Components = json.RawMessage(`[`) },
	} {
		other := base
		change(&other)
		if other.Digest() == base.Digest() {
			t.Errorf("the digest does not tell of another %s", name)
		}
	}
}

// What a broadcast knows of its template's text says nothing of the samples, and what it noted under an earlier version
// counts on.
func TestTemplateText(t *testing.T) {
	t.Parallel()
	text := func(components string) chat.Template {
		return chat.Template{Format: chat.FormatPositional, Components: json.RawMessage(components)}
	}
	base := text(`[{"type":"BODY","text":"Hi {{1}}.","example":{"body_text":[["Ada"]]}},{"type":"BUTTONS","buttons":[{"type":"URL","url":"https://a.example/{{1}}","example":["x"]}]}]`)
	for name, c := range map[string]struct {
		components string
		same       bool
	}{
		"the same":      {string(base.Components), true},
		"other samples": {`[{"text":"Hi {{1}}.","type":"BODY","example":{"body_text":["Bea"]}},{"type":"BUTTONS","buttons":[{"type":"URL","url":"https://a.example/{{1}}","example":"y"}]}]`, true},
		"no samples":    {`[{"type":"BODY","text":"Hi {{1}}."},{"type":"BUTTONS","buttons":[{"type":"URL","url":"https://a.example/{{1}}"}]}]`, true},
		"another text":  {`[{"type":"BODY","text":"Ho {{1}}.","example":{"body_text":[["Ada"]]}},{"type":"BUTTONS","buttons":[{"type":"URL","url":"https://a.example/{{1}}","example":["x"]}]}]`, false},
		"another link":  {`[{"type":"BODY","text":"Hi {{1}}.","example":{"body_text":[["Ada"]]}},{"type":"BUTTONS","buttons":[{"type":"URL","url":"https://b.example/{{1}}","example":["x"]}]}]`, false},
	} {
		if got := text(c.components).TextIsOf(base.TextDigest()); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
	if earlier := "15afc8fb8520a000a8908232821843ca"; !base.TextIsOf(earlier) {
		t.Errorf("a digest of an earlier version is another: want one of %s", base.Digest())
	}
}

// TestShapesWeDoNotKnow passes components of unknown kinds to the provider unchecked.
func TestShapesWeDoNotKnow(t *testing.T) {
	t.Parallel()
	for components, refused := range map[string]bool{
		`[{"type":"BODY","text":"Hi."},{"type":"LIMITED_TIME_OFFER","limited_time_offer":{"text":"Now"}}]`:      false,
		`[{"type":"BODY","text":"Hi."},{"type":"BUTTONS","buttons":[{"type":"FLOW","text":"Go","flow_id":1}]}]`: false,
		`[{"type":"BODY","text":"Hi."},{"type":"HEADER","format":5}]`:                                           false,
		`[{"type":"BODY","text":"Hi {{1}}, {{ 2 }}."}]`:                                                         true,
	} {
		template := chat.Template{Components: json.RawMessage(components)}
		if _, err := template.Fill(&chat.TemplateContent{Name: "x"}); (err != nil) != refused {
			t.Errorf("%s: %v", components, err)
		}
	}
}

func TestTemplateMedia(t *testing.T) {
	t.Parallel()
	got := chat.TemplateMedia(json.RawMessage(`{"name":"x","language":{"code":"de"},"components":[{"type":"header","parameters":[{"type":"image","image":{"id":"med_1"}}]},
		{"type":"body","parameters":[{"type":"text","text":"{\"id\":\"med_9\"}"}]},{"type":"button","parameters":[{"type":"payload","payload":"id","id":"med_8"}]},
		{"type":"carousel","cards":[{"card_index":0,"components":[{"type":"header","parameters":[{"type":"video","video":{"id":"med_2"}}]}]},{"card_index":1,"components":[{"type":"header","parameters":[{"type":"video","video":{"link":"https://a.example"}}]}]}]}],
		"preview":{"header":{"format":"IMAGE","id":"med_1"}}}`))
	want := []chat.LibraryFile{
		{ID: "med_1", As: chat.TypeImage, Param: "template.components[0].parameters[0].image.id"},
		{ID: "med_2", As: chat.TypeVideo, Param: "template.components[3].cards[0].components[0].parameters[0].video.id"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
