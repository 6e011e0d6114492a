package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

// reasons are the provider's codes that end a message, and our names for them.
var reasons = []struct {
	provider int
	code     string
}{
	{131047, "outside_24h_window"}, {131050, "marketing_opted_out"}, {131026, "recipient_unavailable"},
	{131051, "unsupported_message_type"}, {368, "account_restricted"}, {131031, "account_locked"},
	{10, "permission_revoked"}, {132001, "template_not_found"}, {132015, "template_paused"},
	{132007, "template_policy_violation"}, {132068, "flow_blocked"}, {131053, "media_upload_failed"},
	{131052, "media_download_failed"}, {131049, "undeliverable"}, {134011, "policy_violation"},
	{131048, "account_rate_limited"}, {100, "upstream_error"}, {131009, "upstream_error"},
}

// testRefusedByProvider: the provider refuses at once, so the message has no provider id, and the service reports the
// failure.
func testRefusedByProvider(t *testing.T, w world) {
	n := w.number(t)
	ids := make([]string, len(reasons))
	for i, r := range reasons {
		ids[i] = n.send(fmt.Sprintf("+9991%07d", r.provider), "text", text("no"))
	}
	for i, r := range reasons {
		m := n.awaitStatus(ids[i], "failed")
		checkFailure(t, m, r.code, r.provider)
		if m["message_id"] != nil {
			t.Errorf("%d: the message has the provider's id %v", r.provider, m["message_id"])
		}
		value := n.onlyEvent(chat.EventMessageStatus, ids[i]).at("entry", 0, "changes", 0, "value").(map[string]any)
		told := object(value)
		if told.str("statuses", 0, "id") != ids[i] || told.str("statuses", 0, "status") != "failed" ||
			told.at("statuses", 0, "errors", 0, "code") != float64(r.provider) ||
			"+"+told.str("statuses", 0, "recipient_id") != m.str("to") || told.str("metadata", "phone_number_id") != n.ID {
			t.Errorf("%d: message.status is %v", r.provider, told)
		}
	}
	if sent := n.events(chat.EventMessageSent); len(sent) > 0 {
		t.Errorf("message.sent for what was not: %s", sent[0].Payload)
	}
}

func checkFailure(t *testing.T, m object, code string, provider int) {
	t.Helper()
	if m.str("error", "code") != code || m.at("error", "provider_code") != float64(provider) || m.str("error", "message") == "" {
		t.Errorf("%d became %v, want %s", provider, m["error"], code)
	}
	if want := []string{"code", "message", "provider_code"}; !slices.Equal(m.names("error"), want) {
		t.Errorf("the error has %v", m.names("error"))
	}
}

// testFailedLater: the provider accepts the message and then reports a failure.
func testFailedLater(t *testing.T, w world) {
	n := w.number(t)
	ids := make([]string, len(reasons))
	for i, r := range reasons {
		ids[i] = n.send(fmt.Sprintf("+9992%07d", r.provider), "text", text("no"))
	}
	for i, r := range reasons {
		m := n.awaitStatus(ids[i], "failed")
		checkFailure(t, m, r.code, r.provider)
		told := n.onlyEvent(chat.EventMessageStatus, m.str("message_id"))
		if told.str("object") != "chat_business_account" || told.at("entry", 0, "changes", 0, "value", "statuses", 0, "errors", 0, "code") != float64(r.provider) {
			t.Errorf("%d: message.status is %v", r.provider, told)
		}
		if strings.Contains(fmt.Sprint(told["entry"]), ids[i]) {
			t.Errorf("%d: message.status shows what is between the provider and us: %v", r.provider, told)
		}
		n.onlyEvent(chat.EventMessageSent, ids[i])
	}
	closed := newPerson() // a person who never wrote
	checkFailure(t, n.awaitStatus(n.send(closed, "text", text("no")), "failed"), "outside_24h_window", 131047)
}

// testRefusedBeforeSending: a message that the API refuses leaves nothing behind.
func testRefusedBeforeSending(t *testing.T, w world) {
	n := w.number(t)
	refused := func(to, kind string, content any, status int, code string) {
		t.Helper()
		expect(t, n.trySend(to, kind, content), status, code)
	}
	hello := text("hello")
	refused("+49 155 1234567", "text", hello, http.StatusBadRequest, "invalid_phone_number")
	refused(newPerson(), "text", text(""), http.StatusBadRequest, "invalid_field_value")
	refused(newPerson(), "text", text(strings.Repeat("ü", 4097)), http.StatusBadRequest, "invalid_field_value")
	refused(newPerson(), "image", map[string]any{"caption": "of what?"}, http.StatusBadRequest, "missing_required_field")
	refused(newPerson(), "image", map[string]any{"id": "med_01ARZ3NDEKTSV4RRFFQ69G5FAV"}, http.StatusUnprocessableEntity, "media_not_found")
	update := func(flags ...string) {
		t.Helper()
		n.srv.CLIObject(append([]string{"account", "update", n.ID, "--org", n.org.ID}, flags...)...)
	}
	update("--status=disconnected")
	refused(newPerson(), "text", hello, http.StatusUnprocessableEntity, "upstream_error")
	update("--status=onboarding")
	refused(newPerson(), "text", hello, http.StatusUnprocessableEntity, "whatsapp_number_not_verified")
	update("--status=connected", "--provider-status=PENDING")
	refused(newPerson(), "text", hello, http.StatusUnprocessableEntity, "whatsapp_number_not_verified")
	update("--provider-status=CONNECTED")
	restrict(t, n, "RESTRICTED_CUSTOMER_INITIATED_MESSAGING", time.Hour)
	refused(newPerson(), "text", hello, http.StatusUnprocessableEntity, "account_restricted")
	for _, list := range []string{"/messages", "/contacts", "/conversations"} {
		if rows := n.all(list); len(rows) > 0 {
			t.Errorf("%s has %v", list, rows)
		}
	}
	if events := n.events(); len(events) > 0 {
		t.Errorf("%d events, such as %s", len(events), events[0].Payload)
	}
	if got := n.sim.accepted("phone_number_id=" + n.ID); len(got) > 0 {
		t.Errorf("the provider got %v", got)
	}
}

// restrict makes the provider forbid some sends for a while, and waits until the service knows.
func restrict(t *testing.T, n *Number, kind string, d time.Duration) {
	t.Helper()
	n.sim.do(http.MethodPost, "account_events", map[string]any{
		"waba_id": n.WABAID, "event": "ACCOUNT_RESTRICTION", "fields": map[string]any{
			"restriction_info": []any{map[string]any{"restriction_type": kind, "expiration": time.Now().Add(d).Unix()}},
		},
	})
	if !eventually(n.restricted) {
		t.Fatal("the restriction is not known")
	}
}

// restricted tells whether the provider has forbidden some sends.
func (n *Number) restricted() bool {
	n.t.Helper()
	account, err := n.log.Read(n.t.Context()).AccountByNumber(n.org.ID, n.ID)
	must(n.t, err)
	return account.Restriction != nil
}

// testLostToken: a token that the provider refuses stops the number until it gets another.
func testLostToken(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	n.open(person)
	n.sim.do(http.MethodPost, "tokens", map[string]any{"token": n.token(), "subcode": 467})
	checkFailure(t, n.awaitStatus(n.send(person, "text", text("no")), "failed"), "auth_expired", 190)
	if !eventually(func() bool { return n.account()["status"] == "degraded" }) {
		t.Fatalf("the account is %v", n.account())
	}
	expect(t, n.trySend(person, "text", text("no")), http.StatusUnprocessableEntity, "upstream_error")
	n.srv.CLIObject("account", "update", n.ID, "--org", n.org.ID, "--token=another", "--status=connected")
	n.awaitStatus(n.send(person, "text", text("yes")), "read")
}

// account is the number as the API shows it.
func (n *Number) account() (account object) {
	n.t.Helper()
	reply := n.srv.Get(n.org.Key, "/v1/accounts?status=all")
	for _, a := range parseObject(n.t, []byte(reply.Body)).list("data") {
		if a.str("phone_number_id") == n.ID {
			account = a
		}
	}
	if account == nil {
		n.t.Fatalf("the number is not in %s", reply.Body)
	}
	return account
}

// testAccountUpdates: the provider's decisions about a business account decide what its numbers may do.
func testAccountUpdates(t *testing.T, w world) {
	n, other := w.number(t), w.number(t)
	person := newPerson()
	n.open(person)
	for _, step := range []struct {
		event, status string
		fields        map[string]any
		send          int
	}{
		{"PARTNER_REMOVED", "disconnected", nil, http.StatusUnprocessableEntity},
		{"ACCOUNT_RECONNECTED", "connected", nil, http.StatusOK},
		{"DISABLED_UPDATE", "disconnected", map[string]any{"ban_info": map[string]any{"waba_ban_state": "DISABLE"}}, http.StatusUnprocessableEntity},
		{"DISABLED_UPDATE", "connected", map[string]any{"ban_info": map[string]any{"waba_ban_state": "REINSTATE"}}, http.StatusOK},
	} {
		n.sim.do(http.MethodPost, "account_events", map[string]any{"waba_id": n.WABAID, "event": step.event, "fields": step.fields})
		if !eventually(func() bool { return n.account()["status"] == step.status }) {
			t.Fatalf("after %s the account is %v", step.event, n.account())
		}
		if reply := n.trySend(person, "text", text("now?")); reply.Status != step.send {
			t.Errorf("after %s a send got %d %s", step.event, reply.Status, reply.Body)
		}
	}
	restrict(t, n, "RESTRICTED_BIZ_INITIATED_MESSAGING", time.Hour)
	template := map[string]any{"name": "hello_world", "language": "en_US"}
	expect(t, n.trySend(person, "template", template), http.StatusUnprocessableEntity, "account_restricted")
	expect(t, n.trySend(person, "text", text("an answer")), http.StatusOK, "")
	if got := other.account()["status"]; got != "connected" {
		t.Errorf("the other account is %v", got)
	}
}

// testUpdatesOfOneNumber: the simulator knows the numbers that a command has connected, although nobody told it about
// them, so that it can report on one of them.
func testUpdatesOfOneNumber(t *testing.T, w world) {
	srv := w.srv.with(t)
	org, waba := srv.NewOrg(), fmt.Sprint(205_640_000_000_000+numbersMade.Add(1))
	connected := func() *Number {
		i := numbersMade.Add(1)
		n := &Number{t: t, srv: srv, sim: w.sim.with(t), org: org, log: w.log, ID: fmt.Sprint(106_640_000_000_000 + i), Phone: fmt.Sprintf("+49305%07d", i)}
		srv.CLIObject("account", "connect", "--org", org.ID, "--phone-number-id", n.ID, "--phone-number", n.Phone, "--waba-id", waba, "--token", "any")
		return n
	}
	n, other := connected(), connected()
	for _, step := range []struct{ event, status string }{{"PARTNER_REMOVED", "disconnected"}, {"ACCOUNT_RECONNECTED", "connected"}} {
		n.sim.do(http.MethodPost, "account_events", map[string]any{"phone_number_id": n.ID, "event": step.event})
		if !eventually(func() bool { return n.account()["status"] == step.status }) {
			t.Fatalf("after %s the account is %v", step.event, n.account())
		}
		if got := other.account()["status"]; got != "connected" {
			t.Errorf("after %s the other is %v", step.event, got)
		}
	}
}

// testNumberUpdates: a number's approved name is stored; its quality does not change its state.
func testNumberUpdates(t *testing.T, w world) {
	n := w.number(t)
	n.sim.do(http.MethodPatch, "numbers/"+n.ID, map[string]any{"name": "New name", "name_decision": "APPROVED"})
	if !eventually(func() bool { return n.account()["name"] == "New name" }) {
		t.Errorf("the account is %v", n.account())
	}
	n.sim.do(http.MethodPost, "callbacks", map[string]any{"waba_id": n.WABAID, "field": "phone_number_quality_update", "value": map[string]any{
		"display_phone_number": strings.TrimPrefix(n.Phone, "+"), "event": "FLAGGED", "current_limit": "TIER_10K",
	}})
	n.sim.do(http.MethodPatch, "numbers/"+n.ID, map[string]any{"name": "Last name", "name_decision": "APPROVED"})
	if !eventually(func() bool { return n.account()["name"] == "Last name" }) {
		t.Errorf("the account is %v", n.account())
	}
	want := object{
		"object": "account", "phone_number_id": n.ID, "phone_number": n.Phone, "name": "Last name", "status": "connected",
		"status_reason": nil, "provider_status": "CONNECTED", "customer_id": nil,
	}
	got := n.account()
	delete(got, "id")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the account (-want +got):\n%s", diff)
	}
}
