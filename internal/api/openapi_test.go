package api_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// operations is every operation of the API. A change here is a change of the public contract.
var operations = []string{
	"DELETE /customers/{id} archiveCustomer Customers",
	"DELETE /customers/{id}/setup_links/{link_id} revokeSetupLink Customers",
	"DELETE /customers/{id}/whatsapp_accounts/{phone_number_id} disconnectAccount Customers",
	"DELETE /labels/{id} deleteLabel Labels",
	"DELETE /opt_out_words/{language} resetOptOutWords Broadcasts",
	"DELETE /webhook_subscriptions/{id} deleteWebhookSubscription Webhooks",
	"DELETE /webhook_subscriptions/{id}/secrets/{secret_id} revokeWebhookSecret Webhooks",
	"DELETE /{phone_number_id}/broadcasts/{id} deleteBroadcast Broadcasts",
	"DELETE /{phone_number_id}/broadcasts/{id}/recipients removeBroadcastRecipients Broadcasts",
	"DELETE /{phone_number_id}/contacts/{id} deleteContact Contacts",
	"DELETE /{phone_number_id}/contacts/{id}/labels/{label_id} detachContactLabel Contacts",
	"DELETE /{phone_number_id}/conversations/{id}/labels/{label_id} detachConversationLabel Conversations",
	"DELETE /{phone_number_id}/media/{id} deleteMedia Media",
	"DELETE /{phone_number_id}/templates/{name} deleteTemplate Templates",
	"GET /accounts listAccounts Accounts",
	"GET /customers listCustomers Customers",
	"GET /customers/{id} getCustomer Customers",
	"GET /customers/{id}/setup_links listSetupLinks Customers",
	"GET /customers/{id}/setup_links/{link_id} getSetupLink Customers",
	"GET /events listEvents Events",
	"GET /health getHealth Meta",
	"GET /labels listLabels Labels",
	"GET /labels/{id} getLabel Labels",
	"GET /me getMe Meta",
	"GET /openapi.json getOpenAPI Meta",
	"GET /opt_out_words getOptOutWords Broadcasts",
	"GET /webhook_deliveries listWebhookDeliveries Webhooks",
	"GET /webhook_deliveries/{id} getWebhookDelivery Webhooks",
	"GET /webhook_subscriptions listWebhookSubscriptions Webhooks",
	"GET /webhook_subscriptions/{id} getWebhookSubscription Webhooks",
	"GET /{phone_number_id}/broadcasts listBroadcasts Broadcasts",
	"GET /{phone_number_id}/broadcasts/{id} getBroadcast Broadcasts",
	"GET /{phone_number_id}/broadcasts/{id}/left_out.csv exportBroadcastLeftOut Broadcasts",
	"GET /{phone_number_id}/broadcasts/{id}/preview previewBroadcast Broadcasts",
	"GET /{phone_number_id}/broadcasts/{id}/recipients listBroadcastRecipients Broadcasts",
	"GET /{phone_number_id}/broadcasts/{id}/recipients.csv exportBroadcastRecipients Broadcasts",
	"GET /{phone_number_id}/broadcasts/{id}/report getBroadcastReport Broadcasts",
	"GET /{phone_number_id}/contacts listContacts Contacts",
	"GET /{phone_number_id}/contacts/{id} getContact Contacts",
	"GET /{phone_number_id}/conversations listConversations Conversations",
	"GET /{phone_number_id}/conversations/{id} getConversation Conversations",
	"GET /{phone_number_id}/media/{id} getMedia Media",
	"GET /{phone_number_id}/messages listMessages Messages",
	"GET /{phone_number_id}/messages/{id} getMessage Messages",
	"GET /{phone_number_id}/messages/{id}/media getMessageMedia Messages",
	"GET /{phone_number_id}/templates listTemplates Templates",
	"GET /{phone_number_id}/templates/{name} getTemplate Templates",
	"PATCH /customers/{id} updateCustomer Customers",
	"PATCH /customers/{id}/setup_links/{link_id} updateSetupLink Customers",
	"PATCH /labels/{id} updateLabel Labels",
	"PATCH /opt_out_words/{language} setOptOutWords Broadcasts",
	"PATCH /webhook_subscriptions/{id} updateWebhookSubscription Webhooks",
	"PATCH /{phone_number_id}/broadcasts/{id} updateBroadcast Broadcasts",
	"PATCH /{phone_number_id}/contacts/{id} updateContact Contacts",
	"PATCH /{phone_number_id}/conversations/{id} updateConversation Conversations",
	"PATCH /{phone_number_id}/templates/{name} updateTemplate Templates",
	"POST /customers createCustomer Customers",
	"POST /customers/{id}/setup_links createSetupLink Customers",
	"POST /labels createLabel Labels",
	"POST /webhook_deliveries/bulk_replay bulkReplayWebhookDeliveries Webhooks",
	"POST /webhook_deliveries/{id}/replay replayWebhookDelivery Webhooks",
	"POST /webhook_subscriptions createWebhookSubscription Webhooks",
	"POST /webhook_subscriptions/{id}/secrets createWebhookSecret Webhooks",
	"POST /webhook_subscriptions/{id}/test testWebhookSubscription Webhooks",
	"POST /{phone_number_id}/broadcasts createBroadcast Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/duplicate duplicateBroadcast Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/pause pauseBroadcast Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/recipients addBroadcastRecipients Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/resume resumeBroadcast Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/retry retryBroadcast Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/start startBroadcast Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/stop stopBroadcast Broadcasts",
	"POST /{phone_number_id}/broadcasts/{id}/test testBroadcast Broadcasts",
	"POST /{phone_number_id}/contacts createContact Contacts",
	"POST /{phone_number_id}/contacts/bulk_label bulkLabelContacts Contacts",
	"POST /{phone_number_id}/contacts/{id}/labels attachContactLabel Contacts",
	"POST /{phone_number_id}/contacts/{id}/merge mergeContacts Contacts",
	"POST /{phone_number_id}/conversations/{id}/labels attachConversationLabel Conversations",
	"POST /{phone_number_id}/media uploadMedia Media",
	"POST /{phone_number_id}/messages sendMessage Messages",
	"POST /{phone_number_id}/register registerNumber Accounts",
	"POST /{phone_number_id}/templates createTemplate Templates",
	"POST /{phone_number_id}/templates/sync syncTemplates Templates",
}

// described is an operation as the document has it.
type described struct {
	path, method string
	fields       map[string]any
}

func (d described) name() string {
	return fmt.Sprint(strings.ToUpper(d.method), " ", d.path, " ", d.fields["operationId"], " ", strings.Trim(fmt.Sprint(d.fields["tags"]), "[]"))
}

func (d described) open() bool { return d.path == "/health" || d.path == "/openapi.json" }

func allOperations(doc *apitest.Document) []described {
	var all []described
	for path, methods := range doc.At("paths") {
		for method, fields := range methods.(map[string]any) {
			all = append(all, described{path, method, fields.(map[string]any)})
		}
	}
	return all
}

func TestDocumentListsTheOperations(t *testing.T) {
	t.Parallel()
	var got []string
	for _, op := range allOperations(apitest.Start(t, storetest.SQLite).Document()) {
		got = append(got, op.name())
	}
	slices.Sort(got)
	if d := cmp.Diff(operations, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestDocumentDescribesEachOperation(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	ids := map[any]bool{}
	for _, op := range allOperations(doc) {
		if id := op.fields["operationId"]; ids[id] {
			t.Errorf("two operations are called %v", id)
		}
		ids[op.fields["operationId"]] = true
		for _, problem := range slices.Concat(op.textProblems(), op.securityProblems(), op.responseProblems(doc), op.headerProblems(doc), op.parameterProblems()) {
			t.Errorf("%s: %s", op.name(), problem)
		}
	}
}

func (d described) textProblems() (problems []string) {
	for _, field := range []string{"operationId", "summary", "description"} {
		if text, _ := d.fields[field].(string); text == "" {
			problems = append(problems, "has no "+field)
		}
	}
	if tags, _ := d.fields["tags"].([]any); len(tags) != 1 {
		problems = append(problems, fmt.Sprint("has the tags ", tags))
	}
	return problems
}

func (d described) securityProblems() (problems []string) {
	want := `[map[apiKey:[]]]`
	if d.open() {
		want = `[]`
	}
	if got := fmt.Sprint(d.fields["security"]); got != want {
		problems = append(problems, "has the security "+got)
	}
	return problems
}

// dueStatuses are the statuses that every operation of its kind must document.
func (d described) dueStatuses() []string {
	due := []string{"400", "500", "503"}
	if !d.open() {
		due = append(due, "401", "403", "429")
		if d.path != "/me" {
			due = append(due, "402")
		}
	}
	if strings.Contains(d.path, "{") {
		due = append(due, "404")
	}
	if d.fields["requestBody"] != nil {
		due = append(due, "413", "415")
	}
	if d.method == "post" {
		due = append(due, "409", "413", "422")
	}
	return due
}

func (d described) responseProblems(doc *apitest.Document) (problems []string) {
	responses := d.fields["responses"].(map[string]any)
	successes := 0
	for status := range responses {
		if status[0] == '2' || status == "302" {
			successes++
		}
		if text, _ := doc.At("paths", d.path, d.method, "responses", status)["description"].(string); text == "" {
			problems = append(problems, status+" is not described")
		}
	}
	if successes != 1 {
		problems = append(problems, fmt.Sprint("has ", successes, " successes"))
	}
	for _, status := range d.dueStatuses() {
		if responses[status] == nil {
			problems = append(problems, "does not say when it answers "+status)
		}
	}
	return problems
}

// headerProblems checks that the answers to keys, and no others, have the headers of the rate limit, and that tables have a
// name.
func (d described) headerProblems(doc *apitest.Document) (problems []string) {
	for status := range d.fields["responses"].(map[string]any) {
		headers, _ := doc.At("paths", d.path, d.method, "responses", status)["headers"].(map[string]any)
		table := doc.At("paths", d.path, d.method, "responses", status, "content", "text/csv; charset=utf-8") != nil
		if table != (headers["Content-Disposition"] != nil) {
			problems = append(problems, fmt.Sprint(status, " has a name: ", !table))
		}
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
			if due := !d.open() && status != "401"; due != (headers[name] != nil) {
				problems = append(problems, fmt.Sprint(status, " has ", name, ": ", !due))
			}
		}
	}
	return problems
}

var variable = regexp.MustCompile(`\{(\w+)\}`)

// parameterProblems checks that the path's variables are parameters, lists have pages, POSTs an Idempotency-Key, and what
// answers 304 the condition for it.
func (d described) parameterProblems() (problems []string) {
	given := map[string]string{}
	parameters, _ := d.fields["parameters"].([]any)
	for _, p := range parameters {
		p := p.(map[string]any)
		given[p["name"].(string)] = p["in"].(string)
	}
	due := map[string]string{}
	for _, name := range variable.FindAllStringSubmatch(d.path, -1) {
		due[name[1]] = "path"
	}
	if d.method == "post" {
		due["Idempotency-Key"] = "header"
	}
	if d.fields["responses"].(map[string]any)["304"] != nil {
		due["If-None-Match"] = "header"
	}
	if strings.HasPrefix(d.fields["operationId"].(string), "list") {
		due["limit"], due["cursor"] = "query", "query"
	}
	for name, in := range due {
		if given[name] != in {
			problems = append(problems, "lacks the parameter "+name)
		}
	}
	return problems
}

func TestDocumentResolvesAndCompiles(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	walk(doc.Root, func(node map[string]any) {
		ref, ok := node["$ref"].(string)
		if ok && doc.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
			t.Errorf("%s leads nowhere", ref)
		}
	})
	for name := range doc.At("components", "schemas") {
		compile(t, doc, "components", "schemas", name)
	}
	for _, op := range allOperations(doc) {
		for status := range doc.At("paths", op.path, op.method, "responses") {
			for kind := range doc.At("paths", op.path, op.method, "responses", status, "content") {
				compile(t, doc, "paths", op.path, op.method, "responses", status, "content", kind, "schema")
			}
		}
		if op.fields["requestBody"] != nil {
			for kind := range doc.At("paths", op.path, op.method, "requestBody", "content") {
				compile(t, doc, "paths", op.path, op.method, "requestBody", "content", kind, "schema")
			}
		}
	}
}

func compile(t *testing.T, doc *apitest.Document, way ...string) {
	t.Helper()
	if _, err := doc.Schema(way...); err != nil {
		t.Errorf("%v: %v", way, err)
	}
}

func walk(node any, visit func(map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(node)
		for _, item := range node {
			walk(item, visit)
		}
	case []any:
		for _, item := range node {
			walk(item, visit)
		}
	}
}

func TestDocumentQuotesTheContractsErrors(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	known := map[string][]any{}
	for field, list := range map[string]string{"code": "x-extensible-enum", "type": "enum"} {
		known[field], _ = doc.At("components", "schemas", "Error", "properties", field)[list].([]any)
	}
	for _, op := range allOperations(doc) {
		codes, _ := op.fields["x-error-codes"].([]any)
		told := map[string]string{}
		for _, code := range codes {
			want := apitest.Codes[code.(string)]
			if !slices.Contains(known["code"], code) || !slices.Contains(known["type"], any(want.Type)) {
				t.Errorf("%s: Error does not list %v of %s", op.name(), code, want.Type)
			}
			told[fmt.Sprint(want.Status)] += fmt.Sprintf(", `%s`", code)
		}
		for status, response := range op.fields["responses"].(map[string]any) {
			if status >= "400" && ", "+response.(map[string]any)["description"].(string) != told[status] {
				t.Errorf("%s: %s is told to come with %v, want %v", op.name(), status, response, told[status])
			}
			delete(told, status)
		}
		if len(told) > 0 {
			t.Errorf("%s: there are no responses for %v", op.name(), told)
		}
	}
}

// The codes of failed messages are in no response's list of codes, so the field itself documents them.
func TestDocumentNamesMessageErrors(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../chat/message.go")
	must(t, err)
	codes := regexp.MustCompile(`MessageErrorCode = "([a-z0-9_]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 20 {
		t.Fatalf("found %d codes", len(codes))
	}
	told := fmt.Sprint(apitest.Start(t, storetest.SQLite).Document().At("components", "schemas", "MessageError", "properties", "code")["description"])
	for _, code := range codes {
		if !strings.Contains(told, code[1]) {
			t.Errorf("%s is not told", code[1])
		}
	}
}

// Clients generate types from the document, so a list that cannot be null must not be nullable. A nullable one
// says what null means.
func TestDocumentHasNoNullableLists(t *testing.T) {
	t.Parallel()
	walk(apitest.Start(t, storetest.SQLite).Document().Root, func(node map[string]any) {
		kinds, _ := node["type"].([]any)
		if slices.Contains(kinds, any("array")) && !strings.Contains(fmt.Sprint(node["description"]), "null") {
			t.Errorf("a list may be null: %v", node)
		}
	})
}

func TestDocumentIdentifiesItself(t *testing.T) {
	t.Parallel()
	doc := apitest.Start(t, storetest.SQLite).Document()
	info := doc.At("info")
	got := fmt.Sprint(doc.Root["openapi"], " ", info["version"], " ", info["x-program-version"], " ", doc.Root["servers"])
	if want := "3.1.0 1.0.0 test [map[url:/v1]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	scheme := doc.At("components", "securitySchemes", "apiKey")
	if scheme["type"] != "http" || scheme["scheme"] != "bearer" {
		t.Errorf("the security scheme is %v", scheme)
	}
}

func TestDocumentIsServedConditionally(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	first := s.Do(t, apitest.Request{Path: "/v1/openapi.json"}).RequireStatus(t, http.StatusOK)
	tag := first.Header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) || first.Header.Get("Cache-Control") != "public, max-age=60" {
		t.Errorf("got %v", first.Header)
	}
	for _, test := range []struct {
		name, condition string
		status          int
	}{
		{"the same tag", tag, http.StatusNotModified},
		{"its strong form", strings.TrimPrefix(tag, "W/"), http.StatusNotModified},
		{"one of several", `"other", ` + tag, http.StatusNotModified},
		{"any", "*", http.StatusNotModified},
		{"another", `W/"other"`, http.StatusOK},
		{"a broken one", strings.Trim(tag, `"`), http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				r := s.Do(t, apitest.Request{Method: method, Path: "/v1/openapi.json", Header: http.Header{"If-None-Match": {test.condition}}})
				if r.Status != test.status || r.Header.Get("ETag") != tag {
					t.Errorf("%s got %d with %s", method, r.Status, r.Header.Get("ETag"))
				}
			}
		})
	}
}
