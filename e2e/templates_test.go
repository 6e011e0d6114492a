package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

// TestTemplates follows templates from creation to deletion, on the built program, with the reviews of its own
// simulator.
func TestTemplates(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		w := newWorld(t, engine)
		w.sim.do(http.MethodPatch, "settings", map[string]any{"review": "100ms"})
		for name, test := range map[string]func(*testing.T, world){
			"life": testTemplateLife, "made elsewhere": testTemplateMadeElsewhere, "files": testTemplateFiles,
			"rejected": testTemplateRejected, "marketing": testTemplateMarketing, "commands": testTemplateCommands,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, w)
			})
		}
	})
}

// template makes a request under the number's templates.
func (n *Number) template(method, rest, body string) Reply {
	n.t.Helper()
	return n.srv.Do(Call{Method: method, Path: n.path("/templates" + rest), Key: n.org.Key, Body: body})
}

// newTemplate creates a template, which must be accepted for review.
func (n *Number) newTemplate(body string) object {
	n.t.Helper()
	reply := n.template(http.MethodPost, "", body)
	if reply.Status != http.StatusCreated {
		n.t.Fatalf("creating %s got %d %s", body, reply.Status, reply.Body)
	}
	return parseObject(n.t, []byte(reply.Body)).at("data").(map[string]any)
}

// awaitTemplate waits until the provider's decision about a template has arrived.
func (n *Number) awaitTemplate(name, providerStatus string) (template object) {
	n.t.Helper()
	ok := eventually(func() bool {
		reply := n.template(http.MethodGet, "/"+name, "")
		template = parseObject(n.t, []byte(reply.Body))
		return template.str("data", "provider_status") == providerStatus
	})
	if !ok {
		n.t.Fatalf("%s never was %s; it is %v", name, providerStatus, template)
	}
	return template.at("data").(map[string]any)
}

func oneText(name, text string) string {
	return fmt.Sprintf(`{"name":%q,"language":"en_US","category":"UTILITY","components":[{"type":"BODY","text":%q,"example":{"body_text":[["Ada"]]}}]}`, name, text)
}

func filled(name string, values ...string) map[string]any {
	var parameters []any
	for _, v := range values {
		parameters = append(parameters, map[string]any{"type": "text", "text": v})
	}
	return map[string]any{"name": name, "language": "en_US", "components": []any{map[string]any{"type": "body", "parameters": parameters}}}
}

func testTemplateLife(t *testing.T, w world) {
	n := w.number(t)
	person := newPerson()

	made := n.newTemplate(oneText("order_ready", "Hi {{1}}, your order is ready."))
	if made.str("status") != "pending" || made.str("content") != "Hi {{1}}, your order is ready." || made.str("provider_template_id") == "" {
		t.Errorf("created %v", made)
	}
	n.awaitTemplate("order_ready", "APPROVED")
	m := n.awaitStatus(n.send(person, "template", filled("order_ready", "Ada")), "read")
	if got := m.str("preview", "body"); got != "Hi Ada, your order is ready." {
		t.Errorf("the preview is %q", got)
	}
	if e := n.onlyEvent(chat.EventMessageSent, m.str("id")); e.str("data", "message", "body") != "Hi Ada, your order is ready." {
		t.Errorf("message.sent tells %v", e)
	}

	edit := strings.Replace(oneText("order_ready", "Hello {{1}}, your order is here."), `"name":"order_ready","language":"en_US","category":"UTILITY",`, "", 1)
	if reply := n.template(http.MethodPatch, "/order_ready", edit); reply.Status != http.StatusOK || parseObject(t, []byte(reply.Body)).str("data", "status") != "pending" {
		t.Errorf("editing got %d %s", reply.Status, reply.Body)
	}
	n.awaitTemplate("order_ready", "APPROVED")
	m = n.awaitStatus(n.send(person, "template", filled("order_ready", "Ada")), "read")
	if got := m.str("preview", "body"); got != "Hello Ada, your order is here." {
		t.Errorf("the preview after the edit is %q", got)
	}

	n.sim.do(http.MethodPatch, "templates/"+made.str("provider_template_id"), map[string]any{"status": "PAUSED"})
	if paused := n.awaitTemplate("order_ready", "PAUSED"); paused.str("status") != "pending" {
		t.Errorf("paused it is %v", paused)
	}
	m = n.awaitStatus(n.send(person, "template", filled("order_ready", "Ada")), "failed")
	if m.str("error", "code") != "template_paused" {
		t.Errorf("a paused template failed with %v", m["error"])
	}
	n.sim.do(http.MethodPatch, "templates/"+made.str("provider_template_id"), map[string]any{"status": "APPROVED", "event": "REINSTATED"})
	n.awaitTemplate("order_ready", "APPROVED")

	expect(t, n.template(http.MethodDelete, "/order_ready", ""), http.StatusOK, "")
	expect(t, n.template(http.MethodGet, "/order_ready", ""), http.StatusNotFound, "resource_not_found")
	expect(t, n.trySend(person, "template", filled("order_ready", "Ada")), http.StatusBadRequest, "invalid_template_name")
	sync := parseObject(t, []byte(n.template(http.MethodPost, "/sync", "").Body))
	if sync.at("data", "created") != 0.0 || sync.at("data", "removed") != 0.0 {
		t.Errorf("after the deletion a synchronization found %v", sync)
	}
}

// testTemplateMadeElsewhere: a provider's report about an unknown template adds the template.
func testTemplateMadeElsewhere(t *testing.T, w world) {
	n := w.number(t)
	request, err := http.NewRequest(http.MethodPost, n.srv.Ops()+"/simulator/"+n.WABAID+"/message_templates", strings.NewReader(oneText("elsewhere", "Hi {{1}}, made by hand.")))
	must(t, err)
	request.Header.Set("Authorization", "Bearer token of "+n.ID)
	response, err := client.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	response.Body.Close()
	if got := n.awaitTemplate("elsewhere", "APPROVED"); got.str("content") != "Hi {{1}}, made by hand." {
		t.Errorf("got %v", got)
	}
}

// testTemplateFiles sends library files in the headers of templates.
func testTemplateFiles(t *testing.T, w world) {
	n := w.number(t)
	person := newPerson()
	file := n.upload("a.pdf", "application/pdf", []byte("%PDF-1.4 invoice"))
	content := filled("invoice_ready", "Ada")
	content["components"] = append(content["components"].([]any), map[string]any{"type": "header", "parameters": []any{
		map[string]any{"type": "document", "document": map[string]any{"id": file["id"], "filename": "invoice.pdf"}},
	}})
	m := n.awaitStatus(n.send(person, "template", content), "read")
	if m.str("preview", "header", "id") != file.str("id") {
		t.Errorf("the message shows %v", m)
	}
	got := n.sim.accepted("biz_opaque_callback_data=" + m.str("id"))
	if len(got) != 1 {
		t.Fatalf("the provider has %v", got)
	}
	body := object(got[0].at("body").(map[string]any))
	if id := body.str("template", "components", 1, "parameters", 0, "document", "id"); id == "" || strings.HasPrefix(id, "med_") || body.at("template", "preview") != nil {
		t.Errorf("the provider got %v", body)
	}
}

func testTemplateRejected(t *testing.T, w world) {
	n := w.number(t)
	n.newTemplate(oneText("reject_scam", "Hi {{1}}, send us money."))
	if got := n.awaitTemplate("reject_scam", "REJECTED"); got.str("status") != "rejected" || got.str("rejected_reason") != "SCAM" {
		t.Errorf("got %v", got)
	}
	expect(t, n.trySend(newPerson(), "template", filled("reject_scam", "Ada")), http.StatusBadRequest, "invalid_template_name")
}

// testTemplateMarketing: consent depends on the contact and the number, and is needed for marketing only.
func testTemplateMarketing(t *testing.T, w world) {
	n := w.number(t)
	person := newPerson()
	n.awaitStatus(n.send(person, "template", map[string]any{"name": "new_arrivals", "language": "en_US", "components": []any{
		map[string]any{"type": "header", "parameters": []any{map[string]any{"type": "image", "image": map[string]any{"link": fileLink}}}},
	}}), "read")
	contact := n.contact(person)
	reply := n.srv.Do(Call{Method: http.MethodPatch, Path: n.path("/contacts/" + contact.str("id")), Key: n.org.Key, Body: `{"marketing_consent":"opted_out"}`})
	expect(t, reply, http.StatusOK, "")
	marketing := map[string]any{"name": "new_arrivals", "language": "en_US", "components": []any{
		map[string]any{"type": "header", "parameters": []any{map[string]any{"type": "image", "image": map[string]any{"link": fileLink}}}},
	}}
	expect(t, n.trySend(person, "template", marketing), http.StatusUnprocessableEntity, "marketing_opted_out")
	expect(t, n.trySend(person, "template", map[string]any{"name": "hello_world", "language": "en_US"}), http.StatusOK, "")
	n.srv.CLIObject("account", "update", n.ID, "--org", n.org.ID, "--require-opt-in")
	expect(t, n.trySend(newPerson(), "template", marketing), http.StatusUnprocessableEntity, "consent_required")
}

func testTemplateCommands(t *testing.T, w world) {
	n := w.number(t)
	run := func(args ...string) Result {
		return runProgram(t, []string{"PARLEY_API_KEY=" + n.org.Key}, append(append([]string{"template"}, args...), "--url", n.srv.URL(), "--from", n.ID)...)
	}
	if r := run("sync"); r.Code != 0 || !strings.Contains(r.Stdout, "synced") {
		t.Errorf("sync: %+v", r)
	}
	if r := run("list", "--status", "approved", "--language", "de"); r.Code != 0 || !strings.Contains(r.Stdout, "order_update") || strings.Contains(r.Stdout, "hello_world") {
		t.Errorf("list: %+v", r)
	}
	if r := run("preview", "order_update", "--language", "de", "--param", "Grace"); r.Code != 0 || r.Stdout != "Hallo Grace, deine Bestellung A-17 ist unterwegs.\n" {
		t.Errorf("preview: %+v", r)
	}
	if r := run("preview", "summer_carousel"); r.Code != 0 || !strings.Contains(r.Stdout, "— card 2 —\n[image] https://") || !strings.Contains(r.Stdout, "[Buy] https://shop.example.com/p/scarf") {
		t.Errorf("preview of a carousel: %+v", r)
	}
	if r := run("preview", "nobody"); r.Code != 1 || !strings.Contains(r.Stderr, "resource_not_found") {
		t.Errorf("preview of nobody: %+v", r)
	}
}
