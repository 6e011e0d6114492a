package api_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
)

// documentedOperation is an operation in the served document. Tests that walk all of them cover future
// operations as well.
type documentedOperation struct {
	id, method, path string
	parameters       []map[string]any
	body             map[string]any // the schema of a JSON body; nil if it takes none
}

func documentedOperations(t *testing.T, d *apitest.Document) (all []documentedOperation) {
	t.Helper()
	for path := range d.At("paths") {
		for method := range d.At("paths", path) {
			op := d.At("paths", path, method)
			found := documentedOperation{
				id: op["operationId"].(string), method: strings.ToUpper(method), path: path,
				body: d.At("paths", path, method, "requestBody", "content", "application/json", "schema"),
			}
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				found.parameters = append(found.parameters, resolve(d, p.(map[string]any)))
			}
			all = append(all, found)
		}
	}
	slices.SortFunc(all, func(a, b documentedOperation) int { return strings.Compare(a.id, b.id) })
	if len(all) < 40 {
		t.Fatalf("the document has %d operations only", len(all))
	}
	return all
}

// resolve follows a reference.
func resolve(d *apitest.Document, node map[string]any) map[string]any {
	if ref, ok := node["$ref"].(string); ok {
		return d.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return node
}

// target is the operation's path, with the case's number and ids that exist nowhere.
func (op documentedOperation) target(t *testing.T, d *apitest.Document) string {
	t.Helper()
	path := op.path
	for _, p := range op.parameters {
		if p["in"] == "path" {
			value := "${number}"
			if p["name"] != "phone_number_id" {
				value = sampleText(t, resolve(d, p["schema"].(map[string]any)))
			}
			path = strings.ReplaceAll(path, "{"+p["name"].(string)+"}", value)
		}
	}
	return "/v1" + path
}

// sampleText is a text that keeps to its schema.
func sampleText(t *testing.T, schema map[string]any) string {
	t.Helper()
	if values, ok := schema["enum"].([]any); ok {
		return values[0].(string)
	}
	if format, ok := schema["format"].(string); ok {
		sample := map[string]string{
			"phone-number": "+15550001111", "email": "ada@example.com", "email-or-empty": "ada@example.com", "uri": "https://hooks.example/in", "date-time": "2026-01-01T00:00:00Z",
			"event-type": "message.sent", "event-types": "message.sent",
		}[format]
		if sample == "" {
			t.Fatalf("this test does not know the format %s", format)
		}
		return sample
	}
	pattern, ok := schema["pattern"].(string)
	if !ok {
		return strings.Repeat("x", max(1, wholeNumber(schema["minLength"])))
	}
	prefix, _, _ := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(pattern, "(usr_)?", ""), "^"), "[")
	for _, sample := range []string{"x", "123456", "de", "DE.a", "1", prefix + strings.Repeat("0", 26)} {
		if regexp.MustCompile(pattern).MatchString(sample) {
			return sample
		}
	}
	t.Fatalf("this test knows no text for the pattern %s", pattern)
	return ""
}
