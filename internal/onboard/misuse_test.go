package onboard_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/onboard"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// callbackOf is where the provider sends a browser that approved.
func (b *browser) callbackOf(address, phone string) (string, url.Values) {
	b.t.Helper()
	u, err := url.Parse(b.decide(b.begin(address), "approve", newNumber(phone)))
	if err != nil {
		b.t.Fatal(err)
	}
	query := u.Query()
	u.RawQuery = ""
	return u.String(), query
}

// TestForgedStates refuses every state that was not signed here, for this link and this browser.
func TestForgedStates(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		evil := "https://evil.example/"
		link, address := r.link(chat.NewSetupLink{FailureRedirectURL: &evil, SuccessRedirectURL: &evil})
		second, other := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		callback, query := b.callbackOf(address, "+62 812 5550 300")
		good := query.Get("state")
		parts := strings.Split(good, ".")
		swapped := append([]string{}, parts...)
		swapped[1] = second.ID
		younger := append([]string{}, parts...)
		younger[2] = "zzzzzzzz"
		for name, state := range map[string]string{
			"none": "", "noise": "x", "dots": "....", "no signature": strings.Join(parts[:4], "."), "empty signature": strings.Join(parts[:4], ".") + ".",
			"another link": strings.Join(swapped, "."), "another time": strings.Join(younger, "."), "a flipped bit": good[:len(good)-2] + "AA",
			"more": good + ".x", "another case": strings.ToLower(good), "very long": strings.Repeat("a.", 3000),
		} {
			query.Set("state", state)
			got := b.get(callback + "?" + query.Encode())
			if got.status != http.StatusBadRequest || got.location != "" || !strings.Contains(got.body, "signup_failed") {
				t.Errorf("%s: got %d %s %s", name, got.status, got.location, got.body)
			}
		}
		query.Set("state", good)
		for name, stranger := range map[string]*browser{"no cookie": newBrowser(t), "the cookie of another link": startedOn(t, other), "of the same link": startedOn(t, address)} {
			got := stranger.get(callback + "?" + query.Encode())
			if got.status != http.StatusBadRequest || got.location != "" {
				t.Errorf("%s: got %d %s %s", name, got.status, got.location, got.body)
			}
		}
		if r.provider.count("exchange") != 0 || !strings.Contains(r.log.String(), "begun in another browser") || !strings.Contains(r.log.String(), "not signed here") {
			t.Errorf("%d exchanges; logged %s", r.provider.count("exchange"), r.log)
		}
		r.untouched(link)
		r.untouched(second)
	})
}

func startedOn(t *testing.T, address string) *browser {
	b := newBrowser(t)
	b.begin(address)
	return b
}

// TestReplayedCode shows the provider's refusal of a used code to the browser that brings it; the link still
// works.
func TestReplayedCode(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		_, first := r.link(chat.NewSetupLink{})
		link, second := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		callback, query := b.callbackOf(first, "+62 812 5550 301")
		b.get(callback+"?"+query.Encode()).says(t, http.StatusOK, "Your number is connected")
		thief := newBrowser(t)
		_, own := thief.callbackOf(second, "+62 812 5550 302")
		own.Set("code", query.Get("code"))
		thief.get(callback+"?"+own.Encode()).says(t, http.StatusBadGateway, "signup_failed")
		if r.stored(link).Status != chat.LinkActive || len(r.accounts()) != 1 {
			t.Errorf("the link is %s, with %d accounts", r.stored(link).Status, len(r.accounts()))
		}
		if !strings.Contains(r.log.String(), "has been used") {
			t.Errorf("logged %s", r.log)
		}
	})
}

// TestNoOpenRedirect checks that redirects come from the link or the settings, never from the request.
func TestNoOpenRedirect(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	_, address := r.link(chat.NewSetupLink{})
	query := "?success_redirect_url=https://evil.example&failure_redirect_url=https://evil.example&redirect_uri=https://evil.example&next=//evil.example"
	b := newBrowser(t)
	for _, target := range []string{
		address + query, r.url + "/onboard/callback" + query + "&error=access_denied", r.url + "/onboard//evil.example", r.url + "/onboard/https://evil.example",
		r.url + "/onboard/%2F%2Fevil.example", r.url + "/onboard/", r.url + "/onboard/..%2f..%2fv1",
	} {
		if got := b.get(target); got.location != "" || strings.Contains(got.body, "evil.example") {
			t.Errorf("%s: got %d %s %s", target, got.status, got.location, got.body)
		}
	}
	begun := b.get(address + "/start" + query + "&state=x&client_id=x")
	if strings.Contains(begun.location, "evil.example") || !strings.Contains(begun.location, url.QueryEscape(r.url+"/onboard/callback")) {
		t.Errorf("it leads to %s", begun.location)
	}
	request, err := http.NewRequest(http.MethodGet, address+"/start", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "evil.example"
	request.Header.Set("X-Forwarded-Host", "evil.example")
	response, err := b.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if location := response.Header.Get("Location"); strings.Contains(location, "evil.example") {
		t.Errorf("another host leads to %s", location)
	}
}

// TestNobodyIsSentPastThePage shows the welcome page to a browser that another site sent straight to the start.
func TestNobodyIsSentPastThePage(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	_, address := r.link(chat.NewSetupLink{})
	for site, status := range map[string]int{
		"": http.StatusSeeOther, "same-origin": http.StatusSeeOther, "none": http.StatusSeeOther, "cross-site": http.StatusOK, "same-site": http.StatusOK,
	} {
		b := newBrowser(t)
		request, err := http.NewRequest(http.MethodGet, address+"/start", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Sec-Fetch-Site", site)
		response, err := b.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != status || (status == http.StatusOK) != (response.Header.Get("Set-Cookie") == "") {
			t.Errorf("%q: got %s %v", site, response.Status, response.Header)
		}
	}
}

// TestGuessedTokens slows down a visitor who guesses tokens, and nobody else.
func TestGuessedTokens(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	_, address := r.link(chat.NewSetupLink{})
	b := newBrowser(t)
	limited := 0
	for i := range 40 {
		got := b.get(fmt.Sprintf("%s/onboard/csl_%024d", r.url, i))
		switch got.status {
		case http.StatusNotFound:
			if limited > 0 {
				t.Fatal("the limit was lifted")
			}
		case http.StatusTooManyRequests:
			limited++
			if got.header.Get("Retry-After") == "" {
				t.Error("it does not say for how long")
			}
		default:
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	if limited < 15 || limited > 25 {
		t.Errorf("%d of 40 guesses were limited", limited)
	}
	b.get(address).says(t, http.StatusOK)
	r.Clock.Advance(time.Minute)
	b.get(r.url+"/onboard/csl_000000000000000000000000").says(t, http.StatusNotFound, "This link does not work", "link_invalid")
	if !strings.Contains(r.log.String(), "being guessed") {
		t.Errorf("logged %s", r.log)
	}
}

// TestOneLinkIsNotHammered limits how often one link can be opened.
func TestOneLinkIsNotHammered(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	_, address := r.link(chat.NewSetupLink{})
	_, other := r.link(chat.NewSetupLink{})
	b := newBrowser(t)
	statuses := map[int]int{}
	for range 40 {
		statuses[b.get(address).status]++
	}
	if statuses[http.StatusOK] != 30 || statuses[http.StatusTooManyRequests] != 10 {
		t.Errorf("the answers are %v", statuses)
	}
	b.get(other).says(t, http.StatusOK)
	r.Clock.Advance(2 * time.Second)
	b.get(address).says(t, http.StatusOK)
}

// TestOneAddressIsNotEndless limits the requests of one address.
func TestOneAddressIsNotEndless(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	b := newBrowser(t)
	for range 300 {
		b.get(r.url + "/onboard/callback")
	}
	b.get(r.url+"/onboard/callback").says(t, http.StatusTooManyRequests, "One moment")
	r.Clock.Advance(time.Second)
	b.get(r.url+"/onboard/callback").says(t, http.StatusBadRequest)
}

// TestScriptInNames checks that names are escaped, because strangers choose them.
func TestScriptInNames(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		const nasty = `</title><script>alert(1)</script>"onload=x {customer} {{.}} javascript:alert(1)`
		var customer chat.Customer
		r.InTx(func(tx *store.Tx) (err error) {
			org, _, err := core.CreateOrganization(tx, nasty, chat.DefaultPlan)
			if err != nil {
				return err
			}
			customer, err = core.CreateCustomer(tx, org.ID, chat.NewCustomer{Name: nasty})
			return err
		})
		_, address := r.linkFor(customer, chat.NewSetupLink{})
		b := newBrowser(t)
		pages := []seen{b.get(address), b.get(b.decide(b.begin(address), "cancel", nil))}
		back := b.decide(b.begin(address), "approve", url.Values{"number": {"new"}, "phone": {"+628125550303"}, "name": {nasty}})
		pages = append(pages, b.get(back), newBrowser(t).get(address))
		for _, page := range pages {
			page.body = strings.Replace(page.body, "<script>"+onboard.PageScript+"</script>", "", 1)
			if strings.Contains(page.body, "<script") || strings.Contains(page.body, `"onload`) || !strings.Contains(page.body, "&lt;script&gt;") {
				t.Errorf("the page is %s", page.body)
			}
		}
	})
}

// TestHeaders checks the security headers of every answer.
func TestHeaders(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	failure := "https://shop.example/oops"
	_, address := r.link(chat.NewSetupLink{})
	_, sending := r.link(chat.NewSetupLink{FailureRedirectURL: &failure})
	b := newBrowser(t)
	for name, got := range map[string]seen{
		"welcome": b.get(address), "head": b.do(http.MethodHead, address, nil), "button": b.get(address + "/start"),
		"unknown": b.get(r.url + "/onboard/x"), "forged": b.get(r.url + "/onboard/callback?state=x"), "method": b.do(http.MethodDelete, address, nil),
		"posted callback": b.do(http.MethodPost, r.url+"/onboard/callback", url.Values{}), "sent on": b.get(b.decide(b.begin(sending), "cancel", nil)),
	} {
		for header, want := range map[string]string{
			"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Vary": "Accept-Language",
		} {
			if value := got.header.Get(header); value != want {
				t.Errorf("%s: %s is %q", name, header, value)
			}
		}
		policy := got.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "style-src 'sha256-", "script-src 'sha256-"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy is %s", name, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Count(policy, "sha256-") != 2 {
			t.Errorf("%s: the policy is %s", name, policy)
		}
	}
	cookie := b.get(address + "/start").header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Lax", "Path=/onboard/", "Max-Age=3600"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie is %s", cookie)
		}
	}
	for _, method := range []string{http.MethodDelete, http.MethodPost} {
		if got := b.do(method, address, nil); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "" {
			t.Errorf("%s gets %d", method, got.status)
		}
	}
}

// TestRevokedBetween connects nothing if the link is revoked while somebody follows it.
func TestRevokedBetween(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		link, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		callback, query := b.callbackOf(address, "+62 812 5550 304")
		r.InTx(func(tx *store.Tx) error { return core.RevokeSetupLink(tx, r.Org.ID, r.customer.ID, link.ID) })
		b.get(callback+"?"+query.Encode()).says(t, http.StatusGone, "This link was withdrawn", "link_revoked")
		if len(r.accounts()) != 0 || len(r.events()) != 0 || r.provider.count("exchange") != 0 {
			t.Errorf("%d accounts, %v", len(r.accounts()), r.events())
		}
	})
}
