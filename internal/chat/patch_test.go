package chat

import (
	"encoding/json"
	"testing"
)

func TestPatchTellsAbsentNullAndValueApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{}`: "old", `{"name":null}`: "none", `{"name":"new"}`: "new", `{"name":""}`: ""} {
		var change struct {
			Name Patch[string] `json:"name"`
		}
		if err := json.Unmarshal([]byte(text), &change); err != nil {
			t.Fatal(err)
		}
		name := new("old")
		change.Name.apply(&name)
		if name == nil {
			name = new("none")
		}
		if *name != want {
			t.Errorf("%s makes %q, want %q", text, *name, want)
		}
	}
}

func TestPatchReplacesWhatItHeld(t *testing.T) {
	t.Parallel()
	p := To("old")
	if err := json.Unmarshal([]byte("null"), &p); err != nil || p != Cleared[string]() {
		t.Errorf("got %+v, %v", p, err)
	}
}
