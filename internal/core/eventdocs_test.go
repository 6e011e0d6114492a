package core_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

//go:generate go test -run ^TestEventsAreDocumented$ . -update-events
var updateEvents = flag.Bool("update-events", false, "rewrite the samples in docs/events.md")

// docs/events.md has every event, with the sample that the program makes.
func TestEventsAreDocumented(t *testing.T) {
	t.Parallel()
	const path = "../../docs/events.md"
	content, err := os.ReadFile(path)
	requireNoError(t, err)
	page := string(content)
	for _, kind := range chat.EventTypes {
		head, rest, found := strings.Cut(page, "### "+string(kind)+"\n")
		if !found {
			t.Errorf("the event %s has no heading", kind)
			continue
		}
		text, rest, opened := strings.Cut(rest, "```json\n")
		_, rest, closed := strings.Cut(rest, "```")
		if !opened || !closed || strings.Contains(text, "\n### ") {
			t.Errorf("the event %s has no sample", kind)
			continue
		}
		var sample bytes.Buffer
		requireNoError(t, json.Indent(&sample, core.SamplePayload(kind), "", "  "))
		page = head + "### " + string(kind) + "\n" + text + "```json\n" + sample.String() + "\n```" + rest
	}
	if page == string(content) {
		return
	}
	if !*updateEvents {
		t.Fatal("the samples in docs/events.md are out of date: run make generate")
	}
	requireNoError(t, os.WriteFile(path, []byte(page), 0o644))
}
