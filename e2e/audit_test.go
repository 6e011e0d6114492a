package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Reasons why an operation that changes something leaves nothing in the audit log.
const (
	nothingYet   = "it changes nothing by itself; what makes it count is an entry"
	theirOwn     = "it concerns nobody but the person who does it"
	inTheThread  = "the conversation's own history has it, with who did it"
	isItsRecord  = "what it makes is kept, and says who made it"
	asksProvider = "it reads what the provider says"
	pretended    = "it is the simulated phone"
)

// unaudited are the operations without an entry, with the reason.
var unaudited = map[string]string{
	"addBroadcastRecipients": nothingYet, "removeBroadcastRecipients": nothingYet, "createBroadcast": nothingYet, "updateBroadcast": nothingYet,
	"duplicateBroadcast": nothingYet, "createTemplateDraft": nothingYet, "putTemplateDraft": nothingYet, "deleteTemplateDraft": nothingYet,
	"uploadContacts": nothingYet, "previewImport": nothingYet, "beginSecondStep": nothingYet, "beginSSO": nothingYet, "forgetPassword": nothingYet,
	"uploadAttachment": nothingYet,
	"putDraft":         theirOwn, "setPresence": theirOwn, "updateMe": theirOwn, "endMySessions": theirOwn, "signOut": theirOwn,
	"createView": theirOwn, "updateView": theirOwn, "deleteView": theirOwn,
	"changeConversations": inTheThread, "undoConversations": inTheThread, "labelInboxConversation": inTheThread, "unlabelInboxConversation": inTheThread,
	"updateInboxConversation": inTheThread, "attachConversationLabel": inTheThread, "detachConversationLabel": inTheThread, "updateConversation": inTheThread,
	"attachContactLabel": inTheThread, "detachContactLabel": inTheThread, "bulkLabelContacts": "only keys call it, and the API log has it",
	"sendMessage": isItsRecord, "testBroadcast": isItsRecord, "addNote": isItsRecord, "editNote": isItsRecord, "deleteNote": isItsRecord,
	"addContactNote": isItsRecord, "editContactNote": isItsRecord, "deleteContactNote": isItsRecord,
	"refreshNumber": asksProvider, "syncTemplates": asksProvider,
	"createHandset": pretended, "updateHandset": pretended, "readOnHandset": pretended, "writeFromHandset": pretended,
	"finishSSO": "it signs in as signIn does, and TestSSO has its entry",
	"setUp":     "it makes the first user, before whom there is nobody to do anything",
}

// changes are the operations of an API that may change something, by id.
func changes(t *testing.T, srv *Server, document string) map[string]bool {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	must(t, json.Unmarshal([]byte(srv.Get("", document).Body), &doc))
	found := map[string]bool{}
	for _, methods := range doc.Paths {
		for method, operation := range methods {
			if method != "get" && operation.OperationID != "" {
				found[operation.OperationID] = true
			}
		}
	}
	return found
}

// auditedOffice is a user who does everything that administrators do, and reads the audit log after each action.
type auditedOffice struct {
	t    *testing.T
	user *user
	done map[string]bool
	kept map[string]string
}

var blank = regexp.MustCompile(`\$\{(\w+)\}`)

func (o *auditedOffice) fill(text string) string {
	return blank.ReplaceAllStringFunc(text, func(name string) string {
		value, there := o.kept[name[2:len(name)-1]]
		if !there {
			o.t.Fatalf("nothing is known by %s, in %s", name, text)
		}
		return value
	})
}

func (o *auditedOffice) entries(action string) int {
	o.t.Helper()
	return len(data[[]struct{ ID string }](o.t, o.user, http.MethodGet, "/audit?limit=100&action="+action, "", ""))
}

// keep remembers a field of an answer. "key=data.id" keeps data.id under the name key.
func (o *auditedOffice) keep(what string, answer []byte) {
	o.t.Helper()
	for one := range strings.FieldsSeq(what) {
		name, path, _ := strings.Cut(one, "=")
		var value any
		must(o.t, json.Unmarshal(answer, &value))
		for step := range strings.SplitSeq(path, ".") {
			switch at := value.(type) {
			case map[string]any:
				value = at[step]
			case []any:
				value = at[0].(map[string]any)[step]
			}
		}
		if list, ok := value.([]any); ok {
			value = list[0]
		}
		o.kept[name] = fmt.Sprint(value)
	}
}

// until waits for a status.
func (o *auditedOffice) until(status, request string) {
	o.t.Helper()
	if !eventually(func() bool { o.does("", "", request, "", "state=data.status"); return o.kept["state"] == status }) {
		o.t.Fatalf("%s stays %s", request, o.kept["state"])
	}
}

// does makes the request of an operation, and keeps parts of its answer. If an action is named, the request must add
// one entry.
func (o *auditedOffice) does(operation, action, request, body, keep string) {
	o.t.Helper()
	before := 0
	if action != "" {
		before = o.entries(action)
	}
	method, path, _ := strings.Cut(o.fill(request), " ")
	kind := "application/json"
	switch {
	case strings.HasPrefix(body, "--b"):
		kind = "multipart/form-data; boundary=b"
	case strings.HasPrefix(body, tinyPNG):
		kind = "image/png"
	case strings.HasPrefix(body, "Phone"):
		kind = "text/csv"
	}
	as := o.user
	if operation == "useLink" || operation == "signIn" {
		as = &user{srv: o.user.srv} // another user, in another browser
	}
	answer := as.text(o.t, method, path, kind, o.fill(body))
	o.keep(keep, answer)
	if action == "" {
		return
	}
	o.done[operation] = true
	if after := o.entries(action); after != before+1 {
		o.t.Errorf("%s leaves %d entries %q, want 1", operation, after-before, action)
	}
}

// TestEveryChangeIsAudited goes through all operations of both APIs that can change something. Each leaves its entry in
// the audit log, or has a reason why it does not.
func TestEveryChangeIsAudited(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store, WithFlags("--demo", "--demo-empty", "--allow-network=127.0.0.0/8"))
		sink := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(sink.Close)
		o := &auditedOffice{t: t, user: signedIn(t, srv), done: map[string]bool{}, kept: map[string]string{"n": "100200300400500", "sink": sink.URL}}
		o.kept["email"], o.kept["password"] = demoLogin(t, srv)
		for _, deeds := range []func(*auditedOffice){people, developers, customersAndNumbers, words, contactsAndFiles, sending, endings, accounts, teams} {
			deeds(o)
		}
		o.hasDone(srv)
	})
}

// hasDone requires of every operation that can change something that it has left an entry, or has a reason.
func (o *auditedOffice) hasDone(srv *Server) {
	o.t.Helper()
	all := changes(o.t, srv, "/app/api/openapi.json")
	maps.Copy(all, changes(o.t, srv, "/v1/openapi.json"))
	for _, operation := range slices.Sorted(maps.Keys(all)) {
		switch reason := unaudited[operation]; {
		case o.done[operation] && reason != "":
			o.t.Errorf("%s leaves an entry, and a reason why it leaves none", operation)
		case !o.done[operation] && reason == "":
			o.t.Errorf("%s has left no entry, and there is no reason why", operation)
		}
	}
	for operation := range unaudited {
		if !all[operation] {
			o.t.Errorf("there is no %s", operation)
		}
	}
}

func people(o *auditedOffice) {
	o.does("inviteUser", "user.created", "POST /users", `{"name":"Budi","email":"budi@example.com","role":"agent","sees":"all"}`, "invited=data.user.id")
	o.does("updateUser", "user.updated", "PATCH /users/${invited}", `{"role":"admin"}`, "")
	o.does("linkUser", "user.link_created", "POST /users/${invited}/link", `{}`, "invitation=data.url")
	o.kept["token"] = o.kept["invitation"][strings.LastIndexAny(o.kept["invitation"], "/#")+1:]
	o.does("endUserSessions", "user.signed_out", "DELETE /users/${invited}/sessions", "", "")
	o.does("updateOrganization", "organization.updated", "PATCH /organization", `{"name":"Kopi Kita"}`, "")
	o.does("setLogo", "organization.updated", "PUT /organization/logo", smallPNG(o.t), "")
	o.does("removeLogo", "organization.updated", "DELETE /organization/logo", "", "")
	o.does("setRetention", "organization.updated", "PUT /usage/retention", `{"days":400}`, "")
}

func developers(o *auditedOffice) {
	o.does("createKey", "api_key.created", "POST /keys", `{"name":"Shop"}`, "key=data.key.id")
	o.does("revokeKey", "api_key.revoked", "DELETE /keys/${key}", "", "")
	o.does("createWebhookSubscription", "webhook.created", "POST /webhook_subscriptions", `{"url":"${sink}","events":["message.received"]}`, "hook=data.id")
	o.does("updateWebhookSubscription", "webhook.updated", "PATCH /webhook_subscriptions/${hook}", `{"events":["*"]}`, "")
	o.does("createWebhookSecret", "webhook.secret_created", "POST /webhook_subscriptions/${hook}/secrets", `{}`, "secret=data.id")
	o.does("revealWebhookSecret", "webhook.secret_revealed", "POST /webhook_subscriptions/${hook}/secrets/${secret}/reveal", `{}`, "")
	o.does("revokeWebhookSecret", "webhook.secret_revoked", "DELETE /webhook_subscriptions/${hook}/secrets/${secret}", "", "")
	o.does("testWebhookSubscription", "webhook.tested", "POST /webhook_subscriptions/${hook}/test", `{}`, "delivery=data.id")
	o.until("failed", "GET /webhook_deliveries/${delivery}")
	o.does("replayWebhookDelivery", "webhook.replayed", "POST /webhook_deliveries/${delivery}/replay", `{}`, "")
	o.does("testWebhookSubscription", "webhook.tested", "POST /webhook_subscriptions/${hook}/test", `{}`, "delivery=data.id")
	o.until("failed", "GET /webhook_deliveries/${delivery}")
	o.does("bulkReplayWebhookDeliveries", "webhook.replayed", "POST /webhook_deliveries/bulk_replay", `{"subscription_id":"${hook}","status":"failed"}`, "")
	o.does("deleteWebhookSubscription", "webhook.deleted", "DELETE /webhook_subscriptions/${hook}", "", "")
}

func customersAndNumbers(o *auditedOffice) {
	o.does("createCustomer", "customer.created", "POST /customers", `{"name":"Toko Maju"}`, "customer=data.id")
	o.does("updateCustomer", "customer.updated", "PATCH /customers/${customer}", `{"name":"Toko Maju Jaya"}`, "")
	o.does("createSetupLink", "setup_link.created", "POST /customers/${customer}/setup_links", `{}`, "link=data.id")
	o.does("updateSetupLink", "setup_link.updated", "PATCH /customers/${customer}/setup_links/${link}", `{"success_redirect_url":"https://example.com/done"}`, "")
	o.does("revokeSetupLink", "setup_link.revoked", "DELETE /customers/${customer}/setup_links/${link}", "", "")
	o.does("archiveCustomer", "customer.updated", "DELETE /customers/${customer}", "", "")
	o.does("restoreCustomer", "customer.updated", "POST /customers/${customer}/restore", `{}`, "")
	o.does("createNumberLink", "setup_link.created", "POST /number_links", `{}`, "")
	o.does("updateNumber", "number.updated", "PATCH /${n}/number", `{"require_opt_in":true}`, "")
	o.does("updateNumber", "number.updated", "PATCH /${n}/number", `{"require_opt_in":false}`, "")
	o.does("updateNumberProfile", "number.profile_changed", "PATCH /${n}/number/profile", `{"about":"Coffee"}`, "")
	o.does("setNumberPicture", "number.profile_changed", "POST /${n}/number/profile/picture", tinyPNG, "")
	o.does("registerNumber", "number.registered", "POST /${n}/register", `{"pin":"123456"}`, "")
}

func words(o *auditedOffice) {
	o.does("createLabel", "label.created", "POST /labels", `{"name":"Regulars"}`, "label=data.id")
	o.does("updateLabel", "label.updated", "PATCH /labels/${label}", `{"name":"Very important"}`, "")
	o.does("deleteLabel", "label.deleted", "DELETE /labels/${label}", "", "")
	o.does("", "", "GET /me", "", "team=data.numbers.team_id org=data.organization.id")
	o.does("createReply", "reply.created", "POST /replies", `{"name":"Hours","body":"From 8","team_id":"${team}"}`, "reply=data.id")
	o.does("updateReply", "reply.updated", "PATCH /replies/${reply}", `{"body":"From 9"}`, "")
	o.does("deleteReply", "reply.deleted", "DELETE /replies/${reply}", "", "")
	o.does("setOptOutWords", "opt_out_words.updated", "PATCH /opt_out_words/fr", `{"stop":["arret"],"start":["reprise"]}`, "")
	o.does("resetOptOutWords", "opt_out_words.reset", "DELETE /opt_out_words/fr", "", "")
}

func contactsAndFiles(o *auditedOffice) {
	o.does("uploadMedia", "media.added", "POST /${n}/media", formOf("prices.png", "image/png"), "file=data.id")
	o.does("deleteMedia", "media.deleted", "DELETE /${n}/media/${file}", "", "")
	o.does("createContact", "contact.created", "POST /${n}/contacts", `{"phone_number":"+4915155500001"}`, "one=data.id")
	o.does("updateContact", "contact.updated", "PATCH /${n}/contacts/${one}", `{"name":"Ada"}`, "")
	o.does("", "", "POST /${n}/contacts", `{"bsuid":"ID.1234567890"}`, "two=data.id")
	o.does("mergeContacts", "contact.merged", "POST /${n}/contacts/${one}/merge", `{"contact_id":"${two}"}`, "")
	o.does("", "", "POST /labels", `{"name":"Just met"}`, "label=data.id")
	o.does("changeContacts", "contacts.labelled", "POST /contacts/bulk", `{"ids":["${one}"],"change":{"label_id":"${label}"}}`, "")
	o.does("changeContacts", "contacts.deleted", "POST /contacts/bulk", `{"ids":["${one}"],"change":{"delete":true}}`, "")
	o.does("", "", "POST /${n}/contacts", `{"phone_number":"+4915155500009"}`, "one=data.id")
	o.does("deleteContact", "contact.deleted", "DELETE /${n}/contacts/${one}", "", "")
	o.does("", "", "POST /contacts/imports?filename=a.csv", "Phone\n+4915155500002\n", "job=data.job.id")
	o.does("startImport", "contacts.imported", "POST /contacts/imports/${job}/start", `{"number":"${n}","mapping":{"header":true,"columns":[{"column":0,"field":"phone_number"}]}}`, "")
	o.until("done", "GET /contacts/jobs/${job}")
	o.does("undoImport", "contacts.import_undone", "POST /contacts/imports/${job}/undo", `{}`, "")
}

func sending(o *auditedOffice) {
	body := `"components":[{"type":"BODY","text":"Hello there"}]`
	o.does("createTemplate", "template.created", "POST /${n}/templates", `{"name":"greeting","language":"en","category":"MARKETING",`+body+`}`, "")
	o.until("approved", "GET /${n}/templates/greeting")
	o.does("", "", "POST /${n}/broadcasts", `{"name":"Autumn","per_second":1,"template":{"name":"greeting","language":"en"},"audience":{"recipients":[
		{"to":"+9992000131026"},{"to":"+9992000131026"},{"to":"+4915155500003"},{"to":"+4915155500004"},{"to":"+4915155500005"}]}}`, "cast=data.id")
	o.does("startBroadcast", "broadcast.started", "POST /${n}/broadcasts/${cast}/start", "", "")
	o.does("pauseBroadcast", "broadcast.paused", "POST /${n}/broadcasts/${cast}/pause", "", "")
	o.does("resumeBroadcast", "broadcast.resumed", "POST /${n}/broadcasts/${cast}/resume", "", "")
	o.until("completed", "GET /${n}/broadcasts/${cast}")
	o.does("retryBroadcast", "broadcast.retried", "POST /${n}/broadcasts/${cast}/retry", "", "")
	o.does("", "", "POST /${n}/broadcasts/${cast}/duplicate", "", "copy=data.id")
	o.does("deleteBroadcast", "broadcast.deleted", "DELETE /${n}/broadcasts/${copy}", "", "")
	o.does("stopBroadcast", "broadcast.stopped", "POST /${n}/broadcasts/${cast}/stop", "", "")
	o.does("updateTemplate", "template.updated", "PATCH /${n}/templates/greeting", `{"components":[{"type":"BODY","text":"Hello again"}]}`, "")
	o.does("deleteTemplate", "template.deleted", "DELETE /${n}/templates/greeting", "", "")
}

// accounts does the operations on passwords, second steps and sessions, and the one that ends a number.
func accounts(o *auditedOffice) {
	o.does("useLink", "user.password_changed", "POST /links/${token}", `{"password":"correct horse battery"}`, "")
	o.does("signIn", "session.opened", "POST /session", `{"email":"budi@example.com","password":"correct horse battery"}`, "")
	o.does("changePassword", "user.password_changed", "POST /me/password", `{"current_password":"${password}","new_password":"a new one for all"}`, "")
	o.does("", "", "POST /me/second-step", "", "secret=data.secret")
	o.kept["code"] = codeFrom(o.t, o.kept["secret"], 0)
	o.does("confirmSecondStep", "user.second_step_on", "POST /me/second-step/confirm", `{"code":"${code}"}`, "")
	o.kept["code"] = codeFrom(o.t, o.kept["secret"], 30*time.Second)
	o.does("renewRecoveryCodes", "user.recovery_codes_renewed", "POST /me/second-step/recovery-codes", `{"password":"a new one for all","code":"${code}"}`, "recovery=data.recovery_codes")
	o.does("endSecondStep", "user.second_step_off", "POST /me/second-step/off", `{"password":"a new one for all","code":"${recovery}"}`, "")
	budi := &user{srv: o.user.srv}
	budi.do(o.t, http.MethodPost, "/session", "application/json", `{"email":"budi@example.com","password":"correct horse battery"}`)
	secret := data[struct{ Secret string }](o.t, budi, http.MethodPost, "/me/second-step", "", "").Secret
	budi.do(o.t, http.MethodPost, "/me/second-step/confirm", "application/json", `{"code":"`+codeFrom(o.t, secret, 0)+`"}`)
	o.does("takeOffSecondStep", "user.second_step_off", "DELETE /users/${invited}/second-step", "", "")
}

func endings(o *auditedOffice) {
	o.user.srv.CLI("account", "connect", "--org", o.kept["org"], "--phone-number-id=100200300400777", "--phone-number=+15550100277", "--waba-id=200300400500777",
		"--token=any", "--customer", o.kept["customer"], "--team", o.kept["team"])
	o.does("disconnectAccount", "number.disconnected", "DELETE /customers/${customer}/whatsapp_accounts/100200300400777", "", "")
	o.does("disconnectNumber", "number.disconnected", "DELETE /${n}/number", "", "")
}

func teams(o *auditedOffice) {
	o.does("createTeam", "team.created", "POST /teams", `{"name":"Sales"}`, "team=data.id")
	o.does("updateTeam", "team.updated", "PATCH /teams/${team}", `{"name":"Sales and more"}`, "")
}

// tinyPNG is the beginning of a PNG file.
const tinyPNG = "\x89PNG\r\n\x1a\n"

// formOf is a form with a small file.
func formOf(name, kind string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\nContent-Type: " + kind + "\r\n\r\n\x89PNG\r\n\x1a\n\r\n--b--\r\n"
}

// smallPNG is a complete picture.
func smallPNG(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))))
	return b.String()
}

// codeFrom is the code that an authenticator app with the key on the page shows, the given time from now.
func codeFrom(t *testing.T, key string, in time.Duration) string {
	t.Helper()
	code, err := chat.TOTPCode(strings.ReplaceAll(key, " ", ""), time.Now().Add(in))
	must(t, err)
	return code
}
