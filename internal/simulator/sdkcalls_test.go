package simulator

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sdkCalls are the requests that one client of the upstream sends when each of its methods is called, and the
// simulator's answers. scripts/sdk-calls --record writes them.
type sdkCalls struct {
	Client  string
	Version string
	Calls   []sdkCall
}

type sdkCall struct {
	Name         string
	Method, Path string
	Type, Body   string
	Status, Code int
	Answer       []string // the places where the answer has values
}

// TestCallsOfSDKs sends the recorded requests of two clients of the upstream. Each must get an answer with everything
// that was in the recorded one.
func TestCallsOfSDKs(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/sdk-calls.json")
	must(t, err)
	var all []sdkCalls
	must(t, json.Unmarshal(raw, &all))
	if len(all) != 2 {
		t.Fatalf("%d clients were recorded", len(all))
	}
	for _, sdk := range all {
		t.Run(strings.ReplaceAll(sdk.Client, "/", " "), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			var answers []any
			for _, call := range sdk.Calls {
				answers = append(answers, r.replay(call, answers))
			}
		})
	}
}

// replay sends a recorded request, with the values it took from earlier answers, and returns its answer.
func (r *rig) replay(call sdkCall, answers []any) any {
	r.t.Helper()
	fill := func(text string) string { return r.fillIn(text, answers) }
	req, err := http.NewRequest(call.Method, r.url+fill(call.Path), strings.NewReader(fill(call.Body)))
	must(r.t, err)
	req.Header.Set("Authorization", "Bearer any")
	if call.Type != "" {
		req.Header.Set("Content-Type", call.Type)
	}
	got, err := r.request(req)
	if err != nil {
		r.t.Fatalf("%s: %v", call.Name, err)
	}
	if got.status != call.Status || got.code() != call.Code {
		r.t.Errorf("%s: %d %s, want %d with code %d", call.Name, got.status, got.raw, call.Status, call.Code)
	}
	for _, place := range call.Answer {
		if !hasPlace(got.body, place) {
			r.t.Errorf("%s: no %s in %s", call.Name, place, got.raw)
		}
	}
	return got.body
}

var answerReference = regexp.MustCompile(`{{(\d+)\.([^}]+)}}`)

// fillIn replaces {{3.messages.0.id}} with the value at that place in the fourth answer.
func (r *rig) fillIn(text string, answers []any) string {
	return answerReference.ReplaceAllStringFunc(text, func(ref string) string {
		parts := answerReference.FindStringSubmatch(ref)
		i, _ := strconv.Atoi(parts[1]) // they are digits, as the expression says
		value, found := dig(answers[i], stepsTo(parts[2])...).(string)
		if !found {
			r.t.Fatalf("no earlier answer has %s", ref)
		}
		return strings.TrimPrefix(value, r.url)
	})
}

// hasPlace tells whether there is a value, which may be null.
func hasPlace(body any, place string) bool {
	parent, last := "", place
	if i := strings.LastIndex(place, "."); i >= 0 {
		parent, last = place[:i], place[i+1:]
	}
	if object, isObject := dig(body, stepsTo(parent)...).(map[string]any); isObject {
		_, found := object[last]
		return found
	}
	return dig(body, stepsTo(place)...) != nil
}

// stepsTo turns messages.0.id into the steps that lead there.
func stepsTo(path string) (steps []any) {
	for step := range strings.SplitSeq(path, ".") {
		if i, err := strconv.Atoi(step); err == nil {
			steps = append(steps, i)
		} else if step != "" {
			steps = append(steps, step)
		}
	}
	return steps
}
