package api_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// documentLimit keeps the description small enough for code generators and other tools.
const documentLimit = 400_000

func TestDocumentIsSmall(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	if n := len(s.Do(t, apitest.Request{Path: "/v1/openapi.json"}).Body); n > documentLimit {
		t.Errorf("it has %d bytes, more than %d", n, documentLimit)
	}
}

// The linters that people run over the document look for these; make test needs no Node.
func TestDocumentKeepsTheLintersRules(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	for _, way := range [][]string{{"info", "license"}, {"info", "contact"}} {
		if doc.At(way...) == nil {
			t.Errorf("%v is missing", way)
		}
	}
	tags := map[any]bool{}
	for _, tag := range doc.Root["tags"].([]any) {
		fields := tag.(map[string]any)
		if text, _ := fields["description"].(string); text == "" || tags[fields["name"]] {
			t.Errorf("the tag %v has no description, or is there twice", fields["name"])
		}
		tags[fields["name"]] = true
	}
	for _, op := range allOperations(doc) {
		if tag := op.fields["tags"].([]any)[0]; !tags[tag] {
			t.Errorf("%s: the tag %v is not described", op.name(), tag)
		}
	}
}

func TestDocumentUsesItsComponents(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	used := map[string]bool{}
	walk(doc.Root, func(node map[string]any) {
		if ref, ok := node["$ref"].(string); ok {
			used[ref] = true
		}
	})
	for _, kind := range []string{"schemas", "responses", "parameters", "headers"} {
		for name := range doc.At("components", kind) {
			if ref := "#/components/" + kind + "/" + name; !used[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

func TestDocumentDescribesEveryEvent(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	if got, want := len(doc.At("webhooks")), len(chat.EventTypes); got != want {
		t.Errorf("it describes %d events, want %d", got, want)
	}
	for _, kind := range chat.EventTypes {
		event := doc.At("webhooks", string(kind), "post")
		if event == nil {
			t.Errorf("%s is missing", kind)
			continue
		}
		for _, problem := range append(eventTextProblems(event), doc.EventProblems(string(kind), sampleOf(doc, kind))...) {
			t.Errorf("%s: %s", kind, problem)
		}
		if got, want := headersOf(doc, event), deliveryHeaders(kind); !slices.Equal(got, want) {
			t.Errorf("%s: its headers are %v, want %v", kind, got, want)
		}
	}
}

func eventTextProblems(event map[string]any) (problems []string) {
	for _, field := range []string{"summary", "description", "operationId"} {
		if text, _ := event[field].(string); text == "" {
			problems = append(problems, "it has no "+field)
		}
	}
	return problems
}

func sampleOf(doc *apitest.Document, kind chat.EventType) []byte {
	sample, err := json.Marshal(doc.At("webhooks", string(kind), "post", "requestBody", "content", "application/json")["example"])
	if err != nil {
		panic(err) // it has been parsed
	}
	return sample
}

func headersOf(doc *apitest.Document, event map[string]any) (names []string) {
	for _, parameter := range event["parameters"].([]any) {
		fields := parameter.(map[string]any)
		if ref, ok := fields["$ref"].(string); ok {
			fields = doc.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
		names = append(names, fields["name"].(string))
	}
	slices.Sort(names)
	return names
}

// deliveryHeaders are the headers of a real delivery, without those of every request.
func deliveryHeaders(kind chat.EventType) (names []string) {
	for name := range (chat.SignedDelivery{EventType: kind, Test: true}).Headers() {
		if strings.HasPrefix(name, "X-Svc-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// What the API takes is right by the document too, also for those who check formats before they send.
func TestDocumentTakesEmptyAddresses(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	for _, name := range []string{"CreateContactBody", "UpdateContactBody"} {
		schema, err := doc.Schema("components", "schemas", name, "properties", "email")
		must(t, err)
		for _, email := range []any{"", "ada@example.com", nil} {
			if err := schema.Validate(email); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Generators of clients name types after schemas. An object inside of another gets a name that they make up, so each has
// a schema of its own.
func TestDocumentNamesItsObjects(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	for name := range doc.At("components", "schemas") {
		if !regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`).MatchString(name) || strings.HasSuffix(name, "Struct") {
			t.Errorf("%s is no name for a type", name)
		}
		walk(doc.At("components", "schemas", name)["properties"], func(node map[string]any) {
			if _, object := node["properties"].(map[string]any); object && node["type"] == "object" {
				t.Errorf("%s has an object without a name: %v", name, node)
			}
		})
	}
	for name := range doc.At("components", "responses") {
		schema := doc.Root["components"].(map[string]any)["responses"].(map[string]any)[name]
		if got := fmt.Sprint(schema.(map[string]any)["content"]); got != "map[application/json:map[schema:map[$ref:#/components/schemas/ErrorEnvelope]]]" {
			t.Errorf("the refusal %s has a body of its own: %s", name, got)
		}
	}
}

// Generators leave out the schemas that no path leads to, and then cannot compile what they made of webhooks.
func TestDocumentsPathsLeadToAllSchemas(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	seen := map[string]bool{}
	var follow func(map[string]any)
	follow = func(node map[string]any) {
		if ref, ok := node["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			walk(doc.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), follow)
		}
	}
	walk(doc.At("paths"), follow)
	for name := range doc.At("components", "schemas") {
		if !seen["#/components/schemas/"+name] {
			t.Errorf("no path leads to %s", name)
		}
	}
}

// A field without a type becomes any, interface{} or unknown in generated clients: nobody learns that a text has a body.
func TestDocumentGivesFieldsTypes(t *testing.T) {
	t.Parallel()
	walk(apitest.Start(t, storetest.SQLite).Document().Root["components"], func(node map[string]any) {
		fields, _ := node["properties"].(map[string]any)
		for name, field := range fields {
			if untyped(field) {
				t.Errorf("%s has no type in %v", name, node)
			}
		}
	})
}

func untyped(schema any) bool {
	fields := schema.(map[string]any)
	if items, ok := fields["items"]; ok {
		return untyped(items)
	}
	return !slices.ContainsFunc([]string{"type", "$ref", "oneOf", "anyOf"}, func(word string) bool { return fields[word] != nil })
}

// Programs that get events in one place tell them apart by type, so each shape says which types it has.
func TestDocumentTellsEventsApart(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	for _, kind := range chat.EventTypes {
		body := doc.At("webhooks", string(kind), "post", "requestBody", "content", "application/json")["schema"].(map[string]any)
		field := doc.At("components", "schemas", strings.TrimPrefix(body["$ref"].(string), "#/components/schemas/"), "properties", "type")
		if types, _ := field["enum"].([]any); field != nil && !slices.Contains(types, any(string(kind))) {
			t.Errorf("the type of %s is one of %v", kind, types)
		}
	}
}

// Also a refusal that no operation makes, because the path has none with this method, fits the schema of errors.
func TestDocumentKnowsWrongMethods(t *testing.T) {
	t.Parallel()
	codes := apitest.Start(t, storetest.SQLite).Document().At("components", "schemas", "Error", "properties", "code")["x-extensible-enum"]
	if !slices.Contains(codes.([]any), any("method_not_allowed")) {
		t.Errorf("the codes are %v", codes)
	}
}

// A program made from the document takes a code that comes later.
func TestDocumentLeavesCodesOpen(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	if code := doc.At("components", "schemas", "Error", "properties", "code"); code["enum"] != nil || code["type"] != "string" {
		t.Errorf("the code is %v", code)
	}
}
