package chat

import (
	"encoding/json"
	"testing"
)

func TestSentTellsEmptyFromAbsent(t *testing.T) {
	t.Parallel()
	const body = `{"text":"","list":[],"none":null,"full":"x","zero":0,"deep":[{"a":{"b":""}},{"a":null},5],"image":{"id":""},"video":{"link":"x"}}`
	for param, want := range map[string]string{
		"text": "invalid_field_value text", "list": "invalid_field_value list", "none": "invalid_field_value none",
		"absent": "missing_required_field absent", "full": "missing_required_field full", "zero": "missing_required_field zero",
		"none.inside": "invalid_field_value none.inside", "full.inside": "missing_required_field full.inside",
		"deep[0].a.b": "invalid_field_value deep[0].a.b", "deep[0].a.c": "missing_required_field deep[0].a.c",
		"deep[1].a.b": "invalid_field_value deep[1].a.b", "deep[2].a": "missing_required_field deep[2].a",
		"deep[3]": "missing_required_field deep[3]", "deep[x]": "missing_required_field deep[x]",
		"image.link": "invalid_field_value image.id", "video.link": "missing_required_field video.link",
	} {
		sent := Sent{Text: json.RawMessage(body)}
		requireRefused(t, param, sent.judge(Missing(param)), want)
		part := Sent{Text: json.RawMessage(body), Path: "content"}
		if got := part.judge(Missing("content." + param)); got.Code != sent.judge(Missing(param)).Code {
			t.Errorf("%s as a part: got %+v", param, got)
		}
	}
	requireRefused(t, "no text", Sent{}.judge(Missing("text")), "missing_required_field text")
	requireRefused(t, "no JSON", Sent{Text: json.RawMessage(`{`)}.judge(Missing("text")), "missing_required_field text")
	requireRefused(t, "another error", Sent{Text: json.RawMessage(body)}.judge(Invalid("text", "x")), "invalid_field_value text")
	if e := (Sent{Text: json.RawMessage(body)}).judge(nil); e != nil {
		t.Errorf("got %v", e)
	}
}
