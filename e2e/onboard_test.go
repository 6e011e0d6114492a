package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/parleyhq/parley/internal/chat"
)

// make posts and returns the created resource.
func (s *Server) make(key, path, body string) (data object) {
	s.t.Helper()
	r := s.Post(key, path, body)
	if r.Status != http.StatusCreated {
		s.t.Fatalf("POST %s: %d %s", path, r.Status, r.Body)
	}
	return s.data(r)
}

func (s *Server) data(r Reply) object {
	s.t.Helper()
	var envelope struct{ Data object }
	if err := json.Unmarshal([]byte(r.Body), &envelope); err != nil || envelope.Data == nil {
		s.t.Fatalf("%v in %s", err, r.Body)
	}
	return envelope.Data
}

// TestCustomerConnectsANumber goes the whole way: a link by the API, the page and the provider's pages in a phone's
// browser, a message from the number, and the disconnection of the number.
func TestCustomerConnectsANumber(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithProvider(""))
	sim := srv.Sim()
	org := srv.NewOrg()
	customer := srv.make(org.Key, "/v1/customers", `{"name":"Toko <b>Maju</b> Jaya"}`)
	link := srv.make(org.Key, "/v1/customers/"+customer.str("id")+"/setup_links", `{}`)

	b := OpenBrowser(t, "en-GB")
	b.Open(link.str("setup_url"))
	hesitate(b)
	goOn(b)

	shown := srv.data(srv.Get(org.Key, "/v1/customers/"+customer.str("id")))
	if shown.str("status") != "active" || shown.str("whatsapp_accounts", 0, "status") != "connected" {
		t.Fatalf("the customer is %v", shown)
	}
	n := &Number{t: t, srv: srv, sim: sim, org: org, log: srv.stored(), ID: shown.str("whatsapp_accounts", 0, "phone_number_id")}
	id := n.send(newPerson(), "template", map[string]any{"name": "hello_world", "language": "en_US"})
	n.awaitStatus(id, "read")
	onboarded := n.onlyEvent(chat.EventCustomerOnboarded, customer.str("id"))
	if got := onboarded.str("data", "phone_number"); got != "+62 812 5550100" {
		t.Errorf("the event has the number %q", got)
	}
	n.onlyEvent(chat.EventSetupLinkConsumed, link.str("id"))

	b.Ask("id")
	b.Open(link.str("setup_url"))
	b.See("Tautan ini sudah dipakai")
	b.Show("consumed")
	b.Content()
	seeExpiry(b, srv.make(org.Key, "/v1/customers/"+customer.str("id")+"/setup_links", `{}`))
}

// hesitate follows the open link with the keyboard, and cancels on the provider's page.
func hesitate(b *Browser) {
	b.t.Helper()
	says(b, b.See("Connect your WhatsApp number"), "Acme asks for access", "Toko <b>Maju</b> Jaya", "UTC (in 7 days)")
	b.ButtonOnScreen()
	b.Show("welcome")
	b.Press(kb.Tab)
	b.Holds("document.activeElement.matches('a.button') && getComputedStyle(document.activeElement).outlineStyle === 'solid'")
	b.Press(kb.Enter)
	b.See("Connect a business number")
	b.Show("dialog")
	b.Click("button[value=cancel]")
	b.See("Nothing was connected")
	b.ButtonOnScreen()
	b.Show("cancelled")
}

// goOn goes back to the provider's page, enters a number there with the Enter key, and loads the last page twice.
func goOn(b *Browser) {
	b.t.Helper()
	b.Click("a.button")
	b.See("Connect a business number")
	b.Fill("input[name=name]", "Toko Maju")
	b.Fill("input[name=phone]", "+62 812 5550 100")
	b.do(chromedp.Focus(chromedp.CSS("input[name=phone]")))
	b.Press(kb.Enter)
	first := b.See("Your number is connected")
	says(b, first, "Toko <b>Maju</b> Jaya", "+62 812 555 0100")
	b.Show("connected")
	b.Reload()
	if again := b.See("Your number is connected"); again != first {
		b.t.Errorf("loaded again, the page says %s", again)
	}
	b.Content()
}

func says(b *Browser, text string, parts ...string) {
	b.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.t.Errorf("the page does not say %q: %s", part, text)
		}
	}
}

// seeExpiry opens a link in two languages and time zones, and checks the displayed expiry.
func seeExpiry(b *Browser, link object) {
	b.t.Helper()
	expires, err := time.Parse(time.RFC3339, link.str("expires_at"))
	must(b.t, err)
	for _, visit := range []struct {
		language, heading, zone string
		hours                   int
		format                  string
	}{
		{"id", "Hubungkan nomor WhatsApp Anda", "Asia/Jakarta", 7, "15.04"},
		{"en-GB", "Connect your WhatsApp number", "Pacific/Kiritimati", 14, "Monday 2 January 15:04"},
	} {
		b.Ask(visit.language)
		b.RunScripts(visit.zone)
		b.Open(link.str("setup_url"))
		b.See(visit.heading)
		b.ButtonOnScreen()
		shown, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.querySelector('time').innerText"))
		want := expires.In(time.FixedZone(visit.zone, visit.hours*3600)).Format(visit.format)
		if err != nil || !strings.HasSuffix(strings.ReplaceAll(shown, ",", ""), want) {
			b.t.Errorf("in %s it says %q, want %s: %v", visit.zone, shown, want, err)
		}
	}
	b.Content()
}

// TestSuspensionStopsQueuedMessages: messages that wait when their customer is suspended are not sent.
func TestSuspensionStopsQueuedMessages(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		srv := Start(t, engine, WithProvider(""), WithFlags("--messages-per-second=3"))
		sim := srv.Sim()
		org := srv.NewOrg()
		customer := srv.make(org.Key, "/v1/customers", `{"name":"Slow"}`)
		n := connect(t, srv, sim, org, srv.stored(), "--customer", customer.str("id"))
		var ids []string
		for range 30 {
			ids = append(ids, n.send(newPerson(), "template", map[string]any{"name": "hello_world", "language": "en_US"}))
		}
		n.awaitStatus(ids[0], "read")
		r := srv.Do(Call{Method: http.MethodPatch, Path: "/v1/customers/" + customer.str("id"), Key: org.Key, Body: `{"status":"suspended"}`})
		expect(t, r, http.StatusOK, "")
		expect(t, n.trySend(newPerson(), "template", map[string]any{"name": "hello_world", "language": "en_US"}), 422, "customer_suspended")
		n.awaitStatus(ids[len(ids)-1], "failed")
		failed := 0
		for _, id := range ids {
			m := n.await(id, "settled", func(m object) bool { return m.str("status") == "read" || m.str("status") == "failed" })
			if m.str("status") == "failed" {
				failed++
				if m.str("error", "code") != "customer_suspended" {
					t.Errorf("%s failed with %v", id, m["error"])
				}
				if told := n.statuses(id); fmt.Sprint(told) != "[failed]" {
					t.Errorf("%s was told as %v", id, told)
				}
			}
		}
		if taken := len(sim.accepted("from=" + n.ID)); failed == 0 || taken > len(ids)-failed {
			t.Errorf("%d of %d failed, and the provider took %d", failed, len(ids), taken)
		}
		srv.Do(Call{Method: http.MethodPatch, Path: "/v1/customers/" + customer.str("id"), Key: org.Key, Body: `{"status":"active"}`})
		n.awaitStatus(n.send(newPerson(), "template", map[string]any{"name": "hello_world", "language": "en_US"}), "read")
	})
}

// TestPhoneAppNumber connects a number that stays in the phone app. The app's data is imported without notifications,
// and the number can be disconnected and connected again.
func TestPhoneAppNumber(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		srv := Start(t, engine, WithProvider(""))
		sim, org := srv.Sim(), srv.NewOrg()
		link := srv.CLIObject("account", "link", "--org", org.ID, "--public-url", srv.URL())
		v := &visitor{t: t, srv: srv}
		status, _, body, err := v.ask(http.MethodGet, v.approve(link["setup_url"].(string), "+62 812 5550 777", "on_business_app", "1"))
		if err != nil || status != http.StatusOK || !strings.Contains(body, "Your number is connected") {
			t.Fatalf("got %d %s, %v", status, body, err)
		}
		accounts := parseObject(t, []byte(srv.Get(org.Key, "/v1/accounts").Body)).list("data")
		if len(accounts) != 1 || accounts[0].str("phone_number") != "+628125550777" || accounts[0]["customer_id"] != nil {
			t.Fatalf("the numbers are %v", accounts)
		}
		n := &Number{t: t, srv: srv, sim: sim, org: org, log: srv.stored(), ID: accounts[0].str("phone_number_id")}
		if !eventually(func() bool { return len(n.all("/templates")) > 0 }) {
			t.Error("its templates were not read")
		}
		if !eventually(func() bool { return len(n.all("/contacts")) == 3 && len(n.all("/messages")) >= 18 }) {
			t.Fatalf("it has %d contacts and %d messages: %s", len(n.all("/contacts")), len(n.all("/messages")), srv.Log())
		}
		if told := n.events(chat.EventMessageReceived, chat.EventMessageSent); len(told) != 0 {
			t.Errorf("the import told of %d messages", len(told))
		}
		srv.CLIObject("account", "disconnect", n.ID, "--org", org.ID)
		expect(t, srv.Get(org.Key, n.path("/contacts")), http.StatusNotFound, "resource_not_found")
		again := srv.CLIObject("account", "link", "--org", org.ID, "--public-url", srv.URL())
		fresh := &visitor{t: t, srv: srv}
		status, _, body, err = fresh.ask(http.MethodGet, fresh.approve(again["setup_url"].(string), "+62 812 5550 777"))
		if err != nil || status != http.StatusOK || !strings.Contains(body, "Your number is connected") {
			t.Fatalf("got %d %s, %v", status, body, err)
		}
		n.receiveText(newPerson(), "after the return")
	})
}
