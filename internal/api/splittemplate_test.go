package api

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// TestSplitTemplate compares the cut with decoding, wherever the preview stands.
func TestSplitTemplate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.Permutation([]string{"name", "preview", "language", "components"}).Draw(t, "names")
		names = names[:rapid.IntRange(0, len(names)).Draw(t, "members")]
		content, preview := jsontext.Value("{"), ""
		want := map[string]jsontext.Value{}
		for i, name := range names {
			value := rapid.SampledFrom([]string{`"a\"b"`, `{"preview":{"body":"x"}}`, `[{"preview":1},","]`, `{}`}).Draw(t, name)
			if i > 0 {
				content = append(content, ',')
			}
			content = append(content, `"`+name+`":`+value...)
			if name == "preview" {
				preview = value
			} else {
				want[name] = jsontext.Value(value)
			}
		}
		content = append(content, '}')
		template, shown := splitTemplate(content)
		var got map[string]jsontext.Value
		if err := json.Unmarshal(template, &got); err != nil {
			t.Fatalf("%s of %s: %v", template, content, err)
		}
		if string(shown) != preview || len(got) != len(want) {
			t.Fatalf("%s gave %s and %s", content, template, shown)
		}
		for name, value := range want {
			if string(got[name]) != string(value) {
				t.Fatalf("%s of %s is %s", name, content, got[name])
			}
		}
	})
}

// A content that is no object is shown as it is.
func TestSplitTemplateOfNoObject(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "null", `"preview"`, "[]", `{"preview"`} {
		if template, preview := splitTemplate([]byte(content)); string(template) != content || preview != nil {
			t.Errorf("%q gave %q and %q", content, template, preview)
		}
	}
}
