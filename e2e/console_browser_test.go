//go:build browser

package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// A key is created, shown once, works, and is revoked by typing its name. Agents have no console.
func TestConsoleKeys(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	s.Press("link", "Developers")
	s.Has("tab", "API keys")
	s.Press("button", "Create key")
	s.Write("Name", "Shop")
	s.Accessible()
	s.Press("button", "Create key")
	s.Has("button", "Done")
	key := s.value("Key")
	s.Accessible()
	s.Press("button", "Done")
	s.Says("svc_live_…" + key[len(key)-4:])
	expect(t, srv.Get(key, "/v1/me"), http.StatusOK, "")

	s.Press("button", "Revoke") // the newest is first
	s.Write("Type “Shop” to confirm", "Ship")
	s.Press("button", "Revoke")
	s.Says("This is not the name.")
	expect(t, srv.Get(key, "/v1/me"), http.StatusOK, "")
	s.Write("Type “Shop” to confirm", "Shop")
	s.Press("button", "Revoke")
	s.Says("“Shop” is revoked")
	expect(t, srv.Get(key, "/v1/me"), http.StatusUnauthorized, "revoked_api_key")
	if strings.Contains(s.text(), key) {
		t.Error("the key is still shown")
	}
	s.Accessible()
	s.Content()
}

// An endpoint is added and tested. Its delivery shows every attempt, the browser computes the signature again, and the
// delivery is replayed, alone and with others.
func TestConsoleWebhooks(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty", "--allow-network=127.0.0.0/8"))
	receiver := newHookReceiver(t, http.StatusGone)
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/dev/webhooks")
	if line := s.value("Command"); !strings.Contains(line, "parley listen --url "+srv.URL()) {
		t.Errorf("the command is %q", line)
	}
	s.Press("button", "Add endpoint")
	s.Write("Address", receiver.URL)
	s.Accessible()
	s.Press("button", "Add endpoint")
	s.Has("button", "Done")
	secret := s.value("Secret")
	s.Press("button", "Done")
	s.PressIn("Webhooks", strings.TrimPrefix(receiver.URL, "http://"))
	s.Has("button", "Secrets")
	s.Press("button", "Send test")
	const choice = `document.querySelector("[role=dialog] select")` // and not the list's filter of the same name
	s.Until("!!" + choice)
	s.does(choice + `.value = "contact.created"; ` + choice + `.dispatchEvent(new Event("change", {bubbles: true}))`)
	s.Press("button", "Send test")
	s.SaysIn("Delivery", "410")
	s.SaysIn("Delivery", "contact.created")
	s.SaysIn("Delivery", "X-Svc-Signature")
	s.Press("button", "Show the secret and compute")
	s.SaysIn("Delivery", secret)
	s.SaysIn("Delivery", "Your browser computes the same signature.")
	s.Accessible()

	s.Press("button", "Enable") // the 410 has disabled it
	s.Press("button", "Replay")
	s.Says("The replay is on its way")
	receiver.await(t, 2)
	s.Press("button", "Enable")
	s.Press("button", "Replay many")
	s.Says("1 delivery will be made.") // the first was already replayed
	s.Accessible()
	s.Press("button", "Replay 1")
	s.Says("1 replayed.")
	s.Content()
}

// A secret is replaced: the old and the new one both sign until the old one is removed.
func TestConsoleSecrets(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty", "--allow-network=127.0.0.0/8"))
	receiver := newHookReceiver(t, http.StatusOK)
	var made struct{ Data struct{ ID string } }
	reply := srv.Post(demoKey(t, srv), "/v1/webhook_subscriptions", `{"url":"`+receiver.URL+`","events":["*"]}`)
	expect(t, reply, http.StatusCreated, "")
	if err := json.Unmarshal([]byte(reply.Body), &made); err != nil {
		t.Fatal(err)
	}
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/dev/webhooks/" + made.Data.ID)
	s.Press("button", "Secrets")
	s.Choose("The old one stops", "never")
	s.Press("button", "Create the new secret")
	if fresh := s.value("New secret"); !strings.HasPrefix(fresh, "whsec_") {
		t.Errorf("the new secret is %q", fresh)
	}
	s.Has("button", "Remove")
	s.Accessible()
	test := func() string {
		t.Helper()
		before := len(receiver.all())
		expect(t, srv.Post(demoKey(t, srv), "/v1/webhook_subscriptions/"+made.Data.ID+"/test", `{}`), http.StatusOK, "")
		hooks := receiver.await(t, before+1)
		return hooks[len(hooks)-1].Header.Get("X-Svc-Signature")
	}
	if signed := test(); strings.Count(signed, "v1=") != 2 {
		t.Errorf("while both are there it is signed %s", signed)
	}
	s.does(`[...document.querySelectorAll("button")].findLast(b => b.innerText === "Remove").click()`)
	s.Has("dialog", "Remove this secret?")
	s.does(`[...document.querySelectorAll("[role=dialog]")].at(-1).querySelectorAll("button").forEach(b => b.innerText === "Remove" && b.click())`)
	s.Lacks("button", "Remove")
	if signed := test(); strings.Count(signed, "v1=") != 1 {
		t.Errorf("afterwards it is signed %s", signed)
	}
	s.Content()
}

// Failed calls are found by their group. A call leads to its message's story, and so does any id, also by Ctrl+K.
func TestConsoleLogAndStory(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	key := demoKey(t, srv)
	sent := srv.Post(key, "/v1/100200300400500/messages", `{"messaging_product":"chat","to":"+12025550100","type":"text","text":{"body":"told"}}`)
	expect(t, sent, http.StatusOK, "")
	expect(t, srv.Get(key, "/v1/labels/lbl_00000000000000000000000000"), http.StatusNotFound, "resource_not_found")
	var message struct{ Data struct{ ID string } }
	if err := json.Unmarshal([]byte(sent.Body), &message); err != nil {
		t.Fatal(err)
	}
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/dev/logs")
	if !eventually(func() bool {
		s.Press("button", "Refresh")
		return strings.Contains(s.text(), "/v1/100200300400500/messages")
	}) {
		s.fail("the call is not in the log")
	}
	s.Open(srv.URL() + "/dev/logs?view=errors")
	s.Press("link", "resource_not_found")
	s.SaysIn("API log", "/v1/labels/lbl_00000000000000000000000000")
	s.Holds("location.search.includes('code=resource_not_found')")
	s.Accessible()
	s.Open(srv.URL() + "/dev/logs?method=POST")
	s.Press("link", "/v1/100200300400500/messages")
	s.SaysIn("Request", message.Data.ID)
	s.Accessible()
	s.Press("link", message.Data.ID)
	s.SaysIn("Story", "was answered with 200")
	s.SaysIn("Story", "told")
	s.SaysIn("Story", "The provider says: ")
	s.Accessible()
	s.Holds("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true})) || true")
	s.writeInto("combobox", "Commands", "+12025550100")
	s.Press("option", "Look up +12025550100 Developers")
	s.SaysIn("Story", "told")
	s.Open(srv.URL() + "/dev/find?id=msg_00000000000000000000000000")
	s.Says("Nothing found for this ID")
	s.Content()
}

// Every page of the console on a desktop and on a phone. Agents have none, and the server refuses them too.
func TestConsolePages(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	for _, width := range []int64{1280, 360} {
		s := OpenScreen(t, width, 800)
		signIn(t, s, srv)
		for page, sign := range map[string][2]string{
			"/dev/keys": {"button", "Create key"}, "/dev/logs": {"button", "Refresh"}, "/dev/events": {"table", "Events"},
			"/dev/webhooks": {"button", "Add endpoint"}, "/dev/deliveries": {"heading", "Deliveries"}, "/dev/reference?op=sendMessage": {"region", "Example"},
		} {
			s.fits(srv, page, sign)
		}
		s.Open(srv.URL() + "/dev/reference?op=sendMessage")
		s.Says("/v1/10020030040050") // one of the demo's numbers
		label := stored[[]struct{ ID string }](s, "/labels?limit=1")[0].ID
		s.Open(srv.URL() + "/dev/reference?op=getLabel")
		s.SaysIn("Example", "/v1/labels/"+label)
	}
}

func TestConsoleIsForAdmins(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	owner, agent := OpenScreen(t, 1280, 800), OpenScreen(t, 1280, 800)
	signIn(t, owner, srv)
	owner.Open(srv.URL() + "/settings/users")
	owner.Press("button", "Invite")
	owner.Write("Name", "Budi")
	owner.Write("E-mail", "budi@example.com")
	owner.Press("button", "Create the link")
	agent.Open(strings.Replace(owner.value("Link"), "localhost", "127.0.0.1", 1))
	agent.Write("Password", "correct horse battery")
	agent.Press("button", "Join")
	agent.Has("link", "Inbox")
	agent.Lacks("link", "Developers")
	agent.Open(srv.URL() + "/dev/keys")
	agent.Says("This is for owners and admins")
	for _, path := range []string{"/keys", "/api_log", "/events", "/webhook_subscriptions", "/webhook_deliveries", "/story?id=%2B12025550100"} {
		if !agent.holds(`(() => { const r = new XMLHttpRequest(); r.open("GET", "/app/api` + path + `", false); r.send(); return r.status === 403 })()`) {
			t.Errorf("an agent is not refused %s", path)
		}
	}
}
